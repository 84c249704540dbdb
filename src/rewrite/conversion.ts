/**
 * The changes of a dialect conversion while it runs. Ops are made and moved at once; an op that is replaced stays, with
 * its old uses, until all went well: then `commit` makes the replacements, else `undo` restores what was.
 * Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, ConversionPatternRewriterImpl.
 */
import type { Type } from "../ir/attribute.js";
import { Block } from "../ir/block.js";
import type { Context } from "../ir/context.js";
import { Dominance } from "../ir/dominance.js";
import { type LocationRef, unknownLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import { Bug } from "../support/assert.js";
import { announceErased, type Change, destroy, destroyBlock, replaceBlockUses, undoChange } from "./conversion-changes.js";
import { ConversionMapping, hasTypes } from "./conversion-mapping.js";
import { type RewriteListener, Rewriter, type RewriterHooks } from "./rewriter.js";
import type { SignatureConversion, TypeConverter } from "./type-converter.js";
import { unrealizedCast } from "./unrealized-casts.js";

/** A cast that the conversion put where a type did not fit, and how it may be replaced. */
export interface UnresolvedCast {
  readonly kind: "source" | "target";
  readonly converter: TypeConverter | undefined;
  readonly originalType: Type | undefined;
}

/** How much was done at a point to which `undo` can go back. */
export interface Mark {
  readonly changes: number;
  readonly ignored: number;
  readonly replaced: number;
}

/** A dialect conversion: legal ops stay, patterns rewrite the others. Source: mlir/lib/Transforms/Utils/DialectConversion.cpp. */
export class Conversion {
  readonly rw: Rewriter;
  readonly mapping = new ConversionMapping();
  /** The casts made, in order. */
  readonly casts = new Map<Operation, UnresolvedCast>();
  /** The ops that the current pattern made, those that it changed, and the blocks that it inserted. */
  newOps = new Set<Operation>();
  modifiedOps = new Set<Operation>();
  insertedBlocks = new Set<Block>();
  /** The type converter of the pattern at work. */
  converter: TypeConverter | undefined;
  readonly #changes: Change[] = [];
  readonly #ignored = new Stack<Operation>();
  readonly #replaced = new Stack<Operation>();
  readonly #regionConverters = new Map<Region, TypeConverter>();

  constructor(readonly ctx: Context) {
    const hooks: RewriterHooks = {
      replace: (op, values) => this.replaceOp(op, values),
      eraseBlock: (block) => this.eraseBlock(block),
      replaceArgument: (arg, values) => this.replaceArgument(arg, values),
      willModify: (op) => this.willModify(op),
      modified: (op) => void this.modifiedOps.add(op),
      moved: (op, block, before) => void this.#changes.push({ kind: "move-op", op, block, before }),
      blockInserted: (block, region, before) => {
        this.insertedBlocks.add(block);
        if (region) this.#changes.push({ kind: "move-block", block, region, before });
        else this.#changes.push({ kind: "create-block", block });
      },
      inlining: (source) => void this.#changes.push({ kind: "inline-block", source, ops: [...source.ops()] }),
    };
    const listener: RewriteListener = {
      inserted: (op) => {
        this.#changes.push({ kind: "create-op", op });
        this.newOps.add(op);
      },
    };
    this.rw = new Rewriter(ctx, listener, 0, hooks);
  }

  // --- what patterns use ------------------------------------------------------------------------

  /** The replacement of a value, of the type that the pattern's converter gives it; undefined when it has none. */
  remap(value: Value): Value | undefined {
    const values = this.remapAll([value])?.[0];
    return values?.length === 1 ? values[0] : undefined;
  }
  /** Replaces an op whose results become several values each (or none). */
  replaceWithMultiple(op: Operation, values: readonly (readonly Value[])[]): true {
    const { builder } = this.rw;
    if (builder.before === op) builder.setAfter(op);
    this.replaceOp(op, values);
    return true;
  }
  /**
   * Converts the arguments of all blocks of a region; the entry's as `entry` says. Returns the new entry block, "empty" for
   * a region without blocks, undefined when a type cannot be converted.
   */
  convertRegionTypes(region: Region, converter: TypeConverter, entry?: SignatureConversion): Block | "empty" | undefined {
    this.#regionConverters.set(region, converter);
    const first = region.firstBlock;
    if (!first) return "empty";
    const others: Block[] = [];
    for (let block = first.next; block; block = block.next) others.push(block);
    for (const block of others) {
      const signature = converter.convertBlockSignature(block);
      if (!signature) return undefined;
      this.applySignatureConversion(block, signature, converter);
    }
    const signature = entry ?? converter.convertBlockSignature(first);
    return signature && this.applySignatureConversion(first, signature, converter);
  }
  /** Gives a block other arguments, by putting a new block with its ops in its place. */
  applySignatureConversion(block: Block, signature: SignatureConversion, converter: TypeConverter | undefined): Block {
    const { types } = signature;
    if (hasTypes(block.args, types)) return block;
    const fresh = new Block(this.ctx);
    block.region!.insertBlock(fresh, block.next);
    const locs = new Array<LocationRef>(types.length).fill(unknownLoc(this.ctx));
    block.args.forEach((arg, i) => {
      const mapping = signature.mapping(i);
      if (mapping?.kind === "arguments") locs.fill(arg.argLoc!, mapping.first, mapping.first + mapping.count);
    });
    types.forEach((type, i) => void fresh.addArgument(type, locs[i]!));
    this.insertedBlocks.add(fresh);
    this.#changes.push({ kind: "create-block", block: fresh });
    this.#changes.push({ kind: "inline-block", source: block, ops: [...block.ops()] });
    fresh.takeOpsOf(block);
    replaceBlockUses(block, fresh);
    block.args.forEach((arg, i) => {
      const mapping = signature.mapping(i);
      let values: readonly Value[];
      if (!mapping) {
        // Dropped without replacement: a value out of thin air.
        values = this.cast("source", { block: fresh, before: fresh.firstOp }, arg.argLoc!, [], [], [arg.type], undefined, converter, false);
      } else values = mapping.kind === "values" ? mapping.values : fresh.args.slice(mapping.first, mapping.first + mapping.count);
      this.replaceArgument(arg, values, converter);
    });
    this.#changes.push({ kind: "convert-block", from: block, to: fresh });
    this.eraseBlock(block);
    return fresh;
  }

  // --- what the driver uses ---------------------------------------------------------------------

  /** Whether an op needs no more legalisation. */
  isIgnored(op: Operation): boolean {
    return this.#replaced.has(op) || this.#ignored.has(op);
  }
  ignore(op: Operation): void {
    this.#ignored.push(op);
  }
  regionConverter(region: Region): TypeConverter | undefined {
    return this.#regionConverters.get(region);
  }
  /** The replacements of values, of the types that the pattern's converter gives them; undefined when one has none. */
  remapAll(values: readonly Value[], loc?: LocationRef): (readonly Value[])[] | undefined {
    const remapped: (readonly Value[])[] = [];
    for (const value of values) {
      if (!this.converter) {
        // Casts depend on other patterns: a pattern without types gets what patterns gave.
        remapped.push(this.mapping.lookup(value, undefined, true));
        continue;
      }
      const types = this.converter.convert(value.type);
      if (!types) return undefined;
      if (types.length === 0) {
        remapped.push([]);
        continue;
      }
      const known = this.mapping.lookup(value, types);
      if (known.length > 0) {
        remapped.push(known);
        continue;
      }
      const latest = this.mapping.lookup(value, undefined, true);
      const at = loc ?? value.definingOp?.locRef ?? value.argLoc!;
      remapped.push(this.cast("target", insertPoint(latest), at, latest, latest, types, value.type, this.converter));
    }
    return remapped;
  }

  mark(): Mark {
    return { changes: this.#changes.length, ignored: this.#ignored.size, replaced: this.#replaced.size };
  }
  /** Takes back everything since `mark` (by default: everything). */
  undo(mark: Mark = { changes: 0, ignored: 0, replaced: 0 }): void {
    while (this.#changes.length > mark.changes) undoChange(this.#changes.pop()!, this.mapping, this.casts);
    this.#ignored.truncate(mark.ignored);
    this.#replaced.truncate(mark.replaced);
  }
  forgetPattern(): void {
    this.newOps = new Set();
    this.modifiedOps = new Set();
    this.insertedBlocks = new Set();
  }
  /** Starts an in-place change that may be taken back by `undo`. */
  willModify(op: Operation): void {
    this.#changes.push({
      kind: "modify-op",
      op,
      loc: op.locRef,
      attrs: op.attrs,
      operands: op.operands,
      successors: op.successors.map((s) => s.block),
    });
  }

  /** Makes all replacements, and erases what was replaced. */
  commit(listener: RewriteListener): void {
    const rw = new Rewriter(this.ctx, listener);
    // Commits may add casts.
    for (let i = 0; i < this.#changes.length; i++) this.commitChange(this.#changes[i]!, rw);
    for (const change of this.#changes) {
      if (change.kind === "replace-op") destroy(change.op);
      else if (change.kind === "erase-block") destroyBlock(change.block);
    }
  }

  private commitChange(change: Change, rw: Rewriter): void {
    const { listener } = rw;
    switch (change.kind) {
      case "create-op":
      case "move-op":
        return listener.inserted?.(change.op);
      case "modify-op":
        return listener.modified?.(change.op);
      case "cast":
        return listener.inserted?.(change.op);
      case "replace-op": {
        const { op, converter } = change;
        const values = rw.from(op, () => op.results.map((result) => this.replacement(result, converter)));
        listener.replaced?.(
          op,
          values.filter((v) => v !== undefined),
        );
        values.forEach((value, i) => {
          if (!value) return;
          rw.noteOrigin(value, op);
          rw.replaceAllUses(op.result(i), value);
        });
        if (listener.erased) announceErased(op, listener);
        op.block?.unlink(op);
        return;
      }
      case "erase-block":
        if (listener.erased) for (const op of change.block.ops()) announceErased(op, listener);
        return listener.blockErased?.(change.block);
      case "replace-argument": {
        const value = this.replacement(change.arg, change.converter);
        if (!value) return;
        const by = value.definingOp;
        // The op that makes the replacement from the argument must go on using the argument.
        rw.replaceUsesWhere(change.arg, value, (use) => !by || use.owner.block !== by.block || by.isBeforeInBlock(use.owner));
        return;
      }
      case "convert-block":
        if (listener.modified) for (let use = change.to.firstUse; use; use = use.nextUse) listener.modified(use.owner);
        return;
      case "create-block":
      case "inline-block":
      case "move-block":
    }
  }

  private replaceOp(op: Operation, values: readonly (readonly Value[])[]): void {
    if (values.length !== op.results.length) throw new Bug(`${op.name} is replaced by another number of values than it has results`);
    op.results.forEach((result, i) => {
      const by = values[i]!;
      if (by.length > 0) this.mapping.set([result], by);
      // Dropped without replacement: a value out of thin air, in case somebody still uses it.
      else this.cast("source", insertPoint([result]), op.locRef, [result], [], [result.type], undefined, this.converter, false);
    });
    this.#changes.push({ kind: "replace-op", op, converter: this.converter });
    op.walk((nested) => this.#replaced.push(nested));
  }
  private replaceArgument(arg: Value, values: readonly Value[], converter = this.converter): void {
    this.#changes.push({ kind: "replace-argument", arg, converter });
    this.mapping.set([arg], values);
  }
  private eraseBlock(block: Block): void {
    const region = block.region!;
    this.#changes.push({ kind: "erase-block", block, region, before: block.next });
    region.unlinkBlock(block);
    for (const op of block.ops()) op.walk((nested) => this.#replaced.push(nested));
  }

  /** The value of the same type that stands for a replaced one; undefined when nobody needs it. */
  private replacement(value: Value, converter: TypeConverter | undefined): Value | undefined {
    const known = this.mapping.lookupOther(value, [value.type]);
    if (known) return known[0];
    if (!this.mapping.isTarget(value) && value.users().every((user) => this.#replaced.has(user))) return undefined;
    const latest = this.mapping.lookupOther(value);
    if (!latest) return undefined;
    const loc = value.definingOp?.locRef ?? value.argLoc!;
    return this.cast("source", insertPoint(latest), loc, latest, latest, [value.type], undefined, converter)[0];
  }

  /** Puts a cast of `inputs` to `types`; `from` is then known to be its results. */
  private cast(
    kind: UnresolvedCast["kind"],
    at: InsertPoint,
    loc: LocationRef,
    from: readonly Value[],
    inputs: readonly Value[],
    types: readonly Type[],
    originalType: Type | undefined,
    converter: TypeConverter | undefined,
    onlyTypes = true,
  ): readonly Value[] {
    const op = unrealizedCast(this.ctx, loc, inputs, types);
    at.block.insert(op, at.before);
    if (onlyTypes) this.mapping.typeCasts.add(op);
    if (from.length > 0) this.mapping.set(from, op.results);
    this.casts.set(op, { kind, converter, originalType });
    this.#changes.push({ kind: "cast", op, from });
    return op.results;
  }
}

interface InsertPoint {
  readonly block: Block;
  readonly before: Operation | null;
}
/** The first place at which all values are defined. */
function insertPoint(values: readonly Value[]): InsertPoint {
  let latest = values[0]!;
  const dominance = new Dominance();
  for (const value of values.slice(1)) {
    const [a, b] = [placeOf(latest), placeOf(value)];
    const later =
      a.block === b.block
        ? value.definingOp !== undefined && (latest.definingOp === undefined || latest.definingOp.isBeforeInBlock(value.definingOp))
        : value.definingOp
          ? dominance.valueDominates(latest, value.definingOp)
          : dominance.blockDominates(a.block, b.block);
    if (later) latest = value;
  }
  return placeOf(latest);
}
function placeOf(value: Value): InsertPoint {
  const op = value.definingOp;
  if (op) return { block: op.block!, before: op.next };
  const block = value.argOwner!;
  return { block, before: block.firstOp };
}

/** A set that remembers the order of insertion, and can forget the newest. */
class Stack<T> {
  readonly #list: T[] = [];
  readonly #set = new Set<T>();
  get size(): number {
    return this.#list.length;
  }
  has(item: T): boolean {
    return this.#set.has(item);
  }
  push(item: T): void {
    if (this.#set.has(item)) return;
    this.#set.add(item);
    this.#list.push(item);
  }
  truncate(size: number): void {
    while (this.#list.length > size) this.#set.delete(this.#list.pop()!);
  }
}
