import { Attribute, type Type } from "../ir/attribute.js";
import type { Block } from "../ir/block.js";
import type { Context } from "../ir/context.js";
import { unknownLoc } from "../ir/location.js";
import { constantOfOp } from "../ir/match.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import { foldFully, materializeConstant } from "./fold.js";
import { type RewriteListener, Rewriter } from "./rewriter.js";

/** One constant per dialect, value and type. */
interface Unique {
  readonly dialect: string;
  readonly type: Type;
  op: Operation;
}
type Scope = Map<Attribute, Unique[]>;

/**
 * Folds ops and keeps one copy of each constant, at the start of the region that constants go to: the place of constants
 * is part of the result. A constant that stands for several, or came from another block, belongs to no line: its location
 * becomes unknown. Source: mlir/lib/Transforms/Utils/FoldUtils.cpp.
 */
export class OperationFolder {
  readonly #rw: Rewriter;
  readonly #scopes = new Map<Region, Scope>();
  /** The constants kept, and the dialects under which each is known. */
  readonly #owned = new Map<Operation, string[]>();

  constructor(ctx: Context, listener: RewriteListener = {}) {
    this.#rw = new Rewriter(ctx, listener);
  }

  /** Folds `op`: "replaced" erases it, "inPlace" changed it; undefined when it does not fold. */
  tryToFold(op: Operation): "replaced" | "inPlace" | undefined {
    if (this.#owned.has(op)) {
      this.hoist(op);
      return undefined;
    }
    return this.#rw.from(op, () => {
      const folded = foldFully(op);
      if (folded === undefined) return undefined;
      if (folded === "inPlace") {
        this.#rw.listener.modified?.(op);
        return "inPlace";
      }
      const values = this.toValues(op, folded);
      if (!values) return undefined;
      this.notifyRemoval(op);
      this.#rw.replace(op, values);
      return "replaced";
    });
  }

  /**
   * Makes a constant op that is in the IR known. Returns false when there is one like it already: then `op` was
   * replaced by that and erased.
   */
  insertKnownConstant(op: Operation, value: Attribute): boolean {
    if (this.#owned.has(op)) {
      this.hoist(op);
      return true;
    }
    const block = op.block!;
    const region = insertionRegion(block);
    const scope = this.scope(region);
    const type = op.result(0).type;
    const known = find(scope, op.def.dialect, value, type);
    if (known) {
      this.#rw.replace(op, known.results);
      known.setLoc(unknownLoc(op.ctx));
      return false;
    }
    const entry = region.firstBlock!;
    if (block !== entry) {
      op.moveToStart(entry);
      op.setLoc(unknownLoc(op.ctx));
    } else if (!this.standsWell(op)) op.moveToStart(entry);
    add(scope, op.def.dialect, value, type, op);
    this.#owned.set(op, [op.def.dialect]);
    return true;
  }

  /** The constant for uses in `block`, made if there is none; undefined when the dialect has no op for it. */
  getOrCreateConstant(block: Block, dialect: string, value: Attribute, type: Type): Value | undefined {
    const region = insertionRegion(block);
    this.#rw.setStart(region.firstBlock!);
    return this.constant(this.scope(region), dialect, value, type)?.result(0);
  }

  /** Forgets a constant that is about to be erased. */
  notifyRemoval(op: Operation): void {
    const dialects = this.#owned.get(op);
    if (!dialects) return;
    const value = constantOfOp(op)!;
    const scope = this.scope(insertionRegion(op.block!));
    const kept = scope.get(value)?.filter((u) => u.op !== op) ?? [];
    if (kept.length > 0) scope.set(value, kept);
    else scope.delete(value);
    this.#owned.delete(op);
  }

  /** Back to the start of its block when something came before it that is no constant of ours. */
  private hoist(op: Operation): void {
    if (this.standsWell(op)) return;
    op.moveToStart(op.block!);
    op.setLoc(unknownLoc(op.ctx));
  }
  /** Whether only constants of ours come before this op. */
  private standsWell(op: Operation): boolean {
    return op.prev === null || this.#owned.has(op.prev);
  }
  private scope(region: Region): Scope {
    let scope = this.#scopes.get(region);
    if (!scope) this.#scopes.set(region, (scope = new Map()));
    return scope;
  }

  private toValues(op: Operation, folded: readonly (Value | Attribute)[]): Value[] | undefined {
    const region = insertionRegion(op.block!);
    const entry = region.firstBlock!;
    const before = entry.firstOp;
    this.#rw.setStart(entry);
    const scope = this.scope(region);
    const values: Value[] = [];
    for (let i = 0; i < folded.length; i++) {
      const result = folded[i]!;
      if (!(result instanceof Attribute)) {
        values.push(result);
        continue;
      }
      const constant = this.constant(scope, op.def.dialect, result, op.result(i).type);
      if (!constant) {
        for (let made = entry.firstOp; made && made !== before; made = entry.firstOp) {
          this.notifyRemoval(made);
          this.#rw.erase(made);
        }
        return undefined;
      }
      // The op being folded may have been put before the constant.
      if (op.block === constant.block && op.block!.firstOp !== constant) constant.moveToStart(op.block!);
      values.push(constant.result(0));
    }
    return values;
  }

  private constant(scope: Scope, dialect: string, value: Attribute, type: Type): Operation | undefined {
    const unknown = unknownLoc(value.ctx);
    const known = find(scope, dialect, value, type);
    if (known) {
      known.setLoc(unknown);
      return known;
    }
    const made = materializeConstant(this.#rw.builder, dialect, value, type, unknown);
    if (!made) return undefined;
    const own = made.def.dialect;
    if (own === dialect) {
      add(scope, dialect, value, type, made);
      this.#owned.set(made, [dialect]);
      return made;
    }
    // Another dialect's op: keep it under both names, or use the one that is there.
    const existing = find(scope, own, value, type);
    if (existing) {
      this.#rw.erase(made);
      this.#owned.get(existing)!.push(dialect);
      existing.setLoc(unknown);
      add(scope, dialect, value, type, existing);
      return existing;
    }
    add(scope, dialect, value, type, made);
    add(scope, own, value, type, made);
    this.#owned.set(made, [dialect, own]);
    return made;
  }
}

function find(scope: Scope, dialect: string, value: Attribute, type: Type): Operation | undefined {
  return scope.get(value)?.find((u) => u.dialect === dialect && u.type === type)?.op;
}
function add(scope: Scope, dialect: string, value: Attribute, type: Type, op: Operation): void {
  const entry: Unique = { dialect, type, op };
  const known = scope.get(value);
  if (known) known.push(entry);
  else scope.set(value, [entry]);
}

/** The region at whose start constants for uses in `block` go: that of the nearest op isolated from above. */
export function insertionRegion(block: Block): Region {
  let region = block.region!;
  for (;;) {
    const parent = region.parentOp!;
    if (parent.def.isIsolated || !parent.def.registered || !parent.block) return region;
    region = parent.block.region!;
  }
}
