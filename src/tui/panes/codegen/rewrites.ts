/** The rewrites tab: what the selected pass did to single ops, one after the other. */
import { linesOfOps } from "../../../explain/provenance.js";
import type { Declined, PassRewrites } from "../../../explain/rewrite-details.js";
import { memo } from "../../../support/memo.js";
import { wrapText } from "../../../support/wrap-text.js";
import type { Step, Trace } from "../../../trace/trace.js";
import { BOLD, line, MUTED, type Row, style } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import type { Go, Session } from "../../state/state.js";
import { before, stepName } from "../../state/steps.js";
import type { CodegenItem } from "./item.js";
import { remarkItems } from "./why.js";

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
      [
        `  ${plural(rewrites.length, "rewrite")}, ${plural(step.remarks.length, "remark")}${step.options ? `, options ${step.options}` : ""}`,
        MUTED,
      ],
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
  const details = session.computed.rewrites.get(step.label);
  if (details) {
    items.push(...detailItems(previous, step, details));
    for (const remark of step.remarks) items.push(...remarkItems(session.trace, step, remark, width));
    if (items.length === 1) items.push(...nothing(step, width));
    return items;
  }
  if (session.input && !session.input.edited) items.push({ row: line("  running the pass again, for each rewrite ...", MUTED) });
  rewrites.forEach(({ pattern, root, made }, i) => {
    const old = previous && textOfOp(trace, previous, root);
    items.push({
      row: [
        [`${String(i + 1).padStart(4)} `, MUTED],
        [pattern, style("symbol")],
        [old === undefined ? `  op ${root}, made within this pass` : "", MUTED],
      ],
      head: true,
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
  for (const remark of step.remarks) items.push(...remarkItems(session.trace, step, remark, width));
  if (items.length === 1 && rewrites.length === 0) items.push(...nothing(step, width, session.input === undefined));
  return items;
}, 8);

const plural = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;

function nothing(step: Step, width: number, isDump = false): CodegenItem[] {
  const text = isDump
    ? "a dump holds no single rewrites; e edits this IR and runs our passes on it, and these are told one by one"
    : step.changed
      ? "the pass changed the IR without the rewriter: see the diff"
      : "the pass changed nothing";
  return wrapText(text, width - 2).map((part) => ({ row: line(`  ${part}`, MUTED) }));
}

/** Rewrite by rewrite: pattern, the op before, the ops after, and who declined; then the ops that no pattern took. */
function detailItems(previous: Step | undefined, step: Step, { rewrites, untouched, left }: PassRewrites): CodegenItem[] {
  const items: CodegenItem[] = [];
  const there = linesOfOps(step.text);
  const was = previous && linesOfOps(previous.text);
  const placeOf = (op: number): Go | undefined =>
    there.has(op) ? { to: "op", step: step.index, op } : was?.has(op) ? { to: "op", step: previous!.index, op } : undefined;
  rewrites.forEach(({ pattern, root, before, after, replacedBy, declined }, i) => {
    const go = after.map(({ op }) => placeOf(op)).find((place) => place !== undefined) ?? placeOf(root);
    const to = go ? { go } : {};
    items.push({
      row: [
        [`${String(i + 1).padStart(4)} `, MUTED],
        [pattern, style("symbol", "none", BOLD)],
      ],
      head: true,
      ...to,
    });
    items.push({ row: signed("- ", style("removed", "none", BOLD), before, style("removed")), ...to });
    for (const { op, text } of after) {
      const place = placeOf(op);
      items.push({ row: signed("+ ", style("added", "none", BOLD), text, style("added")), ...(place ? { go: place } : to) });
    }
    if (replacedBy.length > 0)
      items.push({ row: signed("= ", style("moved", "none", BOLD), `${replacedBy.join(", ")} stands for it`, MUTED), ...to });
    else if (after.length === 0) items.push({ row: signed("  ", MUTED, "it is gone", MUTED), ...to });
    items.push(...declinedItems(declined));
  });
  if (left > 0) items.push({ row: line(`     and ${left} more`, MUTED) });
  if (untouched.length > 0)
    items.push({
      row: line(`  ${plural(untouched.length, "op")} that no pattern rewrote, and why:`, style("title", "none", BOLD)),
      head: true,
    });
  for (const { op, text, declined } of untouched.slice(0, MAX_UNTOUCHED)) {
    const place = placeOf(op);
    items.push({ row: signed("  ", MUTED, text, 0), ...(place ? { go: place } : {}) }, ...declinedItems(declined));
  }
  if (untouched.length > MAX_UNTOUCHED) items.push({ row: line(`     and ${untouched.length - MAX_UNTOUCHED} more`, MUTED) });
  return items;
}
const MAX_UNTOUCHED = 300;

const signed = (sign: string, ink: number, text: string, tone: number): Row => [
  ["     ", MUTED],
  [sign, ink],
  [shown(text), tone],
];
function declinedItems(declined: readonly Declined[]): CodegenItem[] {
  return declined.map(({ pattern, reason }) => ({
    row: [
      ["       ? ", style("warning")],
      [pattern, style("symbol")],
      [reason === "" ? " declined" : `: ${reason}`, MUTED],
    ],
  }));
}

function textOfOp(trace: Trace, step: Step, op: number): string | undefined {
  const at = linesOfOps(step.text).get(op);
  return at === undefined ? undefined : shown(trace.lines.line(step.text.lines[at]!)).trim();
}
