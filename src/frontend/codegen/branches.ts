/** Conditions: one branch is taken while compiling, or both become regions, or blocks where one of them returns. */
import { BranchOp, CondBranchOp } from "../../dialects/cf/ops/branch.js";
import { buildIf } from "../../dialects/scf/build.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import type { Block } from "../../ir/block.js";
import { unknownLoc } from "../../ir/location.js";
import type { Value } from "../../ir/value.js";
import { lookup } from "../host/objects.js";
import { check, raise, raiseUnknown } from "../language/errors.js";
import { createBlock, insertAtEnd, insertAtStart, insertionPoint, restoreInsertion } from "../language/insertion.js";
import { noAttribute, pyStr, pyTruth, pyTypeName, sameType, typeName } from "../language/python-text.js";
import { cast } from "../language/semantic/cast.js";
import { toTensor } from "../language/semantic/constants.js";
import { unsplat } from "../language/semantic/shape.js";
import { INT1, type TlType } from "../language/types.js";
import { isBlockTensor, isKind, isTensor, type PyValue, type Tensor, tensor, typeOf, unflattenValues, unwrap } from "../language/values.js";
import type * as ast from "../python/ast.js";
import { unparse } from "../python/unparse.js";
import { getAttribute } from "./attributes.js";
import { RETURN_IN_LOOP, unsupported } from "./errors.js";
import { type Generator, type Scope, setValue } from "./generator.js";
import { nameHandle } from "./locations.js";
import { abandonIfFailed, rememberPoison } from "./recovery.js";
import { handlesOf, inSubRegion, isTritonValue, mergeBefore, sameHandles } from "./regions.js";
import { visit, visitBody } from "./visit.js";

export function visitIf(g: Generator, node: ast.If): void {
  const test = visit(g, node.test);
  if (!isTensor(test)) return visitBody(g, staticCondition(g, node, test) ? node.body : node.orelse);
  if (isBlockTensor(test) && test.type.numel !== 1) unsupported(g, node, "Boolean value of Tensor with more than one value is ambiguous");
  let scalar: Tensor = test;
  if (isBlockTensor(test)) {
    const text = unparse(node.test);
    g.s.warn(`If conditional called with multidimensional Tensor instead of scalar; please use "if (${text}).item()" instead`);
    scalar = unsplat(g.s, test);
  }
  const condition = cast(g.s, scalar, INT1).handle;
  if (!containsReturn(g, node.body) && !containsReturn(g, node.orelse)) return visitStructuredIf(g, node, condition);
  if (g.loopDepth > 0) unsupported(g, node, RETURN_IN_LOOP);
  visitTopLevelIf(g, node, condition);
}

/** A condition that is known while compiling: None, a boolean or an integer. */
function staticCondition(g: Generator, node: ast.If | ast.IfExp, test: PyValue): boolean {
  const value = unwrap(test);
  if (isKind(value, "opaque")) raiseUnknown(value.what, value);
  if (value !== null && typeof value !== "boolean" && typeof value !== "bigint")
    unsupported(
      g,
      node,
      `\`if\` conditionals can only accept values of type {bool, int, NoneType}, not objects of type ${pyTypeName(value)}`,
    );
  return pyTruth(value);
}

/** Whether a return statement is among these, or inside them. Functions that they call must exist. Source: ContainsReturnChecker. */
export function containsReturn(g: Generator, body: readonly ast.Stmt[]): boolean {
  return body.some((s) => {
    switch (s.kind) {
      case "Return":
        return true;
      case "If":
      case "For":
      case "While":
        return containsReturn(g, s.body) || containsReturn(g, s.orelse);
      case "With":
      case "FunctionDef":
        return containsReturn(g, s.body);
      case "Expr":
        if (s.value.kind === "Call") findFunction(g, s.value.func);
        return false;
      default:
        return false;
    }
  });
}

/** A function of a module is looked up, even in a branch that is not taken. */
function findFunction(g: Generator, node: ast.Expr): void {
  if (node.kind === "Call") return findFunction(g, node.func);
  if (node.kind !== "Attribute") return;
  if (node.value.kind !== "Name") return findFunction(g, node.value);
  const module = lookup(g.data.env, node.value.id);
  if (module !== undefined) getAttribute(g, module, node.attr);
}

