/**
 * The two pictures of a layout that `triton-tensor-layout` draws, line by line.
 *
 * The tensor view of a distributed layout writes into each cell of the tensor who holds it (`T4:1`: thread 4, register 1;
 * several owners joined by `|`); of a shared layout it is a picture of memory, each place with the element it holds. The hardware
 * view lists per warp, register and lane (or per block and offset) the coordinates held there.
 * Source: Dialect.cpp, getDistributedLayoutStr, getSharedLayoutStr.
 */
import type { LinearLayout } from "./linear-layout.js";

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

function printDistributedTensorView(layout: LinearLayout, emit: LineSink, window: Window | undefined): void {
  const numRegs = layout.getInDimSize("register");
  const numLanes = layout.getInDimSize("lane");
  const numWarps = layout.getInDimSize("warp");
  const numBlocks = layout.getInDimSize("block");
  const { shape, place } = rowMajor(layout);
  const size = shape.reduce((product, n) => product * n, 1);

  // The owners of each cell, threaded through `next` in the order in which they are enumerated.
  const owners = numBlocks * numWarps * numLanes * numRegs;
  const firstOwner = new Int32Array(size).fill(-1);
  const lastOwner = new Int32Array(size);
  const next = new Int32Array(owners).fill(-1);
  const byRegister = combinations(place("register"));
  const byLane = combinations(place("lane"));
  const byWarp = combinations(place("warp"));
  const byBlock = combinations(place("block"));
  let owner = 0;
  for (let block = 0; block < numBlocks; block++) {
    for (let warp = 0; warp < numWarps; warp++) {
      const base = byBlock[block]! ^ byWarp[warp]!;
      for (let lane = 0; lane < numLanes; lane++) {
        const at = base ^ byLane[lane]!;
        for (let register = 0; register < numRegs; register++, owner++) {
          const cell = at ^ byRegister[register]!;
          if (firstOwner[cell]! < 0) firstOwner[cell] = owner;
          else next[lastOwner[cell]!] = owner;
          lastOwner[cell] = owner;
        }
      }
    }
  }

  const numThreads = numWarps * numLanes;
  const pad = " ".repeat(digits(numBlocks) + digits(numThreads) + digits(numRegs));
  const text = (o: number): string => {
    const register = o % numRegs;
    const thread = Math.trunc(o / numRegs) % numThreads;
    const block = Math.trunc(o / (numRegs * numThreads));
    const width = digits(block) + digits(thread) + digits(register);
    const name = numBlocks > 1 ? `B${block}:T${thread}:${register}` : `T${thread}:${register}`;
    return width < pad.length ? pad.slice(width) + name : name;
  };
  const cell = (i: number): string => {
    let o = firstOwner[i]!;
    if (o < 0) return "";
    let cellText = text(o);
    while ((o = next[o]!) >= 0) cellText += `|${text(o)}`;
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
  const byOffset = combinations(layout.getPackedBases("offset"));
  const coordinates = coordinateText(layout, ":");
  const cell = (i: number): string => coordinates(byBlock[Math.trunc(i / perBlock)]! ^ (byOffset[i % perBlock] ?? 0));
  printGrid(shape, window, cell, ",", emit);
}

function printSharedHwView(layout: LinearLayout, emit: LineSink): void {
  const size = layout.getTotalOutDimSize();
  const numBlocks = layout.getInDimSize("block");
  const perBlock = Math.trunc(size / numBlocks);
  const byBlock = combinations(layout.getPackedBases("block"));
  const byOffset = combinations(layout.getPackedBases("offset"));
  const coordinates = coordinateText(layout, ",");
  for (let block = 0; block < numBlocks; block++) {
    emit(`Block: ${block}:`);
    for (let offset = 0; offset < perBlock; offset++)
      emit(`Offset: ${offset} -> ${coordinates(byBlock[block]! ^ (byOffset[offset] ?? 0))}`);
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
