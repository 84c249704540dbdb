/**
 * A signature for a kernel that nobody has given one: from its launches in the file and its tests, its annotations, and how its
 * parameters are used. A guess is marked as one: it mostly compiles, but the program may call the kernel with other types.
 */
import { byName } from "../support/by-name.js";
import { guessLayouts, layoutCalled } from "./gluon/guess-layout.js";
import { type JitData, type JitParameter, jitData, lookup } from "./host/objects.js";
import { isKind, type JitFunction } from "./language/values.js";
import { integer, isExtent, lastName, launchesOf, type Seen, TORCH_TYPES, Values, walk } from "./launches.js";
import type * as ast from "./python/ast.js";
import { unparse } from "./python/unparse.js";
import type { Guess, GuessedArguments } from "./request.js";

/** The signature that was found, and the grid of the launch as an expression of the kernel's numbers. */
export interface FoundArguments extends GuessedArguments {
  readonly grid: (numbers: ReadonlyMap<string, number>) => ast.Expr | undefined;
}

/** `files`: the kernel's file first, then its tests. `valueOf`: the text of a constant expression at module level, undefined where it is none. */
export function guessSignature(fn: JitFunction, files: readonly (readonly ast.Stmt[])[], valueOf: ValueOf): FoundArguments {
  const { node, parameters, isGluon } = jitData(fn);
  const called = bestLaunch(fn, parameters, files, valueOf);
  const uses = usesOf(jitData(fn), new Map());
  const layouts = isGluon ? guessLayouts(node.body) : undefined;
  const entries = parameters.map((parameter): [string, Guess] => {
    const { name, isConstexpr } = parameter;
    const given = called.entries.get(name);
    // No bool or float is an address.
    const isRefuted = given === "None" ? uses.needed.has(name) : /^(?:u1|fp32)$/.test(given ?? "") && uses.pointers.has(name);
    if (given !== undefined && !isRefuted) return [name, { text: given, from: "call" }];
    const annotated = isConstexpr ? undefined : annotatedType(parameter);
    if (annotated !== undefined) return [name, { text: annotated, from: "annotation" }];
    const layout = parameter.fallbackNode ? undefined : (layouts?.get(name) ?? (layouts && isConstexpr ? layoutCalled(name) : undefined));
    const text = layout ?? (isConstexpr ? guessedConstant(parameter, uses) : guessedType(parameter, uses));
    return [name, { text: isGluon ? text.replace(/^tl\./, "gl.") : text, from: "use" }];
  });
  return { ...called, entries: new Map(entries) };
}

type ValueOf = (node: ast.Expr) => string | undefined;

/** Whether the kernel or a function that it calls multiplies matrices. */
export const multipliesMatrices = (fn: JitFunction): boolean => usesOf(jitData(fn), new Map()).hasDot;

// --- launches --------------------------------------------------------------------------------------

interface Launched extends Omit<FoundArguments, "entries"> {
  readonly entries: ReadonlyMap<string, string>;
}

const OPTIONS: ReadonlySet<string> = new Set(["num_warps", "num_stages", "num_ctas", "maxnreg"]);

/** The launch that shows most of the kernel's arguments. */
function bestLaunch(
  { name: kernel, qualname }: JitFunction,
  parameters: readonly JitParameter[],
  files: readonly (readonly ast.Stmt[])[],
  valueOf: ValueOf,
): Launched {
  const values = new Values(valueOf);
  let best: Launched = { entries: new Map(), options: new Map(), grid: () => undefined };
  for (const { args, keywords, grid, scope } of launchesOf(kernel, /(\w+)\.\w+$/.exec(qualname)?.[1], files)) {
    const entries = new Map<string, string>();
    const options = new Map<string, string>();
    const passed: (readonly [parameter: string, node: ast.Expr])[] = [];
    const note = (parameter: JitParameter | undefined, node: ast.Expr): void => {
      if (!parameter) return;
      passed.push([parameter.name, node]);
      const text = argumentText(parameter, { node, scope }, values, valueOf);
      if (text !== undefined) entries.set(parameter.name, text);
    };
    const starred = args.findIndex((arg) => arg.kind === "Starred");
    args.slice(0, starred < 0 ? undefined : starred).forEach((arg, i) => note(parameters[i], arg));
    for (const { arg, value } of keywords) {
      const parameter = parameters.find((p) => p.name === arg);
      note(parameter, value);
      const option = parameter || arg === undefined || !OPTIONS.has(arg) ? undefined : valueOf(values.closed({ node: value, scope }));
      if (option !== undefined) options.set(arg!, option);
    }
    if (entries.size < best.entries.size || (entries.size === best.entries.size && best.entries.size > 0)) continue;
    best = {
      entries,
      options,
      grid(numbers) {
        const given = passed.flatMap(([name, node]): (readonly [string, ast.Expr])[] => {
          const value = numbers.get(name);
          if (value === undefined || node.kind === "Constant") return [];
          const same = [node, values.resolved({ node, scope }).node, values.closed({ node, scope })];
          return same.filter((e) => e.kind !== "Constant").map((e) => [unparse(e), integer(value)]);
        });
        return values.closed({ node: grid, scope }, new Map(given));
      },
    };
  }
  return best;
}

