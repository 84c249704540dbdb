/** Attributes of values inside a kernel. Source: code_generator.py, CodeGenerator.get_Attribute. */
import { hostAttribute } from "../host/attributes.js";
import { raiseMissing } from "../language/errors.js";
import { member } from "../language/members.js";
import { noAttribute, pyTypeName } from "../language/python-text.js";
import { isConstexpr, isKind, isTensor, type PyValue, typeOf } from "../language/values.js";
import type { MissingName } from "../language/version-names.js";
import type { Generator } from "./generator.js";
import { decided } from "./names.js";

export function getAttribute(g: Generator, value: PyValue, name: string): PyValue {
  const found = decided(g, name, findAttribute(g, value, name));
  if (found !== undefined) return found;
  const plain = isConstexpr(value) ? value.value : value;
  return raiseMissing("AttributeError", noAttribute(plain, name), missingName(plain, name));
}

const missingName = (value: PyValue, name: string): MissingName =>
  isKind(value, "module") ? { kind: "name", module: value.name, name } : { kind: "member", class: pyTypeName(value), name };

/** The attribute, or undefined when the value has none of that name. */
export function findAttribute(g: Generator, value: PyValue, name: string): PyValue | undefined {
  if (isConstexpr(value)) {
    if (name === "value") return value.value;
    if (name === "type") return typeOf(value);
    return findAttribute(g, value.value, name);
  }
  const own = member(g.s, value, name);
  if (own !== undefined) return own;
  if (isTensor(value)) {
    const fn = g.compilation.host.tensorMember(name);
    return fn && { kind: "bound_method", self: value, fn };
  }
  if (isKind(value, "tuple") && name === "type") return typeOf(value);
  return hostAttribute(g.compilation.host, value, name);
}
