/**
 * Reductions since Triton 3.8: within threads as a tree, then within warps by shuffles, then conversions of the layout bring the
 * partial results of other warps into lanes, where shuffles reduce them too.
 * Source: lib/Conversion/TritonGPUToLLVM/ReduceOpToLLVM.cpp.
 */
import { axisBasesFirst, reduceRounds } from "../../analysis/reduce-layouts.js";
import { conversionScratch } from "../../analysis/scratch-size.js";
import * as ll from "../../dialects/llvm/ops/index.js";
import { toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import type { Type } from "../../ir/attribute.js";
import { bitWidth, isFloat, RankedTensorType, type TensorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { actionRemoveBroadcastedRegs } from "../../layout/column-action.js";
import { isCvtBlockSync } from "../../layout/conversion.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import { removeStandardDim } from "../../layout/standard-dims.js";
import { combine, elementTypes } from "./combine.js";
import { sharedMemoryBase } from "./control-flow.js";
import { convertElements } from "./convert-layout.js";
import type { Lowering } from "./lowering.js";

/** Registers, one list an operand. */
type Columns = readonly (readonly Value[])[];

export function reduceByConversions(lo: Lowering, op: Operation, axis: number): void {
  const { shape, encoding } = (op.operand(0).type as TensorType).params;
  const source = toLinearLayout(shape, encoding!);
  const unique = actionRemoveBroadcastedRegs(source);
  let columns: Columns = op.operands.map((operand) => unique.applyToValues(lo.elements(operand)));
  columns = withinThreads(lo, op, axis, unique.apply(source), columns);
  columns = withinWarps(lo, op, lanesOf(unique.apply(source), axis), columns);

  const { rounds, reduced } = reduceRounds(source, axis);
  const sync = (before: { readonly from: LinearLayout; readonly to: LinearLayout } | undefined): void => {
    if (before && !isCvtBlockSync(before.from, before.to)) lo.code.clusterBarrier(lo);
    else lo.code.barrier(lo);
  };
  rounds.forEach(({ from, to }, i) => {
    if (i > 0) sync(rounds[i - 1]);
    columns = withinWarps(lo, op, lanesOf(to, axis), convert(lo, op, from, to, columns));
  });
  const result = op.result(0).type;
  if (!RankedTensorType.is(result)) return op.results.forEach((value, i) => lo.setValue(value, columns[i]![0]!));
  const from = removeStandardDim(reduced, axis);
  const to = toLinearLayout(result.params.shape, result.params.encoding!);
  if (!from.equals(to)) {
    sync(rounds.at(-1));
    columns = convert(lo, op, from, to, columns);
  }
  op.results.forEach((value, i) => lo.setElements(value, columns[i]!));
}

// --- within threads -----------------------------------------------------------------------------

function withinThreads(lo: Lowering, op: Operation, axis: number, layout: LinearLayout, given: Columns): Columns {
  const count = 2 ** layout.getInDimBases("register").filter((basis) => basis[axis] !== 0).length;
  if (count === 1) return given;
  const pairs = count < 4 ? undefined : pairedCombiner(lo, op);
  const order = axisBasesFirst(layout, axis, pairs !== undefined);
  const ordered = given.map((column) => order.applyToValues(column));
  if (!pairs)
    return columnsOf(groupsOf(rowsOf(ordered), count).map((rows) => tree<readonly Value[]>(rows, (a, b) => combine(lo, op, a, b))));

  const { b } = lo;
  const packed = groupsOf(ordered[0]!, 2).map((pair) => b.packVector(pair));
  const inPairs = order.apply(layout).getInDimBases("register")[0]![axis] !== 0;
  const vectors = groupsOf(packed, inPairs ? count / 2 : count).map((list) => tree(list, (x, y) => b.op(pairs, [x, y], x.type)));
  return [
    vectors.flatMap((vector) => {
      const [low, high] = b.unpackVector(vector) as [Value, Value];
      return inPairs ? combine(lo, op, [low], [high]) : [low, high];
    }),
  ];
}
const rowsOf = (columns: Columns): readonly (readonly Value[])[] => columns[0]!.map((_, i) => columns.map((column) => column[i]!));
const columnsOf = (rows: Columns): Columns => rows[0]!.map((_, i) => rows.map((row) => row[i]!));
function groupsOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: list.length / size }, (_, i) => list.slice(i * size, (i + 1) * size));
}
/** Combines neighbours until one is left. */
function tree<T>(list: readonly T[], combineTwo: (a: T, b: T) => T): T {
  if (list.length === 1) return list[0]!;
  return tree(
    groupsOf(list, 2).map(([a, b]) => combineTwo(a!, b!)),
    combineTwo,
  );
}