/** The entry of a signature for an argument; undefined where too little is known of it. */
function argumentText(parameter: JitParameter, seen: Seen, values: Values, valueOf: ValueOf): string | undefined {
  const { node } = values.resolved(seen);
  const constant = node.kind === "Name" && node !== seen.node ? valueOf(node) : valueOf(values.closed(seen));
  if (parameter.isConstexpr) return constant;
  if (constant !== undefined) {
    if (/^-?\d+$/.test(constant)) return constant === "1" ? "1" : `i32${BigInt(constant) % 16n === 0n ? ":16" : ""}`;
    if (constant === "True" || constant === "False") return "u1";
    return constant === "None" ? constant : /^-?[\d.]+(?:e[-+]?\d+)?$/.test(constant) ? "fp32" : undefined;
  }
  if (isExtent(node)) return "i32";
  const scalar = values.dtypeOf(seen);
  if (node.kind === "Call" && lastName(node.func) === "item") return scalar && (/^[iu]/.test(scalar) ? "i32" : "fp32");
  return scalar && `*${scalar}:16`;
}

// --- annotations and defaults ----------------------------------------------------------------------

/** `n: tl.int64`, `eps: float`, `x: "*fp32"`. */
function annotatedType({ annotation }: JitParameter): string | undefined {
  if (!annotation) return undefined;
  if (annotation.kind === "Constant")
    return typeof annotation.value === "string" && /^\*?[a-z]+\d+\w*$/.test(annotation.value) ? annotation.value : undefined;
  const name = lastName(annotation) ?? "";
  return annotation.kind === "Name"
    ? byName({ int: "i32", float: "fp32", bool: "u1" })[name]
    : name === "uint1" || name === "int1"
      ? "i1"
      : TL_TYPES[name];
}
const TL_TYPES: Readonly<Record<string, string>> = byName({ ...TORCH_TYPES, int: "i32", uint16: "u16", uint32: "u32", uint64: "u64" });

// --- uses ------------------------------------------------------------------------------------------

interface Uses {
  /** Parameters that addresses begin with, with a type that their elements are converted to. */
  readonly pointers: ReadonlySet<string>;
  /** `desc.load(...)` */
  readonly descriptors: ReadonlyMap<string, number>;
  /** Pointers whose elements are added to addresses, bound loops or are taken apart by bits: indices, lengths, packed numbers. */
  readonly integers: ReadonlySet<string>;
  /** Pointers whose elements are converted to pointers. */
  readonly tables: ReadonlySet<string>;
  readonly conditions: ReadonlySet<string>;
  readonly types: ReadonlySet<string>;
  /** Parameters that the kernel computes with or loads from, whatever constants it is compiled for: they cannot be None. */
  readonly needed: ReadonlySet<string>;
  /** The constants that parameters are compared with, by parameter. */
  readonly compared: ReadonlyMap<string, string>;
  /** Names in the bounds of loops that are unrolled while compiling. */
  readonly unrolled: ReadonlySet<string>;
  readonly hasDot: boolean;
}

const NO_USES: Uses = {
  ...{ pointers: new Set(), descriptors: new Map(), integers: new Set(), tables: new Set(), conditions: new Set() },
  ...{ types: new Set(), needed: new Set(), compared: new Map(), unrolled: new Set(), hasDot: false },
};

