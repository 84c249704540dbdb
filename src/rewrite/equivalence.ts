/**
 * When two ops do the same: as CSE and block merging ask. Locations do not count.
 * Source: mlir/lib/IR/OperationSupport.cpp, OperationEquivalence.
 */
import type { Block } from "../ir/block.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";

const defNumbers = new WeakMap<OpDef, number>();
let nextDefNumber = 1;
function defNumber(def: OpDef): number {
  let number = defNumbers.get(def);
  if (number === undefined) defNumbers.set(def, (number = nextDefNumber++));
  return number;
}
const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x9e3779b1) + ((hash ^ value) >>> 15);

/** A 32-bit hash that equivalent ops share; without `operands` also those that differ in operands only. */
export function hashOperation(op: Operation, operands = true): number {
  let hash = mix(defNumber(op.def), op.attrs.id);
  for (const result of op.results) hash = mix(hash, result.type.id);
  const uses = op.operandUses;
  if (!operands) hash = mix(hash, uses.length);
  else if (op.def.isCommutative) {
    let sum = 0;
    for (let i = 0; i < uses.length; i++) sum = (sum + Math.imul(uses[i]!.value.id, 0x85ebca6b)) | 0;
    hash = mix(hash, sum);
  } else for (let i = 0; i < uses.length; i++) hash = mix(hash, uses[i]!.value.id);
  return hash >>> 0;
}

/** Whether two ops compute the same from the same operands; nested regions are compared too. */
export function areEquivalent(a: Operation, b: Operation): boolean {
  return equivalent(a, b, a.regions.length === 0 ? undefined : new Map());
}
/** Whether two ops are the same except for the values they use, whose types must agree. */
export function areEquivalentButOperands(a: Operation, b: Operation): boolean {
  return sameShape(a, b) && a.operandUses.every((use, i) => use.value.type === b.operand(i).type) && a.regions.length === 0;
}

function sameShape(a: Operation, b: Operation): boolean {
  if (a.def !== b.def || a.attrs !== b.attrs) return false;
  if (a.operandUses.length !== b.operandUses.length || a.results.length !== b.results.length) return false;
  if (a.regions.length !== b.regions.length || a.successors.length !== b.successors.length) return false;
  // Two unregistered ops of the same name have a definition each only in different Contexts.
  for (let i = 0; i < a.results.length; i++) if (a.results[i]!.type !== b.results[i]!.type) return false;
  return true;
}

/** `matched` says which values inside `a` stand for which inside `b`. */
function equivalent(a: Operation, b: Operation, matched: Map<Value | Block, Value | Block> | undefined): boolean {
  if (!sameShape(a, b)) return false;
  const count = a.operandUses.length;
  const image = (value: Value): Value => (matched?.get(value) as Value | undefined) ?? value;
  if (a.def.isCommutative) {
    const byId = (x: Value, y: Value) => x.id - y.id;
    const ours = a.operands.map(image).sort(byId);
    const theirs = b.operands.sort(byId);
    if (ours.some((value, i) => value !== theirs[i])) return false;
  } else for (let i = 0; i < count; i++) if (image(a.operandUses[i]!.value) !== b.operandUses[i]!.value) return false;
  for (let i = 0; i < a.successors.length; i++) {
    const target = a.successors[i]!.block;
    if ((matched?.get(target) ?? target) !== b.successors[i]!.block) return false;
  }
  if (!matched) return true;
  a.results.forEach((result, i) => matched.set(result, b.results[i]!));
  return a.regions.every((region, i) => equivalentRegions(region, b.regions[i]!, matched));
}

function equivalentRegions(a: Region, b: Region, matched: Map<Value | Block, Value | Block>): boolean {
  let right = b.firstBlock;
  for (let left = a.firstBlock; left; left = left.next) {
    if (!right || left.args.length !== right.args.length) return false;
    for (let i = 0; i < left.args.length; i++) {
      if (left.args[i]!.type !== right.args[i]!.type) return false;
      matched.set(left.args[i]!, right.args[i]!);
    }
    matched.set(left, right);
    right = right.next;
  }
  if (right) return false;
  for (let left = a.firstBlock, other = b.firstBlock; left && other; left = left.next, other = other.next) {
    let theirs = other.firstOp;
    for (let ours = left.firstOp; ours; ours = ours.next) {
      if (!theirs || !equivalent(ours, theirs, matched)) return false;
      theirs = theirs.next;
    }
    if (theirs) return false;
  }
  return true;
}
