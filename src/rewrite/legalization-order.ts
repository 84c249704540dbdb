/**
 * Which patterns a dialect conversion tries on an op, and in which order: those that lead to legal ops in fewer steps
 * first, then by benefit. Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, OperationLegalizer's cost model.
 */
import type { OpDef } from "../ir/define-op.js";
import type { ConversionPattern } from "./conversion-pattern.js";
import type { ConversionTarget } from "./conversion-target.js";

export function orderPatterns(
  patterns: readonly ConversionPattern[],
  target: ConversionTarget,
): (def: OpDef) => readonly ConversionPattern[] {
  const anyOp = patterns.filter((p) => p.root === undefined);
  const byRoot = usablePatterns(patterns, anyOp.length > 0, target);
  const depths = new Map<string, number>();
  const depthOf = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const list = byRoot.get(name);
    if (!list || list.length === 0) return 0;
    depths.set(name, Infinity);
    const depth = sortByDepth(list);
    depths.set(name, depth);
    return depth;
  };
  const sortByDepth = (list: ConversionPattern[]): number => {
    const withDepth = list.map((pattern) => ({
      pattern,
      depth: pattern.generatedOps.reduce((depth, op) => Math.max(depth, depthOf(op.name) + 1), 1),
    }));
    withDepth.sort((a, b) => (a.depth === b.depth ? b.pattern.benefit - a.pattern.benefit : a.depth - b.depth));
    list.splice(0, list.length, ...withDepth.map((p) => p.pattern));
    return withDepth.reduce((min, p) => Math.min(min, p.depth), Infinity);
  };
  for (const name of byRoot.keys()) depthOf(name);
  sortByDepth(anyOp);

  const byDef = new Map<OpDef, readonly ConversionPattern[]>();
  return (def) => {
    let list = byDef.get(def);
    if (!list) byDef.set(def, (list = merge(byRoot.get(def.name) ?? [], anyOp)));
    return list;
  };
}

/** Patterns by op, without those that make ops which can never become legal. */
function usablePatterns(
  patterns: readonly ConversionPattern[],
  anyOp: boolean,
  target: ConversionTarget,
): Map<string, ConversionPattern[]> {
  const byRoot = new Map<string, ConversionPattern[]>();
  const use = (pattern: ConversionPattern): void => {
    const list = byRoot.get(pattern.root!.name);
    if (list) list.push(pattern);
    else byRoot.set(pattern.root!.name, [pattern]);
  };
  const candidates = patterns.filter((p) => p.root !== undefined && target.action(p.root.name) !== "legal");
  if (anyOp) {
    candidates.forEach(use);
    return byRoot;
  }
  // Newest first, until nothing becomes usable any more.
  const worklist = [...candidates];
  const waiting = new Set(candidates);
  const unused = new Set(candidates);
  for (let pattern = worklist.pop(); pattern; pattern = worklist.pop()) {
    waiting.delete(pattern);
    const usable = pattern.generatedOps.every((op) => {
      const action = target.action(op.name);
      return byRoot.has(op.name) || (action !== undefined && action !== "illegal");
    });
    if (!usable) continue;
    use(pattern);
    unused.delete(pattern);
    const { name } = pattern.root!;
    for (const other of unused) {
      if (waiting.has(other) || !other.generatedOps.some((op) => op.name === name)) continue;
      waiting.add(other);
      worklist.push(other);
    }
  }
  return byRoot;
}

/** Patterns for the op's kind and those for any: an interface's count among the former, by their own order. */
function merge(specific: readonly ConversionPattern[], anyOp: readonly ConversionPattern[]): readonly ConversionPattern[] {
  const rank = new Map<ConversionPattern, number>();
  specific.forEach((p, i) => void rank.set(p, specific.length - i));
  anyOp.forEach((p, i) => void rank.set(p, anyOp.length - i));
  const own = [...specific, ...anyOp.filter((p) => p.applies !== undefined)].sort((a, b) => rank.get(b)! - rank.get(a)!);
  const merged: ConversionPattern[] = [];
  let next = 0;
  for (const pattern of anyOp.filter((p) => p.applies === undefined)) {
    while (next < own.length && own[next]!.benefit >= pattern.benefit) merged.push(own[next++]!);
    merged.push(pattern);
  }
  return merged.concat(own.slice(next));
}
