/** Atomic operations on memory. Source: python/triton/language/semantic.py. */

import { AtomicCASOp, AtomicRMWOp } from "../../../dialects/tt/ops/memory.js";
import { SplatOp } from "../../../dialects/tt/ops/shape.js";
import { raise } from "../errors.js";
import { pyStr, pyTruth, typeName, typeRepr } from "../python-text.js";
import type { Semantic } from "../semantic.js";
import {
  BFLOAT16,
  type Dtype,
  FLOAT16,
  FLOAT32,
  FLOAT64,
  INT1,
  INT16,
  INT32,
  INT64,
  isBlock,
  isFloating,
  isInt,
  isIntSigned,
  isPtr,
  type PointerType,
  pointerType,
  type TensorType,
  UINT16,
  UINT32,
  UINT64,
  withElement,
} from "../types.js";
import { dtypeOf, type PyValue, type Tensor, tensor } from "../values.js";
import { and, not, signbit, where } from "./arithmetic.js";
import { bitcast, cast } from "./cast.js";
import { toTensor } from "./constants.js";
import { emit, emitOrFold } from "./emit.js";
import { broadcastToShape, shapeText } from "./shape.js";

/** Memory semantics and scope, as the user writes them; None for the defaults. */
export interface Ordering {
  readonly sem: PyValue;
  readonly scope: PyValue;
}
const SEMANTICS = ["acquire", "release", "acq_rel", "relaxed"];
const SCOPES = ["gpu", "cta", "sys"];
function ordering({ sem, scope }: Ordering): { readonly sem: string; readonly scope: string } {
  const word = (given: PyValue, words: readonly string[], fallback: string) => {
    if (!pyTruth(given)) return fallback;
    return typeof given === "string" && words.includes(given)
      ? given
      : raise("ValueError", `Memory semantic ${pyStr(given)} not supported`);
  };
  return { sem: word(sem, SEMANTICS, "acq_rel"), scope: word(scope, SCOPES, "gpu") };
}

const pointee = (ptr: Tensor): Dtype => (dtypeOf(ptr) as PointerType).element as Dtype;

export function atomicCas(s: Semantic, ptr: Tensor, cmp: Tensor, val: Tensor, order: Ordering): Tensor {
  const how = ordering(order);
  if (!isPtr(dtypeOf(ptr))) raise("AttributeError", "'dtype' object has no attribute 'element_ty'");
  if (![16, 32, 64].includes(pointee(ptr).bits)) raise("ValueError", "atomic_cas only supports elements with width {16, 32, 64}");
  const result = emit(s, AtomicCASOp, { ptr: ptr.handle, cmp: cmp.handle, val: val.handle, ...how }, withElement(ptr.type, pointee(ptr)));
  return tensor(result.handle, val.type);
}

type Rmw = "and" | "or" | "xor" | "add" | "max" | "min" | "xchg";
interface Access {
  readonly ptr: Tensor;
  readonly val: Tensor;
  readonly mask: Tensor;
}

/** The operands with the pointer's shape and dtype; an absent mask is all true. */
function checkedAccess(s: Semantic, ptr: Tensor, given: Tensor, givenMask: PyValue, op: Rmw): Access {
  const pointer = dtypeOf(ptr);
  if (!isPtr(pointer)) return raise("ValueError", `Pointer argument of store instruction is ${typeRepr(ptr.type)}`);
  if (pointer.isConst) raise("ValueError", "Cannot store to a constant pointer");
  const element = pointee(ptr);
  if (element === FLOAT16 && op !== "add") raise("ValueError", `atomic_${op} does not support fp16`);
  if (element === BFLOAT16 && op !== "add") raise("ValueError", `atomic_${op} does not support bf16`);
  if (element === INT16 || element === UINT16 || element.bits < 16)
    raise("ValueError", `atomic_${op} does not support ${typeName(element)}`);
  let val = given;
  let mask = givenMask === null ? undefined : toMask(givenMask);
  if (isBlock(ptr.type)) {
    if (mask) mask = broadcastToShape(s, mask, ptr.type.shape, shapeText);
    val = broadcastToShape(s, val, ptr.type.shape, shapeText);
  }
  val = cast(s, val, element);
  if (!mask) {
    mask = toTensor(s, true);
    if (isBlock(ptr.type)) mask = emitOrFold(s, SplatOp, { src: mask.handle }, withElement(ptr.type, INT1));
  }
  return { ptr, val, mask };
}
function toMask(value: PyValue): Tensor {
  if (typeof value === "object" && value?.kind === "tensor") return value;
  return raise("AttributeError", `'${typeof value === "boolean" ? "bool" : "int"}' object has no attribute 'type'`);
}

/** The op; its result is of the value's type unless said otherwise. */
function rmw(s: Semantic, op: string, { ptr, val, mask }: Access, how: object, type: TensorType = val.type): Tensor {
  const parts = { atomic_rmw_op: op, ptr: ptr.handle, val: val.handle, mask: mask.handle, ...how };
  return tensor(emit(s, AtomicRMWOp, parts, withElement(ptr.type, pointee(ptr))).handle, type);
}

type AtomicOperation = (s: Semantic, ptr: Tensor, val: Tensor, mask: PyValue, order: Ordering) => Tensor;

/** Floats are compared as integers of the same bits: signed where positive, unsigned and the other way round where negative. */
function atomicExtremum(op: "max" | "min"): AtomicOperation {
  return (s, ptr, given, givenMask, order) => {
    const access = checkedAccess(s, ptr, given, givenMask, op);
    const how = ordering(order);
    const { val, mask } = access;
    const type = dtypeOf(val);
    if (isInt(type)) return rmw(s, isIntSigned(type) ? op : `u${op}`, access, how);
    if (type !== FLOAT32 && type !== FLOAT64) return raise("TypeError", `atomic_${op} not supported for dtype ${typeName(type)}`);
    const [signed, unsigned] = type === FLOAT32 ? [INT32, UINT32] : [INT64, UINT64];
    const signedVal = bitcast(s, val, signed);
    const signedPtr = bitcast(s, access.ptr, pointerType(signed, 1));
    const unsignedVal = bitcast(s, val, unsigned);
    const unsignedPtr = bitcast(s, access.ptr, pointerType(unsigned, 1));
    const negative = signbit(s, val, type.bits, unsigned);
    const positive = not(s, negative);
    const ifPositive = rmw(s, op, { ptr: signedPtr, val: signedVal, mask: and(s, mask, positive) }, how);
    // Upstream gives the result of `atomic_min` the pointer's type, which spares it a cast.
    const negativeType = op === "max" ? unsignedVal.type : unsignedPtr.type;
    const other = op === "max" ? "umin" : "umax";
    const ifNegative = rmw(s, other, { ptr: unsignedPtr, val: unsignedVal, mask: and(s, mask, negative) }, how, negativeType);
    return bitcast(s, where(s, positive, ifPositive, ifNegative), type);
  };
}
const plain =
  (name: Rmw, op: (type: TensorType) => string): AtomicOperation =>
  (s, ptr, val, mask, order) => {
    const access = checkedAccess(s, ptr, val, mask, name);
    return rmw(s, op(dtypeOf(access.val)), access, ordering(order));
  };

export const ATOMIC_OPERATIONS: Readonly<Record<Rmw, AtomicOperation>> = {
  add: plain("add", (type) => (isFloating(type) ? "fadd" : "add")),
  max: atomicExtremum("max"),
  min: atomicExtremum("min"),
  and: plain("and", () => "and"),
  or: plain("or", () => "or"),
  xor: plain("xor", () => "xor"),
  xchg: plain("xchg", () => "exch"),
};
