import { getForwardSlice } from "../../../analysis/slices.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { JoinOp, ReshapeOp, SplitOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { encodingAttr, encodingParams, toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { type MemDesc, memDescType } from "../../../dialects/ttg/types.js";
import { TensorMemoryEncoding } from "../../../dialects/ttng/attrs.js";
import { memoryLayout, registerLayoutFor, TMEMLoadOp, TMEMStoreOp, TMEMSubSliceOp } from "../../../dialects/ttng/ops/tensor-memory.js";
import { getDefaultLayoutForTmemLdSt } from "../../../dialects/ttng/tmem-layout.js";
import { descOf } from "../../../dialects/ttng/ttng-op.js";
import type { Attribute } from "../../../ir/attribute.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { bitWidth, RankedTensorType, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import { BranchOp, RegionBranch, RegionBranchTerminator } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout, getShapePerCTAOf } from "../../../layout/encoding-queries.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { definePass } from "../../../pass/define-pass.js";
import { applyPatternsGreedily } from "../../../rewrite/greedy.js";
import { pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { getConvertBackwardSlice } from "../../ttg/remove-layout-conversions/convert-backward-slice.js";
import { inferDstEncoding } from "../../ttg/remove-layout-conversions/infer-encoding.js";

export const optimizeTmemLayouts = definePass("triton-nvidia-optimize-tmem-layouts", {
  name: "TritonNvidiaGPUOptimizeTMemLayoutsPass",
  summary: "Optimize TMEM layouts.",
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/OptimizeTMemLayouts.cpp",
  run(root, { listener, fail }) {
    const patterns = [splitLoad, joinStore, loadForReduction, storeFromShared, loadToShared];
    if (!applyPatternsGreedily(root, patterns, { listener }).converged) fail();
  },
});

const tensorOf = (value: Value): TensorType => value.type as TensorType;
const ctaLayoutOf = (type: TensorType): LinearLayout => getCTALayout(encodingParams(type.params.encoding)!)!;
function stripConvertLayout(value: Value): Value {
  let stripped = value;
  for (let convert = ConvertLayoutOp.match(stripped.definingOp); convert; convert = ConvertLayoutOp.match(stripped.definingOp))
    stripped = convert.src;
  return stripped;
}
/** A transposition that brings the last of three dimensions, of two halves, before the columns, or back. */
const swapsHalves = (order: readonly number[]): boolean => order.join() === "0,2,1";
/** Other rows lie in memory in a less simple way; narrower slices have no layout. */
const canSlice = (buffer: MemDesc, columns: number): boolean =>
  getShapePerCTAOf(encodingParams(buffer.params.encoding)!, buffer.params.shape)[0] === 128 && columns >= 8;

/** `size` columns of a buffer, from column `offset` on. Source: TMEMSubSliceOp::build. */
function subslice(rw: Rewriter, buffer: Value, offset: number, size: number): { readonly slice: Value; readonly type: MemDesc } {
  const { shape, elementType, encoding, memorySpace, mutableMemory, allocShape } = descOf(buffer).params;
  if (!TensorMemoryEncoding.is(encoding)) throw new TypeError("scales are not sliced");
  const blockN = Math.min(encoding.params.blockN, size);
  const sliced = rw.ctx.triton.slicesKeepBlocks ? encoding : TensorMemoryEncoding.get(rw.ctx, { ...encoding.params, blockN });
  const type = memDescType([...shape.slice(0, -1), size], elementType, sliced, memorySpace, mutableMemory, allocShape);
  return { slice: rw.value(TMEMSubSliceOp, { src: buffer, N: offset }, { types: [type] }), type };
}

/**
 *     %l = ttng.tmem_load %buffer                    // 128x256
 *     %r = tt.reshape %l                             // 128x2x128
 *     %t = tt.trans %r {order = [0, 2, 1]}           // 128x128x2
 *     %lhs, %rhs = tt.split %t
 *
 * becomes two loads of the halves of the buffer: of its columns 0 to 127, and of those from 128 on. Their results are converted to the
 * layout of the split. Halves that are split again are found again.
 */
const splitLoad = pattern("tmem-split-load", SplitOp, (split, rw) => {
  const trans = TransOp.match(stripConvertLayout(split.src).definingOp);
  if (!trans || !swapsHalves(trans.order)) return rw.noMatch("its source is no transposition of the last two dimensions");
  const reshape = ReshapeOp.match(trans.src.definingOp);
  if (!reshape) return rw.noMatch("its source is no reshape");
  const load = TMEMLoadOp.match(stripConvertLayout(reshape.src).definingOp);
  if (!load) return rw.noMatch("its source is not in tensor memory");
  const [rows, , columns = 0] = tensorOf(reshape.result).params.shape;
  if (rows !== tensorOf(load.result).params.shape[0]) return rw.noMatch("rows are split too");
  if (!canSlice(descOf(load.src), columns)) return rw.noMatch("such slices are not loaded");
  const numWarps = lookupNumWarps(load.op);
  const type = tensorOf(split.outLHS);
  rw.setBefore(load).loc = load.op.locRef;
  const half = (offset: number): Value => {
    const { slice, type: sliceType } = subslice(rw, load.src, offset, columns);
    const loaded = withEncoding(type, getDefaultLayoutForTmemLdSt(sliceType, numWarps, ctaLayoutOf(type)));
    const src = rw.create(TMEMLoadOp, { src: slice }, { types: [loaded] }).result;
    return rw.value(ConvertLayoutOp, { src }, { types: [type] });
  };
  return rw.replace(split, [half(0), half(columns)]);
});

/** The same for stores: what is joined, transposed and reshaped is stored half by half. */
const joinStore = pattern("tmem-join-store", TMEMStoreOp, (store, rw) => {
  const reshape = ReshapeOp.match(stripConvertLayout(store.src).definingOp);
  if (!reshape) return rw.noMatch("its source is no reshape");
  const [rows, , columns = 0] = tensorOf(reshape.src).params.shape;
  if (rows !== tensorOf(reshape.result).params.shape[0]) return rw.noMatch("rows are joined too");
  const trans = TransOp.match(reshape.src.definingOp);
  if (!trans || !swapsHalves(trans.order)) return rw.noMatch("its source is no transposition of the last two dimensions");
  const join = JoinOp.match(trans.src.definingOp);
  if (!join) return rw.noMatch("its source is not joined");
  if (!canSlice(descOf(store.dst), columns)) return rw.noMatch("such slices are not stored");
  if (store.token?.hasUses()) return rw.noMatch("others wait for the whole store");
  const numWarps = lookupNumWarps(store.op);
  const pred = rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) });
  const half = (input: Value, offset: number): void => {
    const { slice, type } = subslice(rw, store.dst, offset, columns);
    const stored = withEncoding(tensorOf(input), getDefaultLayoutForTmemLdSt(type, numWarps, ctaLayoutOf(tensorOf(join.lhs))));
    const src = rw.value(ConvertLayoutOp, { src: input }, { types: [stored] });
    rw.create(TMEMStoreOp, { dst: slice, src, pred }, { types: [] });
  };
  half(join.lhs, 0);
  half(join.rhs, columns);
  return rw.erase(store);
});

