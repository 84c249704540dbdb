/**
 * A signature for a kernel that nobody has given one: from its calls in the file (`kernel[grid](x, n, BLOCK=128)`), its annotations, and
 * how its parameters are used. A guess is marked as one: it mostly compiles, but the program may call the kernel with other types.
 */
import { type JitParameter, jitData } from "./host/objects.js";
import type { JitFunction } from "./language/values.js";
import type * as ast from "./python/ast.js";
import { unparse } from "./python/unparse.js";
import type { Guess } from "./request.js";

/** Entries of a signature by parameter. `valueOf`: the text of a constant expression at module level, undefined where it is none. */
export function guessSignature(
  fn: JitFunction,
  file: readonly ast.Stmt[],
  valueOf: (node: ast.Expr) => string | undefined,
): ReadonlyMap<string, Guess> {
  const { node, parameters } = jitData(fn);
  const called = callArguments(fn.name, parameters, file, valueOf);
  const uses = usesOf(node, parameters);
  return new Map(
    parameters.map((parameter): [string, Guess] => {
      const { name, isConstexpr } = parameter;
      const given = called.get(name);
      if (given !== undefined) return [name, { text: given, from: "call" }];
      const annotated = isConstexpr ? undefined : annotatedType(parameter);
      if (annotated !== undefined) return [name, { text: annotated, from: "annotation" }];
      return [name, { text: isConstexpr ? guessedConstant(parameter, uses) : guessedType(parameter, uses), from: "use" }];
    }),
  );
}

// --- calls -----------------------------------------------------------------------------------------

/** The types and constants of the arguments, from the first launch in the file that shows any. */
function callArguments(
  kernel: string,
  parameters: readonly JitParameter[],
  file: readonly ast.Stmt[],
  valueOf: (node: ast.Expr) => string | undefined,
): ReadonlyMap<string, string> {
  let found = new Map<string, string>();
  const scopes: (readonly ast.Stmt[])[] = [file];
  walk(file, (node) => void (node.kind === "FunctionDef" && scopes.push(node.body)));
  for (const body of scopes) {
    const assigned = new Map<string, ast.Expr>();
    walk(body, (node) => {
      if (node.kind === "Assign") for (const target of node.targets) if (target.kind === "Name") assigned.set(target.id, node.value);
    });
    walk(body, (node) => {
      if (node.kind !== "Call" || node.func.kind !== "Subscript" || lastName(node.func.value) !== kernel) return;
      const given = new Map<string, string>();
      const note = (parameter: JitParameter | undefined, arg: ast.Expr): void => {
        const text = parameter && argumentText(parameter, arg, assigned, valueOf);
        if (text !== undefined) given.set(parameter!.name, text);
      };
      const starred = node.args.findIndex((arg) => arg.kind === "Starred");
      node.args.slice(0, starred < 0 ? undefined : starred).forEach((arg, i) => note(parameters[i], arg));
      for (const { arg, value } of node.keywords)
        note(
          parameters.find((p) => p.name === arg),
          value,
        );
      if (given.size > found.size) found = given;
    });
  }
  return found;
}

const lastName = (node: ast.Expr): string | undefined =>
  node.kind === "Name" ? node.id : node.kind === "Attribute" ? node.attr : undefined;

/** The entry of a signature for an argument; undefined where too little is known of it. */
function argumentText(
  parameter: JitParameter,
  arg: ast.Expr,
  assigned: ReadonlyMap<string, ast.Expr>,
  valueOf: (node: ast.Expr) => string | undefined,
  depth = 0,
): string | undefined {
  const local = arg.kind === "Name" ? assigned.get(arg.id) : undefined;
  if (local && depth < 8) return argumentText(parameter, local, assigned, valueOf, depth + 1);
  const constant = valueOf(arg);
  if (parameter.isConstexpr) return constant;
  if (constant !== undefined) {
    if (/^-?\d+$/.test(constant)) return constant === "1" ? "1" : `i32${BigInt(constant) % 16n === 0n ? ":16" : ""}`;
    if (constant === "True" || constant === "False") return "u1";
    return constant === "None" ? constant : /^-?[\d.]+(?:e[-+]?\d+)?$/.test(constant) ? "fp32" : undefined;
  }
  if (arg.kind !== "Call") return isExtent(arg) ? "i32" : undefined;
  if (isExtent(arg)) return "i32";
  const dtype = arg.keywords.find((k) => k.arg === "dtype")?.value ?? (lastName(arg.func) === "to" ? arg.args[0] : undefined);
  const scalar = dtype && TORCH_TYPES[lastName(dtype) ?? ""];
  return scalar && `*${scalar}:16`;
}

