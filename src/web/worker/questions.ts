/** Questions of the page that take longer than a picture, answered in slices. */

import { explainAt } from "../../explain/resolve.js";
import { validating } from "../../explain/validate-trace.js";
import { sourceFor } from "../../library/compile.js";
import { toJson } from "../../library/trace.js";
import type { StoredRun } from "../../simulate/memory.js";
import { bytesOf, type ElementKind, readElement } from "../../simulate/numbers/element.js";
import type { ArgumentPlan } from "../../simulate/tensor/arguments.js";
import { runningModule } from "../../simulate/tensor/run.js";
import { isExecutable, validationText } from "../../simulate/validate.js";
import type { Work } from "../../support/slices.js";
import { fromBytes, toBytes } from "../../support/utf8.js";
import type { State } from "../../tui/state/state.js";
import { selectedStep } from "../../tui/state/steps.js";
import type { Answer, Input, Question } from "../protocol.js";
import { cuteAnswer, layoutAnswer } from "./layouts.js";

export function* answering(question: Question, state: State, input: Input): Work<Answer> {
  switch (question.kind) {
    case "why":
      return why(state, question.asked);
    case "json":
      return { sections: [], text: toJson(state.session.trace) };
    case "validate":
      return yield* validated(state);
    case "run":
      return yield* ran(state, input);
    case "layout":
      return layoutAnswer(question.text, question);
    case "cute":
      return cuteAnswer(question.text);
  }
}
const failed = (text: string): Answer => ({ sections: [], text: fromBytes(text), failed: true });

function why({ session, view }: State, asked: string): Answer {
  const step = selectedStep({ session, view });
  const asks = [step && step.stage === "ttgir" ? step.label : undefined, undefined];
  for (const at of asks) {
    const found = explainAt(session.trace, toBytes(asked), at);
    if (found.kind === "error") continue;
    const after = `after ${found.step.label} ${found.step.flag}`;
    return {
      sections: found.explanations.flatMap(({ subject, sections }) => [
        { title: fromBytes(subject), lines: [after] },
        ...sections.map(({ title, lines }) => ({ title, lines: lines.map(fromBytes) })),
      ]),
    };
  }
  return failed(`nothing is known of ${asked}`);
}

function* validated({ session }: State): Work<Answer> {
  const outcome = yield* validating(session.trace, { seconds: 2 });
  if (outcome.kind === "error") return failed(outcome.message ?? outcome.rendered ?? "");
  return { sections: [], text: fromBytes(validationText(outcome)), failed: outcome.broken.length > 0 };
}

function* ran({ session }: State, { name }: Input): Work<Answer> {
  const read = session.input && sourceFor(session.input.source, {});
  if (read?.kind !== "module" || !isExecutable(read.module)) return failed(`'${name}' is no kernel that can be run`);
  const { findings, memory, args, grid, programs, printed } = yield* runningModule(read.module, {
    target: session.settings!.target,
  });
  const count = `${programs.length} program${programs.length === 1 ? "" : "s"} of a grid of ${grid.join("x")}`;
  return {
    failed: findings.some((f) => f.severity === "error"),
    sections: [
      { title: `${count}, with arguments that are made up`, lines: args.map(argumentText) },
      ...findings.map(({ kind, message, op }) => ({ title: kind, lines: [fromBytes(message), ...(op ? [`at ${op.name}`] : [])] })),
      ...args.flatMap((arg) => {
        const runs = arg.kind === "scalar" ? [] : memory.stores(arg.name);
        return runs.length === 0 || arg.kind === "scalar"
          ? []
          : [{ title: `stored to ${arg.name} (${arg.element})`, lines: storedLines(runs, arg.element) }];
      }),
      ...(printed.length > 0 ? [{ title: "printed", lines: printed.map(fromBytes) }] : []),
    ],
  };
}
function argumentText(arg: ArgumentPlan): string {
  if (arg.kind === "scalar") return `${arg.name} = ${arg.value}`;
  return `${arg.name}: ${arg.element}${arg.kind === "descriptor" ? ` ${arg.shape.join("x")}` : ""}`;
}
/** The first elements of each stretch that was stored. */
function storedLines(runs: readonly StoredRun[], element: ElementKind): string[] {
  const size = bytesOf(element);
  const lines = runs.slice(0, MAX_RUNS).map(({ offset, bytes }) => {
    const count = Math.floor(bytes.length / size);
    const values = Array.from({ length: Math.min(count, MAX_VALUES) }, (_, i) => String(readElement(element, bytes, i * size)));
    return `[${offset / size}] ${values.join(" ")}${count > MAX_VALUES ? ` ... (${count} elements)` : ""}`;
  });
  return runs.length > MAX_RUNS ? [...lines, `and ${runs.length - MAX_RUNS} stretches more`] : lines;
}
const MAX_RUNS = 16;
const MAX_VALUES = 16;
