/** A call of an LLVM intrinsic. */
import type { Attribute, Type } from "../../ir/attribute.js";
import { IntegerAttr } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";

/** An argument that is an immediate: `i32 2`, `i1 false`. */
export interface Immediate {
  readonly type: Type;
  readonly value: bigint;
}
export interface IntrinsicCall {
  /** With its overload suffix: `llvm.smin.i32`. */
  readonly name: string;
  readonly args: readonly (Value | Immediate)[];
  /** The type that the call returns; undefined for void. */
  readonly type: Type | undefined;
  /** The op's result is this element of what the call returns. */
  readonly extract?: number;
  /** The op's result is what the call returns, truncated to this type. */
  readonly truncated?: Type;
  /** The result is in this range: `range(i32 0, 256)`. */
  readonly range?: string;
  /** The scope of a fence that releases before the call, and of one that acquires after it. */
  readonly fenced?: string;
}

export function isImmediate(arg: Value | Immediate): arg is Immediate {
  return !("owner" in arg);
}

/** The type of the op's result; undefined for none. */
export const resultOf = (op: Operation): Type | undefined =>
  op.numResults === 1 && op.result().type.def.name !== "llvm.void" ? op.result().type : undefined;
/** Whether a bit is there and set. */
export const flag = (attr: Attribute | undefined): boolean => IntegerAttr.is(attr) && attr.params.value !== 0n;
