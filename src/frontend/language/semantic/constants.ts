/** Values known at compile time as IR constants. Source: python/triton/language/semantic.py. */
import { MakeRangeOp } from "../../../dialects/tt/ops/program.js";
import { floatAttr, intAttr } from "../../../ir/builtin-attrs.js";
import { FloatType, IntegerType } from "../../../ir/builtin-types.js";
import { check, raise } from "../errors.js";
import { noAttribute, pyRepr, pyStr, typeName } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import { BFLOAT16, blockType, type Dtype, FLOAT32, FLOAT64, INT1, INT32, INT64, isFp8, UINT32, UINT64 } from "../types.js";
import { isBlockTensor, isConstexpr, isKind, isNumber, isTensor, type PyValue, type Tensor, tensor } from "../values.js";
import { cast } from "./cast.js";
import { constantValue, emit, irType, nullValue } from "./emit.js";

/** The dtype that an integer literal takes. */
function integerDtype(x: bigint): Dtype {
  if (-(2n ** 31n) <= x && x < 2n ** 31n) return INT32;
  if (2n ** 31n <= x && x < 2n ** 32n) return UINT32;
  if (-(2n ** 63n) <= x && x < 2n ** 63n) return INT64;
  if (2n ** 63n <= x && x < 2n ** 64n) return UINT64;
  return raise("ValueError", `Nonrepresentable integer ${x}.`);
}
/** The dtype that a float literal takes: fp32 unless it would overflow or lose its digits to a denormal. */
function floatDtype(x: number): Dtype {
  const magnitude = Math.abs(x);
  const normal = 2 ** -126 <= magnitude && magnitude <= (2 - 2 ** -23) * 2 ** 127;
  return normal || magnitude === Number.POSITIVE_INFINITY || magnitude === 0 || Number.isNaN(x) ? FLOAT32 : FLOAT64;
}

/** The type that a constant takes as a tensor. Source: to_tensor_type (3.7). */
export function constantType(x: PyValue): Dtype {
  if (typeof x === "boolean") return INT1;
  if (typeof x === "bigint") return integerDtype(x);
  return typeof x === "number" ? floatDtype(x) : raise("TypeError", `cannot convert ${pyStr(x)} of type ${pyStr(x, "type")} to tensor`);
}

/** A tensor of a number, or the tensor itself. */
export function toTensor(s: Semantic, x: PyValue): Tensor {
  if (typeof x === "boolean") return tensor(constantValue(s, intAttr(irType(s, INT1), x ? 1 : 0)), INT1);
  if (typeof x === "bigint") return scalarConstant(s, x, integerDtype(x));
  if (typeof x === "number") return scalarConstant(s, x, floatDtype(x));
  if (isConstexpr(x)) return toTensor(s, x.value);
  if (isTensor(x)) return x;
  if (isKind(x, "opaque") && x.what !== "Ellipsis") return raise("TypeError", `'${x.what}' is not known: ${x.why}`);
  return raise("TypeError", `cannot convert ${pyStr(x)} of type ${pyStr(x, "type")} to tensor`);
}

/** A scalar constant of a dtype. */
export function scalarConstant(s: Semantic, value: PyValue, dtype: PyValue): Tensor {
  if (dtype === null) return raise("ValueError", "dtype must be specified when value is not a tensor");
  if (typeof dtype !== "object" || dtype.kind !== "dtype") return raise("AttributeError", noAttribute(dtype, "to_ir"));
  const isInteger = dtype.family === "signed" || dtype.family === "unsigned";
  // The sign of zero is kept since 3.9.
  if (isNumber(value) && Number(value) === 0 && (isInteger || !s.rules.typesNumbersLast)) return nullValue(s, dtype);
  const ir = irType(s, dtype);
  if (isFp8(dtype) && s.rules.fp8Constants && isNumber(value)) return cast(s, scalarConstant(s, Number(value), FLOAT32), dtype);
  if (isFp8(dtype) || dtype.bits === 0)
    return raise("AttributeError", `'triton._C.libtriton.ir.builder' object has no attribute 'get_${typeName(dtype)}'`);
  if (!isNumber(value)) return raise("TypeError", notAnArgument(dtype, value));
  if (FloatType.is(ir)) return tensor(constantValue(s, floatAttr(ir, roundAsBuilder(Number(value), dtype))), dtype);
  if (!IntegerType.is(ir)) return raise("TypeError", notAnArgument(dtype, value));
  if (dtype === INT1) return tensor(constantValue(s, intAttr(ir, 1)), dtype);
  if (typeof value === "number") return raise("TypeError", notAnArgument(dtype, value));
  const integer = BigInt(value);
  const [low, high] = dtype.family === "signed" ? [-(2n ** 63n), 2n ** 63n] : [0n, 2n ** 64n];
  if (integer < low || integer >= high) return raise("TypeError", notAnArgument(dtype, value));
  return tensor(constantValue(s, intAttr(ir, integer)), dtype);
}
const notAnArgument = (dtype: Dtype, value: PyValue): string =>
  `get_${typeName(dtype)}(): incompatible function arguments: ${pyRepr(value)} is no value of ${typeName(dtype)}`;

/** Rounds a number to the type of the builder's parameter, before it is rounded to the dtype: all but fp64 go through a C float. */
function roundAsBuilder(value: number, dtype: Dtype): number {
  if (dtype === FLOAT64) return value;
  const single = Math.fround(value);
  // bf16 constants are made from the text of six decimals.
  return dtype === BFLOAT16 && Math.abs(single) < 1e21 ? Number(single.toFixed(6)) : single;
}

/** A scalar of that dtype: a constant, or a cast of a tensor of one element. */
export function makeScalar(s: Semantic, value: PyValue, dtype: PyValue): Tensor {
  if (!isTensor(value)) return scalarConstant(s, value, dtype);
  check(!isBlockTensor(value) || value.type.numel === 1, "only accepts size-1 tensor");
  return cast(s, value, dtype);
}

/** 0, 1, ... as int32; the bounds are known at compile time. */
export function makeRange(s: Semantic, start: PyValue, end: PyValue): Tensor {
  const [from, to] = [start, end].map((bound) => (typeof bound === "boolean" ? BigInt(bound) : bound));
  if (typeof from !== "bigint" || typeof to !== "bigint") return raise("ValueError", "arange's arguments must be of type tl.constexpr");
  if (from >> 32n !== 0n || to >> 32n !== 0n) raise("ValueError", "arange must fit in int32");
  if (to <= from) raise("ValueError", "arange's end argument must be greater than the start argument");
  const count = to - from;
  if ((count & (count - 1n)) !== 0n) raise("ValueError", "arange's range must be a power of 2");
  return emit(s, MakeRangeOp, { start: Number(from), end: Number(to) }, blockType(INT32, [Number(count)]));
}
