/**
 * The verifier: what every op must satisfy, then what its traits and definition ask. Errors become diagnostics of the
 * Context; nothing is thrown on bad IR. Source: mlir/lib/IR/Verifier.cpp.
 */
import { LayoutError } from "../layout/layout-error.js";
import type { Type } from "./attribute.js";
import type { DictAttr } from "./builtin-attrs.js";
import type { Context } from "./context.js";
import type { OpDef } from "./define-op.js";
import { Dominance } from "./dominance.js";
import { LoopLike, RegionBranch, SymbolUser } from "./interfaces.js";
import { type Checks, checkAttributes, checkCounts, checkGroup, checkRegions, checksOf, countsFit } from "./op-checks.js";
import type { Operation } from "./operation.js";
import { Report } from "./report.js";
import { lookupSymbol } from "./symbol-table.js";
import { NoTerminator, type Trait } from "./traits.js";
import { RIGHT_ANYWHERE, type Value } from "./value.js";
import { verifyBranch, verifyLoopLike, verifyRegionBranch } from "./verify-control-flow.js";

/** Verifies an op and everything in it. Returns whether it is valid; errors go to the Context's diagnostics. */
export function verifyOperation(root: Operation): boolean {
  const verifier = new Verifier(root);
  verifier.verify(root);
  if (verifier.ok) verifier.verifySymbolUses();
  if (verifier.ok) verifier.verifyDominance(root);
  return verifier.ok;
}

/** As `verifyOperation`, without diagnostics: whether the custom syntax can print the IR after a pass that failed. */
export function isValid(root: Operation): boolean {
  const { diagnostics } = root.ctx;
  const before = diagnostics.length;
  const ok = verifyOperation(root);
  diagnostics.length = before;
  return ok;
}

/**
 * Whether registered ops have the operands, results, attributes and regions of their definitions, on which analyses rely. Types
 * and traits are not checked. Reports no diagnostics.
 */
export function isWellFormed(root: Operation): boolean {
  const { diagnostics } = root.ctx;
  const before = diagnostics.length;
  const report = new Report(root);
  root.walk((op) => {
    if (!op.def.registered) return;
    report.op = op;
    if (!checkCounts(op, report)) return;
    checkAttributes(op, op.def, report);
    checkRegions(op, op.def, report);
  });
  const ok = diagnostics.length === before;
  diagnostics.length = before;
  return ok;
}

class Verifier {
  ok = true;
  readonly #report: Report;
  readonly #symbols = new Map<Operation, Map<string, Operation | undefined>>();
  /** They come last: the ops that their symbols name are right by then. */
  readonly #symbolUsers: Operation[] = [];
  readonly #passed: Map<OpDef, Passed>;
  constructor(root: Operation) {
    this.#report = new Report(root);
    this.#passed = passedIn(root.ctx);
  }

