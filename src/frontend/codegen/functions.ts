/**
 * Functions: a kernel is generated for its specialization, a function that it calls for the types and constants of the
 * call, under a name that says them, once. Source: code_generator.py, CodeGenerator.visit_FunctionDef, call_JitFunction, ASTFunction.
 */
import { setArgumentAttr } from "../../dialects/builtin/function-op.js";
import { ModuleOp } from "../../dialects/builtin/ops/index.js";
import { CallOp, FuncOp, ReturnOp } from "../../dialects/tt/ops/function.js";
import { NUM_CTAS, NUM_WARPS, TARGET, THREADS_PER_WARP } from "../../dialects/ttg/num-warps.js";
import { PoisonOp } from "../../dialects/ub/ops/poison.js";
import type { Type } from "../../ir/attribute.js";
import { Builder, buildOperation } from "../../ir/builder.js";
import { boolAttr, i32Attr, intAttr, stringAttr, typeAttr } from "../../ir/builtin-attrs.js";
import { functionType, i32 } from "../../ir/builtin-types.js";
import { unknownLoc } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { toBytes } from "../../support/utf8.js";
import { bindJitArguments } from "../host/bind.js";
import { jitData } from "../host/objects.js";
import { raise } from "../language/errors.js";
import { noAttribute } from "../language/python-text.js";
import type { Semantic } from "../language/semantic.js";
import { flattenIrTypes, type TlType, VOID } from "../language/types.js";
import {
  constexpr,
  flattenValue,
  isConstexpr,
  isKind,
  isTuple,
  type JitFunction,
  type PyValue,
  tuple,
  typeOf,
  unflattenValues,
} from "../language/values.js";
import type * as ast from "../python/ast.js";
import { visitAnnAssign, visitAssign } from "./assign.js";
import type { ErrorFrame } from "./compilation-error.js";
import { failAt, frameAt } from "./errors.js";
import { type Compilation, type GeneratedFunction, type Generator, noteLayout, setValue } from "./generator.js";
import { locationOf, nameValue } from "./locations.js";
import { isConstant, type Leaf, leavesOf } from "./mangle.js";
import { Abandoned, abandonIfFailed } from "./recovery.js";
import { codegenRules } from "./version-rules.js";
import { placed, visit, visitBody } from "./visit.js";

/** An argument of a function: a constant, or a type of what is handed over when it is called. */
export type Argument =
  | { readonly kind: "constant"; readonly value: PyValue }
  | { readonly kind: "type"; readonly type: TlType; readonly attrs: readonly (readonly [string, number])[] }
  | { readonly kind: "tuple"; readonly elements: readonly Argument[]; readonly like: PyValue | undefined };

/** Generates a kernel into a new module; its errors are thrown. */
export function generateKernel(compilation: Compilation, fn: JitFunction, args: readonly Argument[], given: string): void {
  const name = given.slice(given.lastIndexOf(".") + 1);
  const g = makeGenerator(compilation, fn, name, []);
  // Gluon's module is made before anything is visited.
  const loc = g.s.isGluon ? unknownLoc(compilation.ctx) : g.b.loc;
  const module = buildOperation(compilation.ctx, ModuleOp, {}, loc, []);
  compilation.module.op = module;
  if (compilation.ctx.language === "gluon") setMachine(compilation, module);
  compilation.module.body = module.regions[0]!.firstBlock ?? module.regions[0]!.addBlock();
  generateFunction(g, args);
}

/** Gluon's layouts are verified against the machine that the module names. */
function setMachine({ ctx, options }: Compilation, module: Operation): void {
  const { gpu, numWarps, numCtas, maxnreg } = options;
  module.setAttr(TARGET, stringAttr(ctx, gpu.target));
  module.setAttr(NUM_WARPS, i32Attr(ctx, numWarps));
  module.setAttr(NUM_CTAS, i32Attr(ctx, numCtas));
  module.setAttr(THREADS_PER_WARP, i32Attr(ctx, gpu.warpSize));
  if (maxnreg !== undefined) module.setAttr("ttg.maxnreg", i32Attr(ctx, maxnreg));
}

/** How deep functions may call each other; Triton comes as far as Python's stack allows, which is 50 to 100 calls. */
const DEEPEST = 250;

