/** Reading the arguments of Gluon's builtins. */

import type { Value } from "../../../ir/value.js";
import { raise } from "../../language/errors.js";
import { noAttribute, pyTypeName } from "../../language/python-text.js";
import { type Buffer, elementsOf, hasHandle, isBuffer, isLayout, type Layout, type PyValue, unwrap } from "../../language/values.js";
import { DISTRIBUTED_LAYOUT } from "../layouts/define-layout.js";
import { AUTO } from "../layouts/distributed.js";

export function buffer(value: PyValue): Buffer {
  return isBuffer(value) ? value : raise("AttributeError", noAttribute(value, "handle"));
}
export function handle(value: PyValue): Value {
  return hasHandle(value) ? value.handle : raise("AttributeError", noAttribute(value, "handle"));
}
export function sequence(value: PyValue): readonly PyValue[] {
  return elementsOf(value) ?? raise("TypeError", `'${pyTypeName(unwrap(value))}' object is not iterable`);
}
/** A layout, by default the one that the compiler chooses. */
export function layoutOrAuto(value: PyValue): Layout {
  const plain = unwrap(value);
  return plain === null ? AUTO.make([]) : layoutArgument(plain);
}
/** Python asserts that a tensor's layout is one. */
export function layoutArgument(value: PyValue): Layout {
  const plain = unwrap(value);
  if (isLayout(plain) && plain.cls.base === DISTRIBUTED_LAYOUT) return plain;
  return raise("AssertionError", "tensor layout must be a DistributedLayout");
}
