/** Arithmetic, bitwise and logical operators. Source: python/triton/language/semantic.py. */
import { AndIOp, OrIOp, ShLIOp, ShRSIOp, ShRUIOp, XOrIOp } from "../../../dialects/arith/ops/bitwise.js";
import { DivSIOp, DivUIOp, RemSIOp, RemUIOp } from "../../../dialects/arith/ops/division.js";
import { AddFOp, DivFOp, MulFOp, NegFOp, RemFOp, SubFOp } from "../../../dialects/arith/ops/float.js";
import { AddIOp, MulIOp, SubIOp } from "../../../dialects/arith/ops/integer.js";
import { MaximumFOp, MaxNumFOp, MaxSIOp, MaxUIOp, MinimumFOp, MinNumFOp, MinSIOp, MinUIOp } from "../../../dialects/arith/ops/min-max.js";
import { SelectOp } from "../../../dialects/arith/ops/select.js";
import { ClampFOp, PreciseDivFOp } from "../../../dialects/tt/ops/arithmetic.js";
import { AddPtrOp } from "../../../dialects/tt/ops/pointer.js";
import type { OpDef } from "../../../ir/define-op.js";
import { check, raise } from "../errors.js";
import { pyStr, typeName, typeRepr } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import {
  type Dtype,
  FLOAT32,
  INT1,
  INT64,
  intMax,
  intMin,
  isFloating,
  isInt,
  isIntSigned,
  isIntUnsigned,
  isPtr,
  mantissaWidth,
  withElement,
} from "../types.js";
import { dtypeOf, isBlockTensor, isKind, isTensor, type PyValue, type Tensor } from "../values.js";
import { bitcast, cast, intCast } from "./cast.js";
import { greaterEqual, lessEqual } from "./compare.js";
import { scalarConstant } from "./constants.js";
import { deviceAssert } from "./debug.js";
import { allOnesValue, emit, emitBinary, nullValue } from "./emit.js";
import { incompatibleTypes, integerPromote, promoteOperands, promoteThree } from "./promote.js";
import { broadcastValues } from "./shape.js";

type BinaryOperator = (s: Semantic, x: PyValue, y: PyValue, sanitizeOverflow: boolean) => Tensor;

/**
 * The check that an operation on integers of fewer than 64 bits does not overflow: the operation in 64 bits and a
 * comparison with the bounds. The assertion itself is made in debug mode only.
 */
function sanitizeOverflow(s: Semantic, x: Tensor, y: Tensor, operator: BinaryOperator, name: string): void {
  const type = dtypeOf(x) as Dtype;
  if (type.bits >= 64 || !s.options.sanitizeOverflow) return;
  check(type === dtypeOf(y));
  const wideX = cast(s, x, INT64);
  const wideY = cast(s, y, INT64);
  const result = operator(s, wideX, wideY, false);
  const max = scalarConstant(s, intMax(type), INT64);
  const min = scalarConstant(s, intMin(type), INT64);
  const notAbove = lessEqual(s, result, max);
  const fits = and(s, notAbove, greaterEqual(s, result, min));
  deviceAssert(s, fits, `int${type.bits} overflow detected for operation ${name}`);
}

const unexpected = (type: ReturnType<typeof dtypeOf>): never => raise("TypeError", `unexpected type ${typeName(type)}`);

