/**
 * Rewrites ops until all are legal for a target, types included.
 *
 *     const converter = new TypeConverter().addConversion((t) => (isI64(t) ? i32 : t));
 *     const target = new ConversionTarget().addLegalDialect("new").addIllegalDialect("old");
 *     applyPartialConversion(module, target, [conversionPattern("add", OldAddOp, (op, { lhs, rhs }, rw) =>
 *       rw.replace(op, rw.value(NewAddOp, { lhs, rhs })), { converter })]);
 *
 * Where the users of a converted value are not converted, there is a cast between; the converter's materializations
 * replace it, and if there is none the conversion fails.
 * Source: mlir/lib/Transforms/Utils/DialectConversion.cpp.
 */
import type { Type } from "../ir/attribute.js";
import type { Block } from "../ir/block.js";
import { positionOfLocation } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { typeText } from "../ir/text-hook.js";
import type { Value } from "../ir/value.js";
import { Conversion, type Mark } from "./conversion.js";
import type { ConversionPattern } from "./conversion-pattern.js";
import type { ConversionTarget } from "./conversion-target.js";
import { foldToValues, mayFold } from "./fold.js";
import { orderPatterns } from "./legalization-order.js";
import { type RewriteListener, Rewriter } from "./rewriter.js";
import { reconcileUnrealizedCasts } from "./unrealized-casts.js";

export interface ConversionConfig {
  readonly listener?: RewriteListener;
  /** Have the converters replace the casts that are left; when not, they stay. On by default. */
  readonly buildMaterializations?: boolean;
  /** Try to fold illegal ops before patterns; on by default. */
  readonly fold?: boolean;
}
export interface ConversionResult {
  /** When not, an error was reported and the IR is as before. */
  readonly ok: boolean;
  /** After a partial conversion, the ops that stayed and are neither legal nor marked as illegal. */
  readonly unlegalized: ReadonlySet<Operation>;
  /** After an analysis, the ops that a conversion would leave or make legal. */
  readonly legalizable: ReadonlySet<Operation>;
}
type Roots = Operation | readonly Operation[];

/** Converts what it can: only ops marked as illegal must not remain. */
export function applyPartialConversion(
  roots: Roots,
  target: ConversionTarget,
  patterns: readonly ConversionPattern[],
  config: ConversionConfig = {},
): ConversionResult {
  return new Converter(target, patterns, config, "partial").run(roots);
}
/** Converts everything: only ops that are legal may remain. */
export function applyFullConversion(
  roots: Roots,
  target: ConversionTarget,
  patterns: readonly ConversionPattern[],
  config: ConversionConfig = {},
): ConversionResult {
  return new Converter(target, patterns, config, "full").run(roots);
}
/** Reports which ops a conversion would legalise, and changes nothing. */
export function applyAnalysisConversion(
  roots: Roots,
  target: ConversionTarget,
  patterns: readonly ConversionPattern[],
  config: ConversionConfig = {},
): ConversionResult {
  return new Converter(target, patterns, config, "analysis").run(roots);
}

class Converter {
  readonly #unlegalized = new Set<Operation>();
  readonly #legalizable = new Set<Operation>();
  readonly #patternsOf: (op: Operation) => readonly ConversionPattern[];
  /** The patterns at work, each of which must not be applied to its own result. */
  readonly #active = new Set<ConversionPattern>();
  #conversion!: Conversion;

  constructor(
    readonly target: ConversionTarget,
    patterns: readonly ConversionPattern[],
    readonly config: ConversionConfig,
    readonly mode: "partial" | "full" | "analysis",
  ) {
    const order = orderPatterns(patterns, target);
    this.#patternsOf = (op) => order(op.def);
  }