  /**
   * Verifies `op`, then what is nested in it, then its regions as a whole. The first op that is wrong ends the check of what
   * is isolated together with it; ops that are isolated from above are each checked, after the rest.
   */
  verify(op: Operation): boolean {
    if (op.checkedAt >= op.ctx.surroundings) return true;
    const { def } = op;
    const report = this.#report;
    report.op = op;
    report.errors = 0;
    let passed = this.#passed.get(def);
    if (!passed) this.#passed.set(def, (passed = { checks: checksOf(def), attrs: new Set(), alike: [] }));
    const { checks } = passed;
    if (!passed.attrs.has(op.attrs)) this.checkStructure(op, report);
    const alike = checks.comparable ? findAlike(op, passed.alike) : undefined;
    const known = alike?.attrs.has(op.attrs) === true;
    // How sized groups divide the operands is said by an attribute.
    const sameTypes = checks.sized ? known : alike !== undefined;
    if (report.errors === 0 && def.registered) this.checkDefinition(op, passed, sameTypes, known, report);
    if (report.errors > 0) return this.failed();
    if (op.regions.length > 0) return this.verifyAround(op, checks, report);
    if (checks.later && !this.verifyLater(op, checks, known ? checks.unalikeRegionTraits : checks.regionTraits, report)) return false;
    if (checks.comparable && !known) remember(op, alike, passed.alike);
    if (checks.lasts && passed.attrs.has(op.attrs)) op.checkedAt = checks.lasts === "anywhere" ? RIGHT_ANYWHERE : op.ctx.surroundings;
    return true;
  }
  private verifyAround(op: Operation, checks: Checks, report: Report): boolean {
    if (!this.verifyNested(op, report)) return false;
    report.op = op;
    report.errors = 0;
    return this.verifyLater(op, checks, checks.regionTraits, report);
  }
  /** The checks that run after the nested ops, or last where there are none. */
  private verifyLater(op: Operation, checks: Checks, regionTraits: readonly Trait[], report: Report): boolean {
    const { def } = op;
    for (let i = 0; i < regionTraits.length; i++) regionTraits[i]!.verifyRegions!(op, report);
    if (op.regions.length > 0)
      for (const key of def.interfaces) {
        if (report.errors > 0) break;
        if (key === LoopLike) verifyLoopLike(op, report);
        else if (key === RegionBranch) verifyRegionBranch(op, report);
      }
    if (def.verifyRegions && report.errors === 0) def.verifyRegions(def.viewOf(op) as never, report);
    if (checks.symbolUser) this.#symbolUsers.push(op);
    return report.errors === 0 || this.failed();
  }
  /** Verifies the ops in the regions of `op`. */
  private verifyNested(op: Operation, report: Report): boolean {
    const { def } = op;
    let isolated: Operation[] | undefined;
    for (const region of op.regions) {
      for (let block = region.firstBlock; block; block = block.next) {
        const needsTerminator = def.registered && !def.traits.has(NoTerminator);
        for (let nested = block.firstOp; nested; nested = nested.next) {
          if (nested.successors.length > 0 && nested !== block.lastOp) {
            report.op = nested;
            report.error("op with block successors must terminate its parent block", "verify.successors");
            return this.failed();
          }
          if (nested.def.isIsolated && nested.regions.length > 0) (isolated ??= []).push(nested);
          else if (!this.verify(nested)) return false;
        }
        const last = block.lastOp;
        if (needsTerminator && (!last || (!last.def.isTerminator && last.def.registered))) {
          report.op = op;
          // An op without terminator among its blocks; region printing names the op as upstream does.
          if (!last) report.plain("empty block: expect at least a terminator", "verify.terminator");
          else {
            report.op = last;
            report.plain(`block with no terminator, has ${opText(last)}`, "verify.terminator");
          }
          return this.failed();
        }
      }
    }
    let isolatedOk = true;
    for (const nested of isolated ?? []) if (!this.verify(nested)) isolatedOk = false;
    return isolatedOk;
  }
  /** The first op that is wrong ends the check. */
  verifySymbolUses(): void {
    const report = this.#report;
    report.errors = 0;
    for (const op of this.#symbolUsers) {
      report.op = op;
      op.def.interface(SymbolUser)!.verifySymbolUses(op, (name) => this.lookup(op, name), report);
      if (report.errors > 0) return void this.failed();
    }
  }
  private failed(): false {
    this.ok = false;
    return false;
  }

  /** Checks that every operand is defined on all paths to its use. */
  verifyDominance(root: Operation): void {
    this.checkDominance(root, new Dominance());
  }
  private checkDominance(op: Operation, dominance: Dominance): void {
    const { operandUses, block } = op;
    for (let i = 0; i < operandUses.length; i++) {
      const { value } = operandUses[i]!;
      // The common case first: defined earlier in the same block.
      const { owner } = value;
      if (owner === block) continue;
      if (owner.isOperation && (owner as Operation).block === block && (owner as Operation).order < op.order && block!.orderValid) continue;
      if (block && dominance.isReachable(block) && !dominance.valueDominates(value, op)) this.reportDominance(op, i, value);
    }
    if (op.regions.length === 0) return;
    for (const region of op.regions)
      for (let inner = region.firstBlock; inner; inner = inner.next)
        for (let nested = inner.firstOp; nested; nested = nested.next) this.checkDominance(nested, dominance);
  }

  private reportDominance(op: Operation, index: number, value: Value): void {
    this.ok = false;
    this.#report.op = op;
    const report = this.#report.error(`operand #${index} does not dominate this use`, "verify.dominance");
    const definer = value.definingOp;
    if (!definer) report.note("operand defined as a block argument");
    else if (definer.block === op.block) report.note("operand defined here (op in the same block)", definer.locRef);
    else if (definer.region === op.region) report.note("operand defined here (op in the same region)", definer.locRef);
    else report.note("operand defined here (op is not in the same region)", definer.locRef);
  }

  private lookup(from: Operation, name: string): Operation | undefined {
    const table = from.parentOp ?? from;
    let known = this.#symbols.get(table);
    if (!known) this.#symbols.set(table, (known = new Map()));
    if (!known.has(name)) known.set(name, lookupSymbol(from, name));
    return known.get(name);
  }

