/** Regions: names as they were are put back when one is left. Source: code_generator.py, enter_sub_region. */
import type { Block } from "../../ir/block.js";
import type { Value } from "../../ir/value.js";
import { raise } from "../language/errors.js";
import { type InsertionPoint, insertionPoint, restoreInsertion } from "../language/insertion.js";
import { noAttribute } from "../language/python-text.js";
import { flattenValue, hasHandle, isConstexpr, isKind, isTuple, type PyInstance, type PyValue } from "../language/values.js";
import type { Generator, Scope } from "./generator.js";
import { rememberPoison } from "./recovery.js";

/** The scope and the insertion point at the entry of a region. */
export interface SubRegion {
  readonly liveIns: Scope;
  readonly point: InsertionPoint;
}

/** Runs `body` in a region of its own; afterwards names and insertion point are as before. */
export function inSubRegion<T>(g: Generator, body: (region: SubRegion) => T): T {
  const liveIns = cloneScope(g.scope);
  const outerDefs = g.localDefs;
  const outerAnnotations = new Map(g.pendingAnnotations);
  const point = insertionPoint(g.b);
  g.localDefs = new Map();
  const repoison = rememberPoison(g);
  const result = body({ liveIns, point });
  repoison();
  restoreInsertion(g.b, point);
  g.scope = liveIns;
  g.localDefs = outerDefs;
  g.pendingAnnotations = outerAnnotations;
  return result;
}

/** Aggregates can be changed in place: a region has its own. */
function cloneScope(scope: Scope): Scope {
  return new Map([...scope].map(([name, value]) => [name, isKind(value, "instance") ? cloneInstance(value) : value]));
}
const cloneInstance = (value: PyInstance): PyInstance => ({
  ...value,
  attrs: new Map([...value.attrs].map(([name, v]) => [name, isKind(v, "instance") ? cloneInstance(v) : v])),
});

/** Values of Triton's, which can be handed through control flow: all but types, functions and None. */
export const isTritonValue = (value: PyValue | undefined): boolean =>
  hasHandle(value) || isConstexpr(value) || isTuple(value) || isKind(value, "instance");

/** The IR values of a variable; raises for what has none. */
export function handlesOf(value: PyValue | undefined): Value[] {
  if (!isTritonValue(value)) return raise("AttributeError", noAttribute(value ?? null, "_flatten_ir"));
  return flattenValue(value!);
}

export const sameHandles = (a: readonly Value[], b: readonly Value[]): boolean => a.length === b.length && a.every((v, i) => v === b[i]);

/** Moves the ops of `block` to the front of `target` and drops it. */
export function mergeBefore(block: Block, target: Block): void {
  target.takeOpsOf(block, target.firstOp);
  block.erase();
}