/** Sizes and strides of a tensor: `x.shape[0]`, `x.stride(0)`, `x.numel()`, `len(x)`. */
function isExtent(node: ast.Expr): boolean {
  if (node.kind === "Subscript") return node.value.kind === "Attribute" && node.value.attr === "shape";
  return node.kind === "Call" && /^(?:stride|size|numel|dim|len|cdiv|next_power_of_2)$/.test(lastName(node.func) ?? "");
}

const TORCH_TYPES: Readonly<Record<string, string>> = {
  float16: "fp16",
  half: "fp16",
  bfloat16: "bf16",
  float32: "fp32",
  float: "fp32",
  float64: "fp64",
  int8: "i8",
  uint8: "u8",
  int16: "i16",
  int32: "i32",
  int: "i32",
  int64: "i64",
  long: "i64",
  bool: "i1",
  float8_e4m3fn: "fp8e4nv",
  float8_e5m2: "fp8e5",
};

// --- annotations and defaults ----------------------------------------------------------------------

/** `n: tl.int64`, `eps: float`, `x: "*fp32"`. */
function annotatedType({ annotation }: JitParameter): string | undefined {
  if (!annotation) return undefined;
  if (annotation.kind === "Constant")
    return typeof annotation.value === "string" && /^\*?[a-z]+\d+\w*$/.test(annotation.value) ? annotation.value : undefined;
  const name = lastName(annotation) ?? "";
  return annotation.kind === "Name"
    ? { int: "i32", float: "fp32", bool: "u1" }[name]
    : name === "uint1" || name === "int1"
      ? "i1"
      : TL_TYPES[name];
}
const TL_TYPES: Readonly<Record<string, string>> = { ...TORCH_TYPES, int: "i32", uint16: "u16", uint32: "u32", uint64: "u64" };

// --- uses ------------------------------------------------------------------------------------------

interface Uses {
  /** Parameters that addresses begin with, with a type that their elements are converted to. */
  readonly pointers: ReadonlySet<string>;
  /** `desc.load(...)` */
  readonly descriptors: ReadonlyMap<string, number>;
  readonly conditions: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  /** The constants that parameters are compared with, by parameter. */
  readonly compared: ReadonlyMap<string, string>;
  readonly hasDot: boolean;
}

function usesOf(kernel: ast.FunctionDef, parameters: readonly JitParameter[]): Uses {
  const names = new Set(parameters.map((p) => p.name));
  const from = new Map<string, Set<string>>();
  const pointers = new Set<string>();
  const descriptors = new Map<string, number>();
  const conditions = new Set<string>();
  const types = new Set<string>();
  const compared = new Map<string, string>();
  let hasDot = false;
  const addresses: string[] = [];
  const condition = (test: ast.Expr): void => {
    if (test.kind === "Name") conditions.add(test.id);
    else if (test.kind === "UnaryOp") condition(test.operand);
    else if (test.kind === "BoolOp") test.values.forEach(condition);
  };
  walk(kernel.body, (node) => {
    if (node.kind === "Assign" || node.kind === "AnnAssign") {
      const base = node.value && baseOf(node.value);
      for (const target of node.kind === "Assign" ? node.targets : [node.target])
        if (target.kind === "Name" && base !== undefined) from.set(target.id, (from.get(target.id) ?? new Set()).add(base));
    }
    if (node.kind === "If" || node.kind === "IfExp") condition(node.test);
    if (node.kind === "Compare" && node.left.kind === "Name") {
      const [other] = node.comparators;
      if (other?.kind === "Constant" && other.value !== null) compared.set(node.left.id, unparse(other));
    }
    if (node.kind !== "Call") return;
    const name = lastName(node.func) ?? "";
    const owner = node.func.kind === "Attribute" && node.func.value.kind === "Name" ? node.func.value.id : "";
    if (name === "dot" || name === "dot_scaled") hasDot = true;
    if (/^(?:load|store)$/.test(name) && names.has(owner)) {
      const [offsets] = node.args;
      descriptors.set(owner, offsets?.kind === "List" || offsets?.kind === "Tuple" ? offsets.elts.length : 2);
    } else if (/^(?:load|store|make_block_ptr|make_tensor_descriptor|atomic_\w+)$/.test(name)) {
      const base = baseOf(node.args[0] ?? node.keywords.find((k) => /^(?:base|pointer)$/.test(k.arg ?? ""))?.value);
      if (base !== undefined) addresses.push(base);
    }
    const dtype = name === "to" || name === "cast" ? node.args.at(-1) : node.keywords.find((k) => k.arg === "dtype")?.value;
    if (dtype?.kind === "Name") types.add(dtype.id);
  });
  const mark = (name: string, seen: ReadonlySet<string>): void => {
    if (seen.has(name)) return;
    if (names.has(name)) pointers.add(name);
    for (const base of from.get(name) ?? []) mark(base, new Set([...seen, name]));
  };
  for (const address of addresses) mark(address, new Set());
  return { pointers, descriptors, conditions, types, compared, hasDot };
}

