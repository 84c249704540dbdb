/** The pair of layouts that a conversion goes between, and what has to move. */

import { layoutOfType, type ValueLayout } from "../../../explain/value-layout.js";
import { type ConversionShape, conversionShape, movesInto } from "../../../layout/conversion.js";
import { ownersOf } from "../../../layout/grid.js";
import { memo } from "../../../support/memo.js";
import type { Value } from "../../../trace/step-module.js";
import { BOLD, line, MUTED, type Row, style } from "../../draw/style.js";
import type { View } from "../../state/view.js";
import type { Size2 } from "../pane.js";
import { within } from "./grid.js";
import { encodingIn, subjectHead } from "./map.js";
import type { Subject } from "./subject.js";

interface Pair {
  readonly op: string;
  readonly from: ValueLayout;
  readonly to: ValueLayout;
  readonly fromName: string;
  readonly toName: string;
}

/** The conversion that makes the subject, or the first one that takes it. */
function pairOf(subject: Subject): Pair | undefined {
  const ops = [subject.value.definingOp, ...[...subject.value.uses()].map((use) => use.owner)];
  for (const op of ops) {
    if (!op || !/convert_layout$/.test(op.name)) continue;
    const [src, dst] = [op.operandUses[0]!.value, op.results[0]!];
    const [from, to] = [layoutOfType(src.type), layoutOfType(dst.type)];
    if ("reason" in from || "reason" in to || from.kind === "shared" || to.kind === "shared") continue;
    const name = (value: Value) => `%${subject.ir.nameOf.get(value) ?? "?"}`;
    return { op: op.name, from, to, fromName: name(src), toName: name(dst) };
  }
  return undefined;
}

const shapeOf = memo((from: ValueLayout, to: ValueLayout): ConversionShape => conversionShape(from.layout, to.layout), 8);
const SCOPES: Readonly<Record<ConversionShape["scope"], string>> = {
  identity: "nothing moves",
  thread: "elements stay in their thread",
  warp: "elements stay in their warp",
  cta: "elements cross warps",
  cluster: "elements cross CTAs",
};

/** A value and its encoding. */
function named(name: string, { encodingText }: ValueLayout, { width, height }: Size2): Row[] {
  const [first = "", ...rest] = encodingIn(encodingText, { width: width - name.length - 1, height: height - 6 });
  return [
    [
      [name, style("value", "none", BOLD)],
      [` ${first}`, MUTED],
    ],
    ...rest.map((text) => line(" ".repeat(name.length + 1) + text, MUTED)),
  ];
}

export function pairRows(subject: Subject, view: View["layout"], size: Size2): Row[] {
  const { width, height } = size;
  const pair = pairOf(subject);
  if (!pair) return [...subjectHead(subject, size), line("no convert_layout makes or takes this value", MUTED)];
  const { from, to } = pair;
  const { scope, means, moves } = shapeOf(from, to);
  const total = moves.stay + moves.betweenRegisters + moves.betweenLanes + moves.betweenWarps + moves.betweenBlocks;
  const bar = (count: number): string => "█".repeat(Math.max(0, Math.round((Math.min(40, width - 44) * count) / total)));
  const counted: readonly (readonly [string, number])[] = [
    ["stay", moves.stay],
    ["between registers", moves.betweenRegisters],
    ["between lanes", moves.betweenLanes],
    ["between warps", moves.betweenWarps],
    ["between CTAs", moves.betweenBlocks],
  ];
  const at = within(to.shape, view.element);
  const owner = ownersOf(to.layout, at)[0];
  const rows: Row[] = [
    ...named(pair.fromName, from, size),
    ...named(pair.toName, to, size),
    [
      [`${SCOPES[scope]}`, style("title", "none", BOLD)],
      [means === "nothing" ? "" : `, by means of ${means}`, means.includes("shared memory") ? style("warning") : 0],
      [`   ${total * (to.bits / 8)} bytes`, MUTED],
    ],
    ...counted.map(
      ([name, count]): Row => [
        [`  ${name.padEnd(18)}`, 0],
        [`${String(count).padStart(8)} ${((100 * count) / total).toFixed(0).padStart(3)} % `, 0],
        [bar(count), style("accent")],
      ],
    ),
  ];
  if (owner) {
    rows.push([
      [`thread ${owner.thread}`, style("accent", "none", BOLD)],
      [`, which holds (${at.join(", ")}), takes:`, 0],
    ]);
    const lanes = from.layout.getInDimSize("lane");
    const parts = movesInto(from.layout, to.layout, { lane: owner.lane, warp: owner.warp, block: owner.block }).map(
      ({ to: place, from: source }) => {
        const thread = (source["warp"] ?? 0) * lanes + (source["lane"] ?? 0);
        return `r${place["register"]} <- T${thread}:${source["register"]}`;
      },
    );
    const columns = Math.max(1, Math.floor(width / 18));
    for (let i = 0; i < parts.length && rows.length < height; i += columns)
      rows.push(
        line(
          `  ${parts
            .slice(i, i + columns)
            .map((p) => p.padEnd(17))
            .join(" ")}`,
        ),
      );
  }
  return rows;
}