interface Branches {
  readonly thenDefs: Scope;
  readonly elseDefs: Scope;
  /** Where the branches end, which is where they begin unless they branch themselves. */
  readonly thenBlock: Block;
  readonly elseBlock: Block | undefined;
  /** The names that differ after the branches: changed in one of them, or set in both. */
  readonly names: readonly string[];
}

function visitBranches(g: Generator, node: ast.If, liveIns: Scope, thenEntry: Block, elseEntry: Block | undefined): Branches {
  const { failures } = g.compilation;
  const repoison = rememberPoison(g);
  const annotations = new Map(g.pendingAnnotations);
  insertAtStart(g.b, thenEntry);
  visitBody(g, node.body);
  const thenBlock = g.b.block!;
  const thenDefs = new Map(g.localDefs);
  const thenValues = new Map(g.scope);
  let elseBlock = elseEntry;
  let elseDefs: Scope = new Map();
  let elseValues = new Map(liveIns);
  if (node.orelse.length > 0) {
    insertAtStart(g.b, elseEntry!);
    g.scope = new Map(liveIns);
    g.localDefs = new Map();
    g.pendingAnnotations = annotations;
    repoison();
    visitBody(g, node.orelse);
    elseDefs = new Map(g.localDefs);
    elseBlock = g.b.block!;
    elseValues = new Map(g.scope);
  }
  abandonIfFailed(g, failures);
  const names: string[] = [];
  for (const [name, value] of liveIns) {
    if (!isTritonValue(value)) continue;
    const [inThen, inElse] = [thenValues.get(name)!, elseValues.get(name)!];
    if (sameHandles(handlesOf(inThen), handlesOf(inElse))) continue;
    names.push(name);
    thenDefs.set(name, inThen);
    elseDefs.set(name, inElse);
    for (const [defined, block] of [
      [inThen, "then"],
      [inElse, "else"],
    ] as const)
      check(
        kindOf(defined) === kindOf(value) && sameType(typeOf(defined), typeOf(value)),
        `initial value for \`${name}\` is of type ${pyStr(value)}, but the ${block} block redefines it as ${pyStr(defined)}`,
      );
  }
  const known = new Set(names);
  for (const name of [...thenDefs.keys()].filter((n) => elseDefs.has(n) && !known.has(n)).sort(byCodePoint)) {
    const [inThen, inElse] = [thenDefs.get(name)!, elseDefs.get(name)!];
    const types = [inThen, inElse].map(typeOfVariable);
    check(
      kindOf(inThen) === kindOf(inElse) && sameType(types[0]!, types[1]!),
      `Mismatched type for ${name} between then block (${typeName(types[0]!)}) and else block (${typeName(types[1]!)})`,
    );
    names.push(name);
  }
  return { thenDefs, elseDefs, thenBlock, elseBlock, names };
}

const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const kindOf = (value: PyValue): string => (value === null ? "None" : typeof value === "object" ? value.kind : typeof value);
function typeOfVariable(value: PyValue): TlType {
  if (!isTritonValue(value)) return raise("AttributeError", noAttribute(value, "type"));
  return typeOf(value);
}

const flattenAll = (names: readonly string[], values: Scope): Value[] => names.flatMap((name) => handlesOf(values.get(name)));

/** Gives names their values after the branches. */
function defineResults(g: Generator, { names, thenDefs }: Branches, handles: readonly Value[]): void {
  const values = unflattenValues(
    handles,
    names.map((name) => typeOf(thenDefs.get(name)!)),
  );
  names.forEach((name, i) => setValue(g, name, values[i]!));
}

/** `cf.cond_br` to two blocks, of which at least one may return, and a block where they meet. */
function visitTopLevelIf(g: Generator, node: ast.If, condition: Value): void {
  const { b } = g;
  const { branches, endBlock } = inSubRegion(g, ({ liveIns, point }) => {
    const thenEntry = createBlock(b);
    const elseEntry = createBlock(b);
    insertAtEnd(b, point.block!);
    b.create(CondBranchOp, { condition, trueDestOperands: [], falseDestOperands: [], trueDest: thenEntry, falseDest: elseEntry });
    const branches = visitBranches(g, node, liveIns, thenEntry, elseEntry);
    const endBlock = createBlock(b);
    const thenHandles = branchTo(g, branches.thenBlock, endBlock, () => flattenAll(branches.names, branches.thenDefs));
    const elseHandles = branchTo(g, branches.elseBlock!, endBlock, () => flattenAll(branches.names, branches.elseDefs));
    check(thenHandles.length === elseHandles.length);
    thenHandles.forEach((handle, i) => {
      check(handle.type === elseHandles[i]!.type);
      endBlock.addArgument(handle.type, unknownLoc(b.ctx));
    });
    return { branches, endBlock };
  });
  insertAtStart(b, endBlock);
  defineResults(g, branches, endBlock.args);
}
function branchTo(g: Generator, from: Block, dest: Block, handles: () => readonly Value[]): readonly Value[] {
  insertAtEnd(g.b, from);
  const destOperands = handles();
  g.b.create(BranchOp, { dest, destOperands });
  return destOperands;
}

