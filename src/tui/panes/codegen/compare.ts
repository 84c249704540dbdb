/** The compare tab: what the final code is made of here and on the other side, and the difference of the PTX. */
import { hunks } from "../../../diff/hunks.js";
import { ptxDiff } from "../../../diff/ptx-diff.js";
import { codegenStep } from "../../../explain/codegen-facts.js";
import { compareFacts, finalFacts, sameFigures } from "../../../explain/compare-facts.js";
import { memo } from "../../../support/memo.js";
import { wrapText } from "../../../support/wrap-text.js";
import type { Trace } from "../../../trace/trace.js";
import { irSpans } from "../../draw/ir-text.js";
import { BOLD, line, MUTED, type Row, style } from "../../draw/style.js";
import { shown } from "../../draw/text-width.js";
import type { Session } from "../../state/state.js";
import { otherSide } from "../../state/steps.js";
import type { CodegenItem } from "./item.js";

/** The rows that compare the final code with that of the other side. */
export function compareItems(session: Session, width: number): readonly CodegenItem[] {
  const other = otherSide(session);
  if (session.progress) return [{ row: line("compiling ...", MUTED) }];
  if (!other) return [{ row: line("nothing to compare with: o changes options, --against brings another input", MUTED) }];
  const { name, here = "here" } = session.against ?? { name: "the baseline" };
  return compared(session.trace, other, name, here, width);
}

const TITLE = style("title", "none", BOLD);
const compared = memo((trace: Trace, other: Trace, name: string, here: string, columns: number): readonly CodegenItem[] => {
  const said = (text: string): Row[] => wrapText(text, columns - 2).map((part) => line(` ${part}`, MUTED));
  const rows: Row[] = [line(`${name} → ${here}`, TITLE)];
  if (codegenStep(trace) && codegenStep(other)) {
    const [was, is] = [finalFacts(other), finalFacts(trace)];
    const differences = compareFacts(was, is);
    const width = Math.max(0, ...differences.map(({ what }) => what.length));
    if (differences.length === 0) rows.push(...said("the same instructions, shared memory and conversions"));
    for (const { what, before, after } of differences) {
      const head = ` ${what.padEnd(width)} `;
      const [old, now] = [
        [before, style("removed")],
        [after, style("added")],
      ] as const;
      if (head.length + before.length + after.length + 3 <= columns) rows.push([[head, MUTED], old, [" → ", MUTED], now]);
      else rows.push([[head, MUTED]], [["   ", MUTED], old], [[" → ", MUTED], now]);
    }
    rows.push(...said(`the same: ${sameFigures(was, is).join(", ")}`));
  } else rows.push(...said("one side ends before the final code"));
  rows.push(...ptxRows(other.artifacts.ptx, trace.artifacts.ptx, said));
  // A dump has no PTX, and says nothing of the Triton that made it; a kernel for an AMD GPU has none.
  const [unmade] = [other, trace].flatMap((side, i) =>
    side.artifacts.ptx === undefined && side.triton && codegenStep(side) && side.target?.startsWith("cuda:")
      ? [i === 0 ? name : "this side"]
      : [],
  );
  if (unmade !== undefined)
    rows.push(
      ...said(
        `PTX and registers are not compared: the PTX of ${unmade} was not made, as for more than 2,000 ops it is made when its tab is opened`,
      ),
    );
  return rows.map((row) => ({ row }));
}, 4);

/** Texts of more characters are not compared while a key waits. */
const LONGEST = 1 << 19;
const SIGNS = { same: ["  ", 0], removed: ["- ", style("removed", "none", BOLD)], added: ["+ ", style("added", "none", BOLD)] } as const;

function ptxRows(before: string | undefined, after: string | undefined, said: (text: string) => Row[]): readonly Row[] {
  if (before === undefined || after === undefined) return [];
  const diff = before.length + after.length > LONGEST ? undefined : ptxDiff(before, after);
  if (!diff) return said("PTX: too much for a comparison by lines; --codegen --against prints it");
  const found = hunks(diff.rows, 2);
  if (found.length === 0) return said("PTX: the same, but for numbers of registers and labels");
  return [
    line("PTX", TITLE),
    ...found.flatMap(({ start, end }): Row[] => [
      line("···", MUTED),
      ...diff.rows.slice(start, end).map((row): Row => {
        const number = row.right >= 0 ? diff.after.lines[row.right]! : diff.before.lines[row.left]!;
        const [sign, ink] = SIGNS[row.kind as keyof typeof SIGNS];
        return [[sign, ink], ...irSpans(shown(diff.lines.line(number)))];
      }),
    ]),
  ];
}
