/**
 * The layouts that a reduction goes through since Triton 3.8: within threads, within warps, and by conversions that bring what other
 * warps hold into lanes, so that a shuffle reduces that too.
 *
 *     4 warps along the axis: warp bases [1, 2] change places with lane bases that are 0; then lanes are reduced again
 *
 * Source: lib/Analysis/Utility.cpp, ReduceOpHelper.
 */
import { actionRemoveBroadcastedRegs, ColumnAction } from "../layout/column-action.js";
import { LinearLayout } from "../layout/linear-layout.js";

type Bases = number[][];

/** Which bases of an in dim move along the axis. */
const alongAxis = (bases: Bases, axis: number): number[] => bases.flatMap((basis, i) => (basis[axis] !== 0 ? [i] : []));

/** Registers that move along the axis come first; with `keepFirst` after the first basis, which values are packed in pairs by. */
export function axisBasesFirst(layout: LinearLayout, axis: number, keepFirst: boolean): ColumnAction {
  const bases = layout.getInDimBases("register");
  const all = Array.from(bases.keys());
  const kept = keepFirst ? all.slice(0, 1) : [];
  const rest = all.slice(kept.length);
  const moves = (i: number): boolean => bases[i]![axis] !== 0;
  return new ColumnAction([...kept, ...rest.filter(moves), ...rest.filter((i) => !moves(i))], "register", bases.length);
}

/** The layout after an in dim is reduced along the axis: its bases there are 0, and those of other dims count from 1 on. */
export function reducedAlong(layout: LinearLayout, axis: number, dim: string): LinearLayout {
  let next = 1;
  const bases = layout.getBases().map(([name, list]): [string, Bases] => [
    name,
    list.map((basis) => {
      const at = name === dim || basis[axis] === 0 ? 0 : next;
      if (at !== 0) next *= 2;
      return basis.map((x, d) => (d === axis ? at : x));
    }),
  ]);
  return LinearLayout.fromBases(bases, layout.outDimNames);
}

/** The layout after threads have reduced their own elements and warps theirs. */
export function reducedByWarps(source: LinearLayout, axis: number): LinearLayout {
  const unique = actionRemoveBroadcastedRegs(source).apply(source);
  const inThreads = reducedAlong(axisBasesFirst(unique, axis, false).apply(unique), axis, "register");
  return reducedAlong(actionRemoveBroadcastedRegs(inThreads).apply(inThreads), axis, "lane");
}

/** The layout to convert to so that lanes hold what warps and CTAs hold along the axis: all of it, or as much as there are lanes. */
export function lanesTakeOver(layout: LinearLayout, axis: number): LinearLayout {
  const bases = new Map(layout.getBases());
  const lanes = bases.get("lane")!;
  const warps = bases.get("warp")!;
  const blocks = bases.get("block")!;
  const ofWarps = alongAxis(warps, axis).map((i) => [warps, i] as const);
  const all = [...ofWarps, ...alongAxis(blocks, axis).map((i) => [blocks, i] as const)];
  const free = lanes.flatMap((basis, i) => (basis.every((x) => x === 0) ? [i] : []));
  const [places, moved] =
    free.length >= all.length ? [free, all] : [Array.from(lanes.keys()), all.length <= lanes.length ? all : ofWarps.slice(0, lanes.length)];
  moved.forEach(([list, i], n) => {
    const lane = places[n]!;
    [lanes[lane], list[i]] = [list[i]!, lanes[lane]!];
  });
  return LinearLayout.fromBases([...bases], layout.outDimNames);
}

/** The conversions of a reduction, in order; none where warps hold all of the axis. `reduced` is the layout after the last one. */
export function reduceRounds(
  source: LinearLayout,
  axis: number,
): { readonly rounds: readonly { readonly from: LinearLayout; readonly to: LinearLayout }[]; readonly reduced: LinearLayout } {
  const rounds: { from: LinearLayout; to: LinearLayout }[] = [];
  let from = reducedByWarps(source, axis);
  while (from.getOutDimSizes()[axis] !== 1) {
    const to = lanesTakeOver(from, axis);
    rounds.push({ from, to });
    from = reducedAlong(to, axis, "lane");
  }
  return { rounds, reduced: from };
}
