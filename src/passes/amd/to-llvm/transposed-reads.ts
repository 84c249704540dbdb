/**
 * Reads of shared memory that transpose: 16 lanes together read rows of 64 bits each, and every lane gets a column.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/MemoryOpToLLVM.cpp, TransLocalLoadOpConversion; TargetInfo.cpp, queryLDSTransLoadParams.
 */
import { ptrType } from "../../../dialects/llvm/types/types.js";
import { TRANSPOSED_READS } from "../../../dialects/rocdl/ops/matrix.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { i8, i32, type TensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Value } from "../../../ir/value.js";
import { actionAdditiveStrides } from "../../../layout/column-action.js";
import { divideLeft } from "../../../layout/divide.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { LOCAL_LOAD, linearLayoutOf, memDescOf, placeOf, sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { firstByte } from "../../ttg-to-llvm/shared-access.js";
import { laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";
import { aliasesOfLoad } from "./async-waits.js";

/** One instruction: what a lane reads, as lanes that read neighbouring offsets, and what all get. */
interface Instruction {
  /** lane -> offset */
  readonly tile: LinearLayout;
  /** register, lane, warp -> offset, addr */
  readonly whole: LinearLayout;
  readonly elements: number;
}
function instructionOf({ target: { family, threadsPerWarp } }: Lowering, bits: number): Instruction | undefined {
  if ((family !== "CDNA4" && family !== "GFX1250") || (bits !== 16 && bits !== 8)) return undefined;
  const elements = (family === "GFX1250" && bits === 16 ? 128 : 64) / bits;
  const { identity1D } = LinearLayout;
  const tile = identity1D(elements, "lane", "offset");
  const lanes = (count: number): LinearLayout => identity1D(count, "lane", "addr");
  const registers = (count: number): LinearLayout => identity1D(count, "register", "addr");
  const left = threadsPerWarp / elements;
  const warp = identity1D(1, "warp", "addr");
  if (family === "GFX1250" && bits === 8) {
    const whole = tile
      .multiply(registers(elements / 2))
      .multiply(lanes(2))
      .multiply(registers(2))
      .multiply(lanes(left / 2))
      .multiply(warp);
    return { tile, whole, elements };
  }
  const others = family === "GFX1250" ? 1 : bits === 8 ? 2 : 4;
  const whole = tile
    .multiply(lanes(others))
    .multiply(registers(elements))
    .multiply(lanes(left / others))
    .multiply(warp);
  return { tile, whole, elements };
}

function readVector(lo: Lowering, bits: number, address: Value, type: ReturnType<typeof vecType>): Value[] {
  const { b, ctx, target } = lo;
  const words = vecType(i32(ctx), 2);
  const read = bits === 16 ? type : words;
  const value =
    target.family === "CDNA4"
      ? b.value(TRANSPOSED_READS[`tr${bits}.b64`]!, { ptr: address, ...aliasesOfLoad(lo) }, read)
      : b.intrinsic(`llvm.amdgcn.ds.load.tr${bits === 16 ? "16.b128" : "8.b64"}`, read, [address])!;
  return b.unpackVector(bits === 16 ? value : b.bitcast(value, type));
}

/** The elements of each thread; undefined, with nothing of use made, where the instruction does not fit. */
function readTransposed(lo: Lowering, { src, result }: View<typeof LocalLoadOp>): readonly Value[] | undefined {
  const { b, ctx } = lo;
  const type = memDescOf(src);
  const element = convertType(type.elementType);
  const bits = scalarBits(element);
  const instruction = instructionOf(lo, bits);
  if (!instruction) return undefined;
  const { tile, whole, elements } = instruction;
  const { shape, encoding } = (result.type as TensorType).params;
  const layout = toLinearLayout(shape, encoding!).invertAndCompose(linearLayoutOf(type)).quotient(["block"]);
  if (!layout || layout.getInDimSize("register") < elements) return undefined;
  const quotient = divideLeft(layout, tile);
  if (!quotient) return undefined;
  const place = placeOf(lo, layout, type, sharedMemoryObject(lo, src));
  const { maskSpan, maxVecElems, pad } = place;
  // The offset of a view must not touch what lies together. (Upstream's mask is this one.)
  if ((maskSpan & (tile.getOutDimSizeLog2("offset") - 1)) !== 0) return undefined;
  if (maxVecElems !== undefined && maxVecElems < elements) return undefined;

  let reps = tile.zerosLike().multiply(quotient);
  const addresses = LinearLayout.fromBases(
    [
      ["lane", whole.invert().compose(reps).getInDimBases("addr")],
      ["warp", reps.getInDimBases("warp")],
    ],
    [["offset", reps.getOutDimSize("offset")]],
    false,
  );
  const [additive, strides] = actionAdditiveStrides(reps, addresses, maskSpan);
  reps = strides.apply(reps);
  const start = firstByte(lo, addresses, place, laneAndWarpId(lo));
  const offsetOf = (register: number): Value => b.i32((reps.apply({ register, lane: 0, warp: 0 })["offset"]! * bits) / 8);
  const values: Value[] = [];
  for (let i = 0; i < layout.getInDimSize("register"); i += additive) {
    const offset = b.xor(start, offsetOf(i));
    for (let j = 0; j < additive; j += elements) {
      const inner = b.add(offset, offsetOf(j));
      const address = b.gep(ptrType(ctx, 3), i8(ctx), place.base, [pad ? pad.value(inner) : inner], { inbounds: true });
      values.push(...readVector(lo, bits, address, vecType(element, elements)));
    }
  }
  return strides.inverse().applyToValues(values);
}

export const TRANSPOSED_LOADS: readonly LoweringRule[] = [
  rule(LocalLoadOp, (view, lo: Lowering) => {
    const values = readTransposed(lo, view);
    if (values) return lo.setElements(view.result, values);
    return LOCAL_LOAD.lower(view.op, lo) ? undefined : false;
  }),
];
