/**
 * Launches of a kernel in Python files: `kernel[grid](x, n, BLOCK=1024, num_warps=4)`. Nothing is run. A value is known where the file
 * shows it: literals, names assigned once above, arguments that callers in the same files pass, and tensors that are made there
 * (`torch.rand(98432, dtype=torch.float16)`).
 */
import { byName } from "../support/by-name.js";
import type * as ast from "./python/ast.js";
import { unparse } from "./python/unparse.js";

/** A launch and the names that it sees. */
export interface Launch {
  /** 1-based. */
  readonly line: number;
  readonly args: readonly ast.Expr[];
  readonly keywords: readonly ast.Keyword[];
  readonly grid: ast.Expr;
  readonly scope: Scope;
}

/** The statements of a function or module, without those of functions in it. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly fn: ast.FunctionDef | undefined;
  /** 0 is the kernel's own. */
  readonly file: number;
  readonly assigned: ReadonlyMap<string, ast.Expr>;
  /** Calls of functions, by name, in all files that are searched; each sees the names of its own scope. */
  readonly calls: Map<string, readonly Caller[]>;
}
interface Caller {
  readonly call: ast.Call;
  readonly scope: Scope;
}

/** An expression and where its names are looked up. */
export interface Seen {
  readonly node: ast.Expr;
  readonly scope: Scope;
}

/** The launches of a kernel, in the order of the files and lines. `cls`: the class that it is in. */
export function launchesOf(kernel: string, cls: string | undefined, files: readonly (readonly ast.Stmt[])[]): readonly Launch[] {
  const calls = new Map<string, readonly Caller[]>();
  for (const [file, body] of files.entries()) visitScope(body, { parent: undefined, fn: undefined, file, calls });
  const found: Launch[] = [];
  for (const { call, scope } of calls.get(LAUNCHED + kernel) ?? []) {
    if (cls !== undefined && !isOfClass(call.func, cls)) continue;
    const grid = call.func.kind === "Subscript" ? call.func.slice : call.keywords.find((k) => k.arg === "grid")!.value;
    found.push({ line: call.at?.line ?? 0, args: call.args, keywords: call.keywords, grid, scope });
  }
  return found;
}

/** `Class.kernel[grid]`, `module.Class.kernel.warmup`, and inside of the class `cls.kernel[grid]`. */
function isOfClass(launched: ast.Expr, cls: string): boolean {
  const kernel = launched.kind === "Subscript" || launched.kind === "Attribute" ? launched.value : launched;
  return kernel.kind === "Attribute" && [cls, "cls", "self"].includes(lastName(kernel.value) ?? "");
}

/** Before the names of kernels that are launched; no function has such a name. */
const LAUNCHED = "[]";

function visitScope(body: readonly ast.Stmt[], about: Omit<Scope, "assigned">): void {
  const assigned = new Map<string, ast.Expr>();
  const scope: Scope = { ...about, assigned };
  const { calls, file } = about;
  const inner: ast.FunctionDef[] = [];
  walk(
    body,
    (node) => {
      if (node.kind === "Assign") for (const target of node.targets) assign(assigned, target, node.value);
      if (node.kind === "AnnAssign" && node.value && node.target.kind === "Name") assigned.set(node.target.id, node.value);
      if (node.kind === "FunctionDef") {
        inner.push(node);
        const [only] = node.body.filter((s) => s.kind !== "Expr");
        if (only?.kind === "Return" && only.value)
          assigned.set(node.name, { kind: "Lambda", at: node.at, args: node.args, body: only.value });
      }
      if (node.kind !== "Call") return;
      const { func } = node;
      // `kernel[grid](...)`, `kernel.warmup(..., grid=...)`
      const isSubscript = func.kind === "Subscript";
      const isMethod = func.kind === "Attribute" && /^(?:run|warmup)$/.test(func.attr) && node.keywords.some((k) => k.arg === "grid");
      const name = isSubscript || isMethod ? lastName(func.value) : lastName(func);
      if (name === undefined) return;
      const key = isSubscript || isMethod ? LAUNCHED + name : name;
      calls.set(key, [...(calls.get(key) ?? []), { call: node, scope }]);
    },
    (node) => node.kind !== "FunctionDef",
  );
  for (const fn of inner) visitScope(fn.body, { parent: scope, fn, file, calls });
}

