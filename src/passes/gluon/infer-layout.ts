/** Gives values of an open layout the one that follows from the ops around. Source: lib/Dialect/Gluon/Transforms/InferLayoutUtils.cpp. */
import { ConstantOp } from "../../dialects/arith/ops/constant.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { WhileOp } from "../../dialects/scf/ops/while.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { CatOp, JoinOp, ReshapeOp, SplitOp, TransOp } from "../../dialects/tt/ops/shape.js";
import type { AttrDef, Attribute, Type, TypeOf } from "../../ir/attribute.js";
import { type DenseAttr, denseElements } from "../../ir/builtin-attrs.js";
import { encodingOf, type FunctionType, RankedTensorType, type TensorType, withEncoding } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { attrText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import type { PassReport } from "../../pass/define-pass.js";
import { xxh3 } from "../../support/xxh3.js";
import { inferDstEncoding, inferSrcEncoding } from "../ttg/remove-layout-conversions/infer-encoding.js";
import { tiedArgs } from "../ttg/tied-args.js";

/** A layout that is known where inference begins. */
export interface Seed {
  readonly value: Value;
  readonly encoding: Attribute;
}
/** The layout of a value; one that may vary gives way to one that may not. */
interface Found {
  readonly encoding: Attribute;
  readonly mayVary: boolean;
}
type OpenEncoding = AttrDef<Record<string, never>>;

const CODE = "gluon.layout";
const hasOpen = (type: Type, open: OpenEncoding): boolean => RankedTensorType.is(type) && open.is(encodingOf(type));
/** These ops have results of several layouts. */
const VARYING: readonly OpDef[] = [JoinOp, SplitOp, ReshapeOp, CatOp, TransOp];

/** Whether it succeeds; if not, the reason is reported. */
export function inferLayout(func: Operation, open: OpenEncoding, seeds: readonly Seed[], report: PassReport): boolean {
  const type = FuncOp.match(func)!.function_type as TypeOf<typeof FunctionType>;
  const fail = (op: Operation, message: string): false => {
    report.error(op, message, CODE);
    return false;
  };
  if (type.params.inputs.some((input) => hasOpen(input, open))) return fail(func, "Functions taking auto encoding must be fully inlined");
  if (type.params.results.some((result) => hasOpen(result, open)))
    return fail(func, "Functions returning auto encoding must be fully inlined");

  const found = new Map<Value, Found>();
  // For a value that is in it twice, the later place counts.
  const worklist: Value[] = [];
  const placeOf = new Map<Value, number>();
  const update = (values: readonly Value[], added: Found): boolean => {
    for (const value of values) {
      const known = found.get(value);
      const next = known ? combine(known, added) : added;
      if (!next) {
        const [a, b] = inOrder(known!.encoding, added.encoding).map(attrText);
        return fail(
          value.definingOp ?? func,
          `'${(value.definingOp ?? func).name}' op found conflicting encodings for value:\n  ${a}\nand\n  ${b}`,
        );
      }
      if (known && next.encoding === known.encoding && next.mayVary === known.mayVary) continue;
      found.set(value, next);
      placeOf.set(value, worklist.length);
      worklist.push(value);
    }
    return true;
  };
  const through = (op: Operation, values: readonly Value[], encoding: Attribute | undefined, from: Found): boolean =>
    encoding === undefined || update(values, { encoding, mayVary: from.mayVary || VARYING.includes(op.def) });
  const visit = (value: Value): boolean => {
    const info = found.get(value)!;
    for (const { owner, index } of value.uses()) {
      const ok = ForOp.is(owner)
        ? update(tiedArgs(owner, index - 3), info)
        : WhileOp.is(owner)
          ? update(tiedArgs(owner, index), info)
          : YieldOp.is(owner)
            ? update(tiedArgs(owner.parentOp!, index), info)
            : through(owner, owner.results, inferDstEncoding(owner, info.encoding), info);
      if (!ok) return false;
    }
    const { definingOp } = value;
    if (definingOp) {
      if (ForOp.is(definingOp) || WhileOp.is(definingOp) || IfOp.is(definingOp)) return update(tiedArgs(definingOp, value.index), info);
      const tensors = definingOp.operands.filter((operand) => RankedTensorType.is(operand.type));
      return through(definingOp, tensors, inferSrcEncoding(definingOp, info.encoding), info);
    }
    const parent = value.argOwner?.parentOp;
    if (parent && ForOp.is(parent)) return update(tiedArgs(parent, value.index - 1), info);
    return !parent || !WhileOp.is(parent) || update(tiedArgs(parent, value.index), info);
  };

  for (const { value, encoding } of seeds) if (!update([value], { encoding, mayVary: false })) return false;
  for (let value = worklist.pop(); value; value = worklist.pop()) {
    if (placeOf.get(value) !== worklist.length) continue;
    placeOf.delete(value);
    if (!visit(value)) return false;
  }

  func.ctx.version++;
  for (const [value, { encoding }] of found) setEncoding(value, encoding);
  return true;
}

function setEncoding(value: Value, encoding: Attribute): void {
  value.setType(withEncoding(value.type as TensorType, encoding));
  const constant = ConstantOp.match(value.definingOp);
  if (constant) constant.op.setAttr("value", denseElements(value.type, (constant.value as DenseAttr).params.elements));
}

/** Undefined where the two contradict each other. */
function combine(known: Found, added: Found): Found | undefined {
  const [first] = inOrder(known.encoding, added.encoding);
  const [a, b] = first === known.encoding ? [known, added] : [added, known];
  if (a.mayVary) return b;
  return b.mayVary || a.encoding === b.encoding ? a : undefined;
}

/** The order of two layouts does not depend on which was found first. */
function inOrder(a: Attribute, b: Attribute): [Attribute, Attribute] {
  return a !== b && hashOf(a) > hashOf(b) ? [b, a] : [a, b];
}
const hashes = new WeakMap<Attribute, bigint>();
function hashOf(attr: Attribute): bigint {
  let hash = hashes.get(attr);
  if (hash === undefined) hashes.set(attr, (hash = xxh3(attrText(attr))));
  return hash;
}

/** Whether no value is left without a layout; the first one is reported. */
export function checkInferred(root: Operation, open: OpenEncoding, report: PassReport): boolean {
  let left: { readonly op: Operation; readonly what: string } | undefined;
  root.walkPostOrder((op) => {
    if (!left && op.resultTypes.some((type) => hasOpen(type, open))) left = { op, what: `'${op.name}' op Failed to infer return type` };
  });
  root.walkPostOrder((op) => {
    for (const region of op.regions)
      for (const block of region.blocks())
        if (!left && block.args.some((arg) => hasOpen(arg.type, open))) left = { op, what: "Failed to infer block argument type" };
  });
  if (left) report.error(left.op, left.what, CODE);
  return !left;
}
