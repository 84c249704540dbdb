/** Attributes of what is known while compiling: modules, classes, instances, strings, lists, dicts. */
import { layoutAttribute } from "../gluon/layouts/define-layout.js";
import { member, typeMember } from "../language/members.js";
import { isKind, type Opaque, type PyClass, type PyList, type PyValue, pythonTuple } from "../language/values.js";
import { callHost } from "./call.js";
import { dictMethod, listMethod, tupleMethod } from "./container-methods.js";
import { isAbsent } from "./facts.js";
import { CLASS_METHODS, type Host, jitData, type NativeCall, native, PROPERTIES, SEMANTIC, STATIC_METHODS } from "./objects.js";
import { builderOption, semanticMethod } from "./semantic-methods.js";
import { stringMethod } from "./string-methods.js";

const list = (values: PyValue[]): PyList => ({ kind: "list", values });

/** The attribute, or undefined when there is none of that name. */
export function hostAttribute(host: Host, value: PyValue, name: string): PyValue | undefined {
  const method = (call: NativeCall): PyValue => native(name, call);
  if (typeof value === "string") return methodOf(name, stringMethod(value, name));
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
      if (name === "_replace")
        return method((_, named) =>
          pythonTuple(
            value.values.map((v, i) => named.get(value.fields?.[i] ?? "") ?? v),
            value.fields,
            value.cls,
          ),
        );
      if (name === "_fields") return pythonTuple(value.fields ?? []);
      return methodOf(name, tupleMethod(value, name));
    }
    case "list":
      return methodOf(name, listMethod(value, name));
    case "dict":
      return methodOf(name, dictMethod(value, name));
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
      if (value === SEMANTIC) return semanticMethod(name) ?? opaqueAttribute(host, value, name);
      if (value.what === "_semantic.builder.options" && host.semantic) {
        const option = builderOption(host.semantic, name);
        if (option !== undefined) return option;
      }
      return opaqueAttribute(host, value, name);
    default:
      return host.semantic ? member(host.semantic, value, name) : typeMember(value, name);
  }
}

const methodOf = (name: string, call: NativeCall | undefined): PyValue | undefined => call && native(name, call);

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