function assign(assigned: Map<string, ast.Expr>, target: ast.Expr, value: ast.Expr): void {
  if (target.kind === "Name") {
    assigned.set(target.id, value);
  } else if (target.kind === "Tuple" || target.kind === "List") {
    target.elts.forEach((element, i) => {
      if (value.kind === "Tuple" && value.elts.length === target.elts.length) return assign(assigned, element, value.elts[i]!);
      // `rows, cols = x.shape`
      const index: ast.Expr = { kind: "Constant", at: undefined, value: BigInt(i) };
      assign(assigned, element, { kind: "Subscript", at: value.at, value, slice: index, ctx: "Load" });
    });
  }
}

/** The name, or the attribute at the end of a path: `kernel` of `self.kernel`. */
export const lastName = (node: ast.Expr): string | undefined =>
  node.kind === "Name" ? node.id : node.kind === "Attribute" ? node.attr : undefined;

function lookUp(name: string, scope: Scope): Seen | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const node = at.assigned.get(name);
    // `x = x.contiguous()` names the parameter or what was assigned before.
    const isSelf = node !== undefined && mentions(node, name);
    if (node && !isSelf) return { node, scope: at };
    const passed = at.fn && argumentOf(at.fn, name, at);
    if (passed) return passed;
    if (node) return undefined;
  }
  return undefined;
}

function mentions(tree: ast.Expr, name: string): boolean {
  let found = false;
  walk(tree, (node) => void (found ||= node.kind === "Name" && node.id === name));
  return found;
}

/** The value that a caller passes for a parameter, else its default. */
function argumentOf(fn: ast.FunctionDef, name: string, scope: Scope): Seen | undefined {
  const { posonlyargs, args, kwonlyargs, defaults, kwDefaults } = fn.args;
  const positional = [...posonlyargs, ...args];
  const position = positional.findIndex((a) => a.arg === name);
  const keyword = kwonlyargs.findIndex((a) => a.arg === name);
  if (position < 0 && keyword < 0) return undefined;
  // Methods are called without `self`, and `F.apply(x)` calls `forward(ctx, x)`.
  const hasSelf = /^(?:self|cls|ctx)$/.test(positional[0]?.arg ?? "");
  const callers = [...(scope.calls.get(fn.name) ?? []), ...(fn.name === "forward" ? (scope.calls.get("apply") ?? []) : [])];
  for (const { call, scope: from } of callers) {
    if (call.args.some((a) => a.kind === "Starred")) continue;
    const node = call.keywords.find((k) => k.arg === name)?.value ?? (position < 0 ? undefined : call.args[position - (hasSelf ? 1 : 0)]);
    // A function that calls itself says nothing new.
    if (node && from !== scope) return { node, scope: from };
  }
  const node = position < 0 ? kwDefaults[keyword] : defaults[position - (positional.length - defaults.length)];
  return node && scope.parent ? { node, scope: scope.parent } : undefined;
}

const NO_TEXT: ReadonlySet<string> = new Set(["arguments", "arg", "keyword", "Unsupported"]);
const textOf = (node: ast.Expr): string => (NO_TEXT.has(node.kind) ? "" : unparse(node));
export const integer = (value: number): ast.Expr => ({ kind: "Constant", at: undefined, value: BigInt(value) });

// --- tensors ---------------------------------------------------------------------------------------

/** Whether an expression is a size or stride of a tensor: `x.shape[0]`, `x.stride(0)`, `x.numel()`, `len(x)`, `triton.cdiv(...)`. */
export function isExtent(node: ast.Expr): boolean {
  if (node.kind === "Subscript") return node.value.kind === "Attribute" && node.value.attr === "shape";
  return node.kind === "Call" && /^(?:stride|size|numel|dim|len|cdiv|next_power_of_2)$/.test(lastName(node.func) ?? "");
}

