/**
 * The two pictures of a layout that `triton-tensor-layout` draws, line by line.
 *
 * The tensor view of a distributed layout writes into each cell of the tensor who holds it (`T4:1`: thread 4, register 1;
 * several owners joined by `|`); of a shared layout it is a picture of memory, each place with the element it holds. The hardware
 * view lists per warp, register and lane (or per block and offset) the coordinates held there.
 * Source: Dialect.cpp, getDistributedLayoutStr, getSharedLayoutStr.
 */
import { eliminate } from "./gf2.js";
import type { LinearLayout } from "./linear-layout.js";
import { log2 } from "./packed-bases.js";

/** Takes a line without its newline. */
export type LineSink = (line: string) => void;

/** A part of a tensor: from (inclusive) and to (exclusive) along each dimension. */
export type Window = readonly (readonly [from: number, to: number])[];

/** Draws the tensor view of a distributed or a shared layout, or the part of it that `window` shows. */
export function printTensorView(layout: LinearLayout, emit: LineSink, window?: Window): void {
  if (layout.hasInDim("offset")) printSharedTensorView(layout, emit, window);
  else printDistributedTensorView(layout, emit, window);
}

/** Draws the hardware view of a distributed or a shared layout. */
export function printHwView(layout: LinearLayout, emit: LineSink): void {
  if (layout.hasInDim("offset")) printSharedHwView(layout, emit);
  else printDistributedHwView(layout, emit);
}

/**
 * The owners of a cell are those of a particular solution, which depends linearly on the cell, and all that differ from it by an
 * element of the kernel. So nothing is kept per cell, and memory does not grow with the tensor.
 */
function printDistributedTensorView(layout: LinearLayout, emit: LineSink, window: Window | undefined): void {
  const numBlocks = layout.getInDimSize("block");
  const { shape, place } = rowMajor(layout);
  const vectors = ["register", "lane", "warp", "block"].flatMap((dim) => Array.from(place(dim)));
  const registerBits = layout.getInDimSizeLog2("register");
  const threadBits = layout.getInDimSizeLog2("lane") + layout.getInDimSizeLog2("warp");
  const system = eliminate(vectors);
  // Places in ascending order: each kernel element has one of the bits that are no pivots, below which are pivots only.
  const kernel = vectors.flatMap((vector, b) => ((system.pivots >>> b) & 1 ? [] : [(1 << b) ^ system.solve(vector)!]));
  const others = combinations(Int32Array.from(kernel));
  const bits = shape.map(log2).reduce((sum, n) => sum + n, 0);
  const units = Array.from({ length: bits }, (_, b) => system.solve(1 << b));
  const surjective = units.every((unit) => unit !== undefined);
  const firstOwner = surjective ? linearMap(units as number[]) : (i: number) => system.solve(i);

  const registerMask = 2 ** registerBits - 1;
  const threadMask = 2 ** threadBits - 1;
  const pad = " ".repeat(digits(numBlocks) + digits(2 ** threadBits) + digits(2 ** registerBits));
  const text = (o: number): string => {
    const register = o & registerMask;
    const thread = (o >>> registerBits) & threadMask;
    const block = o >>> (registerBits + threadBits);
    const width = digits(block) + digits(thread) + digits(register);
    const name = numBlocks > 1 ? `B${block}:T${thread}:${register}` : `T${thread}:${register}`;
    return width < pad.length ? pad.slice(width) + name : name;
  };
  const cell = (i: number): string => {
    const first = firstOwner(i);
    if (first === undefined) return "";
    let cellText = text(first);
    for (let k = 1; k < others.length; k++) cellText += `|${text(first ^ others[k]!)}`;
    return cellText;
  };
  printGrid(shape, window, cell, ", ", emit);
}

function printDistributedHwView(layout: LinearLayout, emit: LineSink): void {
  const numRegs = layout.getInDimSize("register");
  const numLanes = layout.getInDimSize("lane");
  const numWarps = layout.getInDimSize("warp");
  const numBlocks = layout.getInDimSize("block");
  const byRegister = combinations(layout.getPackedBases("register"));
  const byLane = combinations(layout.getPackedBases("lane"));
  const byWarp = combinations(layout.getPackedBases("warp"));
  const byBlock = combinations(layout.getPackedBases("block"));
  const coordinates = coordinateText(layout, ",");
  for (let block = 0; block < numBlocks; block++) {
    if (numBlocks > 1) emit(`Block${block}:`);
    for (let warp = 0; warp < numWarps; warp++) {
      emit(`Warp${warp}:`);
      for (let register = 0; register < numRegs; register++) {
        const base = byBlock[block]! ^ byWarp[warp]! ^ byRegister[register]!;
        let line = coordinates(base);
        for (let lane = 1; lane < numLanes; lane++) line += `, ${coordinates(base ^ byLane[lane]!)}`;
        emit(line);
      }
    }
  }
}