/** The name that an address begins with: `x` of `x + row * stride + cols`. */
function baseOf(node: ast.Expr | undefined): string | undefined {
  switch (node?.kind) {
    case "Name":
      return node.id;
    case "BinOp":
      return baseOf(node.left);
    case "Subscript":
    case "Attribute":
      return baseOf(node.value);
    case "Call": {
      const method = node.func.kind === "Attribute" && node.func.attr === "to" ? node.func.value : undefined;
      return method
        ? baseOf(method)
        : /^(?:multiple_of|max_contiguous|broadcast_to|advance|cast)$/.test(lastName(node.func) ?? "")
          ? baseOf(node.args[0])
          : undefined;
    }
    default:
      return undefined;
  }
}

function guessedConstant({ name, fallbackNode }: JitParameter, { compared, conditions, types, hasDot }: Uses): string {
  if (fallbackNode) return unparse(fallbackNode);
  const value = compared.get(name);
  if (value !== undefined) return value;
  if (conditions.has(name) || /^(?:is|has|use|even|causal|flag|store|do|need|return|output)(?:_|$|[A-Z])/i.test(name)) return "False";
  if (types.has(name) || /dtype|_type$/i.test(name)) return "tl.float32";
  if (/eps/i.test(name)) return "1e-06";
  if (/scale|alpha|beta|momentum|dropout/i.test(name)) return "1.0";
  if (/num_warps/i.test(name)) return "4";
  if (/stages/i.test(name)) return "2";
  if (/group/i.test(name)) return "8";
  return hasDot ? "64" : "128";
}

function guessedType({ name, fallbackNode }: JitParameter, { pointers, descriptors, hasDot }: Uses): string {
  const rank = descriptors.get(name);
  if (rank !== undefined) return `tensordesc<fp16[${Array.from({ length: rank }, () => 64).join(", ")}]>`;
  if (pointers.has(name) || /(?:^|_)ptrs?(?:_|$)|ptr$|pointer/i.test(name)) {
    if (/mask/i.test(name)) return "*i1:16";
    if (/idx|ind(?:ex|ices)|offs|lens|cu_|label|(?:^|_)ids?(?:_|$)|count|locks?(?:_|$)/i.test(name)) return "*i32:16";
    return hasDot ? "*fp16:16" : "*fp32:16";
  }
  const isFraction = fallbackNode?.kind === "Constant" && typeof fallbackNode.value === "number";
  return isFraction || /eps|scale|alpha|beta|dropout|temperature|^p$|^lr$|softcap/i.test(name) ? "fp32" : "i32";
}

/** Every node of a tree, from the outside in. */
function walk(tree: unknown, visit: (node: ast.Node) => void): void {
  if (typeof tree !== "object" || tree === null) return;
  if ("kind" in tree && typeof tree.kind === "string") visit(tree as ast.Node);
  for (const [key, child] of Object.entries(tree)) if (key !== "at") walk(child, visit);
}