/** Calls a JIT function from the current place of `g`. */
export function callJit(
  g: Generator,
  fn: JitFunction,
  given: readonly PyValue[],
  named: ReadonlyMap<string, PyValue>,
  partitionWarps = g.partitionWarps,
): PyValue {
  const data = jitData(fn);
  if (data.refused) throw data.refused;
  const args = bindJitArguments(fn, data, given, named, g.s.rules).map(asArgument);
  const leaves = leavesOf(args);
  for (const { value } of leaves)
    if (!isConstant(value) && value !== null && (typeof value !== "object" || HAVE_NO_TYPE.has(value.kind)))
      raise("AttributeError", noAttribute(value, "type"));
  const { mangle } = codegenRules(g.compilation.host.triton);
  const name = mangle(`${fn.module}.${fn.qualname}`, args) + (partitionWarps === undefined ? "" : `_NW${partitionWarps}`);
  const { functions } = g.compilation;
  if (!functions.has(name)) {
    if (g.callers.length > DEEPEST) raise("RecursionError", "maximum recursion depth exceeded");
    const callee = makeGenerator(g.compilation, fn, name, [frameAt(g, g.node), ...g.callers], partitionWarps);
    try {
      generateFunction(callee, args.map(argumentOf));
    } catch (error) {
      const generated = functions.get(name);
      if (generated) generated.failed = true;
      throw error;
    }
  }
  const { op, returnType, failed } = functions.get(name)!;
  if (failed) throw new Abandoned();
  if (returnType === undefined) return raise("KeyError", name);
  const operands = dynamicHandles(leaves);
  const types = returnType === VOID ? [] : flattenIrTypes(g.compilation.ctx, returnType, g.compilation.options);
  const call = g.b.create(CallOp, { operands, callee: FuncOp.match(op)!.sym_name }, { types: [...types] }).op;
  if (returnType === VOID) return null;
  return unflattenValues([...call.results], [returnType])[0]!;
}

const HAVE_NO_TYPE = new Set<string>(["builtin", "host_function", "class", "module", "list", "dict"]);

function dynamicHandles(leaves: readonly Leaf[]): Value[] {
  const handles: Value[] = [];
  for (const { value } of leaves) if (!isConstant(value)) flattenValue(value, handles);
  return handles;
}
/** Plain numbers and types that are handed to a function are constants. */
function asArgument(value: PyValue): PyValue {
  if (typeof value === "bigint" || typeof value === "number" || typeof value === "boolean") return constexpr(value);
  if (isConstant(value) && value !== null && !isConstexpr(value)) return constexpr(value);
  return value;
}
function argumentOf(value: PyValue): Argument {
  if (isTuple(value)) return { kind: "tuple", elements: value.values.map(argumentOf), like: value };
  if (isConstant(value)) return { kind: "constant", value };
  return { kind: "type", type: typeOf(value), attrs: [] };
}

function makeGenerator(
  compilation: Compilation,
  jit: JitFunction,
  functionName: string,
  callers: readonly ErrorFrame[],
  partitionWarps?: number,
): Generator {
  const { ctx, options } = compilation;
  const data = jitData(jit);
  const b = new Builder(ctx, 0);
  const s: Semantic = {
    ctx,
    b,
    options,
    isGluon: ctx.language === "gluon",
    numWarps: partitionWarps ?? options.numWarps,
    rules: codegenRules(compilation.host.triton),
    call: (fn, args, named = new Map(), warps) => {
      if (!isKind(fn, "jit")) return raise("AttributeError", noAttribute(fn, "fn"));
      return callJit(g, fn, args, named, warps);
    },
    warn: (message) => compilation.warnings.push({ severity: "warning", message, file: data.env.file.path, place: g.node?.at }),
    remark: (message, code) =>
      compilation.warnings.push({ severity: "remark", message, code, file: data.env.file.path, place: g.node?.at }),
  };
  const g: Generator = {
    compilation,
    b,
    s,
    jit,
    data,
    functionName,
    partitionWarps,
    isKernel: callers.length === 0,
    callers,
    namePrefix: undefined,
    scope: new Map(),
    poisoned: new Set(),
    localDefs: new Map(),
    pendingAnnotations: new Map(),
    loopDepth: 0,
    returnType: undefined,
    returns: [],
    node: undefined,
    visitingDefault: false,
    unused: undefined,
  };
  b.loc = locationOf(g, { ...data.node.at!, col: data.dedent });
  return g;
}

/** The function op, its arguments bound to names, and its body. */
function generateFunction(g: Generator, args: readonly Argument[]): void {
  const { node } = g.data;
  placed(g, node, () => {
    visitParameters(g, node.args);
    visitDefaults(g, node.args);
    const { ctx, options, functions, module } = g.compilation;
    const inputs: Type[] = [];
    for (const arg of args) flattenArgument(arg, (type) => void flattenIrTypes(ctx, type, options, inputs));
    const op = buildOperation(
      ctx,
      FuncOp,
      {
        sym_name: toBytes(g.functionName),
        function_type: functionType(ctx, inputs, []),
        sym_visibility: g.isKernel ? "public" : "private",
      },
      g.b.loc,
      [],
      [
        ["noinline", boolAttr(ctx, !g.isKernel && g.jit.noinline)],
        ...(g.partitionWarps === undefined ? [] : [[NUM_WARPS, i32Attr(ctx, g.partitionWarps)] as const]),
      ],
    );
    module.body!.append(op);
    const generated: GeneratedFunction = { op, returnType: undefined, failed: false };
    functions.set(g.functionName, generated);
    const entry = op.regions[0]!.addBlock();
    for (const type of inputs) entry.addArgument(type, g.b.loc);
    bindArguments(g, args, entry.args, op);
    // As upstream, moving into the empty block moves the location to the function's.
    g.b.loc = op.locRef;
    g.b.setStart(entry);
    const { failures } = g.compilation;
    visitBody(g, node.body);
    abandonIfFailed(g, failures);
    finishFunction(g, op, inputs);
    generated.returnType = g.returnType;
  });
}