  run(roots: Roots): ConversionResult {
    const ops = "isOperation" in roots ? [roots as Operation] : (roots as readonly Operation[]);
    const first = ops[0];
    const result = (ok: boolean): ConversionResult => ({ ok, unlegalized: this.#unlegalized, legalizable: this.#legalizable });
    if (!first) return result(true);
    const conversion = (this.#conversion = new Conversion(first.ctx));
    const { version } = first.ctx;
    for (const op of ops.flatMap((root) => this.opsToConvert(root))) {
      if (this.convert(op)) continue;
      conversion.undo();
      return result(false);
    }
    if (this.mode === "analysis") {
      conversion.undo();
      first.ctx.version = version;
      return result(true);
    }
    const listener = this.config.listener ?? {};
    conversion.commit(listener);
    for (const op of this.#unlegalized) if (conversion.isIgnored(op)) this.#unlegalized.delete(op);
    return result(this.resolveCasts(new Rewriter(first.ctx, listener)));
  }

  /** Parents first, blocks in the order in which control can reach them. */
  private opsToConvert(root: Operation): Operation[] {
    const list: Operation[] = [];
    const visit = (op: Operation): void => {
      list.push(op);
      if (op.regions.length === 0 || this.target.isLegal(op) === "recursive") return;
      for (const region of op.regions) {
        if (!region.firstBlock) continue;
        for (const block of depthFirst(region.firstBlock)) for (const nested of block.ops()) visit(nested);
      }
    };
    visit(root);
    return list;
  }

  private convert(op: Operation): boolean {
    if (this.legalize(op)) {
      this.#legalizable.add(op);
      return true;
    }
    if (this.mode === "full") return fail(op, `failed to legalize operation '${op.name}'`);
    if (this.mode === "partial") {
      if (this.target.isIllegal(op)) return fail(op, `failed to legalize operation '${op.name}' that was explicitly marked illegal`);
      this.#unlegalized.add(op);
    }
    return true;
  }

  private legalize(op: Operation): boolean {
    if (this.#conversion.isIgnored(op)) return true;
    const legal = this.target.isLegal(op);
    if (legal) {
      if (legal === "recursive")
        op.walk((nested) => {
          if (nested !== op) this.#conversion.ignore(nested);
        });
      return true;
    }
    return this.legalizeWithFold(op) || this.legalizeWithPattern(op);
  }

  private legalizeWithFold(op: Operation): boolean {
    const { fold = true } = this.config;
    if (!fold || op.def.isConstantLike || !mayFold(op.def)) return false;
    const conversion = this.#conversion;
    const { rw, ctx } = conversion;
    const mark = conversion.mark();
    const { origin } = ctx;
    conversion.willModify(op);
    rw.builder.setBefore(op);
    ctx.origin = op.id;
    const folded = foldToValues(op, rw.builder);
    ctx.origin = origin;
    const made = conversion.newOps;
    conversion.forgetPattern();
    if (folded === undefined) {
      conversion.undo(mark);
      return false;
    }
    // Changed in place it may be legal now.
    if (folded === "inPlace") return this.legalize(op);
    rw.replace(op, folded);
    for (const constant of made) {
      if (this.legalize(constant)) continue;
      conversion.undo(mark);
      return false;
    }
    return true;
  }

  private legalizeWithPattern(op: Operation): boolean {
    for (const pattern of this.#patternsOf(op)) {
      if (pattern.applies && !pattern.applies(op)) continue;
      if (!pattern.boundedRecursion && this.#active.has(pattern)) continue;
      this.#active.add(pattern);
      const applied = this.apply(pattern, op);
      this.#active.delete(pattern);
      if (applied) return true;
    }
    return false;
  }

  private apply(pattern: ConversionPattern, op: Operation): boolean {
    const conversion = this.#conversion;
    const { rw, ctx } = conversion;
    const mark: Mark = conversion.mark();
    const saved = { converter: conversion.converter, origin: ctx.origin };
    const { listener } = this.config;
    conversion.forgetPattern();
    conversion.converter = pattern.converter;
    ctx.origin = op.id;
    rw.builder.setBefore(op);
    rw.builder.loc = op.locRef;
    listener?.rewriteBegin?.(pattern.name, op);
    const operands = conversion.remapAll(op.operands, op.locRef);
    let applied = operands !== undefined && pattern.rewrite(op, operands, rw, conversion);
    conversion.converter = saved.converter;
    ctx.origin = saved.origin;
    if (applied) {
      const { newOps, modifiedOps, insertedBlocks } = conversion;
      conversion.forgetPattern();
      applied = this.legalizeBlocks(op, insertedBlocks, newOps) && this.legalizeAll(modifiedOps) && this.legalizeAll(newOps);
    } else conversion.forgetPattern();
    if (!applied) conversion.undo(mark);
    listener?.rewriteEnd?.(pattern.name, applied);
    return applied;
  }

  /** Blocks that came into another op's region get the types of that region. */
  private legalizeBlocks(root: Operation, blocks: ReadonlySet<Block>, newOps: ReadonlySet<Operation>): boolean {
    if (blocks.size === 0) return true;
    const done = new Set<Operation>();
    for (const block of blocks) {
      const parent = block.parentOp;
      if (!parent || parent === root || block.args.length === 0) continue;
      const converter = this.#conversion.regionConverter(block.region!);
      if (converter) {
        const signature = converter.convertBlockSignature(block);
        if (!signature) return false;
        this.#conversion.applySignatureConversion(block, signature, converter);
      } else if (!newOps.has(parent) && !done.has(parent)) {
        done.add(parent);
        if (!this.legalize(parent)) return false;
      }
    }
    return true;
  }
  private legalizeAll(ops: ReadonlySet<Operation>): boolean {
    for (const op of ops) if (!this.legalize(op)) return false;
    return true;
  }

  /** Cancels casts that come back to where they started, and has the converters replace those that are left. */
  private resolveCasts(rw: Rewriter): boolean {
    const { casts, ctx } = this.#conversion;
    // These casts were never in the IR for others: nothing comes from them.
    const replace = (cast: Operation, values: readonly Value[]): void => {
      rw.listener.replaced?.(cast, values);
      cast.results.forEach((result, i) => rw.replaceAllUses(result, values[i]!));
    };
    const left = reconcileUnrealizedCasts([...casts.keys()], rw, replace);
    if (this.config.buildMaterializations === false) return true;
    for (const cast of left) {
      const { kind, converter, originalType } = casts.get(cast)!;
      const { origin } = ctx;
      rw.builder.setBefore(cast);
      rw.builder.loc = cast.locRef;
      ctx.origin = cast.origin;
      const values =
        kind === "target"
          ? converter?.materializeTarget(rw, cast.resultTypes, cast.operands, cast.locRef, originalType)
          : converter?.materializeSource(rw, cast.result(0).type, cast.operands, cast.locRef);
      ctx.origin = origin;
      if (!values) {
        const types = (list: readonly Type[]) => list.map((t) => `'${typeText(t)}'`).join(", ");
        return fail(
          cast,
          `failed to legalize unresolved materialization from (${types(cast.operands.map((v) => v.type))}) to (${types(cast.resultTypes)}) that remained live after conversion`,
        );
      }
      replace(cast, values);
      rw.erase(cast);
    }
    return true;
  }
}

/** The blocks that control can reach, in the order in which a conversion goes through them. */
export function depthFirst(entry: Block): Set<Block> {
  const seen = new Set<Block>();
  const stack = [entry];
  for (let block = stack.pop(); block; block = stack.pop()) {
    if (seen.has(block)) continue;
    seen.add(block);
    stack.push(...block.successors().reverse());
  }
  return seen;
}

function fail(op: Operation, message: string): false {
  const position = positionOfLocation(op.ctx, op.locRef);
  op.ctx.emit({ severity: "error", code: "conversion.illegal", message, ...(position ? { position } : {}), notes: [] });
  return false;
}