/** Gives the load another layout, and its users what they had. */
function loadAs(rw: Rewriter, load: Operation, encoding: Attribute): true {
  const loaded = load.result(0);
  const type = tensorOf(loaded);
  rw.modify(load, () => loaded.setType(withEncoding(type, encoding)));
  const converted = rw.setAfter(load).create(ConvertLayoutOp, { src: loaded }, { loc: load.locRef, types: [type] });
  rw.replaceUsesWhere(loaded, converted.result, (use) => use.owner !== converted.op);
  return true;
}

/** Eight warps share the columns of a load; where its rows are reduced they share the rows, so that no warp needs another's part. */
const loadForReduction = pattern("tmem-load-reduce", TMEMLoadOp, ({ op, src, result }, rw) => {
  if (lookupNumWarps(op) !== 8) return rw.noMatch("warps do not share columns");
  let reducesRows = false;
  getForwardSlice(result, {
    filter(user) {
      const reduce = ReduceOp.match(user);
      if (reduce) reducesRows = reduce.axis === 1;
      return ConvertLayoutOp.is(user) || user.def.traits.has(Elementwise);
    },
  });
  if (!reducesRows) return rw.noMatch("its rows are not reduced");
  const encoding = layoutSplitAlongM(tensorOf(result), descOf(src));
  if (!encoding || encoding === tensorOf(result).params.encoding) return rw.noMatch("there is no better layout");
  return loadAs(rw, op, encoding);
});

/**
 * The layout in which warps 4 to 7 have other rows, the upper 16 of 32, and lanes 16 to 31 other columns: the basis of warp 4 swapped
 * with that of lane 16. Undefined where that changes nothing. Source: lib/Dialect/TritonNvidiaGPU/IR/Dialect.cpp,
 * getTmemLoadLayoutSplitLongM.
 */
