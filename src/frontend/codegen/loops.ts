/**
 * Loops. The values that a loop carries are found by visiting its body once for nothing: names whose values differ afterwards.
 * Source: code_generator.py, CodeGenerator.visit_For and visit_While.
 */

import { AddIOp, SubIOp } from "../../dialects/arith/ops/index.js";
import { LoopAnnotationAttr, LoopLICMAttr } from "../../dialects/llvm/attrs/loops.js";
import { buildFor } from "../../dialects/scf/build.js";
import { ConditionOp, WhileOp } from "../../dialects/scf/ops/while.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { PoisonOp } from "../../dialects/ub/ops/poison.js";
import type { Attribute } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { boolAttr, intAttr, unitAttr } from "../../ir/builtin-attrs.js";
import { i32 } from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";
import type { Operation } from "../../ir/operation.js";
import { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import { LIMITS, limitMessage } from "../../support/limits.js";
import { callBuiltin } from "../language/define-builtin.js";
import { check, raise } from "../language/errors.js";
import { createBlock, insertAtEnd, insertAtStart, insertionPoint, restoreInsertion } from "../language/insertion.js";
import { noAttribute, pyRepr, pyStr, pyTruth, pyTypeName, sameType, typeName } from "../language/python-text.js";
import { cast, intCast } from "../language/semantic/cast.js";
import { toTensor } from "../language/semantic/constants.js";
import { integerPromote } from "../language/semantic/promote.js";
import { type Dtype, INT1, isInt, isIntSigned, scalarOf, type TlType, toIr } from "../language/types.js";
import {
  constexpr,
  isBlockTensor,
  isConstexpr,
  isKind,
  isTensor,
  type LoopRange,
  type PyValue,
  type Tensor,
  tensor,
  typeOf,
  unflattenValues,
  unwrap,
} from "../language/values.js";
import type * as ast from "../python/ast.js";
import { failAt } from "./errors.js";
import { type Generator, type Scope, setValue } from "./generator.js";
import { nameHandle, nameValue } from "./locations.js";
import { abandonIfFailed, rememberPoison } from "./recovery.js";
import { handlesOf, inSubRegion, isTritonValue, sameHandles } from "./regions.js";
import { codegenRules } from "./version-rules.js";
import { visit, visitBody, visitKeywords } from "./visit.js";

/** The variables a loop carries, with their IR values before it. */
interface Carried {
  readonly names: readonly string[];
  readonly inits: readonly Value[];
  readonly types: readonly TlType[];
}

function findCarried(g: Generator, node: ast.For | ast.While, liveIns: Scope, ignore?: string): Carried {
  const repoison = rememberPoison(g);
  const block = createBlock(g.b);
  insertAtStart(g.b, block);
  g.loopDepth++;
  visitWhole(g, node.body);
  g.loopDepth--;
  block.dropAllReferences();
  block.erase();
  const names: string[] = [];
  const inits: Value[] = [];
  const types: TlType[] = [];
  for (const [name, before] of liveIns) {
    if (name === ignore) continue;
    if (!isTritonValue(before)) {
      check(!g.localDefs.has(name), `Loop carried variable ${name} is not a triton value`);
      continue;
    }
    const after = g.scope.get(name)!;
    verifyCarried(name, after, before);
    const handles = handlesOf(before);
    if (sameHandles(handles, handlesOf(after))) continue;
    names.push(name);
    types.push(typeOf(before));
    inits.push(...handles);
  }
  // The visit was for nothing: what it defined is forgotten.
  g.scope = new Map(liveIns);
  g.localDefs = new Map();
  repoison();
  return { names, inits, types };
}

/** A loop one of whose statements fails is given up when its body has been looked at once. */
function visitWhole(g: Generator, body: readonly ast.Stmt[]): void {
  const { failures } = g.compilation;
  visitBody(g, body);
  abandonIfFailed(g, failures);
}

function verifyCarried(name: string, after: PyValue, before: PyValue): void {
  check(isTritonValue(after), `cannot reassign constexpr ${name} in the loop`);
  const kind = (v: PyValue) => (isKind(v, "instance") ? v.cls : pyTypeName(v));
  check(
    kind(after) === kind(before),
    `Loop carried variable ${name} changed type, was ${pyStr(after, "type")} but is now ${pyStr(before, "type")}`,
  );
  if (isTensor(after))
    check(
      sameType(after.type, typeOf(before)),
      `Loop-carried variable ${name} has initial type ${typeName(typeOf(before))} but is re-assigned to ${typeName(after.type)} in loop! ` +
        "Please make sure that the type stays consistent.",
    );
}

/** Gives the carried names new values, and the values their names. */
function define(g: Generator, { names, types }: Carried, handles: readonly Value[], nameFirst: boolean): void {
  unflattenValues(handles, types).forEach((value, i) => {
    const name = names[i]!;
    if (nameFirst) nameValue(g, value, name);
    setValue(g, name, value);
    if (!nameFirst) nameValue(g, value, name);
  });
}
const carriedHandles = (g: Generator, { names }: Carried): Value[] => names.flatMap((name) => handlesOf(g.scope.get(name)));

/** Since 3.8 values that a `while` carries are where their first ones are. */
function placeArguments(g: Generator, block: Block, inits: readonly Value[]): void {
  if (!codegenRules(g.compilation.host.triton).restoresLocations) return;
  for (const arg of block.args) arg.argLoc = inits[arg.index]!.loc;
}

export function visitWhile(g: Generator, node: ast.While): void {
  const { b } = g;
  const { carried, op } = inSubRegion(g, ({ liveIns }) => {
    const point = insertionPoint(b);
    const { loc } = b;
    const carried = findCarried(g, node, liveIns);
    const irTypes = carried.inits.map((v) => v.type);
    restoreInsertion(b, point);
    b.loc = loc;
    const { op } = b.create(
      WhileOp,
      { inits: carried.inits, before: emptyRegion(b.ctx, 0), after: emptyRegion(b.ctx, 1) },
      { types: irTypes },
    );
    const before = createBlock(b, op.regions[0]!, irTypes);
    insertAtStart(b, before);
    placeArguments(g, before, carried.inits);
    define(g, carried, before.args, false);
    let condition = visit(g, node.test);
    if (isKind(condition, "condition")) {
      if (pyTruth(condition.disableLicm)) op.setAttr("llvm.loop_annotation", disableLicm(b.ctx));
      condition = condition.condition;
    }
    insertAtEnd(b, before);
    if (!isTensor(condition)) return raise("AttributeError", noAttribute(condition, "handle"));
    const { handle } = codegenRules(g.compilation.host.triton).loopsOnAnyNumber ? cast(g.s, condition, INT1) : condition;
    b.create(ConditionOp, { condition: handle, args: before.args });
    const after = createBlock(b, op.regions[1]!, irTypes);
    insertAtStart(b, after);
    placeArguments(g, after, carried.inits);
    define(g, carried, after.args, false);
    g.loopDepth++;
    visitWhole(g, node.body);
    g.loopDepth--;
    b.create(YieldOp, { results: carriedHandles(g, carried) });
    return { carried, op };
  });
  define(g, carried, [...op.results], false);
  check(node.orelse.length === 0, "Not implemented");
}
const emptyRegion = (ctx: Context, index: number): Region => new Region(ctx, null, index);

export function visitFor(g: Generator, node: ast.For): void {
  const { iter, target } = node;
  if (iter.kind !== "Call") return raise("AttributeError", `'${iter.kind}' object has no attribute 'func'`);
  const callee = visit(g, iter.func);
  const args = iter.args.map((arg) => visit(g, arg));
  const named = visitKeywords(g, iter.keywords);
  if (target.kind !== "Name") return raise("AttributeError", `'${target.kind}' object has no attribute 'id'`);
  const fn = unwrap(callee);
  if (isKind(fn, "builtin") && (fn.def.name === "range" || fn.def.name === "static_range")) {
    const range = callBuiltin(g.s, fn.def, args, named) as LoopRange;
    return range.flavour === "static_range" ? visitStaticRange(g, node, target.id, range) : visitRange(g, node, target.id, range);
  }
  if (!isKind(fn, "class") || fn.name !== "range" || fn.module !== "builtins")
    return raise("RuntimeError", "Only `range` and `static_range` iterators are currently supported");
  const number = (value: bigint) => visit(g, { kind: "Constant", at: undefined, value });
  if (args.length === 0) return raise("IndexError", "list index out of range");
  // The only bound of `range(n)` is visited twice, as Triton does.
  const start = args.length > 1 ? args[0]! : number(0n);
  const end = args.length > 1 ? args[1]! : visit(g, iter.args[0]);
  const step = args.length > 2 ? args[2]! : number(1n);
  visitRange(g, node, target.id, { start, end, step });
}

/** Turns of static ranges written out so far. */
const staticTurns = new WeakMap<object, number>();

function visitStaticRange(g: Generator, node: ast.For, name: string, range: LoopRange): void {
  const [start, end, step] = [range.start, range.end, range.step].map((v) => {
    const value = unwrap(v);
    return typeof value === "bigint" || typeof value === "boolean"
      ? BigInt(value)
      : raise("TypeError", `'${pyTypeName(value)}' object cannot be interpreted as an integer`);
  }) as [bigint, bigint, bigint];
  if (step === 0n) raise("ValueError", "range() arg 3 must not be zero");
  const span = step > 0n ? end - start : start - end;
  const size = step > 0n ? step : -step;
  const turns = (staticTurns.get(g.compilation) ?? 0) + (span > 0n ? Number((span + size - 1n) / size) : 0);
  if (turns > LIMITS["static-turns"].most) raise("RuntimeError", limitMessage("static-turns"));
  staticTurns.set(g.compilation, turns);
  for (let i = start; step > 0n ? i < end : i > end; i += step) {
    g.scope.set(name, constexpr(i));
    g.poisoned.delete(name);
    visitWhole(g, node.body);
    // An else of the loop belongs to every turn.
    visitWhole(g, node.orelse);
  }
}

type RangeParts = Pick<LoopRange, "start" | "end" | "step"> & Partial<LoopRange>;

function visitRange(g: Generator, node: ast.For, name: string, range: RangeParts): void {
  const { b, s } = g;
  const plainStep = unwrap(range.step);
  const negative = isConstexpr(range.step) && (typeof plainStep === "bigint" || typeof plainStep === "number") && plainStep < 0;
  const [start, end] = negative ? [range.end, range.start] : [range.start, range.end];
  const bounds = [start, end, negative ? constexpr(-(plainStep as bigint)) : range.step].map((v) => toTensor(s, v)) as [
    Tensor,
    Tensor,
    Tensor,
  ];
  const type = verifyBounds(bounds);
  const irType = toIr(b.ctx, type, g.compilation.options);
  const [lowerBound, upperBound, step] = bounds.map((v) => intCast(s, v, type, isIntSigned(type)).handle) as [Value, Value, Value];
  // A placeholder for the induction variable until the loop is there.
  const placeholder = b.create(PoisonOp, {}, { types: [irType] }).op.result(0);
  setValue(g, name, tensor(placeholder, type));
  const { carried, op } = inSubRegion(g, ({ liveIns }) => {
    const point = insertionPoint(b);
    const { loc } = b;
    const carried = findCarried(g, node, liveIns, name);
    restoreInsertion(b, point);
    b.loc = loc;
    const { op } = buildFor(b, { lowerBound, upperBound, step, initArgs: carried.inits });
    setLoopAttributes(op, range);
    g.loopDepth++;
    const body = op.regions[0]!.firstBlock!;
    insertAtStart(b, body);
    define(g, carried, body.args.slice(1), true);
    visitWhole(g, node.body);
    g.loopDepth--;
    const yielded = carriedHandles(g, carried);
    if (yielded.length > 0) b.create(YieldOp, { results: yielded });
    check(op.regions[0]!.hasOneBlock, "We use SCF, so the loop body should only have one block");
    insertAtStart(b, body);
    let iv = body.args[0]!;
    if (negative) {
      iv = b.value(SubIOp, { lhs: upperBound, rhs: iv });
      iv = b.value(AddIOp, { lhs: iv, rhs: lowerBound });
    }
    placeholder.replaceAllUsesWith(iv);
    nameHandle(iv, name);
    return { carried, op };
  });
  define(g, carried, [...op.results], false);
  if (node.orelse.length > 0) failAt(g, g.node, 'AssertionError("Don\'t know what to do with else after for")');
}

/** The bounds are scalar integers; returns their common type. */
function verifyBounds(bounds: readonly [Tensor, Tensor, Tensor]): Dtype {
  const types = bounds.map((v) => scalarOf(v.type));
  if (!types.every(isInt)) raise("TypeError", `For loop bounds and step must all be ints, are (${types.map(typeName).join(", ")})`);
  bounds.forEach((bound, i) => {
    if (isBlockTensor(bound) && bound.type.numel !== 1)
      raise("TypeError", `For ${["lower bound", "upper bound", "step"][i]} must be a scalar, got ${typeName(bound.type)}`);
  });
  const [lower, upper, step] = types as [Dtype, Dtype, Dtype];
  return integerPromote(integerPromote(lower, upper), step);
}

function setLoopAttributes(op: Operation, range: RangeParts): void {
  const { ctx } = op;
  const integer = (attr: string, value: PyValue | undefined): void => {
    const plain = unwrap(value ?? null);
    if (plain === null) return;
    if (typeof plain !== "bigint" && typeof plain !== "boolean")
      return raise("TypeError", `get_int32_attr(): incompatible function arguments: ${pyRepr(plain)} is no integer`);
    op.setAttr(attr, intAttr(i32(ctx), BigInt(plain)));
  };
  const flag = (attr: string, value: PyValue | undefined, setting: (ctx: Context) => Attribute = unitAttr): void => {
    if (value !== undefined && pyTruth(value)) op.setAttr(attr, setting(ctx));
  };
  integer("tt.num_stages", range.numStages);
  integer("tt.loop_unroll_factor", range.loopUnrollFactor);
  flag("tt.disallow_acc_multi_buffer", range.disallowAccMultiBuffer);
  flag("tt.flatten", range.flatten);
  flag("tt.warp_specialize", range.warpSpecialize);
  flag("llvm.loop_annotation", range.disableLicm, disableLicm);
}

/** The annotation by which LLVM leaves the loop's invariants where they are. */
function disableLicm(ctx: Context): Attribute {
  const licm = LoopLICMAttr.get(ctx, { disable: boolAttr(ctx, true), versioningDisable: boolAttr(ctx, true) });
  const none = { disableNonforced: undefined, vectorize: undefined, interleave: undefined, unroll: undefined, unrollAndJam: undefined };
  const more = { distribute: undefined, pipeline: undefined, peeled: undefined, unswitch: undefined, mustProgress: undefined };
  const rest = { isVectorized: undefined, startLoc: undefined, endLoc: undefined, parallelAccesses: undefined };
  return LoopAnnotationAttr.get(ctx, { ...none, licm, ...more, ...rest });
}
