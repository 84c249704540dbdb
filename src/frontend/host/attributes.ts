/** Attributes of what is known while compiling: modules, classes, instances, strings, lists, dicts. */
import { layoutAttribute } from "../gluon/layouts/define-layout.js";
import { raise } from "../language/errors.js";
import { typeMember } from "../language/members.js";
import { dictKey, pyEquals, pyRepr, pyStr } from "../language/python-text.js";
import {
  isConstexpr,
  isKind,
  isTuple,
  type Opaque,
  type PyClass,
  type PyDict,
  type PyList,
  type PyValue,
  pythonTuple,
} from "../language/values.js";
import { callHost } from "./call.js";
import { isAbsent } from "./facts.js";
import { format } from "./format.js";
import type { Host } from "./host.js";
import { CLASS_METHODS, jitData, type NativeCall, native, PROPERTIES, STATIC_METHODS } from "./objects.js";
import { pyIterate, unknownOf } from "./operators.js";

/** The attribute, or undefined when there is none of that name. */
export function hostAttribute(host: Host, value: PyValue, name: string): PyValue | undefined {
  const method = (call: NativeCall): PyValue => native(name, call);
  if (typeof value === "string") return stringMethod(value, name, method);
  if (typeof value === "bigint" && name === "bit_length")
    return method(() => BigInt((value < 0n ? -value : value).toString(2).length - (value === 0n ? 1 : 0)));
  if (typeof value === "number" && name === "is_integer") return method(() => Number.isInteger(value));
  if (value === null || typeof value !== "object") return undefined;
  switch (value.kind) {
    case "constexpr":
      return name === "value" ? value.value : hostAttribute(host, value.value, name);
    case "module":
      return host.moduleAttribute(value, name);
    case "class":
      return name === "__name__" ? value.name : bound(value, value.attrs.get(name));
    case "instance": {
      const own = value.attrs.get(name);
      if (own !== undefined) return own;
      const fn = value.cls.attrs.get(name);
      if (fn !== undefined && fn !== null && typeof fn === "object" && PROPERTIES.has(fn)) return callHost(host, fn, [value], new Map());
      if (isClassMethod(fn)) return bound(value.cls, fn);
      if ((isKind(fn, "host_function") || isKind(fn, "jit")) && !STATIC_METHODS.has(fn)) return { kind: "bound_method", self: value, fn };
      return fn;
    }
    case "tuple": {
      const at = value.fields?.indexOf(name) ?? -1;
      if (at >= 0) return value.values[at];
      if (name === "count") return method(([item = null]) => BigInt(value.values.filter((v) => pyEquals(v, item)).length));
      if (name === "index") return method(([item = null]) => BigInt(value.values.findIndex((v) => pyEquals(v, item))));
      if (name === "_replace")
        return method((_, named) =>
          pythonTuple(
            value.values.map((v, i) => named.get(value.fields?.[i] ?? "") ?? v),
            value.fields,
            value.cls,
          ),
        );
      if (name === "_fields") return pythonTuple(value.fields ?? []);
      return undefined;
    }
    case "list":
      return listMethod(value, name, method);
    case "dict":
      return dictMethod(value, name, method);
    case "layout":
      return layoutAttribute(value, name);
    case "enum":
      return name === "value" ? value.value : name === "name" ? value.name : undefined;
    case "jit":
    case "host_function":
      if (name === "arg_names" && isKind(value, "jit")) return list(jitData(value).parameters.map((p) => p.name));
      return name === "__name__" ? value.name : name === "fn" ? value : undefined;
    case "builtin":
      return name === "__name__" ? value.def.name : undefined;
    case "opaque":
      return opaqueAttribute(host, value, name);
    default:
      return typeMember(value, name);
  }
}

const isClassMethod = (fn: PyValue | undefined): boolean => typeof fn === "object" && fn !== null && CLASS_METHODS.has(fn);
/** A method of a class, which is handed the class. */
const bound = (self: PyClass, fn: PyValue | undefined): PyValue | undefined =>
  isKind(fn, "host_function") && isClassMethod(fn) ? { kind: "bound_method", self, fn } : fn;

/** An attribute of what is not known: the user's value, what is known of its module, else as little known. */
function opaqueAttribute(host: Host, value: Opaque, name: string): PyValue | undefined {
  const what = `${value.what}.${name}`;
  if (isAbsent(what)) return undefined;
  for (const known of [host.defines, host.facts]) if (known.has(what)) return known.get(what);
  return { ...value, what };
}

const text = (value: PyValue | undefined): string => {
  const plain = isConstexpr(value) ? value.value : value;
  return typeof plain === "string" ? plain : raise("TypeError", `expected a string, not ${pyRepr(plain ?? null)}`);
};
const list = (values: PyValue[]): PyList => ({ kind: "list", values });