  private checkStructure(op: Operation, report: Report): void {
    const { ctx, def } = op;
    if (!def.registered && !ctx.allowUnregisteredDialects && !ctx.dialects.has(def.dialect))
      report.error(
        `created with unregistered dialect. If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use -allow-unregistered-dialect with the MLIR opt tool used`,
        "verify.unregistered",
      );
    const { names, values } = op.attrs.params;
    for (let i = 0; i < names.length; i++) {
      const dot = names[i]!.indexOf(".");
      if (dot > 0) ctx.dialects.get(names[i]!.slice(0, dot))?.verifyAttr?.(op, names[i]!, values[i]!, report);
    }
  }

  /** `sameTypes`: an op of these types was right; `known`: one with these attributes too. */
  private checkDefinition(op: Operation, passed: Passed, sameTypes: boolean, known: boolean, report: Report): void {
    const { def } = op;
    const { checks } = passed;
    if (!sameTypes && !countsFit(op, checks) && !checkCounts(op, report)) return;
    const { structural } = checks;
    for (let i = 0; i < structural.length; i++) {
      structural[i]!.verify!(op, report);
      if (report.errors > 0) return;
    }
    if (!passed.attrs.has(op.attrs)) {
      if (def.attrs.length > 0) checkAttributes(op, def, report);
      if (report.errors > 0) return;
      if (!op.attrs.params.names.some(isDialectAttribute)) passed.attrs.add(op.attrs);
    }
    if (!sameTypes) {
      if (def.operands.length > 0) checkGroup(op, "operand", def.operands, def.sizedOperands, report);
      if (report.errors > 0) return;
      if (def.results.length > 0) checkGroup(op, "result", def.results, def.sizedResults, report);
      if (report.errors > 0) return;
    }
    if (op.regions.length > 0) checkRegions(op, def, report);
    if (report.errors > 0) return;
    const traits = known ? checks.unalikeTraits : sameTypes ? checks.furtherTraits : checks.traits;
    for (let i = 0; i < traits.length; i++) {
      traits[i]!.verify!(op, report);
      if (report.errors > 0) return;
    }
    if (op.successors.length > 0) verifyBranch(op, report);
    if (def.verify && report.errors === 0 && !(known && def.verifyDependsOn)) verifyItself(op, report);
  }
}

/** The rules of the definition. Types may each be right, while a layout that a rule needs does not exist for their shape; upstream asserts there. */
function verifyItself(op: Operation, report: Report): void {
  const { def } = op;
  try {
    def.verify!(def.viewOf(op) as never, report);
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    report.error(error.message.split("\n")[0]!, "verify.op");
  }
}

/**
 * Attributes and types that passed on earlier ops of a definition, as most ops are like some op before them. They do not depend on
 * the op's surroundings, so they hold from one verification to the next; attributes and types are interned.
 */
interface Passed {
  readonly checks: Checks;
  /** Attributes that the definition takes. None of them is another dialect's, whose check sees the op. */
  readonly attrs: Set<DictAttr>;
  /** The last few type lists that passed, for ops with fixed numbers of regions and successors. */
  readonly alike: Alike[];
}
/** Types of operands and results that were right, and attributes that were right together with them. */
interface Alike {
  readonly numOperands: number;
  readonly types: readonly Type[];
  readonly attrs: Set<DictAttr>;
}
const KEPT = 8;
const passedByContext = new WeakMap<Context, Map<OpDef, Passed>>();
function passedIn(ctx: Context): Map<OpDef, Passed> {
  let passed = passedByContext.get(ctx);
  if (!passed) passedByContext.set(ctx, (passed = new Map()));
  return passed;
}

/** The record of ops with the same types as `op`. */
function findAlike(op: Operation, known: readonly Alike[]): Alike | undefined {
  if (known.length === 0) return undefined;
  const { def, operandUses, results } = op;
  const count = operandUses.length;
  if (op.regions.length !== def.regions.length || op.successors.length !== def.successors.length) return undefined;
  next: for (let k = 0; k < known.length; k++) {
    const { numOperands, types } = known[k]!;
    if (numOperands !== count || types.length !== count + results.length) continue;
    for (let i = 0; i < count; i++) if (types[i] !== operandUses[i]!.value.type) continue next;
    for (let i = 0; i < results.length; i++) if (types[count + i] !== results[i]!.type) continue next;
    return known[k];
  }
  return undefined;
}
function remember(op: Operation, alike: Alike | undefined, known: Alike[]): void {
  if (alike) return void alike.attrs.add(op.attrs);
  if (known.length === KEPT) known.pop();
  known.unshift({
    numOperands: op.operandUses.length,
    types: [...op.operandUses.map(({ value }) => value.type), ...op.resultTypes],
    attrs: new Set([op.attrs]),
  });
}
const isDialectAttribute = (name: string): boolean => name.indexOf(".") > 0;

function opText(op: Operation): string {
  return `"${op.name}"`;
}
