/** Lookup of names inside a kernel. Source: code_generator.py, CodeGenerator._define_name_lookup. */
import { lookup, SOURCE_BUILTINS } from "../host/objects.js";
import { choose } from "../host/undecided.js";
import { raise, raiseUnknown } from "../language/errors.js";
import { constexpr, isConstexpr, isKind, type PyValue } from "../language/values.js";
import type { Generator } from "./generator.js";
import { Abandoned } from "./recovery.js";

export function dereference(g: Generator, name: string): PyValue {
  const local = g.scope.get(name);
  if (local !== undefined) return local;
  if (g.poisoned.has(name)) throw new Abandoned();
  const global = decided(g, name, lookup(g.data.env, name));
  const builtin = g.compilation.host.kernelBuiltins.get(name);
  if (global !== undefined) {
    if (global === g.data.env.file.defines.get(name)) return constexpr(global);
    if (builtin !== undefined || g.visitingDefault || isUsable(global)) return global;
    return raise(
      "NameError",
      `Cannot access global variable ${name} from within @jit'ed function. Triton kernels can only access global variables that ` +
        "are instanstiated as constexpr (`x = triton.language.constexpr(42)`). Note that this is different from annotating a variable " +
        "as constexpr (`x: triton.language.constexpr = 42`), which is not supported.  Alternatively, set the envvar " +
        "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS=1, but we do not promise to support this forever.",
    );
  }
  if (builtin !== undefined) return builtin;
  return raise("NameError", `${name} is not defined`);
}

/** A name's value; of an undecided one the only definition that is known, with a note. More of them, or none, are an error. */
export function decided<T extends PyValue | undefined>(g: Generator, name: string, value: T): T | PyValue {
  if (!isKind(value, "opaque") || !value.undecided) return value;
  const chosen = choose(name, value);
  if (!chosen) return raiseUnknown(name, value);
  const { warnings } = g.compilation;
  const [file, place] = [g.data.env.file.path, g.node?.at];
  // The body of a loop is visited twice.
  if (!warnings.some((w) => w.message === chosen.message && w.file === file && w.place === place))
    warnings.push({ severity: "note", file, place, ...chosen });
  return chosen.choice.taken.value;
}

/** Globals may be constants that say so, functions for kernels, types, and modules. */
function isUsable(value: PyValue): boolean {
  if (value === null || isConstexpr(value)) return true;
  if (typeof value !== "object") return false;
  switch (value.kind) {
    case "module":
    case "jit":
    case "builtin":
    case "dtype":
    case "pointer":
    case "block":
    case "enum":
    case "layout":
    case "opaque":
      return true;
    case "host_function":
      return value.constexpr || SOURCE_BUILTINS.has(value);
    case "class":
      return value.flavour !== "plain" && value.module !== "builtins";
    default:
      return isKind(value, "tuple_type") || isKind(value, "constexpr_type");
  }
}
