/** Layouts as Gluon source: `gl.BlockedLayout(size_per_thread=[1, 4], ...)`, and back. */
import { gpuCalled } from "../../../gpu/gpu.js";
import type { EncodingParams } from "../../../layout/encoding-params.js";
import { DEFAULT_TRITON } from "../../../support/triton-version.js";
import { evaluate } from "../../host/evaluate.js";
import { makeHost } from "../../host/host.js";
import { Names } from "../../host/objects.js";
import { asPyError } from "../../language/errors.js";
import { languageModules } from "../../language/modules.js";
import { pyRepr } from "../../language/python-text.js";
import { isLayout, type Layout, type PyValue } from "../../language/values.js";
import { parsePython } from "../../python/parse.js";
import { layoutOfEncoding } from "./from-encoding.js";

/** The source of an encoding's layout; undefined where Gluon has no class for it here. */
export function gluonSource(params: EncodingParams): string | undefined {
  const layout = layoutOfEncoding(params);
  return layout && sourceOf(layout);
}

function sourceOf(layout: Layout): string {
  const { cls, fields } = layout;
  const written = [...fields].filter(([name, value]) => DEFAULTS[name] !== pyRepr(value));
  const module = cls.module.endsWith(".blackwell") ? "blackwell" : "gl";
  return `${module}.${cls.name}(${written.map(([name, value]) => `${name}=${valueOf(value)}`).join(", ")})`;
}
const valueOf = (value: PyValue): string => (isLayout(value) ? sourceOf(value) : pyRepr(value));
/** Fields that are left out where they say nothing. */
const DEFAULTS: Readonly<Record<string, string>> = {
  cga_layout: "[]",
  transposed: "False",
  fp4_padded: "False",
  cta_split_num: "[1, 1]",
  two_ctas: "False",
};

/** The encoding of a layout in Gluon source, or why there is none. `gl`, `blackwell` and the classes themselves are known by name. */
export function readGluonLayout(text: string): EncodingParams | { readonly error: string } {
  const parsed = parsePython(text, "<layout>");
  const [statement, ...more] = parsed.kind === "Module" ? parsed.body : [];
  if (statement?.kind !== "Expr" || more.length > 0) return { error: `'${text}' is no Python expression` };
  try {
    const value = evaluateAlone(statement.value);
    if (!isLayout(value)) return { error: `'${text}' is no layout of Gluon, but ${pyRepr(value)}` };
    return value.encoding() ?? { error: `${value.text} is for the compiler to choose` };
  } catch (error) {
    const raised = asPyError(error);
    if (raised) return { error: `${raised.kind}${raised.message === "" ? "" : `: ${raised.message}`}` };
    throw error;
  }
}

function evaluateAlone(node: Parameters<typeof evaluate>[2]): PyValue {
  const modules = languageModules(DEFAULT_TRITON);
  const gl = modules.get("triton.experimental.gluon.language")!;
  const blackwell = modules.get("triton.experimental.gluon.language.nvidia.blackwell")!;
  const names = Names.of([...blackwell.attrs, ...gl.attrs, ["gl", gl], ["ttgl", gl], ["blackwell", blackwell]]);
  const file = { path: "<layout>", module: "<layout>", package: "", globals: names, defines: new Map<string, PyValue>() };
  const nothing = { readFile: () => undefined, search: undefined, tritonLib: undefined, env: {} };
  const host = makeHost({ ...nothing, gpu: gpuCalled("cuda:80")!, triton: DEFAULT_TRITON, defines: new Map() });
  return evaluate(host, { vars: names, parent: undefined, file, isFunction: true }, node);
}
