/** The why tab: why the op under the cursor is as it is, in the names of the step shown; and what the selected pass is for, and did. */

import { ratedFacts } from "../../../explain/codegen/explain-facts.js";
import { instructionOnLine } from "../../../explain/codegen/instruction-line.js";
import { amdGpuOfTrace } from "../../../explain/codegen-facts.js";
import { conflictReasons } from "../../../explain/derivations/shared-access.js";
import { callersOf, linesOfOps, locationOf } from "../../../explain/provenance.js";
import { explain, queriesOf } from "../../../explain/queries.js";
import { type NameText, passText } from "../../../explain/texts/index.js";
import type { AmdGpu } from "../../../gpu/amd.js";
import { elementSteps } from "../../../layout/explain-layout.js";
import { type Remark, type RemarkRef, refText, remarkMessage } from "../../../pass/remark.js";
import { memo } from "../../../support/memo.js";
import { wrapText } from "../../../support/wrap-text.js";
import { failuresOf, type Step, type Trace } from "../../../trace/trace.js";
import { irSpans } from "../../draw/ir-text.js";
import { BOLD, ERROR, GOOD, line, MUTED, type Row, style, WARNING } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import type { Go, State } from "../../state/state.js";
import { comparedOf, placeText, selectedStep, stepName } from "../../state/steps.js";
import { cursorLine } from "../diff/model.js";
import { within } from "../layout/grid.js";
import { subjectOf } from "../layout/subject.js";
import { familyOf } from "./family.js";
import type { CodegenItem } from "./item.js";

const TITLE = style("title", "none", BOLD);

export function whyItems(state: State, width: number): readonly CodegenItem[] {
  const { session } = state;
  const step = selectedStep(state);
  const items: CodegenItem[] = [];
  if (step && !step.verified) {
    items.push({ row: line(`${stepName(session.trace, step)} failed:`, TITLE) });
    for (const text of failuresOf(session.trace)) for (const said of text.split("\n")) items.push(...paragraph(said, width, ERROR));
  }
  const { about, instruction } = state.view.codegen;
  if (about === "element") items.push(...elementItems(state, width));
  if (about === "op" || about === "element") items.push(...opItems(state, width));
  if (about === "instruction") return [...items, ...instructionText(instruction, amdGpuOfTrace(session.trace), width)];
  if (step) items.push(...passItems(session.trace, step, width));
  if (items.length === 0) items.push({ row: line("put the cursor of the diff on an op, and its story is shown here", MUTED) });
  return items;
}

/** The element under the cursor of the layout pane: how it becomes CTA, warp, lane and register, or an offset, and back. */
function elementItems(state: State, width: number): CodegenItem[] {
  const subject = subjectOf(state);
  if ("reason" in subject) return [];
  const { params, shape, layout } = subject.layout;
  const [title, ...steps] = elementSteps(params, shape, layout, within(shape, state.view.layout.element));
  return [{ row: line(`${subject.name}: ${title}`, TITLE) }, ...steps.flatMap((step) => paragraph(step, width))];
}

/** An instruction of the final code. */
function instructionText(line: string, amd: AmdGpu | undefined, width: number): CodegenItem[] {
  const about = instructionOnLine(line, amd);
  return [...codeItems(line, width), ...(about ? nameItems(about, width) : paragraph("no instruction on this line", width, MUTED))];
}
const codeItems = (text: string, width: number): CodegenItem[] =>
  wrapText(text.trim(), width - 4).map((part, i) => ({ row: [[i === 0 ? "" : "    ", 0], ...irSpans(part)] as Row }));

/** The op under the cursor: its layout, its width, its conversions, what passes said, and its instructions. */
function opItems(state: State, width: number): CodegenItem[] {
  const { session } = state;
  const cursor = cursorLine(state);
  const compared = comparedOf(state);
  const step = cursor?.side === "left" ? compared?.beforeStep : compared?.afterStep;
  if (!cursor || cursor.op === 0 || !step) return [];
  const items = codeItems(cursor.text, width);
  const known = items.length;
  for (const { title, lines } of explained(session.trace, step, cursor.op)) {
    items.push({ row: line(`  ${title}`, style("accent", "none", BOLD)) });
    for (const text of lines) items.push(...(DRAWN.has(title) ? [{ row: line(`    ${text}`) }] : paragraph(text, width)));
  }
  if (!session.progress) items.push(...instructionItems(session.trace, cursor.op, width));
  const calls = callersOf(session.trace, cursor.op);
  const place = calls.length > 0 ? locationOf(session.trace, cursor.op) : undefined;
  if (place) {
    items.push({ row: line("  inlined", style("accent", "none", BOLD)) });
    for (const [i, at] of [place, ...calls].entries()) {
      const go: Go = { to: "source", file: at.file, line: at.line };
      items.push(...paragraph(`${i === 0 ? "" : "called from "}${placeText(session, at)}`, width).map((item) => ({ ...item, go })));
    }
  }
  if (items.length === known) items.push(...paragraph("no pass has touched this op, and nothing is to be said of it", width, MUTED));
  return items;
}

/** Results come before their reasons. */
const ORDER = [
  "access",
  "shared memory",
  "life line",
  "instruction shape",
  "moves",
  "pipelining",
  "conversions",
  "layout",
  "passes",
  "axis info",
] as const;
/** Sections with columns, whose lines stay whole. */
const DRAWN: ReadonlySet<string> = new Set(["life line"]);