/** `seen`: functions that were looked at, or are being: what a kernel hands to a function is used as the function uses it. */
function usesOf(data: JitData, seen: Map<JitData, Uses>): Uses {
  const found = seen.get(data);
  if (found) return found;
  const { node: kernel, parameters } = data;
  const names = new Set(parameters.map((p) => p.name));
  const from = new Map<string, Set<string>>();
  const descriptors = new Map<string, number>();
  const conditions = new Set<string>();
  const types = new Set<string>();
  const compared = new Map<string, string>();
  const unrolled = new Set<string>();
  let hasDot = false;
  const addresses: string[] = [];
  const values = new Map<string, ast.Expr[]>();
  const integral: ast.Expr[] = [];
  const integerBases: string[] = [];
  const addressNumbers: ast.Expr[] = [];
  const tableBases: string[] = [];
  const isPointerType = (node: ast.Expr | undefined): boolean =>
    (node?.kind === "Name" ? (values.get(node.id) ?? []) : [node]).some((e) => e?.kind === "Call" && lastName(e.func) === "pointer_type");
  const condition = (test: ast.Expr): void => {
    if (test.kind === "Name") conditions.add(test.id);
    else if (test.kind === "UnaryOp") condition(test.operand);
    else if (test.kind === "BoolOp") test.values.forEach(condition);
  };
  const handed = (fn: JitData, call: ast.Call): void => {
    const inside = usesOf(fn, seen);
    hasDot ||= inside.hasDot;
    for (const [parameter, arg] of argumentsOf(fn, call)) {
      if (inside.pointers.has(parameter)) addresses.push(...basesOf(arg));
      if (inside.integers.has(parameter)) integerBases.push(...basesOf(arg));
      if (inside.tables.has(parameter)) tableBases.push(...basesOf(arg));
      if (inside.conditions.has(parameter)) condition(arg);
      if (arg.kind !== "Name") continue;
      const [rank, other] = [inside.descriptors.get(parameter), inside.compared.get(parameter)];
      if (rank !== undefined) descriptors.set(arg.id, rank);
      if (other !== undefined && !compared.has(arg.id)) compared.set(arg.id, other);
      if (inside.types.has(parameter)) types.add(arg.id);
      if (inside.unrolled.has(parameter)) unrolled.add(arg.id);
    }
  };
  seen.set(data, NO_USES);
  walk(kernel.body, (node) => {
    if (node.kind === "Assign" || node.kind === "AnnAssign") {
      const bases = basesOf(node.value ?? undefined);
      for (const target of node.kind === "Assign" ? node.targets : [node.target])
        if (target.kind === "Name") {
          from.set(target.id, new Set([...(from.get(target.id) ?? []), ...bases]));
          if (node.value) values.set(target.id, [...(values.get(target.id) ?? []), node.value]);
        }
    }
    if (node.kind === "If" || node.kind === "IfExp") condition(node.test);
    if (node.kind === "Compare" && node.left.kind === "Name") {
      const [other] = node.comparators;
      if (other?.kind === "Constant" && other.value !== null) compared.set(node.left.id, unparse(other));
    }
    if (node.kind === "BinOp" && /^(?:Bit|[LR]Shift)/.test(node.op)) integral.push(node.left, node.right);
    if (node.kind !== "Call") return;
    const name = lastName(node.func) ?? "";
    const owner = node.func.kind === "Attribute" && node.func.value.kind === "Name" ? node.func.value.id : "";
    if (/^(?:dot|dot_scaled|mma_v2)$/.test(name)) hasDot = true;
    if (/^(?:load|store)$/.test(name) && names.has(owner)) {
      const [offsets] = node.args;
      descriptors.set(owner, offsets?.kind === "List" || offsets?.kind === "Tuple" ? offsets.elts.length : 2);
    } else if (/^(?:load|store|make_block_ptr|make_tensor_descriptor|atomic_\w+)$/.test(name)) {
      addresses.push(...basesOf(node.args[0] ?? node.keywords.find((k) => /^(?:base|pointer)$/.test(k.arg ?? ""))?.value));
      if (node.args[0] && !/^make_/.test(name)) integral.push(node.args[0]);
    } else if (/^(?:range|static_range|cdiv)$/.test(name)) {
      integral.push(...node.args);
      if (name === "static_range")
        for (const arg of node.args) walk(arg, (bound) => void (bound.kind === "Name" && unrolled.add(bound.id)));
    } else if (name === "async_copy_global_to_shared") {
      addresses.push(...basesOf(node.args[1]));
    }
    const dtype = name === "to" || name === "cast" ? node.args.at(-1) : node.keywords.find((k) => k.arg === "dtype")?.value;
    if (dtype?.kind === "Name") types.add(dtype.id);
    const precision = name === "dot" ? node.keywords.find((k) => k.arg === "input_precision")?.value : undefined;
    if (precision?.kind === "Name" && !compared.has(precision.id)) compared.set(precision.id, '"tf32"');
    if (isPointerType(dtype))
      addressNumbers.push(...(name === "to" && node.func.kind === "Attribute" ? [node.func.value] : node.args.slice(0, 1)));
    const fn = node.func.kind === "Name" ? lookup(data.env, node.func.id) : undefined;
    if (isKind(fn, "jit")) handed(jitData(fn), node);
  });
  const parametersOf = (bases: readonly string[]): Set<string> => {
    // It grows while it is walked.
    const reached = new Set(bases);
    for (const name of reached) for (const base of from.get(name) ?? []) reached.add(base);
    return new Set([...reached].filter((name) => names.has(name)));
  };
  const pointers = parametersOf(addresses);
  const integers = parametersOf([...loadsIn(integral, values), ...integerBases]);
  const tables = parametersOf([...loadsIn(addressNumbers, values), ...tableBases]);
  const needed = neededNames(kernel, parameters, ({ func }) => {
    const fn = func.kind === "Name" ? lookup(data.env, func.id) : undefined;
    return isKind(fn, "jit") ? { fn: jitData(fn), needed: usesOf(jitData(fn), seen).needed } : undefined;
  });
  const uses: Uses = { pointers, descriptors, integers, tables, conditions, types, compared, unrolled, hasDot, needed };
  seen.set(data, uses);
  return uses;
}

