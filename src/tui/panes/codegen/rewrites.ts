/** The rewrites tab: what the selected pass did to single ops, one after the other. */
import { linesOfOps } from "../../../compile/provenance.js";
import type { Step, Trace } from "../../../compile/trace.js";
import { memo } from "../../../support/memo.js";
import { BOLD, line, MUTED, style } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import type { Session } from "../../state/state.js";
import { before, stepName } from "../../state/steps.js";
import type { CodegenItem } from "./model.js";
import { remarkItems, wrapText } from "./why.js";

interface Rewrite {
  readonly pattern: string;
  readonly root: number;
  readonly made: readonly number[];
}

/** The rewrites of a step as records. */
export function rewritesOf(step: Step): Rewrite[] {
  const found: Rewrite[] = [];
  const { rewrites, patterns } = step;
  for (let i = 0; i < rewrites.length; ) {
    const count = rewrites[i + 2]!;
    found.push({ pattern: patterns[rewrites[i]!]!, root: rewrites[i + 1]!, made: [...rewrites.subarray(i + 3, i + 3 + count)] });
    i += 3 + count;
  }
  return found;
}

export const rewriteItems = memo((session: Session, step: Step | undefined, width: number): readonly CodegenItem[] => {
  if (!step || step.kind === "source") return [{ row: line("the source: no pass ran yet", MUTED) }];
  const items: CodegenItem[] = [];
  const { trace } = session;
  const previous = before(session, step);
  const rewrites = rewritesOf(step);
  items.push({
    row: [
      [stepName(trace, step), style("title", "none", BOLD)],
      [`  ${rewrites.length} rewrites, ${step.remarks.length} remarks${step.options ? `, options ${step.options}` : ""}`, MUTED],
    ],
  });
  for (const [name, count] of Object.entries(step.statistics)) items.push({ row: line(`  ${name}: ${count}`, MUTED) });
  for (const inner of trace.steps)
    if (inner.parent === step.index)
      items.push({
        row: [
          ["  runs ", MUTED],
          [
            `${inner.label} ${inner.flag}${inner.symbol === undefined ? "" : ` @${inner.symbol}`}`,
            inner.changed ? style("changed") : MUTED,
          ],
        ],
        go: { to: "step", step: inner.index },
      });
  rewrites.forEach(({ pattern, root, made }, i) => {
    const old = previous && textOfOp(trace, previous, root);
    items.push({
      row: [
        [`${String(i + 1).padStart(4)} `, MUTED],
        [pattern.padEnd(10), style("symbol")],
        [old === undefined ? ` op ${root}, made within this pass` : "", MUTED],
      ],
      go:
        made.length > 0
          ? { to: "op", step: step.index, op: made[0]! }
          : previous
            ? { to: "op", step: previous.index, op: root }
            : { to: "step", step: step.index },
    });
    if (old !== undefined)
      items.push({
        row: [
          ["     - ", style("removed", "none", BOLD)],
          [old.slice(0, Math.max(20, width)), style("removed")],
        ],
      });
    for (const op of made) {
      const now = textOfOp(trace, step, op);
      items.push({
        row: [
          ["     + ", style("added", "none", BOLD)],
          [now?.slice(0, Math.max(20, width)) ?? `op ${op}, gone again by the end of the pass`, now === undefined ? MUTED : style("added")],
        ],
      });
    }
  });
  for (const remark of step.remarks) items.push(...remarkItems(session, step, remark, width));
  if (items.length === 1 && rewrites.length === 0)
    for (const text of wrapText(
      step.changed ? "the pass changed the IR without the rewriter: see the diff" : "the pass changed nothing",
      width,
    ))
      items.push({ row: line(`  ${text}`, MUTED) });
  return items;
}, 8);

function textOfOp(trace: Trace, step: Step, op: number): string | undefined {
  const at = linesOfOps(step.text).get(op);
  return at === undefined ? undefined : shown(trace.lines.line(step.text.lines[at]!)).trim();
}
