/** Casts between dtypes. Source: python/triton/language/semantic.py. */
import {
  BitcastOp as ArithBitcastOp,
  ExtFOp,
  ExtSIOp,
  ExtUIOp,
  FPToSIOp,
  FPToUIOp,
  SIToFPOp,
  TruncFOp,
  TruncIOp,
  UIToFPOp,
} from "../../../dialects/arith/ops/cast.js";
import { CmpFOp, CmpIOp } from "../../../dialects/arith/ops/compare.js";
import { BitcastOp, FpToFpOp, IntToPtrOp, PtrToIntOp } from "../../../dialects/tt/ops/cast.js";
import { intAttr } from "../../../ir/builtin-attrs.js";
import type { OpDef } from "../../../ir/define-op.js";
import { check, raise } from "../errors.js";
import { noAttribute, pyStr, typeName } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import {
  BFLOAT16,
  type Dtype,
  FLOAT8E4B15,
  FLOAT16,
  FLOAT32,
  INT1,
  INT64,
  isBlock,
  isFloating,
  isFp8,
  isInt,
  isIntSigned,
  isPtr,
  isStandardFloating,
  scalarOf,
  type TensorType,
  withElement,
} from "../types.js";
import { isTensorType, type PyValue, type Tensor, tensor } from "../values.js";
import { constantValue, emit, irType, nullValue } from "./emit.js";
import { float8OfHalf, halfOfFloat8 } from "./float8-e4b15.js";
import { broadcastValues } from "./shape.js";

type Rounding = "rtne" | "rtz";

function roundingMode(given: PyValue): Rounding | undefined {
  if (given === null) return undefined;
  if (given === "rtne" || given === "rtz") return given;
  return raise("ValueError", `Invalid rounding mode: ${pyStr(given)}. Supported rounding modes are 'rtne' and 'rtz'.`);
}

const emitCast = (s: Semantic, def: OpDef, src: Tensor, type: TensorType, more: object = {}): Tensor =>
  emit(s, def, { src: src.handle, in: src.handle, ...more }, type);

/** Casts integers: extended by sign when `signed`, and a bitcast where only the signedness changes. */
export function intCast(s: Semantic, src: Tensor, type: TensorType, signed: boolean): Tensor {
  const [from, to] = [scalarOf(src.type) as Dtype, scalarOf(type) as Dtype];
  const def = from.bits === to.bits ? ArithBitcastOp : from.bits > to.bits ? TruncIOp : signed ? ExtSIOp : ExtUIOp;
  return emitCast(s, def, src, type);
}

/** The same bits as another dtype. */
export function bitcast(s: Semantic, input: Tensor, dst: TensorType): Tensor {
  const type = isBlock(input.type) ? withElement(input.type, scalarOf(dst)) : dst;
  if (input.type === type) return input;
  const [from, to] = [scalarOf(input.type), scalarOf(type)];
  if (isPtr(from) || isPtr(to)) return cast(s, input, type);
  const [fromBits, toBits] = [(from as Dtype).bits, (to as Dtype).bits];
  if (fromBits !== toBits) raise("ValueError", `Cannot bitcast data-type of size ${fromBits} to data-type of size ${toBits}`);
  return emitCast(s, BitcastOp, input, type);
}

/** The same value as another dtype. `rounding` is "rtne" or "rtz", and only for casts to a narrower float. */
export function cast(s: Semantic, input: Tensor, dst: PyValue, rounding: PyValue = null): Tensor {
  if (!isTensorType(dst)) return raise("AttributeError", noAttribute(dst, "scalar"));
  const [from, to] = [scalarOf(input.type), scalarOf(dst)];
  if (from === to) return input;
  const type: TensorType = isBlock(input.type) ? withElement(input.type, to) : dst;
  let mode = roundingMode(rounding);
  let customRounding = false;
  if (isFloating(to) && isFloating(from) && bits(to) < bits(from)) {
    customRounding = mode === "rtz";
    mode ??= "rtne";
  } else if (mode !== undefined)
    raise(
      "ValueError",
      "fp_downcast_rounding should be set only for truncating fp conversions. " +
        `Source scalar type is ${typeName(from)} and destination type is ${typeName(to)}`,
    );
  if (from === FLOAT8E4B15 || to === FLOAT8E4B15) {
    check(s.options.gpu.cuda !== undefined, "target doesn't provide conversion for this type.");
    return convertCustomFloat8(s, input, type);
  }
  if ((isFp8(from) && isFloating(to)) || (isFloating(from) && isFp8(to)) || customRounding)
    return emit(s, FpToFpOp, { src: input.handle, rounding: mode }, type);
  if (s.rules.keepsBfloat16 && ((from === FLOAT16 && to === BFLOAT16) || (from === BFLOAT16 && to === FLOAT16)))
    return emit(s, FpToFpOp, { src: input.handle, rounding: "rtne" }, type);
  // 16-bit floats go through fp32.
  if ((from === FLOAT16 || from === BFLOAT16) && to !== FLOAT32) return cast(s, cast(s, input, FLOAT32), to);
  if (isFloating(from) && isFloating(to)) {
    if (bits(from) > bits(to)) return emitCast(s, TruncFOp, input, type);
    if (bits(from) < bits(to)) return emitCast(s, ExtFOp, input, type);
  }
  if (isInt(from) && isInt(to)) return to === INT1 ? isNotZero(s, input, nullValue(s, from)) : intCast(s, input, type, isIntSigned(from));
  if (isStandardFloating(from) && isInt(to)) {
    if (to === INT1) return isNotZero(s, input, nullValue(s, from));
    return emitCast(s, isIntSigned(to) ? FPToSIOp : FPToUIOp, input, type);
  }
  if (isInt(from) && isStandardFloating(to)) return emitCast(s, isIntSigned(from) ? SIToFPOp : UIToFPOp, input, type);
  if (isPtr(from) && isInt(to)) {
    if (bits(to) === 64) return emitCast(s, PtrToIntOp, input, type);
    if (to === INT1) {
      const address = cast(s, input, INT64);
      return isNotZero(s, address, tensor(constantValue(s, intAttr(irType(s, INT64), 0)), INT64));
    }
  }
  if (isInt(from) && isPtr(to)) return emitCast(s, IntToPtrOp, input, type);
  if (isPtr(from) && isPtr(to)) return emitCast(s, BitcastOp, input, type);
  check(false, `cannot cast ${pyStr(input)} to ${typeName(type)}`);
}
const bits = (type: TensorType): number => (type as Dtype).bits;

/** Casts from and to fp8e4b15, by way of fp16. */
export function convertCustomFloat8(s: Semantic, input: Tensor, dst: TensorType): Tensor {
  const from = scalarOf(input.type);
  if (from === FLOAT8E4B15) {
    const half = halfOfFloat8(s, input);
    return scalarOf(dst) === FLOAT32 ? cast(s, half, FLOAT32) : half;
  }
  check(from === FLOAT16 || from === FLOAT32);
  return float8OfHalf(s, from === FLOAT32 ? cast(s, input, FLOAT16, "rtz") : input);
}

/** Whether the values of a tensor differ from a scalar zero of their dtype. */
function isNotZero(s: Semantic, input: Tensor, zero: Tensor): Tensor {
  const [lhs, rhs] = broadcastValues(s, input, zero);
  const operands = { lhs: lhs.handle, rhs: rhs.handle };
  const type = withElement(lhs.type, INT1);
  return isFloating(scalarOf(lhs.type))
    ? emit(s, CmpFOp, { ...operands, predicate: "une" }, type)
    : emit(s, CmpIOp, { ...operands, predicate: "ne" }, type);
}