const ANY_FLOAT: Readonly<Record<string, OpDef>> = { "arith.addf": ll.FAddOp, "arith.mulf": ll.FMulOp };
const OF_16_BITS: Readonly<Record<string, OpDef>> = {
  ...ANY_FLOAT,
  "arith.minnumf": ll.MinNumOp,
  "arith.maxnumf": ll.MaxNumOp,
  "arith.minimumf": ll.MinimumOp,
  "arith.maximumf": ll.MaximumOp,
  "arith.addi": ll.AddOp,
  "arith.muli": ll.MulOp,
  "arith.minsi": ll.SMinOp,
  "arith.maxsi": ll.SMaxOp,
  "arith.minui": ll.UMinOp,
  "arith.maxui": ll.UMaxOp,
};
/** The op that combines two pairs at once; undefined where the GPU has none. */
function pairedCombiner(lo: Lowering, op: Operation): OpDef | undefined {
  const block = op.regions[0]!.firstBlock!;
  const combiner = block.firstOp!;
  if (op.numOperands !== 1 || combiner.next !== block.lastOp) return undefined;
  const type: Type = (op.operand(0).type as TensorType).params.elementType;
  const bits = bitWidth(type);
  if (bits === undefined || !lo.code.pairWidths.includes(bits)) return undefined;
  if (bits === 16) return OF_16_BITS[combiner.name];
  return isFloat(type, "f32") ? ANY_FLOAT[combiner.name] : undefined;
}

// --- within warps -------------------------------------------------------------------------------

/** The lanes that hold different elements along the axis, as a mask of bits of their numbers. */
function lanesOf(layout: LinearLayout, axis: number): number {
  return layout.getInDimBases("lane").reduce((mask, basis, bit) => (basis[axis] === 0 ? mask : mask | (1 << bit)), 0);
}
function withinWarps(lo: Lowering, op: Operation, lanes: number, columns: Columns): Columns {
  if (lanes === 0) return columns;
  return columnsOf(rowsOf(columns).map((row) => warpReduce(lo, op, lanes, row)));
}
function warpReduce(lo: Lowering, op: Operation, lanes: number, given: readonly Value[]): readonly Value[] {
  const atOnce = lo.code.warpReduce(lo, op, given, lanes);
  if (atOnce) return atOnce;
  let acc = given;
  for (let mask = lo.target.threadsPerWarp / 2; mask > 0; mask >>= 1) {
    if ((lanes & mask) === 0) continue;
    const shuffled = acc.map((value) => lo.code.shuffleXor(lo, value, mask));
    acc = combine(lo, op, acc, shuffled);
  }
  return acc;
}

// --- among warps --------------------------------------------------------------------------------

/** Wide elements come first in the scratch memory. */
function convert(lo: Lowering, op: Operation, from: LinearLayout, to: LinearLayout, columns: Columns): Columns {
  const types = elementTypes(op);
  const widths = op.operands.map(({ type }) => Math.max(bitWidth((type as TensorType).params.elementType) ?? 64, 8));
  const offsets: number[] = [];
  let offset = 0;
  for (const i of [...widths.keys()].sort((i, j) => widths[j]! - widths[i]!)) {
    offsets[i] = offset;
    offset += conversionScratch(from, to, widths[i]!);
  }
  return columns.map((values, i) => convertElements(lo, op, from, to, values, types[i]!, () => sharedMemoryBase(lo, op, offsets[i]!)));
}