/** `scf.if`: what differs between the branches is its results. */
function visitStructuredIf(g: Generator, node: ast.If, condition: Value): void {
  const { b } = g;
  const { branches, results } = inSubRegion(g, ({ liveIns }) => {
    const point = insertionPoint(b);
    const { loc } = b;
    const thenEntry = createBlock(b);
    const elseEntry = node.orelse.length > 0 ? createBlock(b) : undefined;
    const branches = visitBranches(g, node, liveIns, thenEntry, elseEntry);
    const { names, thenDefs, elseDefs } = branches;
    const thenHandles = flattenAll(names, thenDefs);
    nameInOrder(names, thenHandles);
    restoreInsertion(b, point);
    b.loc = loc;
    const view = buildIf(
      b,
      thenHandles.map((v) => v.type),
      condition,
      true,
    );
    const [thenTarget, elseTarget] = view.op.regions.map((region) => region.firstBlock!);
    mergeBefore(branches.thenBlock, thenTarget!);
    insertAtEnd(b, thenTarget!);
    if (names.length > 0) b.create(YieldOp, { results: thenHandles });
    if (branches.elseBlock) mergeBefore(branches.elseBlock, elseTarget!);
    insertAtEnd(b, elseTarget!);
    if (names.length > 0) {
      const elseHandles = flattenAll(names, elseDefs);
      nameInOrder(names, elseHandles);
      b.create(YieldOp, { results: elseHandles });
    }
    return { branches, results: view.op.results };
  });
  defineResults(g, branches, [...results]);
}
/** As upstream pairs them: the first handles get the first names, also where a name has several. */
function nameInOrder(names: readonly string[], handles: readonly Value[]): void {
  names.forEach((name, i) => {
    const handle = handles[i];
    if (handle) nameHandle(handle, name);
  });
}

/** `a if test else b`. */
export function visitIfExp(g: Generator, node: ast.IfExp): PyValue {
  const test = visit(g, node.test);
  if (!isTensor(test)) return visit(g, staticCondition(g, node, test) ? node.body : node.orelse);
  const { b } = g;
  const condition = cast(g.s, test, INT1).handle;
  return inSubRegion(g, () => {
    const point = insertionPoint(b);
    const { loc } = b;
    const [thenValue, thenBlock] = branchValue(g, node.body);
    const [elseValue, elseBlock] = branchValue(g, node.orelse);
    restoreInsertion(b, point);
    b.loc = loc;
    check(
      sameType(thenValue.type, elseValue.type),
      `Ternary expression with dynamic condition has inconsistent types ${typeName(thenValue.type)} and ${typeName(elseValue.type)}`,
    );
    const view = buildIf(b, [thenValue.handle.type], condition, true);
    const [thenTarget, elseTarget] = view.op.regions.map((region) => region.firstBlock!);
    mergeBefore(thenBlock, thenTarget!);
    insertAtEnd(b, thenTarget!);
    b.create(YieldOp, { results: [thenValue.handle] });
    insertAtEnd(b, thenTarget!);
    mergeBefore(elseBlock, elseTarget!);
    insertAtEnd(b, elseTarget!);
    b.create(YieldOp, { results: [elseValue.handle] });
    return tensor(view.op.result(0), thenValue.type);
  });
}
function branchValue(g: Generator, node: ast.Expr): [Tensor, Block] {
  const block = createBlock(g.b);
  insertAtStart(g.b, block);
  const visited = visit(g, node);
  if (isKind(visited, "tuple")) return raise("TypeError", `cannot convert ${pyStr(visited)} of type ${pyStr(visited, "type")} to tensor`);
  const value = toTensor(g.s, visited);
  return [value, g.b.block!];
}
