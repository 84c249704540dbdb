/**
 * Applies folds and patterns until nothing changes. In which order ops are visited decides the place of constants and
 * which of several rewrites wins, so the worklist's order is exactly MLIR's.
 * Source: mlir/lib/Transforms/Utils/GreedyPatternRewriteDriver.cpp.
 */
import { Attribute } from "../ir/attribute.js";
import type { Block } from "../ir/block.js";
import type { Context } from "../ir/context.js";
import { isOpTriviallyDead } from "../ir/interfaces.js";
import { constantOfOp } from "../ir/match.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import { LIMITS, LimitError } from "../support/limits.js";
import { type Folded, foldOperation, materializeConstant } from "./fold.js";
import { OperationFolder } from "./operation-folder.js";
import type { Pattern } from "./pattern.js";
import { PatternSet } from "./pattern-set.js";
import { eraseUnreachableBlocks, simplifyRegions } from "./region-simplify.js";
import { type RewriteListener, Rewriter } from "./rewriter.js";
import { Worklist } from "./worklist.js";

export interface GreedyConfig {
  /** Visit ops from the top at first; from the bottom otherwise, the default. */
  readonly topDown?: boolean;
  /** After each round: nothing, dead code and unreachable blocks, or (the default) identical blocks too. */
  readonly regionSimplification?: "disabled" | "normal" | "aggressive";
  /** Rounds over the region; 10 by default, -1 for no limit. */
  readonly maxIterations?: number;
  /** Pattern applications in a round; no limit (-1) by default. */
  readonly maxNumRewrites?: number;
  /** Only ops in here are put on the worklist; by default the region itself, or the one around all ops given. */
  readonly scope?: Region | undefined;
  /** Which ops may be rewritten: any in scope (the default), those given and new ones, or those given only. */
  readonly strictness?: "any" | "existing-and-new" | "existing";
  /** Fold ops; on by default. */
  readonly fold?: boolean;
  /** Unite equal constants at the start of a round; on by default. */
  readonly cseConstants?: boolean;
  readonly listener?: RewriteListener;
}
export interface GreedyResult {
  /** Whether nothing was left to do. */
  readonly converged: boolean;
  readonly changed: boolean;
}

/** Applies patterns to everything in a region, or in the regions of an op, which must be isolated from above. */
export function applyPatternsGreedily(
  target: Operation | Region,
  patterns: PatternSet | readonly Pattern[],
  config: GreedyConfig = {},
): GreedyResult {
  const set = PatternSet.of(patterns);
  if ("isOperation" in target) {
    const results = target.regions.map((region) => applyPatternsGreedily(region, set, config));
    return { converged: results.every((r) => r.converged), changed: results.some((r) => r.changed) };
  }
  const driver = new GreedyDriver(target.ctx, set, config, config.scope ?? target);
  return driver.simplifyRegion(target);
}

/** Applies patterns to the ops given (and, by `strictness`, to those their rewriting touches). */
export function applyOpPatternsGreedily(
  ops: readonly Operation[],
  patterns: PatternSet | readonly Pattern[],
  config: GreedyConfig = {},
): GreedyResult & { readonly allErased: boolean } {
  const first = ops[0];
  if (!first) return { converged: true, changed: false, allErased: true };
  const scope = config.scope ?? commonRegion(ops);
  return new GreedyDriver(first.ctx, PatternSet.of(patterns), config, scope).simplifyOps(ops);
}

const LIMIT = "rewrites-of-an-op";

class GreedyDriver implements RewriteListener {
  readonly #worklist = new Worklist();
  readonly #rw: Rewriter;
  readonly #strict: Set<Operation> | undefined;
  #surviving: Set<Operation> | undefined;
  readonly #outer: RewriteListener;

  constructor(
    readonly ctx: Context,
    readonly patterns: PatternSet,
    readonly config: GreedyConfig,
    readonly scope: Region | null,
  ) {
    this.#rw = new Rewriter(ctx, this);
    this.#outer = config.listener ?? {};
    this.#strict = (config.strictness ?? "any") === "any" ? undefined : new Set();
  }