/** Methods whose result is a tensor of the same shape. */
const SAME_SHAPE =
  /^(?:to|cuda|contiguous|half|float|bfloat16|double|int|long|bool|clone|detach|requires_grad_?|normal_|uniform_|zero_|fill_|type)$/;
const FACTORY = /^(?:empty|zeros|ones|rand|randn|full|randint|randperm|arange|tensor)$/;

/** Follows names, for as many steps as a reader would wait for. */
export class Values {
  #left = 1000;

  /** `valueOf`: the text of a constant expression at the module level of the kernel's file, undefined where it is none. */
  constructor(readonly valueOf: (node: ast.Expr) => string | undefined) {}

  private goesOn(): boolean {
    return this.#left-- > 0;
  }

  /** The expression that a name is defined as, resolved until it is no known name. */
  resolved(seen: Seen): Seen {
    if (!this.goesOn() || seen.node.kind !== "Name") return seen;
    const next = lookUp(seen.node.id, seen.scope);
    return next && next.node !== seen.node ? this.resolved(next) : seen;
  }

  /**
   * An expression with every known name replaced by its definition, and sizes of known tensors by numbers. `given`: expressions, as
   * `unparse` writes them, that stand for others.
   */
  closed({ node, scope }: Seen, given: ReadonlyMap<string, ast.Expr> = new Map()): ast.Expr {
    if (!this.goesOn()) return node;
    const inner = (tree: unknown, hidden: ReadonlySet<string>): unknown => {
      if (typeof tree !== "object" || tree === null) return tree;
      if (Array.isArray(tree)) return tree.map((element) => inner(element, hidden));
      if (!("kind" in tree)) return tree;
      const expr = tree as ast.Expr;
      const stated = hidden.size === 0 || expr.kind !== "Name" || !hidden.has(expr.id) ? given.get(textOf(expr)) : undefined;
      if (stated) return stated;
      if (expr.kind === "Name") {
        const next = hidden.has(expr.id) ? undefined : lookUp(expr.id, scope);
        // A name of the kernel's file has the value that the file gave it, or `--define`.
        const isKnown = next?.scope.parent === undefined && next?.scope.file === 0 && this.valueOf(expr) !== undefined;
        return next && !isKnown ? this.closed(next, given) : expr;
      }
      const extent = this.extentOf({ node: expr, scope });
      if (extent !== undefined) return integer(extent);
      const bound =
        expr.kind === "Lambda" ? new Set([...hidden, ...[...expr.args.posonlyargs, ...expr.args.args].map((a) => a.arg)]) : hidden;
      return Object.fromEntries(
        Object.entries(expr).map(([key, child]) => [
          key,
          key === "at" || (key === "func" && expr.kind === "Call") ? child : inner(child, bound),
        ]),
      );
    };
    return inner(node, new Set()) as ast.Expr;
  }

