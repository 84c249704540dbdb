import { SHARED } from "../../../analysis/allocation.js";
import { type LiveRange, liveRange, numberOps } from "../../../analysis/value-liveness.js";
import { MemDescIndexOp, MemDescReinterpretOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { WarpSpecializeOp } from "../../../dialects/ttg/ops/warp-specialize.js";
import { TensorMemoryEncoding } from "../../../dialects/ttng/attrs.js";
import { MMAv5OpInterface, tmemRows } from "../../../dialects/ttng/ops/tc-gen5-mma.js";
import { TMEMAllocOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { tmemColumns } from "../../../dialects/ttng/tmem-layout.js";
import { descOf } from "../../../dialects/ttng/ttng-op.js";
import { i32Attr, intOf } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { UnionFind } from "../../../support/union-find.js";
import { tensorMemoryAllocsOf } from "./tensor-memory-allocs.js";

/** The attribute of a module: columns of tensor memory that its kernel asks the hardware for. */
export const TENSOR_MEMORY_SIZE = "ttg.tensor_memory_size";

/** Tensor memory has 128 rows, given out in halves, of 512 columns. Offsets of columns are multiples of four. */
const HALF_ROWS = 64;
const HALVES = 2;
const COLUMNS = 512;
const COLUMN_ALIGNMENT = 4;
/** The numbers of columns that the hardware can allocate. */
const SIZES = [0, 32, 64, 128, 256, COLUMNS] as const;

export const tensorMemoryAllocation = definePass("triton-tensor-memory-allocation", {
  name: "TritonTensorMemoryAllocationPass",
  summary: "Assign tensor memory allocation",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/TensorMemoryAllocation.cpp",
  statistics: { buffers: "buffers placed", columns: "columns needed" },
  run(root, { count }) {
    const needed = allocate(root, () => count("buffers"));
    count("columns", needed);
    // More than there is compiles nevertheless, so that the one who launches it can say so.
    const size = SIZES.find((given) => needed <= given) ?? needed;
    // The hardware writes the address of the allocation to shared memory.
    if (size > 0 && (intOf(root.attr(SHARED)) ?? 0) < 4) root.setAttr(SHARED, i32Attr(root.ctx, 4));
    root.setAttr(TENSOR_MEMORY_SIZE, i32Attr(root.ctx, size));
  },
});

/** A rectangle: halves of rows by columns. */
interface Chunk {
  readonly row: number;
  readonly column: number;
  readonly numRows: number;
  readonly numColumns: number;
}

/** Places the buffers in order, each where it first fits among those alive. Returns the columns needed. */
function allocate(root: Operation, placed: () => void): number {
  const allocs: Operation[] = [];
  const sameRows = new UnionFind<Operation>();
  root.walkPostOrder((op) => {
    if (TMEMAllocOp.is(op)) allocs.push(op);
    tieRows(op, sameRows);
  });
  if (allocs.length === 0) return 0;

  const ids = numberOps(root);
  const chunks = new Map<Operation, Chunk>();
  const rowOfClass = new Map<Operation, number>();
  let alive: { readonly chunk: Chunk; readonly end: number }[] = [];
  let needed = 0;
  for (const alloc of allocs) {
    const live = liveRangeOfViews(alloc.result(0), ids);
    alive = alive.filter(({ end }) => end > live.start);
    const desc = descOf(alloc.result(0));
    const size = { numRows: tmemRows(desc) / HALF_ROWS, numColumns: tmemColumns(desc) };
    const tied = sameRows.has(alloc) ? sameRows.find(alloc) : undefined;
    const fixedRow = tied && rowOfClass.get(tied);
    const others = [...alive.map(({ chunk }) => chunk), ...chunksAtTheSameTime(alloc, chunks)];
    const chunk = firstFit(size, others, fixedRow);
    chunks.set(alloc, chunk);
    if (tied) rowOfClass.set(tied, chunk.row);
    alive.push({ chunk, end: live.end });
    alloc.setAttr("tensor_memory_col_offset", i32Attr(root.ctx, chunk.column));
    alloc.setAttr("tensor_memory_row_offset", i32Attr(root.ctx, chunk.row * 16));
    needed = Math.max(needed, chunk.column + chunk.numColumns);
    placed();
  }
  return needed;
}

/** An operand of 64 rows in tensor memory lies in the same rows as the accumulator. */
function tieRows(op: Operation, sameRows: UnionFind<Operation>): void {
  const mma = op.def.interface(MMAv5OpInterface);
  const a = mma?.a(op);
  if (!mma || !a || !TensorMemoryEncoding.is(descOf(a).params.encoding) || tmemRows(descOf(a)) !== HALF_ROWS) return;
  const accumulators = tensorMemoryAllocsOf(mma.accumulator(op));
  for (const lhs of tensorMemoryAllocsOf(a)) for (const accumulator of accumulators) sameRows.union(lhs, accumulator);
}

/** Buffers in other regions of the same `ttg.warp_specialize`. */
function chunksAtTheSameTime(alloc: Operation, chunks: ReadonlyMap<Operation, Chunk>): Chunk[] {
  const around = alloc.parentOfType(WarpSpecializeOp);
  if (!around) return [];
  return [...chunks].flatMap(([other, chunk]) =>
    other.parentOfType(WarpSpecializeOp) === around && other.region !== alloc.region ? [chunk] : [],
  );
}

/** From the definition to the last use, views of the buffer included. */
function liveRangeOfViews(value: Value, ids: ReadonlyMap<Operation, number>): LiveRange {
  let { start, end } = liveRange(value, ids);
  for (const user of value.users()) {
    if (!MemDescIndexOp.is(user) && !MemDescReinterpretOp.is(user)) continue;
    const view = liveRangeOfViews(user.result(0), ids);
    start = Math.min(start, view.start);
    end = Math.max(end, view.end);
  }
  return { start, end };
}

function firstFit(size: Pick<Chunk, "numRows" | "numColumns">, others: readonly Chunk[], fixedRow: number | undefined): Chunk {
  const rows = fixedRow === undefined ? Array.from({ length: HALVES - size.numRows + 1 }, (_, row) => row) : [fixedRow];
  for (let column = 0; ; column += COLUMN_ALIGNMENT)
    for (const row of rows) {
      const chunk = { row, column, ...size };
      if (!others.some((other) => overlap(chunk, other))) return chunk;
    }
}
function overlap(a: Chunk, b: Chunk): boolean {
  return a.row < b.row + b.numRows && b.row < a.row + a.numRows && a.column < b.column + b.numColumns && b.column < a.column + a.numColumns;
}