/** `x + y`; one of the two may be a pointer. `sanitize` asks for a check of overflow. */
export function add(s: Semantic, x: PyValue, y: PyValue, sanitize: boolean): Tensor {
  const [lhs, rhs] = promoteOperands(s, x, y, { allowLhsPtr: true, allowRhsPtr: true });
  if (isPtr(dtypeOf(lhs)) && isPtr(dtypeOf(rhs))) raise("TypeError", "cannot add pointers together");
  if (isPtr(dtypeOf(lhs))) return addPointer(s, lhs, rhs);
  if (isPtr(dtypeOf(rhs))) return addPointer(s, rhs, lhs);
  if (isFloating(dtypeOf(lhs))) return emitBinary(s, AddFOp, lhs, rhs);
  if (!isInt(dtypeOf(lhs))) return unexpected(dtypeOf(lhs));
  if (sanitize) sanitizeOverflow(s, lhs, rhs, add, "add");
  return emitBinary(s, AddIOp, lhs, rhs);
}
/** `tt.addptr` takes its offset as signed: a narrow unsigned one is widened first. */
function addPointer(s: Semantic, ptr: Tensor, offset: Tensor): Tensor {
  const type = dtypeOf(offset) as Dtype;
  const signed = isIntUnsigned(type) && type.bits < 64 ? intCast(s, offset, withElement(offset.type, INT64), false) : offset;
  return emit(s, AddPtrOp, { ptr: ptr.handle, offset: signed.handle }, ptr.type);
}

/** `x - y`; `x` may be a pointer. `sanitize` asks for a check of overflow. */
export function sub(s: Semantic, x: PyValue, y: PyValue, sanitize: boolean): Tensor {
  const [lhs, rhs] = promoteOperands(s, x, y, { allowLhsPtr: true });
  if (isPtr(dtypeOf(lhs))) return add(s, lhs, minus(s, rhs), false);
  if (isFloating(dtypeOf(lhs))) return emitBinary(s, SubFOp, lhs, rhs);
  if (!isInt(dtypeOf(lhs))) return unexpected(dtypeOf(lhs));
  if (sanitize) sanitizeOverflow(s, lhs, rhs, sub, "sub");
  return emitBinary(s, SubIOp, lhs, rhs);
}

/** `x * y`. `sanitize` asks for a check of overflow. */
export function mul(s: Semantic, x: PyValue, y: PyValue, sanitize: boolean): Tensor {
  const [lhs, rhs] = promoteOperands(s, x, y);
  if (isFloating(dtypeOf(lhs))) return emitBinary(s, MulFOp, lhs, rhs);
  if (!isInt(dtypeOf(lhs))) return unexpected(dtypeOf(lhs));
  if (sanitize) sanitizeOverflow(s, lhs, rhs, mul, "mul");
  return emitBinary(s, MulIOp, lhs, rhs);
}

/** `/`: integers are divided as fp32. */
export function truediv(s: Semantic, x: PyValue, y: PyValue): Tensor {
  let [lhs, rhs] = promoteOperands(s, x, y, { divOrMod: true });
  const [a, b] = [dtypeOf(lhs), dtypeOf(rhs)];
  if (isFloating(a) && isInt(b)) rhs = cast(s, rhs, a);
  else if (isInt(a) && isFloating(b)) lhs = cast(s, lhs, b);
  else if (isInt(a) && isInt(b)) [lhs, rhs] = [cast(s, lhs, FLOAT32), cast(s, rhs, FLOAT32)];
  else if (isFloating(a) && isFloating(b)) {
    if (mantissaWidth(a as Dtype) > mantissaWidth(b as Dtype)) rhs = cast(s, rhs, a);
    else lhs = cast(s, lhs, b);
  } else return unexpected(a);
  return emitBinary(s, DivFOp, lhs, rhs);
}

export function floordiv(s: Semantic, x: PyValue, y: PyValue): Tensor {
  const [lhs, rhs] = promoteOperands(s, x, y, { divOrMod: true });
  const [a, b] = [dtypeOf(lhs), dtypeOf(rhs)];
  if (!isInt(a) || !isInt(b)) return unexpected(a);
  const type = integerPromote(a as Dtype, b as Dtype);
  const [input, other] = [cast(s, lhs, type), cast(s, rhs, type)];
  return emitBinary(s, isIntSigned(type) ? DivSIOp : DivUIOp, input, other);
}