  /** A size or stride that is known. */
  private extentOf({ node, scope }: Seen): number | undefined {
    const at = (list: readonly number[] | undefined, index: ast.Expr | undefined): number | undefined => {
      const i = index && this.numberOf({ node: index, scope });
      return i === undefined ? undefined : list?.at(i);
    };
    if (node.kind === "Subscript" && node.value.kind === "Attribute" && node.value.attr === "shape")
      return at(this.shapeOf({ node: node.value.value, scope }), node.slice);
    if (node.kind !== "Call" || node.func.kind !== "Attribute") return undefined;
    const tensor: Seen = { node: node.func.value, scope };
    switch (node.func.attr) {
      case "numel":
        return this.shapeOf(tensor)?.reduce((a, b) => a * b, 1);
      case "dim":
        return this.shapeOf(tensor)?.length;
      case "size":
        return at(this.shapeOf(tensor), node.args[0]);
      case "stride": {
        const shape = this.shapeOf(tensor);
        return at(
          shape?.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1)),
          node.args[0],
        );
      }
      default:
        return undefined;
    }
  }

  private numberOf(seen: Seen): number | undefined {
    const text = this.valueOf(this.closed(seen));
    return text !== undefined && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
  }

  /** Shape of a tensor that is made in the files; strides are those of a contiguous one. */
  private shapeOf(given: Seen): readonly number[] | undefined {
    if (!this.goesOn()) return undefined;
    const { node, scope } = this.resolved(given);
    if (node.kind !== "Call") return undefined;
    const name = lastName(node.func) ?? "";
    if (node.func.kind === "Attribute" && SAME_SHAPE.test(name)) return this.shapeOf({ node: node.func.value, scope });
    const [first] = node.args;
    if (/_like$/.test(name)) return first && this.shapeOf({ node: first, scope });
    if (!FACTORY.test(name) || /^(?:tensor|arange|randperm)$/.test(name)) return undefined;
    const size = node.keywords.find((k) => k.arg === "size")?.value ?? (name === "randint" ? node.args.at(-1) : first);
    const whole = size && this.closed({ node: size, scope });
    const list =
      whole?.kind === "Tuple" || whole?.kind === "List" ? whole.elts : /^(?:full|randint)$/.test(name) ? size && [size] : node.args;
    const shape = (list ?? []).map((e) => this.numberOf({ node: e, scope }));
    return shape.length > 0 && shape.every((n) => n !== undefined) ? shape : undefined;
  }

  /** The element type of a tensor that is made in the files, in Triton's words. */
  dtypeOf(given: Seen): string | undefined {
    if (!this.goesOn()) return undefined;
    const { node, scope } = this.resolved(given);
    const of = (tensor: ast.Expr | undefined): string | undefined => tensor && this.dtypeOf({ node: tensor, scope });
    switch (node.kind) {
      case "Attribute":
        return /^(?:T|mT|data|grad)$/.test(node.attr) ? of(node.value) : undefined;
      case "Subscript":
        return of(node.value);
      case "BinOp":
        return of(node.left) ?? of(node.right);
      case "Call":
        break;
      default:
        return undefined;
    }
    const name = lastName(node.func) ?? "";
    const stated = node.keywords.find((k) => k.arg === "dtype")?.value ?? (name === "to" ? node.args[0] : undefined);
    const dtype = stated && this.resolved({ node: stated, scope });
    if (dtype?.node.kind === "Attribute" && dtype.node.attr === "dtype") {
      const tensor = this.dtypeOf({ node: dtype.node.value, scope: dtype.scope });
      if (tensor !== undefined) return tensor;
    }
    const named = dtype && TORCH_TYPES[lastName(dtype.node) ?? ""];
    if (named !== undefined) return named;
    const isMethod = node.func.kind === "Attribute" && lastName(node.func.value) !== "torch";
    if (isMethod && Object.hasOwn(TORCH_TYPES, name)) return TORCH_TYPES[name];
    if (/_like$/.test(name)) return of(node.args[0]);
    if (stated && name !== "to") return undefined;
    if (/^(?:randint|arange|randperm)$/.test(name)) return "i64";
    if (FACTORY.test(name) && name !== "tensor" && name !== "full") return "fp32";
    return isMethod ? of((node.func as ast.Attribute).value) : undefined;
  }
}

export const TORCH_TYPES: Readonly<Record<string, string>> = byName({
  float16: "fp16",
  half: "fp16",
  bfloat16: "bf16",
  float32: "fp32",
  float: "fp32",
  float64: "fp64",
  double: "fp64",
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
});

/** Every node of a tree, from the outside in; what is in a node that is not `entered` is left out. */
export function walk(tree: unknown, visit: (node: ast.Node) => void, entered: (node: ast.Node) => boolean = () => true): void {
  if (typeof tree !== "object" || tree === null) return;
  if ("kind" in tree && typeof tree.kind === "string") {
    visit(tree as ast.Node);
    if (!entered(tree as ast.Node)) return;
  }
  for (const [key, child] of Object.entries(tree)) if (key !== "at") walk(child, visit, entered);
}
