import { Bug } from "../support/assert.js";
import type { Attribute, Type } from "./attribute.js";
import type { Operation } from "./operation.js";
import type { Value } from "./value.js";

/** How `ir` prints in messages without importing `syntax`, which sets these when it is loaded. */
export const textHook: { type: (type: Type) => string; attr: (attr: Attribute) => string; op: (op: Operation) => string } = {
  type: unset,
  attr: unset,
  op: unset,
};
function unset(): string {
  throw new Bug("syntax/print.js is not loaded");
}
/** The text of a type without aliases. */
export const typeText = (type: Type): string => type.text ?? textHook.type(type);
/** An attribute as it is printed, without aliases. */
export const attrText = (attr: Attribute): string => attr.text ?? textHook.attr(attr);
/** An op as error messages show it: generic form without aliases, values named as in the function around it. */
export const opText = (op: Operation): string => textHook.op(op);
/** A value as error messages show it: the op that defines it, or the place of the block argument. */
export function valueText(value: Value): string {
  const op = value.definingOp;
  return op ? opText(op) : `<block argument> of type '${typeText(value.type)}' at index: ${value.index}`;
}
