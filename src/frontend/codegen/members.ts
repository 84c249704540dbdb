/** Attributes and methods that the language gives to values of its own. */
import { tensorAttribute, tensorMethod } from "../language/operators.js";
import { isTensor, type PyValue } from "../language/values.js";

/** The member, or undefined when the language knows none of that name. */
export function member(value: PyValue, name: string): PyValue | undefined {
  if (!isTensor(value)) return undefined;
  const attribute = tensorAttribute(value, name);
  if (attribute !== undefined) return attribute;
  const method = tensorMethod(name);
  return method && { kind: "bound_method", self: value, fn: { kind: "builtin", def: method } };
}
