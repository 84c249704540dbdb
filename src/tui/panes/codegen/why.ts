/** The why tab: what passes said about the op under the cursor, and about the pass. */
import { codegenFacts } from "../../../explain/codegen-facts.js";
import { linesOfOps } from "../../../explain/provenance.js";
import { type Remark, type RemarkRef, refText, remarkMessage } from "../../../pass/remark.js";
import { wrapText } from "../../../support/wrap-text.js";
import { failuresOf, type Step } from "../../../trace/trace.js";
import { BOLD, ERROR, GOOD, line, MUTED, style, WARNING } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import type { Session, State } from "../../state/state.js";
import { selectedStep, stepName, stepsOf } from "../../state/steps.js";
import { cursorLine } from "../diff/model.js";
import { familyOf } from "./family.js";
import type { CodegenItem } from "./model.js";

export function whyItems(state: State, width: number): readonly CodegenItem[] {
  const { session } = state;
  const cursor = cursorLine(state);
  const family = familyOf(session.trace, cursor?.op ?? 0);
  const step = selectedStep(state);
  const items: CodegenItem[] = [];
  if (step && !step.verified) {
    items.push({ row: line(`${stepName(session.trace, step)} failed:`, style("title", "none", BOLD)) });
    for (const text of failuresOf(session.trace)) for (const said of text.split("\n")) items.push(...paragraph(said, width, ERROR));
  }
  if (cursor && cursor.op !== 0) {
    items.push({ row: [[cursor.text.trim().slice(0, Math.max(10, width)), style("title", "none", BOLD)]] });
    for (const step of stepsOf(session))
      for (const remark of step.remarks) if (family.has(remark.op)) items.push(...remarkItems(session, step, remark, width));
    if (!session.progress)
      for (const fact of codegenFacts(session.trace)) {
        if (fact.op === undefined || !family.has(fact.op)) continue;
        items.push({
          row: [
            ["  becomes ", MUTED],
            [`${fact.count}x ${fact.instruction}`, style("c0")],
          ],
          go: { to: "codegen", line: fact.lines[0]! },
        });
        for (const reason of fact.why) items.push(...paragraph(reason, width, 0));
      }
    if (items.length === 1) items.push({ row: line("  no pass said anything about this op", MUTED) });
  }
  const remarks = step?.remarks ?? [];
  if (step && remarks.length > 0) {
    items.push({ row: line(`${stepName(session.trace, step)} says:`, style("title", "none", BOLD)) });
    for (const remark of remarks) items.push(...remarkItems(session, step, remark, width));
  }
  if (items.length === 0) items.push({ row: line("put the cursor of the diff on an op, and its story stands here", MUTED) });
  return items;
}

const MARKS = { applied: ["+ ", GOOD], missed: ["! ", WARNING], analysis: ["· ", MUTED] } as const;

export function remarkItems(session: Session, step: Step, remark: Remark, width: number): CodegenItem[] {
  const [mark, ink] = MARKS[remark.kind];
  const message = remarkMessage(remark, (ref) => refName(session, step, ref));
  const [first = "", ...rest] = wrapText(message, width - 4);
  const go = { to: "op", step: step.index, op: remark.op } as const;
  return [
    {
      row: [
        ["  ", 0],
        [mark, ink],
        [first, 0],
        [rest.length === 0 ? `  ${stepName(session.trace, step)}` : "", MUTED],
      ],
      go,
    },
    ...rest.map(
      (text, i): CodegenItem => ({
        row: [
          ["    ", 0],
          [text, 0],
          [i === rest.length - 1 ? `  ${stepName(session.trace, step)}` : "", MUTED],
        ],
        go,
      }),
    ),
  ];
}

/** The name of an op or value in the step's text; the remark's own text if it is no longer there. */
function refName(session: Session, step: Step, ref: RemarkRef): string {
  const at = linesOfOps(step.text).get(ref.op);
  if (at === undefined || ref.kind === "argument") return refText(ref);
  const text = shown(session.trace.lines.line(step.text.lines[at]!));
  const results = /^\s*(%[\w$.-]+)(?::\d+)? = /.exec(text)?.[1];
  if (results === undefined) return refText(ref);
  return ref.kind === "result" && ref.index > 0 ? `${results}#${ref.index}` : `${results} (${ref.text})`;
}

function paragraph(text: string, width: number, ink: number): CodegenItem[] {
  return wrapText(text, width - 4).map(
    (part): CodegenItem => ({
      row: [
        ["    ", 0],
        [part, ink],
      ],
    }),
  );
}