/** The arguments of a call with the parameters that they are given to, up to a starred one. */
function argumentsOf(fn: JitData, call: ast.Call): (readonly [parameter: string, arg: ast.Expr])[] {
  const starred = call.args.findIndex((arg) => arg.kind === "Starred");
  const args = call.args.slice(0, starred < 0 ? undefined : starred).map((arg, i) => [fn.parameters[i]?.name ?? "", arg] as const);
  return [...args, ...call.keywords.map(({ arg, value }) => [arg ?? "", value] as const)];
}

/**
 * Names of operands, bounds and addresses outside of branches that a constant decides, without those that are compared with None.
 * `calleeOf`: the function that a call calls, and the names that it needs.
 */
function neededNames(
  kernel: ast.FunctionDef,
  parameters: readonly JitParameter[],
  calleeOf: (call: ast.Call) => { readonly fn: JitData; readonly needed: ReadonlySet<string> } | undefined,
): Set<string> {
  const constants = new Set(parameters.filter((p) => p.isConstexpr).map((p) => p.name));
  const needed = new Set<string>();
  const tested = new Set<string>();
  const add = (names: Set<string>, nodes: readonly (ast.Node | undefined)[]): void =>
    nodes.forEach((node) => void (node?.kind === "Name" && names.add(node.id)));
  const isDecided = (test: ast.Expr): boolean => {
    let found = false;
    walk(test, (node) => void (found ||= node.kind === "Name" && constants.has(node.id)));
    return found;
  };
  const look = (node: ast.Node): void => {
    if (node.kind === "BinOp") add(needed, [node.left, node.right]);
    if (node.kind === "AugAssign") add(needed, [node.target, node.value]);
    if (node.kind === "Call" && /^(?:load|store)$/.test(lastName(node.func) ?? "")) add(needed, node.args.slice(0, 1));
    const callee = node.kind === "Call" ? calleeOf(node) : undefined;
    if (callee && node.kind === "Call")
      add(
        needed,
        argumentsOf(callee.fn, node).flatMap(([name, arg]) => (callee.needed.has(name) ? [arg] : [])),
      );
    if (node.kind === "Compare") {
      if (node.ops.every((op) => /^[LG]t/.test(op))) add(needed, [node.left, ...node.comparators]);
      if (node.comparators.some((other) => other.kind === "Constant" && other.value === null)) add(tested, [node.left]);
    }
  };
  walk(kernel.body, look, (node) => {
    if (!((node.kind === "If" || node.kind === "IfExp") && isDecided(node.test))) return true;
    walk(node.test, look);
    return false;
  });
  return new Set([...needed].filter((name) => !tested.has(name)));
}

