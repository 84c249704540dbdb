/** Python's `isinstance`. */
import { raise } from "../language/errors.js";
import { pyRepr, pyTypeName } from "../language/python-text.js";
import { elementsOf, hasHandle, isConstexpr, isKind, type PyClass, type PyValue } from "../language/values.js";

/** Whether `value` is of one of `classes`: a class or a tuple of them. */
export function isInstance(value: PyValue, classes: PyValue): boolean {
  return (elementsOf(classes) ?? [classes]).some((cls) => {
    if (isKind(cls, "opaque")) return false;
    // `Optional[...]`
    if (cls === null) return value === null;
    if (!isKind(cls, "class"))
      return raise("TypeError", `isinstance() arg 2 must be a type, a tuple of types, or a union, not ${pyRepr(cls)}`);
    if (isKind(value, "layout")) return derives(value.cls, cls) || cls.name === "object";
    if (isKind(value, "instance")) return value.cls === cls || cls.name === "object";
    return isOfType(value, cls.name);
  });
}

function derives(cls: PyClass | undefined, from: PyClass): boolean {
  return cls !== undefined && (cls === from || derives(cls.base, from));
}

function isOfType(value: PyValue, name: string): boolean {
  if (name === "object") return true;
  if (isConstexpr(value)) return name === "constexpr" || name === "base_value";
  const own = pyTypeName(value);
  if (own === name) return true;
  switch (name) {
    case "int":
      return own === "bool";
    case "dtype":
      return own === "block_type" || own === "pointer_type";
    case "base_value":
      return hasHandle(value) || own === "tuple";
    case "tensor_descriptor_base":
      return own === "tensor_descriptor";
    case "NamedTuple":
      return isKind(value, "tuple") && value.fields !== undefined;
    default:
      return false;
  }
}
