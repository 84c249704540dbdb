/**
 * Patterns of loops and branches by what their regions hand on, since Triton 3.7.
 * Source: mlir/lib/Interfaces/ControlFlowInterfaces.cpp, populateRegionBranchOpInterfaceCanonicalizationPatterns.
 */
import type { OpDef } from "../../../ir/define-op.js";
import { Operation } from "../../../ir/operation.js";
import { operandsOfInputs } from "../../../ir/region-branch.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import type { Pattern } from "../../../rewrite/pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

type Inputs = ReadonlyMap<Value, readonly OpOperand[]>;

/** A pattern of the versions whose MLIR has, or has not, the patterns of this file. */
export const ofVersions = (cleansRegions: boolean, pattern: Pattern): Pattern => ({
  ...pattern,
  rewrite: (op, rw) => (rw.ctx.triton.cleansRegions === cleansRegions ? pattern.rewrite(op, rw) : rw.noMatch("not of this version")),
});

export const regionBranchPatterns = (root: OpDef): readonly Pattern[] =>
  [
    ["make-region-branch-inputs-dead", replaceDecided],
    ["remove-duplicate-region-branch-inputs", replaceDuplicates],
    ["remove-dead-region-branch-inputs", removeDead],
  ].map(([name, rewrite]) => ofVersions(true, { name, benefit: 1, root, applies: undefined, rewrite } as Pattern));

/** Arguments and results that only one value from outside can reach are that value. */
function replaceDecided(op: Operation, rw: Rewriter): boolean {
  const inputs = operandsOfInputs(op);
  let changed = false;
  for (const input of inputs.keys()) {
    const value = input.hasUses() ? onlySource(input, inputs) : undefined;
    if (!value || value.parentBlock!.parentOp === op) continue;
    rw.replaceAllUses(input, value);
    changed = true;
  }
  return changed;
}
/** The one value that reaches `input`, also by way of other inputs. */
function onlySource(input: Value, inputs: Inputs): Value | undefined {
  const seen = new Set([input]);
  const sources: Value[] = [];
  for (const value of seen) {
    const operands = inputs.get(value);
    if (operands) for (const operand of operands) seen.add(operand.value);
    else if (sources.push(value) > 1) return undefined;
  }
  return sources[0];
}

/** Two arguments of a block, or two results, that are handed equal values everywhere are one: the first. */
function replaceDuplicates(op: Operation, rw: Rewriter): boolean {
  const inputs = operandsOfInputs(op);
  const sorted = [...inputs.keys()].sort((a, b) => a.index - b.index);
  let changed = false;
  sorted.forEach((first, i) => {
    for (const second of sorted.slice(i + 1)) {
      if (!second.hasUses() || second.definingOp !== first.definingOp || second.argOwner !== first.argOwner) continue;
      if (!sameOperands(inputs.get(first)!, inputs.get(second)!)) continue;
      rw.replaceAllUses(second, first);
      changed = true;
    }
  });
  return changed;
}
const sameOperands = (a: readonly OpOperand[], b: readonly OpOperand[]): boolean =>
  a.length === b.length && a.every((use, i) => use.owner === b[i]!.owner && use.value === b[i]!.value);

/** Removes arguments and results without uses, and the operands that are handed to them, where all values that get these operands are unused. */
function removeDead(op: Operation, rw: Rewriter): boolean {
  const inputs = operandsOfInputs(op);
  const dead = new Set<Value>();
  for (const tied of tiedInputs(inputs)) if (tied.every((value) => !value.hasUses())) for (const value of tied) dead.add(value);
  if (dead.size === 0) return rw.noMatch("every value is used");
  const operands = new Map<Operation, Set<number>>();
  for (const value of dead)
    for (const { owner, index } of inputs.get(value)!) operands.set(owner, (operands.get(owner) ?? new Set()).add(index));
  for (const [owner, indices] of operands) rw.modify(owner, () => owner.eraseOperands(indices));
  for (const region of op.regions)
    for (const block of region.blocks()) {
      const gone = block.args.filter((arg) => dead.has(arg));
      if (gone.length > 0) rw.modify(op, () => gone.reverse().forEach((arg) => void block.eraseArgument(arg.index)));
    }
  eraseResults(rw, op, dead);
  return true;
}
/** Sets of values that an operand, or operands in common, are handed to. */
function tiedInputs(inputs: Inputs): Iterable<readonly Value[]> {
  const setOf = new Map<Value | OpOperand, Value[]>();
  for (const [value, operands] of inputs) {
    const sets = new Set(operands.flatMap((operand) => setOf.get(operand) ?? []).map((other) => setOf.get(other)!));
    const merged = [...sets].flat();
    merged.push(value);
    for (const member of merged) for (const key of [member, ...inputs.get(member)!]) setOf.set(key, merged);
  }
  return new Set([...inputs.keys()].map((value) => setOf.get(value)!));
}
/** Makes the op again without these results. */
function eraseResults(rw: Rewriter, op: Operation, dead: ReadonlySet<Value>): void {
  const kept = op.results.filter((result) => !dead.has(result));
  if (kept.length === op.results.length) return;
  const { def, attrs, operands, locRef: loc, regions } = op;
  rw.setBefore(op);
  const made = rw.insert(
    new Operation(rw.ctx, def, { loc, operands, attrs, resultTypes: kept.map(({ type }) => type), numRegions: regions.length }),
  );
  regions.forEach((region, i) => void rw.inlineRegionBefore(region, made.regions[i]!));
  const results = op.results.slice();
  kept.forEach((result, i) => void (results[result.index] = made.result(i)));
  rw.replace(op, results);
}