/** Names that loads begin with whose values are part of expressions that must be integers. */
function loadsIn(expressions: readonly ast.Expr[], values: ReadonlyMap<string, readonly ast.Expr[]>): string[] {
  const bases: string[] = [];
  const seen = new Set<string>();
  const isLoad = (node: ast.Node) => node.kind === "Call" && lastName(node.func) === "load";
  // It grows while it is walked.
  const pending = [...expressions];
  for (const root of pending)
    walk(
      root,
      (node) => {
        if (node.kind === "Call" && isLoad(node)) bases.push(...basesOf(node.args[0]));
        if (node.kind !== "Name" || seen.has(node.id)) return;
        seen.add(node.id);
        pending.push(...(values.get(node.id) ?? []));
      },
      (node) => !isLoad(node) && node.kind !== "Compare",
    );
  return bases;
}

/** The names that an address may begin with: `x` of `x + row * stride + cols`, both of `tl.where(first, x, y)`. */
function basesOf(node: ast.Expr | undefined): readonly string[] {
  switch (node?.kind) {
    case "Name":
      return [node.id];
    case "BinOp":
      return basesOf(node.left);
    case "Subscript":
    case "Attribute":
      return basesOf(node.value);
    case "IfExp":
      return [...basesOf(node.body), ...basesOf(node.orelse)];
    case "Call": {
      const name = lastName(node.func) ?? "";
      if (node.func.kind === "Attribute" && name === "to") return basesOf(node.func.value);
      if (name === "where") return node.args.slice(1).flatMap(basesOf);
      // A function of the user's makes addresses of its first argument, as a rule.
      const keepsBase = node.func.kind === "Name" || /^(?:multiple_of|max_contiguous|broadcast_to|advance|cast)$/.test(name);
      return keepsBase ? basesOf(node.args[0]) : [];
    }
    default:
      return [];
  }
}

function guessedConstant({ name, fallbackNode }: JitParameter, { compared, conditions, types, unrolled, hasDot }: Uses): string {
  if (fallbackNode) return unparse(fallbackNode);
  const value = compared.get(name);
  if (value !== undefined) return value;
  if (conditions.has(name) || isSwitch(name)) return "False";
  if (/(?:^|_)(?:max|min)(?:_val(?:ue)?)?$/i.test(name) && /dtype|fp8|float|int8/i.test(name))
    return /_min/i.test(name) ? "-128.0" : "128.0";
  if (types.has(name) || /dtype|_type$/i.test(name)) return "tl.float32";
  if (/(?:^|_)(?:strides?|num|size|dim|block|rank|len)(?:_|$)/i.test(name) && /scale|alpha|beta|dropout/i.test(name)) return "128";
  if (/(?:^|_)eps/i.test(name)) return "1e-06";
  if (/scale|alpha|beta|momentum|dropout/i.test(name)) return "1.0";
  if (/cache_?mod|eviction/i.test(name)) return '""';
  if (/num_warps/i.test(name)) return "4";
  if (/stages|buffers/i.test(name)) return "2";
  if (/group/i.test(name)) return "8";
  if (unrolled.has(name)) return "4";
  return hasDot ? "64" : "128";
}

/** `is_causal`, `HAS_BIAS`, `useMask`, `ISCAUSAL`. */
const isSwitch = (name: string): boolean =>
  /^(?:is|has|use|even|causal|flag|store|do|need|return|output)(?:_|$)/i.test(name) ||
  /^(?:is|has|use|even|causal|flag|store|do|need|return|output)[A-Z]/.test(name) ||
  /^(?:IS|HAS|USE|EVEN)[A-Z]/.test(name);

function guessedType({ name, fallbackNode }: JitParameter, { pointers, descriptors, integers, tables, hasDot }: Uses): string {
  const rank = descriptors.get(name);
  if (tables.has(name)) return "*i64:16";
  if (rank !== undefined) return `tensordesc<fp16[${Array.from({ length: rank }, () => 64).join(", ")}]>`;
  if (pointers.has(name) || /(?:^|_)ptrs?(?:_|$)|ptr$|pointer/i.test(name)) {
    if (/mask/i.test(name)) return "*i1:16";
    if (integers.has(name) || /idx|ind(?:ex|ices)|offs|lens|cu_|label|(?:^|_)ids?(?:_|$)|count|locks?(?:_|$)/i.test(name)) return "*i32:16";
    return hasDot ? "*fp16:16" : "*fp32:16";
  }
  if (/(?:^|_)(?:strides?|num|size|dim|rank|len)(?:_|$)/i.test(name)) return "i32";
  const isFraction = fallbackNode?.kind === "Constant" && typeof fallbackNode.value === "number";
  return isFraction || /(?:^|_)eps|scale|alpha|beta|dropout|temperature|^p$|^lr$|softcap/i.test(name) ? "fp32" : "i32";
}
