/** Attributes of values inside a kernel. Source: code_generator.py, CodeGenerator.get_Attribute. */
import { hostAttribute } from "../host/attributes.js";
import { PyError, raise } from "../language/errors.js";
import { member } from "../language/members.js";
import { versionThatAdds } from "../language/modules.js";
import { noAttribute } from "../language/python-text.js";
import { isConstexpr, isKind, isTensor, type PyValue, typeOf } from "../language/values.js";
import type { Generator } from "./generator.js";
import { decided } from "./names.js";

export function getAttribute(g: Generator, value: PyValue, name: string): PyValue {
  const found = decided(g, name, findAttribute(g, value, name));
  if (found !== undefined) return found;
  const plain = isConstexpr(value) ? value.value : value;
  if (isKind(plain, "class")) return raise("AttributeError", `type object '${plain.name}' has no attribute '${name}'`);
  const since = isKind(plain, "module") ? versionThatAdds(plain.name, name, g.compilation.host.triton) : undefined;
  const error = new PyError("AttributeError", noAttribute(plain, name));
  if (since) error.notes = [{ message: `Triton ${since.name} has tl.${name}: --triton ${since.name} compiles as it does` }];
  throw error;
}

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
