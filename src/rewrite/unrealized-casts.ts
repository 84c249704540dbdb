/**
 * `builtin.unrealized_conversion_cast` is put where a conversion changed the type of a value but not (yet) that of its
 * users. The core knows the op by name: it belongs to a dialect, and dialects build on this folder.
 */
import type { Type } from "../ir/attribute.js";
import type { Context } from "../ir/context.js";
import type { LocationRef } from "../ir/location.js";
import { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import type { Rewriter } from "./rewriter.js";

const NAME = "builtin.unrealized_conversion_cast";
export const isUnrealizedCast = (op: Operation | null | undefined): op is Operation => op?.name === NAME;

/** A detached cast of `inputs` to `types`. */
export function unrealizedCast(ctx: Context, loc: LocationRef, inputs: readonly Value[], types: readonly Type[]): Operation {
  const def = ctx.ops.get(NAME);
  if (!def) throw new Bug("the builtin dialect is not registered");
  return new Operation(ctx, def, { loc, operands: inputs, resultTypes: types });
}

/**
 * Cancels casts that take back what others did, `cast(cast(x : A -> B) : B -> A)` to `x`, and erases those without use.
 * Returns the casts that are left. Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, reconcileUnrealizedCasts.
 */
export function reconcileUnrealizedCasts(
  casts: readonly Operation[],
  rw: Rewriter,
  replace: (cast: Operation, values: readonly Value[]) => void = (cast, values) => rw.replaceOpUses(cast, values),
): Operation[] {
  const ours = new Set(casts);
  for (let i = casts.length - 1; i >= 0; i--) {
    const cast = casts[i]!;
    for (let source: Operation | undefined = cast; source; source = inputCast(source)) {
      if (!sameTypes(source.operands, cast.results)) continue;
      const inputs = source.operands;
      if (inputs.some((v) => v.definingOp === cast)) break;
      replace(cast, inputs);
      break;
    }
  }
  const live = new Set<Operation>();
  const markLive = (root: Operation): void => {
    const worklist = [root];
    for (let op = worklist.pop(); op; op = worklist.pop()) {
      if (live.has(op)) continue;
      live.add(op);
      for (const { value } of op.operandUses) if (value.definingOp && ours.has(value.definingOp)) worklist.push(value.definingOp);
    }
  };
  for (const cast of casts) if (!live.has(cast) && cast.results.some((r) => r.users().some((user) => !ours.has(user)))) markLive(cast);
  const left: Operation[] = [];
  for (const cast of casts) {
    if (live.has(cast)) {
      left.push(cast);
      continue;
    }
    for (const result of cast.results) while (result.firstUse) result.firstUse.unlink();
    rw.erase(cast);
  }
  return left;
}

/** The cast whose results are exactly the inputs of this one. */
function inputCast(cast: Operation): Operation | undefined {
  const source = cast.operandUses[0]?.value.definingOp;
  if (!isUnrealizedCast(source) || source.results.length !== cast.numOperands) return undefined;
  return source.results.every((r, i) => r === cast.operand(i)) ? source : undefined;
}
function sameTypes(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((v, i) => v.type === b[i]!.type);
}
