/** Type promotion and broadcasting of operands. Source: python/triton/language/semantic.py. */
import { raise } from "../errors.js";
import { noAttribute, pyStr, typeName, typeRepr } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import {
  BFLOAT16,
  type Dtype,
  FLOAT16,
  FLOAT32,
  FLOAT64,
  intMax,
  intMin,
  isFloating,
  isFp8,
  isInt,
  isIntUnsigned,
  isPtr,
  kindRank,
  scalarOf,
  type TensorType,
} from "../types.js";
import { isConstexpr, isDescriptor, isNumber, isTensor, isTuple, type PyValue, type Tensor } from "../values.js";
import { cast } from "./cast.js";
import { constantType, scalarConstant, toTensor } from "./constants.js";
import { broadcastValues } from "./shape.js";

/** C's usual arithmetic conversions. */
export function integerPromote(a: Dtype, b: Dtype): Dtype {
  if (a.family === b.family) return a.bits > b.bits ? a : b;
  if (a.family === "unsigned") return a.bits >= b.bits ? a : b;
  return b.bits >= a.bits ? b : a;
}

/** The dtype in which an operation on both is done. A scalar of a lower or equal kind takes no part. */
export function computationType(s: Semantic, a: Dtype, aIsScalar: boolean, b: Dtype, bIsScalar: boolean, divOrMod: boolean): Dtype {
  if (aIsScalar !== bIsScalar) {
    const [scalar, tensor] = aIsScalar ? [a, b] : [b, a];
    if (kindRank(scalar) <= kindRank(tensor)) {
      if (s.rules.dividesAsFloats) return computationType(s, tensor, false, tensor, false, divOrMod);
      return divOrMod && (tensor === FLOAT16 || tensor === BFLOAT16) ? FLOAT32 : tensor;
    }
  }
  const either = (type: Dtype) => a === type || b === type;
  if (either(FLOAT64)) return FLOAT64;
  if (s.rules.dividesAsFloats && divOrMod && (isFloating(a) || isFloating(b))) return FLOAT32;
  if (either(FLOAT32)) return FLOAT32;
  // PTX has no half division.
  if (either(FLOAT16)) return divOrMod ? FLOAT32 : FLOAT16;
  if (a === BFLOAT16 && b === BFLOAT16) return divOrMod ? FLOAT32 : BFLOAT16;
  if (either(BFLOAT16)) return FLOAT32;
  if (isFp8(a) && isFp8(b)) return a === b ? a : FLOAT16;
  if (!isInt(a) || !isInt(b)) return raise("TypeError", `unexpected type ${typeName(a)} and ${typeName(b)}`);
  if (divOrMod && a.family !== b.family)
    return raise(
      "TypeError",
      `Cannot use /, #, or % with ${typeRepr(a)} and ${typeRepr(b)} because they have different signedness;` +
        "this is unlikely to result in a useful answer. Cast them to the same signedness.",
    );
  return integerPromote(a, b);
}

export function incompatibleTypes(a: TensorType, b: TensorType): never {
  return raise("IncompatibleTypeErrorImpl", `invalid operands of type ${typeRepr(a)} and ${typeRepr(b)}`);
}
function checkPointer(a: TensorType, b: TensorType, allowed: boolean): void {
  if (!isPtr(a)) return;
  if (!allowed || (isPtr(b) && a !== b) || isFloating(b)) incompatibleTypes(a, b);
}

export interface OperandRules {
  readonly allowLhsPtr?: boolean;
  readonly allowRhsPtr?: boolean;
  /** Whether operands are cast to a common dtype; otherwise they are only broadcast. */
  readonly arithmeticCheck?: boolean;
  readonly divOrMod?: boolean;
}

