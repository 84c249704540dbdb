/**
 * Who owns which element: the layout function of a distributed encoding and its inverse.
 *
 *     ownersOf(layout, [0, 5])            // [{ block: 0, warp: 0, lane: 1, thread: 1, register: 1 }]
 *     elementsOf(layout, 0, 1)            // the coordinates in registers 0, 1, ... of thread 1 of block 0
 */
import { eliminate } from "./gf2.js";
import type { LinearLayout } from "./linear-layout.js";

/** A place of a distributed layout. `thread` counts lanes through all warps of the block. */
export interface Owner {
  readonly block: number;
  readonly warp: number;
  readonly lane: number;
  readonly thread: number;
  readonly register: number;
}

/** All places that hold the element, blocks, warps, lanes, registers ascending; none if no place does. */
export function ownersOf(layout: LinearLayout, coordinates: readonly number[]): Owner[] {
  const target = coordinates.reduce((packed, c, d) => packed | (c << layout.outShift[d]!), 0);
  return preimage(layout, target).map((index) => ownerAt(layout, index));
}

/** The coordinates that the registers of a thread hold, in order. */
export function elementsOf(layout: LinearLayout, block: number, thread: number): number[][] {
  const lanes = layout.getInDimSize("lane");
  const base = layout.applyPacked({ block, warp: Math.trunc(thread / lanes), lane: thread % lanes });
  return Array.from({ length: layout.getInDimSize("register") }, (_, register) => layout.unpack(base ^ layout.applyPacked({ register })));
}

/** For each element in row-major order, the flat index of its first owner (see `ownerAt`), or -1. For drawing. */
export function firstOwners(layout: LinearLayout): Int32Array {
  const rowMajor = layout.transposeOuts([...layout.outDimNames].reverse());
  const owners = new Int32Array(layout.getTotalOutDimSize()).fill(-1);
  const images = new Int32Array(layout.getTotalInDimSize());
  for (let b = 0; b < rowMajor.packed.length; b++) for (let i = 0; i < 1 << b; i++) images[(1 << b) + i] = images[i]! ^ rowMajor.packed[b]!;
  for (let index = images.length - 1; index >= 0; index--) owners[images[index]!] = index;
  return owners;
}

/** The owner with this flat index: its in dims side by side, the first one in the lowest bits. */
export function ownerAt(layout: LinearLayout, index: number): Owner {
  const at = (dim: string): number => {
    const i = layout.inDimNames.indexOf(dim);
    if (i < 0) return 0;
    const start = layout.inStart[i]!;
    return (index >>> start) & ((1 << (layout.inStart[i + 1]! - start)) - 1);
  };
  const warp = at("warp");
  const lane = at("lane");
  const lanes = layout.hasInDim("lane") ? layout.getInDimSize("lane") : 1;
  return { block: at("block"), warp, lane, thread: warp * lanes + lane, register: at("register") };
}

/** The flat indices that a layout maps to `target` (packed), ascending. */
export function preimage(layout: LinearLayout, target: number): number[] {
  const system = eliminate(layout.packed);
  const particular = system.solve(target);
  if (particular === undefined) return [];
  let indices = [particular];
  for (let b = 0; b < layout.packed.length; b++) {
    if ((system.pivots & (1 << b)) !== 0) continue;
    const kernel = (1 << b) ^ system.solve(layout.packed[b]!)!;
    indices = indices.concat(indices.map((index) => index ^ kernel));
  }
  return indices.sort((x, y) => x - y);
}

/**
 * The layout function of the documentation: which cells of a layout of shape `layoutShape` own element `index` of a tensor of shape
 * `tensorShape`. Where the tensor is larger, it wraps around; where the layout is larger, the element is there several times:
 * every cell that is `index` modulo the tensor's size.
 */
export function layoutFunction(tensorShape: readonly number[], layoutShape: readonly number[], index: readonly number[]): number[][] {
  let cells: number[][] = [[]];
  for (let d = 0; d < tensorShape.length; d++) {
    const owners: number[] = [];
    if (tensorShape[d]! >= layoutShape[d]!) owners.push(index[d]! % layoutShape[d]!);
    else for (let i = index[d]!; i < layoutShape[d]!; i += tensorShape[d]!) owners.push(i);
    cells = cells.flatMap((cell) => owners.map((owner) => [...cell, owner]));
  }
  return cells;
}
