/**
 * Gathers: through shared memory, or by shuffles where each warp has all that its indices may name.
 * Source: lib/Conversion/TritonGPUToLLVM/GatherOpToLLVM.cpp.
 */
import { isWarpLocalGather } from "../../analysis/reduce-scan-geometry.js";
import { GatherOp } from "../../dialects/tt/ops/gather.js";
import { distributedParams, toLinearLayout } from "../../dialects/ttg/encodings/define-encoding.js";
import { i32, type TensorType } from "../../ir/builtin-types.js";
import type { Value } from "../../ir/value.js";
import { getShapePerCTAOf } from "../../layout/encoding-queries.js";
import { standardOutDimNames } from "../../layout/standard-dims.js";
import { sharedMemoryBase } from "./control-flow.js";
import { linearize } from "./index-math.js";
import { scalarBits } from "./ll-builder.js";
import { type Lowering, type LoweringRule, rule } from "./lowering.js";
import { applyLinearLayout, emitIndices, knownCTAId, laneAndWarpId } from "./thread-indices.js";
import { convertType } from "./type-converter.js";

/** The operands and the result of a gather, as a view of the op gives them. */
interface Gather {
  readonly src: Value;
  readonly indices: Value;
  readonly axis: number;
  readonly result: Value;
}
const tensorOf = (value: Value): TensorType => value.type as TensorType;
const layoutOf = (value: Value) => toLinearLayout(tensorOf(value).params.shape, tensorOf(value).params.encoding!);

/** Indices are never negative. */
function asI32(lo: Lowering, index: Value): Value {
  const bits = scalarBits(index.type);
  if (bits === 32) return index;
  return bits > 32 ? lo.b.trunc(index, i32(lo.ctx)) : lo.b.zext(index, i32(lo.ctx));
}

function throughShared(lo: Lowering, { src, indices, axis, result }: Gather): void {
  const { b } = lo;
  const { shape, encoding, elementType } = tensorOf(src).params;
  const perCTA = getShapePerCTAOf(distributedParams(encoding)!, shape);
  const element = convertType(elementType);
  const values = lo.elements(src);
  const places = emitIndices(lo, tensorOf(src), true);
  const base = sharedMemoryBase(lo, lo.op);
  const at = (place: readonly Value[]): Value => {
    const offset = linearize(b, place, perCTA);
    return b.gep(base.type, element, base, [offset]);
  };
  values.forEach((value, i) => {
    if (lo.forms.sharesByVendor) lo.code.storeShared(lo, at(places[i]!), value);
    else b.store(value, at(places[i]!));
  });
  lo.code.barrier(lo);
  const wanted = lo.elements(indices);
  const targets = emitIndices(lo, tensorOf(result), true);
  lo.setElements(
    result,
    wanted.map((index, i) => {
      const along = asI32(lo, index);
      const place = targets[i]!.map((x, d) => (d === axis ? along : x));
      return lo.forms.sharesByVendor ? lo.code.loadShared(lo, at(place), element) : b.load(element, at(place));
    }),
  );
}

/** For each index, the value of every register of its column in the lane that the index leads to, of which one is picked. */
function byShuffles(lo: Lowering, { src, indices, axis, result }: Gather): void {
  const { b } = lo;
  const dims = standardOutDimNames(tensorOf(src).params.shape.length);
  const along = dims[axis]!;
  const others = dims.filter((dim) => dim !== along);
  const source = layoutOf(src);
  const index = layoutOf(indices);
  const inverse = source.pseudoinvert().sublayout(dims, ["register", "lane"]);
  const columnOf = index.sublayout(["block", "warp", "lane", "register"], others);
  const values = lo.elements(src);
  const wanted = lo.elements(indices);
  const { lane, warp } = laneAndWarpId(lo);
  const block = knownCTAId(lo);

  const registers = inverse.sublayout(dims, ["register"]).removeZeroBasesAlongDim(along);
  const perColumn = registers.getInDimSize(along);
  const registerToColumn = index.sublayout(["register"], others);
  const ofColumn = registers.sublayout(others, ["register"]);
  const ofIndex = registers.sublayout([along], ["register"]);
  const results = wanted.map((value, register) => {
    const ids: Readonly<Record<string, Value | number>> = { block, warp, lane, register };
    const column = applyLinearLayout(
      lo,
      columnOf,
      columnOf.inDimNames.map((dim) => [dim, ids[dim]!]),
    );
    const coordinate = others.map((dim, i): [string, Value] => [dim, column[i]!]);
    coordinate.splice(axis, 0, [along, asI32(lo, value)]);
    const [sourceRegister, sourceLane] = applyLinearLayout(lo, inverse, coordinate);
    const first = ofColumn.applyPacked(registerToColumn.apply({ register }));
    let picked = b.undef(values[0]!.type);
    for (let i = 0; i < perColumn; i++) {
      const from = first ^ ofIndex.applyPacked({ [along]: i });
      const moved = lo.code.shuffleIdx(lo, values[from]!, sourceLane!);
      picked = b.select(b.icmp("eq", b.i32(from), sourceRegister!), moved, picked);
    }
    return picked;
  });
  lo.setElements(result, results);
}

export const GATHERS: readonly LoweringRule[] = [
  rule(GatherOp, ({ op, src, indices, axis, result }, lo) => {
    const gather = { src, indices, axis, result };
    if (isWarpLocalGather(op, axis)) byShuffles(lo, gather);
    else throughShared(lo, gather);
  }),
];