/** `tl.fdiv`. Until 3.9 both operands are floats already, and until 3.8 it does not heed how it is to round. */
export function fdiv(s: Semantic, x: PyValue, y: PyValue, ieeeRounding: boolean): Tensor {
  const promotes = s.rules.typesNumbersLast;
  if (!promotes && ![x, y].every((operand) => isTensor(operand) && isFloating(dtypeOf(operand))))
    raise("TypeError", "both operands of fdiv must have floating scalar type");
  const [lhs, rhs] = promoteOperands(s, x, y, { arithmeticCheck: promotes, divOrMod: true });
  if (!isFloating(dtypeOf(lhs))) raise("TypeError", "fdiv requires floating-point operands after type promotion");
  if (!ieeeRounding || !s.rules.roundsDivisions) return emitBinary(s, DivFOp, lhs, rhs);
  return emit(s, PreciseDivFOp, { x: lhs.handle, y: rhs.handle }, lhs.type);
}

export function mod(s: Semantic, x: PyValue, y: PyValue): Tensor {
  const [lhs, rhs] = promoteOperands(s, x, y, { divOrMod: true });
  const [a, b] = [dtypeOf(lhs), dtypeOf(rhs)];
  if (isFloating(a)) return emitBinary(s, RemFOp, lhs, rhs);
  if (!isInt(a)) return unexpected(a);
  if ((a as Dtype).family !== (b as Dtype).family)
    raise(
      "TypeError",
      `Cannot mod ${typeRepr(a)} by ${typeRepr(b)} because they have different signedness;` +
        "this is unlikely to result in a useful answer. Cast them to the same signedness.",
    );
  return emitBinary(s, isIntSigned(a) ? RemSIOp : RemUIOp, lhs, rhs);
}

// --- minimum, maximum, clamp -------------------------------------------------------------------

type Extremum = (s: Semantic, x: PyValue, y: PyValue, propagateNan: PyValue) => Tensor;
function extremum(all: OpDef, none: OpDef, signed: OpDef, unsigned: OpDef): Extremum {
  return (s, x, y, propagateNan) => {
    const [lhs, rhs] = promoteOperands(s, x, y);
    const type = dtypeOf(lhs);
    if (isFloating(type)) return emitBinary(s, nanRule(propagateNan) === "all" ? all : none, lhs, rhs);
    if (!isInt(type)) return raise("TypeError", `Unexpected dtype ${typeName(type)}`);
    return emitBinary(s, isIntSigned(type) ? signed : unsigned, lhs, rhs);
  };
}
export const minimum = extremum(MinimumFOp, MinNumFOp, MinSIOp, MinUIOp);
export const maximum = extremum(MaximumFOp, MaxNumFOp, MaxSIOp, MaxUIOp);

function nanRule(value: PyValue): "all" | "none" {
  if (isKind(value, "enum") && value.type === "PROPAGATE_NAN") return value.name === "ALL" ? "all" : "none";
  return raise("ValueError", `Unexpected propagate_nan ${pyStr(value)}`);
}

export function clamp(s: Semantic, x: PyValue, min: PyValue, max: PyValue, propagateNan: PyValue): Tensor {
  const ofIntegers = s.rules.typesNumbersLast;
  const [value, low, high] = ofIntegers ? promoteThree(s, [x, min, max]) : promotePairs(s, x, min, max);
  const type = dtypeOf(value);
  if (ofIntegers && isInt(type)) return minimum(s, maximum(s, value, low, propagateNan), high, propagateNan);
  if (!isFloating(type))
    raise("TypeError", `Unexpected dtype ${typeName(type)}${ofIntegers ? "" : ". Only floating point clamp is supported"}`);
  return emit(s, ClampFOp, { x: value.handle, min: low.handle, max: high.handle, propagateNan: nanRule(propagateNan) }, value.type);
}

