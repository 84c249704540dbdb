/** Reductions of a whole warp by one instruction. Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TargetInfo.cpp, warpReduce. */
import { ReduxKindAttr } from "../../../dialects/nvvm/attrs.js";
import { ReduxOp } from "../../../dialects/nvvm/ops/warp.js";
import { singleCombiner } from "../../../dialects/tt/ops/reduce.js";
import type { GpuTarget } from "../../../gpu/nvidia.js";
import { i32, intType, isFloat, isInteger } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { type LLBuilder, scalarBits } from "../../ttg-to-llvm/ll-builder.js";

/** Reduces over the 32 lanes; undefined if the GPU has no instruction for that op and type. */
export function warpReduce(gpu: GpuTarget, b: LLBuilder, reduce: Operation, values: readonly Value[]): readonly Value[] | undefined {
  const redux = reduxKind(gpu, reduce);
  return redux && [reduxSync(b, values[0]!, redux)];
}

interface Redux {
  readonly kind: string;
  /** A NaN makes the result NaN. */
  readonly nan: boolean;
}
const REDUX: Readonly<Record<string, string>> = {
  "arith.addi": "add",
  "arith.andi": "and",
  "arith.ori": "or",
  "arith.xori": "xor",
  "arith.minsi": "min",
  "arith.minui": "umin",
  "arith.maxsi": "max",
  "arith.maxui": "umax",
};
const REDUX_F32: Readonly<Record<string, Redux>> = {
  "arith.maxnumf": { kind: "fmax", nan: false },
  "arith.maximumf": { kind: "fmax", nan: true },
  "arith.minnumf": { kind: "fmin", nan: false },
  "arith.minimumf": { kind: "fmin", nan: true },
};
/** The instruction that reduces 32 lanes at once, where there is one. */
function reduxKind({ redux }: GpuTarget, op: Operation): Redux | undefined {
  const combiner = redux.length > 0 ? singleCombiner(op) : undefined;
  if (!combiner) return undefined;
  const { type } = combiner.result(0);
  if (redux.includes("f32") && isFloat(type, "f32")) return REDUX_F32[combiner.name];
  const kind = isInteger(type) && type.params.width <= 32 ? REDUX[combiner.name] : undefined;
  return kind === undefined ? undefined : { kind, nan: false };
}
function reduxSync(b: LLBuilder, value: Value, { kind, nan }: Redux): Value {
  const { ctx } = b;
  const mask = b.i32(-1);
  const { type } = value;
  const narrow = isInteger(type) && scalarBits(type) < 32;
  const word = narrow ? (kind === "min" || kind === "max" ? b.sext(value, i32(ctx)) : b.zext(value, i32(ctx))) : value;
  const args = { val: word, mask_and_clamp: mask, kind: ReduxKindAttr.get(ctx, { value: kind as "add" }), abs: false, nan };
  const reduced = b.value(ReduxOp, args, word.type);
  return narrow ? b.trunc(reduced, intType(ctx, scalarBits(type))) : reduced;
}
