import { CORE } from "../language/operators.js";
import { DTYPES } from "../language/types.js";
import type { PyModule, PyValue } from "../language/values.js";
import { pythonType } from "./objects.js";

const NAMES: Record<string, string> = {
  fp8e5: "float8e5",
  fp8e4nv: "float8e4nv",
  fp8e4b15: "float8e4b15",
  fp16: "float16",
  bf16: "bfloat16",
  fp32: "float32",
  fp64: "float64",
};
const attrs = new Map<string, PyValue>();
for (const [name, def] of CORE) attrs.set(name, { kind: "builtin", def });
for (const [name, type] of DTYPES) attrs.set(NAMES[name] ?? name, type);
attrs.set(
  "constexpr",
  pythonType("constexpr", ([v = null]) => ({ kind: "constexpr", value: v }), "triton.language.core"),
);
const m: PyModule = { kind: "module", name: "triton.language", attrs };
export const languageModules = (): ReadonlyMap<string, PyModule> =>
  new Map([
    ["triton.language", m],
    ["triton.language.core", m],
  ]);
export const preludeText = (_name: string): string | undefined => undefined;
export const TENSOR_METHODS_IN_TRITON: readonly string[] = [];