/** The bounds are made alike, then the value and each of them. */
function promotePairs(s: Semantic, x: PyValue, min: PyValue, max: PyValue): readonly [Tensor, Tensor, Tensor] {
  const [first, last] = promoteOperands(s, min, max);
  const [lower, low] = promoteOperands(s, x, first);
  const [value, high] = promoteOperands(s, lower, last);
  return [value, low, high];
}

// --- bits ---------------------------------------------------------------------------------------

function promoteBits(s: Semantic, x: PyValue, y: PyValue): readonly [Tensor, Tensor] {
  const [lhs, rhs] = promoteOperands(s, x, y);
  const [a, b] = [dtypeOf(lhs), dtypeOf(rhs)];
  if (!isInt(a) || !isInt(b)) incompatibleTypes(a, b);
  const type = integerPromote(a as Dtype, b as Dtype);
  return [cast(s, lhs, type), cast(s, rhs, type)];
}
type BitOperator = (s: Semantic, x: PyValue, y: PyValue) => Tensor;
const bitwise =
  (def: OpDef): BitOperator =>
  (s, x, y) =>
    emitBinary(s, def, ...promoteBits(s, x, y));
export const and = bitwise(AndIOp);
export const or = bitwise(OrIOp);
export const xor = bitwise(XOrIOp);
export const lshr = bitwise(ShRUIOp);
export const ashr = bitwise(ShRSIOp);
export const shl = bitwise(ShLIOp);

/** `and`, `or` of booleans; anything else must have one bit too. */
export const logicalAnd = (s: Semantic, x: Tensor, y: Tensor): Tensor => {
  const lhs = asBool(s, x);
  return and(s, lhs, asBool(s, y));
};
export const logicalOr = (s: Semantic, x: Tensor, y: Tensor): Tensor => {
  const lhs = asBool(s, x);
  return or(s, lhs, asBool(s, y));
};
/** `not x`, of the values as i1. */
export const not = (s: Semantic, x: Tensor): Tensor => invert(s, asBool(s, x));
const asBool = (s: Semantic, x: Tensor): Tensor => bitcast(s, x, INT1);

// --- unary --------------------------------------------------------------------------------------

export function minus(s: Semantic, x: Tensor): Tensor {
  const type = dtypeOf(x);
  if (isPtr(type)) raise("ValueError", `wrong type argument to unary minus (${typeRepr(type)})`);
  if (s.ctx.triton.negatesFloats && isFloating(type)) return emit(s, NegFOp, { operand: x.handle }, x.type);
  return sub(s, nullValue(s, type), x, true);
}

export function invert(s: Semantic, x: Tensor): Tensor {
  const type = dtypeOf(x);
  if (isPtr(type) || isFloating(type)) raise("ValueError", `wrong type argument to unary invert (${typeRepr(type)})`);
  return xor(s, x, allOnesValue(s, type));
}

// --- where --------------------------------------------------------------------------------------

export function where(s: Semantic, condition: Tensor, x: PyValue, y: PyValue): Tensor {
  if (dtypeOf(condition) !== INT1)
    s.warn(
      "tl.where with a non-boolean condition is deprecated and will error out in a future triton release. " +
        `Got ${typeName(dtypeOf(condition))}`,
    );
  let mask = cast(s, condition, INT1);
  let [a, b] = promoteOperands(s, x, y, { allowLhsPtr: true, allowRhsPtr: true });
  if (isBlockTensor(mask)) {
    [mask, a] = broadcastValues(s, mask, a);
    [a, b] = broadcastValues(s, a, b);
  } else mask = broadcastValues(s, mask, a)[0];
  return emit(s, SelectOp, { condition: mask.handle, true_value: a.handle, false_value: b.handle }, a.type);
}

/** The sign bit of a float or integer as a boolean. */
export function signbit(s: Semantic, x: Tensor, bits: number, unsigned: Dtype): Tensor {
  return cast(s, lshr(s, bitcast(s, x, unsigned), BigInt(bits - 1)), INT1);
}
