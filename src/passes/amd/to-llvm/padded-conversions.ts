/** Conversions of layouts through padded shared memory. Source: third_party/amd/lib/TritonAMDGPUToLLVM/ConvertLayoutOpToLLVM.cpp. */
import { PADDED_SCRATCH } from "../../../dialects/amdg/attrs.js";
import { LLVMPointerType, ptrType } from "../../../dialects/llvm/types/types.js";
import { distributedParams, toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Type } from "../../../ir/attribute.js";
import { i8, i64, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { cvtNeedsSharedMemory } from "../../../layout/conversion.js";
import { getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { sharedMemoryBase } from "../../ttg-to-llvm/control-flow.js";
import { lowerConversion } from "../../ttg-to-llvm/convert-layout.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { applyLinearLayout, laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { type PaddedConversion, paddedConversion } from "../padded-conversion.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";

/** offset, iteration -> the dimensions: each round has a tile of the tensor, in the order of its dimensions. */
function sharedTiles(tensor: readonly number[], { shape, order }: PaddedConversion): LinearLayout {
  const names = standardOutDimNames(tensor.length);
  const { identity1D } = LinearLayout;
  let layout = LinearLayout.empty();
  for (const dim of order)
    layout = layout
      .multiply(identity1D(shape[dim]!, `offset${dim}`, names[dim]!))
      .multiply(identity1D(tensor[dim]! / shape[dim]!, `iteration${dim}`, names[dim]!));
  const inDims = [...order.map((dim) => `offset${dim}`), ...order.map((dim) => `iteration${dim}`)];
  const size = (extents: readonly number[]): number => extents.reduce((product, extent) => product * extent, 1);
  return layout.transposeIns(inDims).reshapeIns([
    ["offset", size(shape)],
    ["iteration", size(tensor) / size(shape)],
  ]);
}
/** By round, the registers that it moves. */
function registersByRound(layout: LinearLayout): number[][] {
  const rounds = Array.from({ length: layout.getOutDimSize("iteration") }, (): number[] => []);
  for (let register = 0; register < layout.getInDimSize("register"); register++)
    rounds[layout.apply({ register, lane: 0, warp: 0 })["iteration"]!]!.push(register);
  return rounds;
}

/** The elements as memory has them: whole bytes, and no pointers. */
function inMemory({ b, ctx }: Lowering, values: readonly Value[]): readonly [values: Value[], back: (value: Value) => Value] {
  const type: Type = values[0]!.type;
  if (LLVMPointerType.is(type)) return [values.map((value) => b.ptrtoint(value, i64(ctx))), (value) => b.inttoptr(value, type)];
  if (scalarBits(type) < 8) return [values.map((value) => b.zext(value, i8(ctx))), (value) => b.trunc(value, type)];
  return [[...values], (value) => value];
}

function lowerPadded(lo: Lowering, op: Operation, src: Value, result: Value): void {
  const { b, ctx } = lo;
  const [from, to] = [(src.type as TensorType).params, (result.type as TensorType).params];
  const conversion = paddedConversion(from, to);
  const { shape, order, storeVec, loadVec, padding } = conversion;
  const tiles = sharedTiles(getShapePerCTAOf(distributedParams(from.encoding)!, from.shape), conversion);
  const layoutOf = ({ shape: extents, encoding }: typeof from): LinearLayout => {
    const layout = toLinearLayout(extents, encoding!);
    return layout.sublayout(["register", "lane", "warp"], layout.outDimNames).invertAndCompose(tiles);
  };
  const [store, load] = [layoutOf(from), layoutOf(to)];
  const [values, back] = inMemory(lo, lo.elements(src));
  const place = laneAndWarpId(lo);
  const base = sharedMemoryBase(lo, op);
  const element = values[0]!.type;
  const startOf = (layout: LinearLayout): Value =>
    applyLinearLayout(lo, layout, [
      ["register", 0],
      ["lane", place.lane],
      ["warp", place.warp],
    ])[0]!;
  const addressOf = (layout: LinearLayout, start: Value, register: number): Value => {
    let offset = b.xor(start, b.i32(layout.apply({ register, lane: 0, warp: 0 })["offset"]!));
    if (padding > 0) {
      const row = b.lshr(offset, b.i32(Math.log2(shape[order[0]!]!)));
      offset = b.add(b.shl(row, b.i32(Math.log2(padding))), offset);
    }
    return b.gep(ptrType(ctx, 3), element, base, [offset], { inbounds: true });
  };
  const [storeStart, loadStart] = [startOf(store), startOf(load)];
  const [stored, loaded] = [registersByRound(store), registersByRound(load)];
  const out: Value[] = [];
  for (const [round, registers] of stored.entries()) {
    if (round > 0) lo.code.barrier(lo);
    for (let i = 0; i < registers.length; i += storeVec) {
      const first = registers[i]!;
      lo.code.storeShared(lo, addressOf(store, storeStart, first), b.packVector(values.slice(first, first + storeVec)));
    }
    lo.code.barrier(lo);
    for (let i = 0; i < loaded[round]!.length; i += loadVec) {
      const first = loaded[round]![i]!;
      const vector = lo.code.loadShared(lo, addressOf(load, loadStart, first), vecType(element, loadVec));
      for (const [j, value] of b.unpackVector(vector).entries()) out[first + j] = value;
    }
  }
  lo.setElements(result, out.map(back));
}

export const CONVERSIONS: readonly LoweringRule[] = [
  rule(ConvertLayoutOp, ({ op, src, result }, lo: Lowering) => {
    const [from, to] = [src, result].map(({ type }) => {
      const { shape, encoding } = (type as TensorType).params;
      return toLinearLayout(shape, encoding!);
    }) as [LinearLayout, LinearLayout];
    return op.hasAttr(PADDED_SCRATCH) && cvtNeedsSharedMemory(from, to)
      ? lowerPadded(lo, op, src, result)
      : lowerConversion(lo, op, src, result);
  }),
];
