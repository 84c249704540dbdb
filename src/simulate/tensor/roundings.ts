/**
 * How coarsely a stored value was rounded on its way. Two stages of a kernel may compute a float that differs in its last
 * bit; where it is then rounded to a narrower type, the narrower one may differ by a step, and so does all that follows:
 *
 *     %p = math.exp2 ... : f32        last bits may differ
 *     %h = arith.truncf %p : f32 to f16
 *     %o = tt.dot %h, ... -> f32      agrees as an f16 does, not as an f32
 *     tt.store %ptr, %o
 *
 * What is only loaded and widened was not rounded here.
 */

import * as tt from "../../dialects/tt/ops/index.js";
import { elementTypeOrSelf, FloatType } from "../../ir/builtin-types.js";
import { FunctionOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { symbolName } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";
import { TOLERANCES } from "./tolerances.js";

/** The bound of the coarsest type that what `store` stores was rounded to on its way; 0 where it was to none. */
export function coarsestRounding(store: Operation): number {
  let coarsest = 0;
  for (const op of computations(store.operands)) coarsest = Math.max(coarsest, roundingOf(op));
  return coarsest;
}

/** To the type of its result; a product of f32 in tf32 rounds its operands, if they are not as they were loaded. */
function roundingOf(op: Operation): number {
  const dot = tt.DotOp.match(op);
  if (dot && dot.inputPrecision === "tf32" && isF32(dot.a) && !computations([dot.a, dot.b]).next().done) return TOLERANCES["tf32"]!;
  const type = op.numResults > 0 ? elementTypeOrSelf(op.result(0).type) : undefined;
  return FloatType.is(type) ? (TOLERANCES[type.params.kind] ?? 0) : 0;
}
const isF32 = (value: Value): boolean => {
  const type = elementTypeOrSelf(value.type);
  return FloatType.is(type) && type.params.kind === "f32";
};

/** Ops of these dialects compute, but for those that only move or widen. */
const COMPUTES = /^(?:arith|math)\.|^tt\.(?:dot|dot_scaled|fp_to_fp|extern_elementwise|precise_\w+|clampf)$|^ttng\.warp_group_dot$/;
const MOVES = /^arith\.(?:constant|extf|select|bitcast|negf|cmpf)$/;
/** What comes out of memory is taken as it is. */
const LOADS = /^tt\.(?:load|descriptor_load|descriptor_gather|atomic_rmw|atomic_cas)$|^ttg\.async_copy_global_to_local$/;

/** The computations of floats that values depend on, each once. */
function* computations(values: readonly Value[]): Generator<Operation, undefined> {
  const seen = new Set<Value>(values);
  for (const value of seen) {
    const op = value.definingOp;
    if (op && LOADS.test(op.name)) continue;
    if (op && FloatType.is(elementTypeOrSelf(value.type)) && COMPUTES.test(op.name) && !MOVES.test(op.name)) yield op;
    for (const source of sourcesOf(value)) seen.add(source);
  }
  return undefined;
}

/** Values that one is made of, or may be: of a region's results and arguments, all that flows into it. */
function* sourcesOf(value: Value): Iterable<Value> {
  const op = value.definingOp;
  if (op) {
    yield* op.operands;
    const callee = tt.CallOp.match(op)?.callee;
    const body = callee === undefined ? undefined : functionOf(op, callee);
    for (const region of (body ?? op).regions) for (const block of region.blocks()) if (block.lastOp) yield* block.lastOp.operands;
    return;
  }
  const block = value.argOwner!;
  const parent = block.parentOp;
  if (!parent) return;
  if (block !== block.region!.firstBlock) for (const from of block.predecessors()) yield* from.lastOp!.operands;
  else if (parent.def.interface(FunctionOp)) yield* argumentsOf(parent);
  else {
    yield* parent.operands;
    for (const region of parent.regions) for (const inner of region.blocks()) if (inner.lastOp) yield* inner.lastOp.operands;
  }
}

/** The function of that name in the module of `call`. */
export function functionOf(call: Operation, name: string): Operation | undefined {
  for (const op of moduleOf(call).regions[0]!.firstBlock!.ops()) if (symbolName(op) === name) return op;
  return undefined;
}
/** What a function is called with. */
function argumentsOf(func: Operation): Value[] {
  const name = symbolName(func);
  const given: Value[] = [];
  moduleOf(func).walk((op) => {
    if (tt.CallOp.match(op)?.callee === name) given.push(...op.operands);
  });
  return given;
}
function moduleOf(op: Operation): Operation {
  let at = op;
  while (at.parentOp) at = at.parentOp;
  return at;
}