/** Both operands with a common dtype and shape. Numbers count as scalars in promotion; tensors without a shape do not. */
export function promoteOperands(s: Semantic, x: PyValue, y: PyValue, rules: OperandRules = {}): readonly [Tensor, Tensor] {
  const { allowLhsPtr = false, allowRhsPtr = false, arithmeticCheck = true, divOrMod = false } = rules;
  const [xNumber, yNumber] = [comparable(x), comparable(y)];
  const waits = (number: typeof xNumber) => number !== undefined && s.rules.typesNumbersLast;
  let lhs = waits(xNumber) ? undefined : operandTensor(s, x);
  let rhs = waits(yNumber) ? undefined : operandTensor(s, y);
  const [lhsType, rhsType] = [lhs ? scalarOf(lhs.type) : constantType(x), rhs ? scalarOf(rhs.type) : constantType(y)];
  checkPointer(lhsType, rhsType, allowLhsPtr);
  checkPointer(rhsType, lhsType, allowRhsPtr);
  if (arithmeticCheck && !isPtr(lhsType) && !isPtr(rhsType)) {
    const type = computationType(s, lhsType, xNumber !== undefined, rhsType, yNumber !== undefined, divOrMod);
    checkNumbers([x, y], type);
    lhs = xNumber !== undefined ? scalarConstant(s, x, type) : cast(s, lhs!, type);
    rhs = yNumber !== undefined ? scalarConstant(s, y, type) : cast(s, rhs!, type);
  }
  lhs ??= toTensor(s, x);
  return broadcastValues(s, lhs, rhs ?? toTensor(s, y));
}

/** Three operands with a common dtype and shape, of which a number never decides what tensors decide. Source: ternary_op_type_checking_impl (3.9). */
export function promoteThree(s: Semantic, operands: readonly [PyValue, PyValue, PyValue]): readonly [Tensor, Tensor, Tensor] {
  const common = (types: readonly Dtype[], areNumbers: boolean) =>
    types.reduce<Dtype | undefined>((all, type) => (all ? computationType(s, all, areNumbers, type, areNumbers, false) : type), undefined);
  const ofTensors = common(
    operands.filter((x) => !isNumber(x)).map((x) => scalarOf(operandTensor(s, x).type) as Dtype),
    false,
  );
  const ofNumbers = common(operands.filter(isNumber).map(constantType), true);
  const type = ofTensors && ofNumbers ? computationType(s, ofTensors, false, ofNumbers, true, false) : (ofTensors ?? ofNumbers)!;
  const cast1 = (x: PyValue): Tensor => {
    if (!isNumber(x)) return cast(s, operandTensor(s, x), type);
    checkNumbers([x], type);
    return scalarConstant(s, x, type);
  };
  let [a, b, c] = [cast1(operands[0]), cast1(operands[1]), cast1(operands[2])];
  [a, b] = broadcastValues(s, a, b);
  [a, c] = broadcastValues(s, a, c);
  [b, c] = broadcastValues(s, b, c);
  return [a, b, c];
}

/** Raises where a number among operands is no value of the type in which they are combined. */
function checkNumbers(operands: readonly PyValue[], type: Dtype): void {
  const numbers = operands.flatMap((x) => comparable(x) ?? []);
  if (isIntUnsigned(type) && numbers.some((number) => number < 0))
    raise(
      "ValueError",
      "Cannot perform a binary operation between an unsigned tensor and a negative scalar. Perform a explicit cast on one of them.",
    );
  for (const x of operands) {
    const number = comparable(x);
    if (isInt(type) && number !== undefined && !(intMin(type) <= number && number <= intMax(type)))
      raise("ValueError", `Scalar ${pyStr(x)} is out of range for type ${typeName(type)}`);
  }
}

/** A number that compares as Python's: booleans are 0 and 1. */
const comparable = (x: PyValue): bigint | number | undefined => (typeof x === "boolean" ? BigInt(x) : isNumber(x) ? x : undefined);

/** A number as a tensor, or the tensor; raises what looking for the type of anything else raises. */
function operandTensor(s: Semantic, x: PyValue): Tensor {
  if (isNumber(x)) return toTensor(s, x);
  if (isTensor(x)) return x;
  const type = isConstexpr(x) ? "constexpr_type" : isTuple(x) ? "tuple_type" : isDescriptor(x) ? "tensor_descriptor_type" : undefined;
  return raise("AttributeError", type ? `'${type}' object has no attribute 'scalar'` : noAttribute(x, "type"));
}