  simplifyRegion(region: Region): GreedyResult {
    const { topDown = false, regionSimplification = "aggressive", maxIterations = 10 } = this.config;
    const { ctx } = this;
    const parent = region.parentOp!;
    if (this.#strict) walkPostOrder(region, (op) => void this.#strict!.add(op));
    let again = false;
    let iteration = 0;
    /** The state of the IR in which the regions were found as simple as they can be. */
    let simple = -1;
    do {
      if (++iteration > maxIterations && maxIterations !== -1) break;
      this.#worklist.clear();
      if (topDown) this.fillTopDown(region);
      else this.fillBottomUp(region);
      const unreachable = ctx.version !== simple && eraseUnreachableBlocks(this.#rw, [region]);
      again = this.processWorklist();
      if (unreachable) again = true;
      if (regionSimplification !== "disabled" && ctx.version !== simple) {
        const saved = ctx.origin;
        ctx.origin = parent.id;
        if (simplifyRegions(this.#rw, [region], regionSimplification === "aggressive")) again = true;
        else simple = ctx.version;
        ctx.origin = saved;
      }
    } while (again);
    return { converged: !again, changed: iteration > 1 };
  }

  simplifyOps(ops: readonly Operation[]): GreedyResult & { readonly allErased: boolean } {
    if (this.#strict) for (const op of ops) this.#strict.add(op);
    this.#surviving = new Set(ops);
    for (const op of ops) this.addOne(op);
    const changed = this.processWorklist();
    return { converged: this.#worklist.empty, changed, allErased: this.#surviving.size === 0 };
  }

  // Constants are made known while the worklist is filled: later their order would be reversed.
  private fillTopDown(region: Region): void {
    const known = this.knownConstants();
    const visit = (inner: Region): void => {
      for (let block = inner.firstBlock; block; block = block.next)
        for (let op = block.firstOp; op; ) {
          const next: Operation | null = op.next;
          if (!known?.(op)) {
            this.add(op);
            for (const nested of op.regions) visit(nested);
          }
          op = next;
        }
    };
    visit(region);
    this.#worklist.reverse();
  }
  private fillBottomUp(region: Region): void {
    const known = this.knownConstants();
    walkPostOrder(region, (op) => {
      if (!known?.(op)) this.add(op);
    });
  }
  /** The function returns whether the op was a constant that exists already (and is gone now). */
  private knownConstants(): ((op: Operation) => boolean) | undefined {
    if (this.config.cseConstants === false) return undefined;
    const folder = new OperationFolder(this.ctx, this);
    return (op) => {
      const value = constantOfOp(op);
      return value !== undefined && !folder.insertKnownConstant(op, value);
    };
  }

  private processWorklist(): boolean {
    const { maxNumRewrites = -1, fold = true } = this.config;
    let changed = false;
    let numRewrites = 0;
    let steps = 0;
    const mostSteps = LIMITS[LIMIT].most * Math.max(this.#worklist.size, 1000);
    while (numRewrites < maxNumRewrites || maxNumRewrites === -1) {
      const op = this.#worklist.pop();
      if (!op) break;
      if (isOpTriviallyDead(op)) {
        this.eraseDead(op);
        changed = true;
        continue;
      }
      // A constant would fold to itself for ever.
      if (fold && !op.def.isConstantLike && this.tryToFold(op)) changed = true;
      else if (this.patterns.apply(op, this.#rw)) {
        changed = true;
        numRewrites++;
      } else continue;
      if (++steps > mostSteps) {
        // Told at an op that is still there.
        this.ctx.origin = (this.#worklist.pop() ?? op).id;
        throw new LimitError(LIMIT);
      }
    }
    return changed;
  }

  // Closures are made in methods of their own: one in the loop would cost every op that is visited.
  private eraseDead(op: Operation): void {
    this.rewrite("(dead)", op, () => this.#rw.erase(op));
  }
  private tryToFold(op: Operation): boolean {
    const folded = foldOperation(op);
    return folded !== undefined && this.foldTo(op, folded);
  }
  private foldTo(op: Operation, folded: NonNullable<Folded>): boolean {
    if (folded === "inPlace") {
      this.rewrite("(fold)", op, () => this.modified(op));
      return true;
    }
    return this.rewrite("(fold)", op, () => {
      const values: Value[] = [];
      this.#rw.setBefore(op);
      for (let i = 0; i < folded.length; i++) {
        const result = folded[i]!;
        if (!(result instanceof Attribute)) {
          values.push(result);
          continue;
        }
        const constant = materializeConstant(this.#rw.builder, op.def.dialect, result, op.result(i).type, op.locRef);
        if (!constant) {
          for (const made of new Set(values.map((v) => v.definingOp))) if (made) this.#rw.erase(made);
          return false;
        }
        values.push(constant.result(0));
      }
      return this.#rw.replace(op, values);
    });
  }

  /** Runs `body` as a rewrite of `op`: what it makes comes from `op`. */
  private rewrite<T>(name: string, op: Operation, body: () => T): T {
    const { ctx } = this;
    const saved = ctx.origin;
    ctx.origin = op.id;
    this.#outer.rewriteBegin?.(name, op);
    const result = body();
    this.#outer.rewriteEnd?.(name, result !== false);
    ctx.origin = saved;
    return result;
  }

  // --- the worklist ---------------------------------------------------------------------------

  /** Adds an op and those around it up to the scope; nothing when it is outside the scope. */
  private add(op: Operation): void {
    const { scope } = this;
    if (op.region === scope) return this.addOne(op);
    let at: Operation | null = op;
    while (at && at.region !== scope) at = at.region && at.parentOp;
    if (!at) return;
    for (let inner = op; ; inner = inner.parentOp!) {
      this.addOne(inner);
      if (inner === at) return;
    }
  }
  private addOne(op: Operation): void {
    if (!this.#strict || this.#strict.has(op)) this.#worklist.push(op);
  }

  inserted(op: Operation): void {
    this.#outer.inserted?.(op);
    if (this.config.strictness === "existing-and-new") this.#strict!.add(op);
    this.add(op);
  }
  modified(op: Operation): void {
    this.#outer.modified?.(op);
    this.add(op);
  }
  replaced(op: Operation, values: readonly Value[]): void {
    this.#outer.replaced?.(op, values);
  }
  erased(op: Operation): void {
    this.#outer.erased?.(op);
    this.addOperands(op);
    this.#worklist.remove(op);
    this.#strict?.delete(op);
    this.#surviving?.delete(op);
  }
  blockErased(block: Block): void {
    this.#outer.blockErased?.(block);
  }
  noMatch(op: Operation | undefined, reason: string): void {
    this.#outer.noMatch?.(op, reason);
  }
  rewriteBegin(name: string, op: Operation): void {
    this.#outer.rewriteBegin?.(name, op);
  }
  rewriteEnd(name: string, applied: boolean): void {
    this.#outer.rewriteEnd?.(name, applied);
  }

  /** When `op` goes, what it uses may be dead, or left with a single user and so have a chance to simplify. */
  private addOperands(op: Operation): void {
    for (const { value } of op.operandUses) {
      const defined = value.definingOp;
      if (defined && !hasTwoOtherUsers(value, op)) this.add(defined);
    }
  }
}

function hasTwoOtherUsers(value: Value, op: Operation): boolean {
  let other: Operation | undefined;
  for (let use = value.firstUse; use; use = use.nextUse) {
    const user = use.owner;
    if (user === op || user === other) continue;
    if (other) return true;
    other = user;
  }
  return false;
}

function walkPostOrder(region: Region, visit: (op: Operation) => void): void {
  for (let block = region.firstBlock; block; block = block.next)
    for (let op = block.firstOp; op; ) {
      const next: Operation | null = op.next;
      op.walkPostOrder(visit);
      op = next;
    }
}

/** The innermost region that holds all ops; null when one of them is a top-level op. */
function commonRegion(ops: readonly Operation[]): Region | null {
  for (let region = ops[0]!.region; region; region = region.parentRegion) {
    const inside = region;
    if (ops.every((op) => op.region?.isInside(inside))) return region;
  }
  return null;
}