function stringMethod(value: string, name: string, method: (call: NativeCall) => PyValue): PyValue | undefined {
  const starts = (prefix: PyValue | undefined, test: (p: string) => boolean): boolean =>
    isTuple(prefix) ? prefix.values.some((p) => test(text(p))) : test(text(prefix));
  switch (name) {
    case "upper":
      return method(() => value.toUpperCase());
    case "lower":
      return method(() => value.toLowerCase());
    case "strip":
      return method(() => value.trim());
    case "lstrip":
      return method(() => value.trimStart());
    case "rstrip":
      return method(() => value.trimEnd());
    case "startswith":
      return method(([prefix]) => starts(prefix, (p) => value.startsWith(p)));
    case "endswith":
      return method(([suffix]) => starts(suffix, (p) => value.endsWith(p)));
    case "replace":
      return method(([from, to]) => value.replaceAll(text(from), text(to)));
    case "find":
      return method(([part]) => BigInt(value.indexOf(text(part))));
    case "count":
      return method(([part]) => BigInt(value.split(text(part)).length - 1));
    case "removeprefix":
      return method(([prefix]) => (value.startsWith(text(prefix)) ? value.slice(text(prefix).length) : value));
    case "removesuffix":
      return method(([suffix]) => (text(suffix) !== "" && value.endsWith(text(suffix)) ? value.slice(0, -text(suffix).length) : value));
    case "split":
      return method(([separator]) =>
        list(separator === undefined || separator === null ? value.trim().split(/\s+/).filter(Boolean) : value.split(text(separator))),
      );
    case "join":
      return method(([items]) =>
        pyIterate(items ?? null)
          .map(text)
          .join(value),
      );
    case "isdigit":
      return method(() => /^\d+$/.test(value));
    case "format":
      return method((args, named) => formatFields(value, args, named));
    default:
      return undefined;
  }
}
function formatFields(template: string, args: readonly PyValue[], named: ReadonlyMap<string, PyValue>): string {
  let next = 0;
  return template.replaceAll(/\{\{|\}\}|\{(\w*)(?:!([rsa]))?(?::([^{}]*))?\}/g, (whole, field: string | undefined, conversion, spec) => {
    if (whole === "{{" || whole === "}}") return whole[0]!;
    const value = field === "" || field === undefined ? args[next++] : /^\d+$/.test(field) ? args[Number(field)] : named.get(field);
    if (value === undefined) return raise("IndexError", "Replacement index out of range for positional args tuple");
    return format(conversion === "r" ? pyRepr(value) : conversion === "s" ? pyStr(value) : value, spec ?? "");
  });
}

function listMethod({ values }: PyList, name: string, method: (call: NativeCall) => PyValue): PyValue | undefined {
  switch (name) {
    case "append":
      return method(([item = null]) => (values.push(item), null));
    case "extend":
      return method(([items = null]) => (values.push(...pyIterate(items)), null));
    case "insert":
      return method(([at = 0n, item = null]) => (values.splice(Number(at), 0, item), null));
    case "pop":
      return method(([at = -1n]) => values.splice(Number(at), 1)[0] ?? raise("IndexError", "pop from empty list"));
    case "index":
      return method(([item = null]) => BigInt(values.findIndex((v) => pyEquals(v, item))));
    case "count":
      return method(([item = null]) => BigInt(values.filter((v) => pyEquals(v, item)).length));
    case "copy":
      return method(() => list([...values]));
    case "reverse":
      return method(() => (values.reverse(), null));
    default:
      return undefined;
  }
}

function dictMethod({ entries }: PyDict, name: string, method: (call: NativeCall) => PyValue): PyValue | undefined {
  switch (name) {
    case "get":
      return method(([key = null, fallback = null]) => unknownOf(key) ?? entries.get(dictKey(key))?.[1] ?? fallback);
    case "keys":
      return method(() => list([...entries.values()].map(([key]) => key)));
    case "values":
      return method(() => list([...entries.values()].map(([, value]) => value)));
    case "items":
      return method(() => list([...entries.values()].map((entry) => pythonTuple(entry))));
    case "copy":
      return method(() => ({ kind: "dict", entries: new Map(entries) }));
    case "update":
      return method(([other], named) => {
        if (isKind(other, "dict")) for (const [key, entry] of other.entries) entries.set(key, entry);
        for (const [key, value] of named) entries.set(dictKey(key), [key, value]);
        return null;
      });
    case "setdefault":
      return method(([key = null, fallback = null]) => {
        const found = entries.get(dictKey(key));
        if (!found) entries.set(dictKey(key), [key, fallback]);
        return found?.[1] ?? fallback;
      });
    case "pop":
      return method(([key = null, fallback]) => {
        const found = entries.get(dictKey(key));
        entries.delete(dictKey(key));
        return found?.[1] ?? fallback ?? raise("KeyError", pyRepr(key));
      });
    default:
      return undefined;
  }
}
