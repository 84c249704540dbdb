/** The modules of Triton's language: what is native, and the Python texts of what Triton writes in Triton. */
import { memo } from "../../support/memo.js";
import type { TritonVersion } from "../../support/triton-version.js";
import { gluonModules } from "../gluon/modules.js";
import { PRELUDES } from "../prelude/texts.js";
import { CUDA } from "./builtins/cuda.js";
import { HIP } from "./builtins/hip.js";
import { CUDA_LIBDEVICE, HIP_LIBDEVICE, LIBDEVICE } from "./builtins/libdevice.js";
import { MATH } from "./builtins/math.js";
import { TARGET_INFO } from "./builtins/target-info.js";
import type { BuiltinDef } from "./define-builtin.js";
import { raise } from "./errors.js";
import { nativeMethod } from "./native-method.js";
import { CORE } from "./operators.js";
import { DTYPE_NAMES, LANGUAGE_TYPES } from "./python-types.js";
import { INT32, intDtype, pointerType, TRITON_MAX_TENSOR_NUMEL } from "./types.js";
import { constexpr, type PyModule, type PyValue, unwrap } from "./values.js";
import { isAbsentFrom } from "./version-names.js";

type Entry = readonly [string, PyValue];

const functions = (defs: Iterable<BuiltinDef>): Entry[] => [...defs].map((def) => [def.name, { kind: "builtin", def }]);
const moduleOf = (name: string, entries: Iterable<Entry>): PyModule => ({ kind: "module", name, attrs: new Map(entries) });

/** Decorators of Triton's own library, which leave their function as it is; those of documentation are made by a call. */
const decorator = (name: string): Entry => [name, nativeMethod(name, ([fn = null]) => fn)];
const decoratorMaker = (name: string): Entry => [name, nativeMethod(name, () => decorator(name)[1])];

const getIntDtype = nativeMethod("get_int_dtype", (args, named) => {
  const [bits, signed] = [unwrap(args[0] ?? named.get("bitwidth") ?? null), unwrap(args[1] ?? named.get("signed") ?? null)];
  if (typeof bits !== "bigint") return raise("TypeError", "get_int_dtype() missing 1 required positional argument: 'bitwidth'");
  return intDtype(Number(bits), signed === true || signed === 1n);
});

const CORE_NAMES: readonly Entry[] = [
  ...functions(CORE.values()),
  ...LANGUAGE_TYPES,
  ...DTYPE_NAMES,
  ["pi32_t", pointerType(INT32)],
  ["TRITON_MAX_TENSOR_NUMEL", BigInt(TRITON_MAX_TENSOR_NUMEL)],
  ["CONSTEXPR_0", constexpr(0n)],
];
const LIBRARY_TOOLS: readonly Entry[] = [
  ["get_int_dtype", getIntDtype],
  ["_unwrap_if_constexpr", nativeMethod("_unwrap_if_constexpr", ([value = null]) => unwrap(value))],
  ...["_tensor_member_fn", "builtin", "extern"].map(decorator),
  ...["_add_reduction_docstr", "_add_scan_docstr"].map(decoratorMaker),
];

/** The names that `triton.language.core` does not export. */
const NOT_EXPORTED: ReadonlySet<string> = new Set([
  "base_type",
  "base_value",
  "builtin_max",
  "builtin_min",
  "CONSTEXPR_0",
  "extern_elementwise",
  "item",
  "tensor_descriptor_base",
]);

/** The native modules by dotted name. `triton.language` has all but what the prelude adds, whose names it exports too. */
export const languageModules = memo(makeModules);
function makeModules(triton: TritonVersion): ReadonlyMap<string, PyModule> {
  const core = moduleOf("triton.language.core", [...CORE_NAMES, ...LIBRARY_TOOLS]);
  const math = moduleOf("triton.language.math", [
    ...functions(MATH),
    ...["_add_math_1arg_docstr", "_add_math_2arg_docstr", "_add_math_3arg_docstr"].map(decoratorMaker),
    ["core", core],
  ]);
  const libdevice = moduleOf("triton.language.extra.libdevice", functions(LIBDEVICE));
  const cudaLibdevice = moduleOf("triton.language.extra.cuda.libdevice", functions(CUDA_LIBDEVICE));
  const cuda = moduleOf("triton.language.extra.cuda", [...functions(CUDA), ["libdevice", cudaLibdevice]]);
  const hipLibdevice = moduleOf("triton.language.extra.hip.libdevice", functions(HIP_LIBDEVICE));
  const hip = moduleOf("triton.language.extra.hip", [...functions(HIP), ["libdevice", hipLibdevice]]);
  const extra = moduleOf("triton.language.extra", [
    ["libdevice", libdevice],
    ["cuda", cuda],
    ["hip", hip],
  ]);
  const targetInfo = moduleOf("triton.language.target_info", functions(TARGET_INFO));
  const language = moduleOf("triton.language", [
    ...CORE_NAMES.filter(([name]) => !name.startsWith("_") && !NOT_EXPORTED.has(name)),
    ...functions(MATH),
    ["core", core],
    ["math", math],
    ["extra", extra],
    ["target_info", targetInfo],
  ]);
  // Only what kernels of torch.compile import of it is known.
  const inductor = moduleOf("torch._inductor.runtime", []);
  const isThere = ({ name }: PyModule): boolean =>
    name.split(".").every((part, i, parts) => !isAbsentFrom(parts.slice(0, i).join("."), part, triton));
  return new Map(
    [...gluonModules(triton), language, core, math, extra, libdevice, cuda, cudaLibdevice, hip, hipLibdevice, targetInfo, inductor]
      .filter(isThere)
      .map((m) => [m.name, m]),
  );
}

/** The text of a module that Triton writes in Triton; undefined when it is none. */
export const preludeText = (name: string, triton: TritonVersion): string | undefined => PRELUDES.get(triton)?.get(name);

/** Functions of `triton.language.standard` that are methods of tensors too. */
export const TENSOR_METHODS_IN_TRITON: readonly string[] = [
  "cdiv",
  "sigmoid",
  "softmax",
  "ravel",
  "max",
  "argmax",
  "min",
  "argmin",
  "sum",
  "xor_sum",
  "reduce_or",
  "cumsum",
  "cumprod",
  "flip",
];