function printSharedTensorView(layout: LinearLayout, emit: LineSink, window: Window | undefined): void {
  const shape = layout.getOutDimSizes();
  const size = shape.reduce((product, n) => product * n, 1);
  const perBlock = Math.trunc(size / layout.getInDimSize("block"));
  const byBlock = combinations(layout.getPackedBases("block"));
  const byOffset = linearMap(layout.getPackedBases("offset"));
  const coordinates = coordinateText(layout, ":");
  const cell = (i: number): string => coordinates(byBlock[Math.trunc(i / perBlock)]! ^ byOffset(i % perBlock));
  printGrid(shape, window, cell, ",", emit);
}

function printSharedHwView(layout: LinearLayout, emit: LineSink): void {
  const size = layout.getTotalOutDimSize();
  const numBlocks = layout.getInDimSize("block");
  const perBlock = Math.trunc(size / numBlocks);
  const byBlock = combinations(layout.getPackedBases("block"));
  const byOffset = linearMap(layout.getPackedBases("offset"));
  const coordinates = coordinateText(layout, ",");
  for (let block = 0; block < numBlocks; block++) {
    emit(`Block: ${block}:`);
    for (let offset = 0; offset < perBlock; offset++) emit(`Offset: ${offset} -> ${coordinates(byBlock[block]! ^ byOffset(offset))}`);
  }
}

/** Writes cells in row-major order, nested in brackets, a line per innermost row. `cell` gets a position in the whole tensor. */
function printGrid(
  whole: readonly number[],
  window: Window | undefined,
  cell: (i: number) => string,
  separator: string,
  emit: LineSink,
): void {
  const shape = window ? window.map(([from, to]) => to - from) : whole;
  const rank = shape.length;
  const width = shape[rank - 1] ?? 1;
  const rows = shape.slice(0, -1).reduce((product, n) => product * n, 1);
  // How many of the outer dimensions a row number is a multiple of: that many brackets open or close with it.
  const wrapped = (row: number): number => {
    let count = 0;
    for (let d = rank - 2; d >= 0 && row % shape[d]! === 0; d--) {
      row = Math.trunc(row / shape[d]!);
      count++;
    }
    return count;
  };
  const start = (row: number): number => {
    if (!window) return row * width;
    let at = window[rank - 1]?.[0] ?? 0;
    for (let d = rank - 2, stride = whole[rank - 1]!; d >= 0; stride *= whole[d]!, d--) {
      at += ((row % shape[d]!) + window[d]![0]) * stride;
      row = Math.trunc(row / shape[d]!);
    }
    return at;
  };
  for (let row = 0; row < rows; row++) {
    const open = 1 + wrapped(row);
    const first = start(row);
    let line = "[".repeat(open) + " ".repeat(rank - open);
    for (let column = 0; column < width; column++) {
      if (column > 0) line += separator;
      line += cell(first + column);
    }
    emit(line + "]".repeat(1 + wrapped(row + 1)));
  }
}

/** `(r,c)` of a packed coordinate, each padded to the digits of its dimension's size. */
function coordinateText(layout: LinearLayout, separator: string): (v: number) => string {
  const shape = layout.getOutDimSizes();
  const texts = shape.map((size) => Array.from({ length: size }, (_, c) => String(c).padStart(digits(size))));
  return (v) => {
    let text = "(";
    for (let d = 0; d < texts.length; d++) {
      if (d > 0) text += separator;
      text += texts[d]![layout.coordinate(v, d)]!;
    }
    return `${text})`;
  };
}

/** The tensor's shape, and the bases of an in dim as row-major positions in it. */
function rowMajor(layout: LinearLayout): { shape: number[]; place: (inDim: string) => Int32Array } {
  const shape = layout.getOutDimSizes();
  const flat = layout.transposeOuts([...layout.outDimNames].reverse());
  return { shape, place: (inDim) => flat.getPackedBases(inDim) };
}

/** The map that sends bit b of an index to `images[b]`, and bits without an image to 0, from two tables of about the square root of its size. */
function linearMap(images: ArrayLike<number>): (index: number) => number {
  const half = (images.length + 1) >> 1;
  const low = combinations(Int32Array.from(Array.from(images).slice(0, half)));
  const high = combinations(Int32Array.from(Array.from(images).slice(half)));
  const lowMask = low.length - 1;
  const highMask = high.length - 1;
  return (index) => low[index & lowMask]! ^ high[(index >>> half) & highMask]!;
}

/** The images of all indices whose bits select from `bases`. */
function combinations(bases: Int32Array): Int32Array {
  const images = new Int32Array(2 ** bases.length);
  for (let b = 0; b < bases.length; b++) {
    const half = 1 << b;
    for (let i = 0; i < half; i++) images[half + i] = images[i]! ^ bases[b]!;
  }
  return images;
}

function digits(n: number): number {
  return n < 10 ? 1 : String(n).length;
}