function flattenArgument(arg: Argument, add: (type: TlType) => void): void {
  if (arg.kind === "type") add(arg.type);
  else if (arg.kind === "tuple") for (const element of arg.elements) flattenArgument(element, add);
}

function bindArguments(
  g: Generator,
  args: readonly Argument[],
  handles: readonly Value[],
  op: Parameters<typeof setArgumentAttr>[0],
): void {
  let cursor = 0;
  const { ctx } = g.compilation;
  const valueOf = (arg: Argument): PyValue => {
    if (arg.kind === "constant") return constexpr(arg.value);
    if (arg.kind === "tuple") {
      const like = isTuple(arg.like ?? null) ? (arg.like as Extract<PyValue, { kind: "tuple" }>) : undefined;
      return tuple(arg.elements.map(valueOf), like?.fields, like?.cls);
    }
    for (const [name, value] of arg.attrs) setArgumentAttr(op, cursor, name, intAttr(i32(ctx), BigInt(value)));
    const count = flattenIrTypes(ctx, arg.type, g.compilation.options).length;
    const value = unflattenValues(handles.slice(cursor, cursor + count), [arg.type])[0]!;
    cursor += count;
    return value;
  };
  const values = args.map(valueOf);
  namedParameters(g, g.data.node.args).forEach(({ arg, at }, i) => {
    const value = values[i] ?? null;
    nameValue(g, value, arg);
    noteLayout(g, arg, value, at);
    setValue(g, arg, value);
  });
}

/** The parameters whose values have names in the body: Triton leaves out those after `*args`, until 3.9. */
const namedParameters = (g: Generator, { args, vararg, kwonlyargs }: ast.Arguments): readonly ast.Arg[] => [
  ...args,
  ...(vararg && g.s.rules.collectsArguments === "tuple" ? [vararg] : []),
  ...(codegenRules(g.compilation.host.triton).namesKeywordOnly ? kwonlyargs : []),
];

/** Annotations are looked at, as Triton does: a name that does not exist is an error. */
function visitParameters(g: Generator, args: ast.Arguments): void {
  const { loc } = g.b;
  for (const arg of namedParameters(g, args))
    placed(g, arg, () => {
      visit(g, arg.annotation);
      const parameter = g.data.parameters.find((p) => p.name === arg.arg);
      if (parameter?.isConstexpr && [...g.data.doNotSpecialize, ...g.data.doNotAlign].includes(arg.arg))
        failAt(
          g,
          arg,
          `${arg.arg} marked as constexpr and listed in do_not_specialize/do_not_specialize_on_alignment. ` +
            "Remove constexpr designation to skip specialization.",
        );
    });
  g.b.loc = loc;
}

/** Defaults are assigned like statements, outside of any block: they leave no ops, but their errors are reported. */
function visitDefaults(g: Generator, args: ast.Arguments): void {
  const { loc } = g.b;
  args.defaults.toReversed().forEach((value, i) => {
    const { arg, annotation } = args.args[args.args.length - 1 - i]!;
    const target: ast.Name = { kind: "Name", at: undefined, id: arg, ctx: "Store" };
    g.visitingDefault = true;
    try {
      if (annotation) visitAnnAssign(g, { kind: "AnnAssign", at: undefined, target, annotation, value });
      else visitAssign(g, target, value);
    } finally {
      g.visitingDefault = false;
    }
  });
  g.b.loc = loc;
}

function finishFunction(g: Generator, op: Parameters<typeof setArgumentAttr>[0], inputs: readonly Type[]): void {
  g.returnType = codegenRules(g.compilation.host.triton).returns.finish(g);
  if (g.returnType === VOID) {
    g.b.create(ReturnOp, { srcs: [] });
    return;
  }
  const { ctx, options } = g.compilation;
  const results = flattenIrTypes(ctx, g.returnType, options);
  op.setAttr("function_type", typeAttr(functionType(ctx, inputs, results)));
  g.b.create(ReturnOp, { srcs: results.map((type) => g.b.create(PoisonOp, {}, { types: [type] }).op.result(0)) });
}
