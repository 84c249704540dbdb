/**
 * Files that torch.compile writes. `output_code.py` holds its kernels as texts (`async_compile.triton('name', '''...''')`); each is a
 * Python file of its own, as Inductor keeps it in its cache. The decorator of a kernel has its signature, constants and divisibility
 * (`triton_meta`); the block sizes and warps that it may be launched with are in `inductor-configs.ts`.
 */
import { inductorConfigs, type Literal } from "./inductor-configs.js";
import type { CommentSetting } from "./kernel-comment.js";
import type * as ast from "./python/ast.js";
import { unparse } from "./python/unparse.js";
import type { KernelConfig } from "./request.js";

/** A kernel whose text is in `output_code.py`. */
export interface EmbeddedKernel {
  readonly name: string;
  /** The text of its file, with as many empty lines before it that lines have the numbers of the file that it is in. */
  readonly text: string;
  /** The operators that were fused: `aten.mul, aten.add`. */
  readonly title: string | undefined;
}

/** The kernels that a file holds as string literals. */
export function embeddedKernels(body: readonly ast.Stmt[], lines: readonly string[]): readonly EmbeddedKernel[] {
  return body.flatMap((statement): EmbeddedKernel[] => {
    const call = statement.kind === "Assign" ? statement.value : undefined;
    if (call?.kind !== "Call" || call.func.kind !== "Attribute" || unparse(call.func) !== "async_compile.triton") return [];
    const [name, source] = call.args.map((arg) => (arg.kind === "Constant" ? arg.value : undefined));
    if (typeof name !== "string" || typeof source !== "string") return [];
    return [{ name, text: "\n".repeat(call.args[1]!.at!.line - 1) + source, title: titleAbove(lines, statement.at!.line) }];
  });
}

/** `# Topologically Sorted Source Nodes: [x], Original ATen: [aten.mul]` above a line (1-based). */
function titleAbove(lines: readonly string[], line: number): string | undefined {
  for (let at = line - 2; at >= 0 && lines[at]!.startsWith("#"); at--) {
    const [, nodes, operators] = /^# (?:Topologically Sorted )?Source Nodes: \[(.*?)\], Original ATen: \[(.*?)\]/.exec(lines[at]!) ?? [];
    if (operators !== undefined) return [operators, nodes && `of ${nodes}`].filter(Boolean).join(" ") || undefined;
  }
  return undefined;
}

/** Settings and configurations of a kernel with a decorator of Inductor's. */
export interface InductorKernel {
  readonly settings: readonly CommentSetting[];
  readonly configs: readonly KernelConfig[];
}

/** Reads `@triton_heuristics.pointwise(size_hints=..., triton_meta=..., inductor_meta=...)`; undefined for other decorators. */
export function inductorKernel({ decorators, args }: ast.FunctionDef): InductorKernel | undefined {
  const parameters = new Set(args.args.map((a) => a.arg));
  for (const decorator of decorators) {
    if (decorator.kind !== "Call" || decorator.func.kind !== "Attribute" || !/heuristics$/.test(unparse(decorator.func.value))) continue;
    const given = new Map(decorator.keywords.map(({ arg, value }) => [arg ?? "", literal(value)]));
    const meta = given.get("triton_meta");
    if (!(meta instanceof Map)) continue;
    const signature = signatureOf(meta);
    const device = meta.get("device");
    const cc = device instanceof Map ? device.get("cc") : undefined;
    const type = device instanceof Map ? device.get("type") : undefined;
    const settings = [
      ...(signature === undefined ? [] : [{ key: "signature", value: signature }]),
      ...(type === "cuda" && typeof cc === "number" ? [{ key: "target", value: `cuda:${cc}` }] : []),
      ...(meta.get("enable_fp_fusion") === false ? [{ key: "enable_fp_fusion", value: "False" }] : []),
    ];
    // A kernel of one row has no block along x.
    const configs = inductorConfigs(decorator.func.attr, given).map((config) => ({
      ...config,
      constants: new Map([...config.constants].filter(([name]) => parameters.has(name))),
    }));
    return { settings, configs };
  }
  return undefined;
}

function literal(node: ast.Expr): Literal {
  switch (node.kind) {
    case "Constant":
      return typeof node.value === "bigint" ? Number(node.value) : typeof node.value === "object" ? null : node.value;
    case "UnaryOp":
      return node.op === "USub" && node.operand.kind === "Constant" ? -Number(node.operand.value) : null;
    case "Attribute":
      return node.attr;
    case "List":
    case "Tuple":
    case "Set":
      return node.elts.map(literal);
    case "Dict":
      return new Map(node.keys.map((key, i) => [keyOf(key), literal(node.values[i]!)]));
    case "Call": {
      const [first] = node.args;
      // `AttrsDescriptor.from_dict({...})`, `OrderedSet([...])`
      if (first && node.keywords.length === 0) return literal(first);
      return node.keywords.length > 0 ? new Map(node.keywords.map(({ arg, value }) => [arg ?? "", literal(value)])) : [];
    }
    default:
      return null;
  }
}
const keyOf = (key: ast.Expr | undefined): string => {
  const value = key ? literal(key) : "";
  return Array.isArray(value) ? value.join(",") : String(value);
};

/** `*fp32:16, i32:16, constexpr`; undefined where there is none. */
function signatureOf(meta: ReadonlyMap<string, Literal>): string | undefined {
  const types = meta.get("signature");
  if (!(types instanceof Map)) return undefined;
  const constants = meta.get("constants");
  const ofNames = constants instanceof Map ? constants : new Map<string, Literal>();
  const { divisible, ones } = attributes(meta.get("configs"));
  const entries = [...types].map(([name, type], i) => {
    const constant = ofNames.get(name) ?? ofNames.get(String(i));
    if (constant !== undefined && constant !== null) return pythonText(constant);
    if (ones.has(i)) return "1";
    return divisible.has(i) ? `${String(type)}:16` : String(type);
  });
  return entries.join(", ");
}

/** Indices of the arguments that are multiples of 16, and of those that are 1, in the forms of several Tritons. */
function attributes(configs: Literal | undefined): { readonly divisible: ReadonlySet<number>; readonly ones: ReadonlySet<number> } {
  const [first] = Array.isArray(configs) ? (configs as readonly Literal[]) : [];
  const given = first instanceof Map ? first : new Map<string, Literal>();
  const properties = given.get("arg_properties");
  const named = properties instanceof Map ? properties : given;
  const list = (...names: string[]): readonly number[] =>
    names.flatMap((name) => {
      const value = named.get(name);
      return Array.isArray(value) ? (value as readonly number[]) : typeof value === "number" ? [value] : [];
    });
  // `{(0,): [['tt.divisibility', 16]]}`
  const byIndex = [...given].flatMap(([key, value]) =>
    /^\d+$/.test(key) && JSON.stringify(value).includes("tt.divisibility") ? [Number(key)] : [],
  );
  return {
    divisible: new Set([...byIndex, ...list("tt.divisibility", "divisible_by_16")]),
    ones: new Set(list("tt.equal_to", "equal_to_1")),
  };
}

const pythonText = (value: Literal): string =>
  value === true ? "True" : value === false ? "False" : typeof value === "string" ? JSON.stringify(value) : String(value);
