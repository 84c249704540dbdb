/** The limits tab: what a launch costs, and what binds it. The launch is typed after `:limits`. */

import { kernelOf } from "../../../dialects/builtin/function-op.js";
import { lastTtgirStep } from "../../../explain/codegen-facts.js";
import { assembles } from "../../../gpu/gpu.js";
import { readSource } from "../../../library/sources.js";
import { readLaunchText } from "../../../limits/launch-text.js";
import { limitsOf, type OpCost } from "../../../limits/limits.js";
import { limitsText, summary } from "../../../limits/text.js";
import { argumentNames } from "../../../simulate/tensor/arguments.js";
import { finished, type Sliced } from "../../../support/slices.js";
import { wrapText } from "../../../support/wrap-text.js";
import type { Trace } from "../../../trace/trace.js";
import { start } from "../../compiler.js";
import { BOLD, ERROR, line, MUTED, style } from "../../draw/style.js";
import type { Go, Session, SessionLimits, State } from "../../state/state.js";
import { makingText, ptxOf, whyNoCode } from "./final-code.js";
import type { CodegenItem } from "./item.js";

/** Whether there is code to count: PTX, or an AMD kernel that was compiled here. */
export const hasCountedCode = ({ trace, input }: Pick<Session, "trace" | "input">): boolean =>
  trace.artifacts.ptx !== undefined || (input !== undefined && assembles(trace.target) === "llir");

/** The trace of an AMD kernel with the text that is followed thread by thread, which is made for limits alone. */
function* withExecutable({ trace, input, settings }: Session, clock: () => number): Sliced<Trace> {
  if (!input || !settings || trace.artifacts.ptx !== undefined || assembles(trace.target) === "ptx") return trace;
  const run = start(input, settings, clock, { artifacts: ["executable"], record: "ttgir", verifyEach: false });
  for (let next = run.next(); ; next = run.next()) {
    if (!next.done) {
      yield;
      continue;
    }
    const executable = next.value.kind === "error" ? undefined : next.value.trace.artifacts.executable;
    return executable === undefined ? trace : { ...trace, artifacts: { ...trace.artifacts, executable } };
  }
}

/** The limits of a session for a launch as it was typed. */
export function* computingLimits(session: Session, launch: string, clock: () => number): Sliced<SessionLimits> {
  const { input } = session;
  const request = readLaunchText(launch);
  if ("error" in request) return { kind: "error", message: request.error };
  const source = input && readSource({ name: "input.mlir", text: input.text });
  const kernel = source?.kind === "module" ? kernelOf(source.module) : undefined;
  return limitsOf(yield* withExecutable(session, clock), { ...request, names: kernel && argumentNames(kernel, input?.text) });
}

/** The limits of the launch in view; undefined until they are computed. */
export function limitsIn({ session, view }: State): SessionLimits | undefined {
  const { launch } = view.codegen;
  if (launch === "") return undefined;
  return session.computed.limits.get(launch) ?? (session.computed.diffs ? undefined : finished(computingLimits(session, launch, () => 0)));
}

/** A message of the command, whose options are typed in another way here. */
function asTyped(message: string, launch: string): string {
  const typed = message.replace(
    /--(?:arg|shape) (\S+?)=(\S+)/g,
    (_, name: string, value: string) => `${name}=${value.replaceAll("N", "?")}`,
  );
  return typed === message ? message : `${typed}, after :limits ${launch}`;
}

export function limitsItems(state: State, width: number): readonly CodegenItem[] {
  const { launch } = state.view.codegen;
  const said = (text: string, ink: number): CodegenItem[] =>
    wrapText(text, Math.max(20, width - 1)).map((part) => ({ row: line(part, ink) }));
  const { session } = state;
  const { target } = session.trace;
  const isAmd = assembles(target) === "llir";
  const ptx = ptxOf(session);
  if (!hasCountedCode(session)) {
    const why = isAmd ? `limits are counted in code that is compiled here, and this dump for ${target} is not` : whyNoCode(session);
    return said(ptx.kind === "making" ? makingText(ptx) : why, MUTED);
  }
  if (launch === "")
    return said(
      `the costs depend on the launch: type :limits n=4194304 grid=4096, with the kernel's numbers, and gpu=${isAmd ? "mi300x" : "h100"} for another GPU`,
      MUTED,
    );
  const found = limitsIn(state);
  if (found === undefined) return said("counting ...", MUTED);
  if (found.kind === "error") return said(asTyped(found.message ?? "this launch has no limits", launch), ERROR);
  const [head = "", bound = "", ...rest] = limitsText(found).trimEnd().split("\n");
  const ops = rest.findIndex((text) => text.startsWith("by op"));
  const end = rest.indexOf("", ops);
  const rows = (text: string, ink: number, go = {}): CodegenItem[] =>
    wrapped(text, width - 1).map((part) => ({ row: line(part, ink), ...go }));
  const items = [...rows(head, style("title", "none", BOLD)), ...rows(bound, style("plain", "none", BOLD))];
  for (const text of rest.slice(0, ops + 1)) items.push(...rows(text, 0));
  const step = lastTtgirStep(state.session.trace)?.index;
  for (const op of found.ops) items.push(...rows(opText(op), 0, goOf(op, step)));
  for (const text of rest.slice(end)) items.push(...rows(text, MUTED));
  return items;
}

/** A line of the report, which goes on below its last column where it is too long. The drawing is cut: `L` scrolls it. */
function wrapped(text: string, width: number): string[] {
  if (text.length <= width || DRAWN.test(text)) return [text];
  const start = /^.*(?: {2}|█ )(?=\S)/.exec(text)?.[0] ?? "";
  const words = text.slice(start.length);
  if (start.length > width - LEAST) return [start.trimEnd(), ...wrapText(words, width - 4).map((part) => `    ${part}`)];
  return wrapText(words, width - start.length).map((part, i) => (i === 0 ? start : " ".repeat(start.length)) + part);
}
const DRAWN = /[│└]/;
/** A last column of fewer cells begins in the next row. */
const LEAST = 24;

const opText = ({ source, name, cost }: OpCost): string =>
  `  ${source?.slice(source.lastIndexOf("/") + 1) ?? ""}  ${name}  ${summary(cost)}`;
const goOf = ({ op }: OpCost, step: number | undefined): { readonly go?: Go } =>
  op === undefined || step === undefined ? {} : { go: { to: "op", step, op } };