/** The explanations of an op of a step; remarks alone where the step's text cannot be read back. */
const explained = memo((trace: Trace, step: Step, id: number): readonly { readonly title: string; readonly lines: readonly string[] }[] => {
  const queries = queriesOf(trace, step);
  const op = "error" in queries ? undefined : queries.opOf(id);
  if (!("error" in queries) && op) {
    const { sections } = explain(queries, op);
    return ORDER.flatMap((title) => sections.filter((section) => section.title === title));
  }
  const family = familyOf(trace, id);
  const lines = trace.steps.flatMap((at) =>
    at.remarks.flatMap((remark) => (family.has(remark.op) ? [`${at.label} ${at.flag}: ${remarkMessage(remark, refText)}`] : [])),
  );
  return [{ title: "passes", lines }];
}, 4);

/** The instructions of an op, what they cost, and where rounds of shared memory come from. */
const instructionItems = memo((trace: Trace, id: number, width: number): readonly CodegenItem[] => {
  const family = familyOf(trace, id);
  const facts = ratedFacts(trace).filter(({ op }) => op !== undefined && family.has(op));
  if (facts.length === 0) return [];
  const items: CodegenItem[] = [{ row: line("  instructions", style("accent", "none", BOLD)) }];
  for (const fact of facts) {
    const { count, instruction, bytesPerThread: bytes, sectorsPerWarp: sectors, wavefronts } = fact;
    const cost = [
      bytes > 0 ? `${bytes} bytes a thread` : "",
      sectors === undefined ? "" : `${sectors} sectors a warp`,
      wavefronts ? `${wavefronts.needed} rounds of shared memory, at least ${wavefronts.least}` : "",
    ].filter((text) => text !== "");
    items.push({
      row: [
        [`    ${count}x `, 0],
        [instruction, style("c0")],
        [cost.length > 0 ? `  ${cost.join(", ")}` : "", MUTED],
      ],
      go: { to: "codegen", line: fact.lines[0]! },
    });
    for (const reason of conflictsOf(trace, fact)) items.push(...paragraph(reason, width, WARNING));
  }
  return items;
});
function conflictsOf(trace: Trace, fact: ReturnType<typeof ratedFacts>[number]): readonly string[] {
  const { wavefronts, op: id, opStep } = fact;
  if (!wavefronts || wavefronts.needed <= wavefronts.least || id === undefined || opStep === undefined) return [];
  const queries = queriesOf(trace, trace.steps[opStep]!);
  const op = "error" in queries ? undefined : queries.opOf(id);
  return op ? conflictReasons(trace, op, fact) : [];
}

const textOfPass = memo(passText, 16);

/** The purpose of a pass, and its remarks. */
const passItems = memo((trace: Trace, step: Step, width: number): readonly CodegenItem[] => {
  const items: CodegenItem[] = [];
  const about = textOfPass(step.flag);
  if (step.remarks.length > 0) {
    items.push({ row: line(`${stepName(trace, step)} says:`, TITLE) });
    for (const remark of step.remarks) items.push(...remarkItems(trace, step, remark, width));
  }
  return about ? [...items, ...nameItems(about, width)] : items;
});

/** A name in words. */
function nameItems({ title, lines }: NameText, width: number): CodegenItem[] {
  const items: CodegenItem[] = wrapText(title, width).map((text) => ({ row: line(text, TITLE) }));
  for (const text of lines)
    if (text.startsWith(" ")) {
      // Drawings and operands are one row; what a modifier means goes on below its beginning.
      const modifier = /^ {2}\.\S+ +/.exec(text)?.[0] ?? "";
      const parts = modifier === "" ? [text] : wrapText(text.slice(modifier.length), width - 2 - modifier.length);
      for (const [i, part] of parts.entries())
        items.push({ row: [["  ", 0], ...irSpans((i === 0 ? modifier : " ".repeat(modifier.length)) + part)] });
    } else items.push(...(text === "" ? [{ row: [] }] : wrapText(text, width - 2).map((part) => ({ row: line(`  ${part}`) }))));
  return items;
}

const MARKS = { applied: ["+ ", GOOD], missed: ["! ", WARNING], analysis: ["· ", MUTED] } as const;

export function remarkItems(trace: Trace, step: Step, remark: Remark, width: number): CodegenItem[] {
  const [mark, ink] = MARKS[remark.kind];
  const message = remarkMessage(remark, (ref) => refName(trace, step, ref));
  return wrapText(message, width - 5).map((text, i) => ({
    row:
      i === 0
        ? [
            ["  ", 0],
            [mark, ink],
            [text, 0],
          ]
        : [[`    ${text}`, 0]],
    go: { to: "op", step: step.index, op: remark.op },
  }));
}

/** The name of an op or value in the step's text; the remark's own text if it is no longer there. */
function refName(trace: Trace, step: Step, ref: RemarkRef): string {
  const at = linesOfOps(step.text).get(ref.op);
  if (at === undefined || ref.kind === "argument") return refText(ref);
  const text = shown(trace.lines.line(step.text.lines[at]!));
  const results = /^\s*(%[\w$.-]+)(?::\d+)? = /.exec(text)?.[1];
  if (results === undefined) return refText(ref);
  return ref.kind === "result" && ref.index > 0 ? `${results}#${ref.index}` : `${results} (${ref.text})`;
}

function paragraph(text: string, width: number, ink = 0): CodegenItem[] {
  return wrapText(text, width - 7).map((part, i) => ({
    row: [
      [i === 0 ? "    " : "      ", 0],
      [part, ink],
    ],
  }));
}