function layoutSplitAlongM(type: TensorType, buffer: MemDesc): Attribute | undefined {
  const layout = registerLayoutFor(buffer, "32x32b", 8, ctaLayoutOf(type));
  if (!layout) return undefined;
  const [lane16, warps] = [layout.getBasis("lane", 4), layout.getInDimBases("warp")];
  const stays = (basis: readonly number[], dim: number): boolean => basis[dim] === 0;
  const swap = [0, 1].some((dim) => {
    const [warp1, warp2, warp4] = warps.map((basis) => stays(basis, dim));
    const lane = stays(lane16, dim);
    return lane !== warp4 && warp1 === warp2 && warp1 === lane;
  });
  if (!swap) return undefined;
  const bases = layout.getBases().map(([dim, list]): [string, number[][]] => {
    if (dim === "lane") return [dim, list.map((basis, i) => (i === 4 ? warps[2]! : basis))];
    return [dim, dim === "warp" ? list.map((basis, i) => (i === 2 ? lane16 : basis)) : list];
  });
  const swapped = LinearLayout.fromBases(bases, layout.getOutDims(), layout.isSurjective());
  return encodingAttr(buffer.ctx, { kind: "linear", layout: swapped });
}

/** The layout 16x256b of a tensor for a buffer, where it has another. */
function otherLayout(op: Operation, type: TensorType, buffer: MemDesc): Attribute | undefined {
  if (!TensorMemoryEncoding.is(buffer.params.encoding)) return undefined;
  const layout = registerLayoutFor(buffer, "16x256b", lookupNumWarps(op), ctaLayoutOf(type));
  const encoding = layout && encodingAttr(op.ctx, { kind: "linear", layout });
  return encoding === type.params.encoding ? undefined : encoding;
}
/** Whether neighbouring elements in registers are apart in shared memory. */
const isScattered = (tensor: TensorType, buffer: MemDesc): boolean =>
  toLinearLayout(tensor.params.shape, tensor.params.encoding!).invertAndCompose(memoryLayout(buffer)).getNumConsecutiveInOut() === 1;
const NO_OTHER_LAYOUT = "no other instruction moves it";

/** Chooses 16x256b for a store to tensor memory, if its value would be loaded from shared memory element by element. */
const storeFromShared = pattern("tmem-from-shared", TMEMStoreOp, ({ op, src, dst }, rw) => {
  const type = tensorOf(src);
  const encoding = otherLayout(op, type, descOf(dst));
  if (!encoding) return rw.noMatch(NO_OTHER_LAYOUT);
  // Operands are dst, dep (optional), src, pred.
  const index = op.numOperands - 2;
  const found = getConvertBackwardSlice(op.operandUses[index]!, encoding, {});
  if (typeof found === "string") return rw.noMatch(found);
  const loads = [...found.slice].flatMap((value) => LocalLoadOp.match(value.definingOp) ?? []);
  const scattered = ({ src: from, result }: (typeof loads)[number]): boolean =>
    bitWidth(tensorOf(result).params.elementType) === 16 && isScattered(tensorOf(result), descOf(from));
  if (loads.length === 0 || !loads.every(scattered)) return rw.noMatch("it does not come from shared memory element by element");
  const converted = rw.value(ConvertLayoutOp, { src }, { types: [withEncoding(type, encoding)] });
  return rw.setOperand(op, index, converted);
});

/** Chooses 16x256b for a load from tensor memory, if its value would be stored to shared memory element by element. */
const loadToShared = pattern("tmem-to-shared", TMEMLoadOp, ({ op, src, result }, rw) => {
  const encoding = otherLayout(op, tensorOf(result), descOf(src));
  if (!encoding) return rw.noMatch(NO_OTHER_LAYOUT);
  if (!reachesScatteredStore(result, encoding)) return rw.noMatch("it does not go to shared memory element by element");
  return loadAs(rw, op, encoding);
});

/** Whether a value goes to shared memory, in elements of less than 32 bits that are scattered, where layouts follow from its own. */
function reachesScatteredStore(root: Value, rootEncoding: Attribute): boolean {
  const seen = new Map<Value, Set<Attribute>>();
  const stack: [Value, Attribute][] = [[root, rootEncoding]];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const [value, encoding] = next;
    const known = seen.get(value);
    if (known?.has(encoding)) continue;
    if (known) known.add(encoding);
    else seen.set(value, new Set([encoding]));
    for (const user of value.users()) {
      const store = LocalStoreOp.match(user);
      if (store && bitWidth(tensorOf(store.src).params.elementType)! < 32 && isScattered(tensorOf(store.src), descOf(store.dst)))
        return true;
      if (store || [RegionBranch, RegionBranchTerminator, BranchOp].some((flow) => user.def.interface<unknown>(flow))) continue;
      const given = ConvertLayoutOp.is(user) ? encoding : inferDstEncoding(user, encoding);
      if (given) for (const of of user.results) if (RankedTensorType.is(of.type)) stack.push([of, given]);
    }
  }
  return false;
}
