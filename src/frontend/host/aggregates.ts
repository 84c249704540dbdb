/** Instances of classes under `@aggregate`. Source: `_aggregate` in core.py of each version. */
import { raiseUnexpected } from "../language/define-builtin.js";
import { raise } from "../language/errors.js";
import { pyRepr, pyStr } from "../language/python-text.js";
import { constexpr, hasHandle, isKind, type PyInstance, type PyValue, tuple } from "../language/values.js";
import { isInstance } from "./instance-of.js";

export const isAggregate = (value: PyValue): value is PyInstance => isKind(value, "instance") && value.cls.flavour === "aggregate";

/** Only annotated fields can be set, to values of their types; where versions say so, only while the aggregate is constructed. */
export function checkField({ cls, isFixed }: PyInstance, name: string, value: PyValue): void {
  const annotation = cls.fields.find(([field]) => field === name)?.[1];
  if (annotation === undefined) raise("AttributeError", `${cls.name} has no attribute '${name}'`);
  if (!isInstance(value, annotation))
    raise("TypeError", `Expected ${pyRepr(annotation)} for attribute '${name}', got ${pyStr(value, "type")}`);
  if (isFixed)
    raise(
      "AttributeError",
      `cannot assign to field '${name}' on immutable aggregate ${cls.name}; use aggregate_replace() to construct a modified copy`,
    );
}

/** The constructor of a class that has none: a value for each field. */
export function setFields(instance: PyInstance, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): void {
  const { cls } = instance;
  const init = `${cls.name}.__init__`;
  if (args.length > cls.fields.length)
    raise("TypeError", `${init}() takes ${cls.fields.length + 1} positional arguments but ${args.length + 1} were given`);
  cls.fields.forEach(([name], i) => {
    if (i < args.length && named.has(name)) raise("TypeError", `${init}() got multiple values for argument '${name}'`);
    const given = i < args.length ? args[i] : (named.has(name) ? named : cls.attrs).get(name);
    if (given === undefined) return raise("TypeError", `${init}() missing required argument: '${name}'`);
    const value = inKernel(given);
    checkField(instance, name, value);
    instance.attrs.set(name, value);
  });
  for (const name of named.keys()) if (!cls.fields.some(([field]) => field === name)) raiseUnexpected(init, init, name);
}

/** A Python value as a value of the language. */
function inKernel(value: PyValue): PyValue {
  if (isKind(value, "tuple")) return tuple(value.values.map(inKernel), value.fields, value.cls);
  return hasHandle(value) || isAggregate(value) ? value : constexpr(value);
}

/** A constructor sets all fields. */
export function checkFields({ cls, attrs }: PyInstance): void {
  for (const [name] of cls.fields)
    if (!attrs.has(name)) raise("AttributeError", `constructor for ${cls.name} did not initialize attribute '${name}'`);
}
