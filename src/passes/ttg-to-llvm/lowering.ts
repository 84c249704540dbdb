/**
 * The lowering of a module's functions to the LLVM dialect: what every rule works with.
 *
 * The old function stays as it is while the new one is built beside it, so analyses of the old one stay valid and rules read
 * types and encodings off the old values. A rule makes ops with `lo.b` and says what the old op's results became:
 *
 *     rule(TransOp, (trans, lo) => lo.alias(trans.result, trans.src)),
 *     rule(AddPtrOp, ({ ptr, offset, result }, lo) => { ... lo.setElements(result, pointers) }),
 *
 * A tensor is the list of elements that a thread holds. In upstream's output it is a struct, filled in where it is made and taken
 * apart at each use; nearly all of that is folded away by the canonicalizer that follows. While `folding` is on, the struct is made
 * only for those that want it whole (branches, calls), and then where upstream makes it: after what made its elements.
 * Source: mlir/lib/Transforms/Utils/DialectConversion.cpp and lib/Conversion/TritonGPUToLLVM; the direct form is ours.
 */

import type { ModuleAxisInfo } from "../../analysis/module-axis-info.js";
import { BrOp, CondBrOp } from "../../dialects/llvm/ops/control-flow.js";
import { structType } from "../../dialects/llvm/types/types.js";
import { CallOp } from "../../dialects/tt/ops/function.js";
import { TransOp } from "../../dialects/tt/ops/shape.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import { WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { isAnyTensorDesc } from "../../dialects/ttng/types.js";
import type { Type } from "../../ir/attribute.js";
import { Block } from "../../ir/block.js";
import { Builder } from "../../ir/builder.js";
import type { Context } from "../../ir/context.js";
import type { OpDef, TypedOpDef, ViewOf } from "../../ir/define-op.js";
import { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";
import type { PassReport } from "../../pass/define-pass.js";
import { depthFirst } from "../../rewrite/dialect-conversion.js";
import { foldToValues } from "../../rewrite/fold.js";
import { isUnrealizedCast, unrealizedCast } from "../../rewrite/unrealized-casts.js";
import { Bug } from "../../support/assert.js";
import type { CodeForms } from "./code-forms.js";
import { LLBuilder } from "./ll-builder.js";
import type { TargetCode } from "./target-code.js";
import { convertType } from "./type-converter.js";

/** The target that code is generated for; a vendor's has more. */
export interface LoweringTarget {
  readonly code: TargetCode<Lowering>;
  readonly forms: CodeForms;
  readonly numCTAs: number;
  readonly threadsPerWarp: number;
}

/** How one op kind is lowered; returns false (after reporting why) when it cannot be. */
export interface LoweringRule<T extends LoweringTarget = LoweringTarget> {
  readonly def: OpDef;
  readonly lower: (op: Operation, lo: Lowering<T>) => boolean;
}
/** The rule for ops of one kind. The body returns nothing when all is well, false after `lo.fail`. */
export function rule<O, A, R, G, S, T extends LoweringTarget = LoweringTarget>(
  def: TypedOpDef<O, A, R, G, S>,
  body: (op: ViewOf<O, A, R, G, S>, lo: Lowering<T>) => false | void,
): LoweringRule<T> {
  return { def, lower: (op, lo) => body(def.viewOf(op) as ViewOf<O, A, R, G, S>, lo) !== false };
}

/** True if some user takes the struct of a tensor: a branch, a call, another group of warps or an op of the vendor's, perhaps by another name. */
function wantedWhole(value: Value, code: TargetCode<Lowering>): boolean {
  return value
    .users()
    .some(
      (user) =>
        user.def.isTerminator ||
        CallOp.is(user) ||
        WarpSpecializeOp.is(user) ||
        code.takesStruct(user) ||
        (ALIASING.has(user.def) && wantedWhole(user.result(0), code)),
    );
}
const ALIASING: ReadonlySet<OpDef> = new Set<OpDef>([TransOp, ConvertLayoutOp]);

/** The values among these that are used, in order of their first uses. */
function inOrderOfUse(values: readonly Value[]): ReadonlySet<Value> {
  const wanted = new Set(values);
  const used = new Set<Value>();
  const look = (op: Operation): void => {
    for (const { value } of op.operandUses) if (wanted.has(value)) used.add(value);
  };
  const block = values[0]?.parentBlock;
  if (block) for (const next of depthFirst(block)) for (const op of next.ops()) op.walk(look);
  return used;
}

/** Leaves an op what it is, with its operands as lowered. */
const COPY: Pick<LoweringRule, "lower"> = {
  lower(op, lo) {
    const operands = lo.allValues(op.operands);
    const copy = new Operation(op.ctx, op.def, { loc: lo.b.loc, operands, resultTypes: op.resultTypes, attrs: op.attrs });
    lo.b.insert(copy);
    op.results.forEach((result, i) => {
      lo.setValue(result, copy.result(i));
    });
    return true;
  },
};

/** Leaves an op as it is, also the types that it works on: structured control flow, dialects that nobody knows, and until a later pass. */
export const COPY_UNCONVERTED: LoweringRule["lower"] = (op, lo) => {
  const { b } = lo;
  const operands = op.operands.map((value) => lo.unconverted(value));
  const { resultTypes, attrs, regions } = op;
  const copy = new Operation(op.ctx, op.def, { loc: b.loc, operands, resultTypes, attrs, numRegions: regions.length });
  b.insert(copy);
  const { block, before } = b;
  if (!regions.every((region, i) => region.empty || lo.lowerRegion(region, copy.regions[i]!))) return false;
  b.block = block;
  b.before = before;
  lo.setUnconverted(op.results, copy.results);
  return true;
};

/** The lowered form of an old value: its elements, the struct of them, or both. */
interface Lowered {
  elements: readonly Value[] | undefined;
  packed: Value | undefined;
  /** Where the struct goes when it is wanted later: after `after`, or at the start of `block`. */
  block: Block;
  after: Operation | null;
  origin: number | readonly number[] | undefined;
}

export class Lowering<T extends LoweringTarget = LoweringTarget> {
  readonly b: LLBuilder;
  readonly ctx: Context;
  #values = new Map<Value, Lowered>();
  #blocks = new Map<Block, Block>();
  /** Undefined where there is no rule. */
  readonly #lowerByRule: (op: Operation) => boolean | undefined;
  /** Values in the types that they had. */
  #unconverted = new Map<Value, Value>();
  /** The old op that is being lowered, and the old function. */
  op!: Operation;
  func!: Operation;
  /** The new function. */
  newFunc!: Operation;

  constructor(
    readonly module: Operation,
    readonly target: T,
    readonly axisInfo: ModuleAxisInfo,
    rules: ReadonlyMap<OpDef, LoweringRule<T>>,
    readonly folding: boolean,
    private readonly report: Pick<PassReport, "error" | "crash">,
  ) {
    this.ctx = module.ctx;
    this.b = new LLBuilder(module.ctx, folding);
    this.#lowerByRule = (op) => rules.get(op.def)?.lower(op, this);
  }
  get code(): TargetCode<Lowering> {
    return this.target.code;
  }
  get forms(): T["forms"] {
    return this.target.forms;
  }

  /** Reports why `op` cannot be lowered. Rules return its result: `return lo.fail(op, "...")`. */
  fail(op: Operation, message: string, code = "lower.unsupported"): false {
    this.report.error(op, message, code);
    return false;
  }
  /** Notes that real Triton ends at `op` without a message, where this lowering goes on. */
  noteCrash(op: Operation, why: string): void {
    this.report.crash(op, why);
  }

  // --- values -------------------------------------------------------------------------------
  /** A value's type in the LLVM dialect. */
  typeOf(type: Type): Type {
    return isAnyTensorDesc(type) ? this.code.descriptorType(type) : convertType(type);
  }
  /** The result type of a function: nothing, the type itself, or a struct of several. */
  typeOfResults(types: readonly Type[]): Type | undefined {
    if (types.length <= 1) return types[0] && this.typeOf(types[0]);
    return structType(
      this.ctx,
      types.map((type) => this.typeOf(type)),
    );
  }
  #lowered(value: Value): Lowered {
    const lowered = this.#values.get(value);
    if (!lowered) throw new Bug(`${value.definingOp?.name ?? "a block argument"} was not lowered before its use by ${this.op.name}`);
    return lowered;
  }
  /** The elements of a tensor that a thread holds, those of a memdesc (base, then offsets), or the one value of a scalar. */
  elements(value: Value): readonly Value[] {
    const lowered = this.#lowered(value);
    if (lowered.elements) return lowered.elements;
    return this.b.unpackStruct(lowered.packed!);
  }
  /** One of the elements. */
  element(value: Value, index: number): Value {
    const { elements, packed } = this.#lowered(value);
    return elements?.[index] ?? this.b.extractValue(packed!, index);
  }
  /** The value as one: a scalar, or the whole struct. */
  value(value: Value): Value {
    const lowered = this.#lowered(value);
    return (lowered.packed ??= this.#pack(value, lowered));
  }
  /** The values of a list of operands. */
  allValues(values: readonly Value[]): Value[] {
    return values.map((v) => this.value(v));
  }
  setElements(value: Value, elements: readonly Value[]): void {
    const { b } = this;
    const lowered: Lowered = {
      elements,
      packed: undefined,
      block: b.block,
      after: b.before ? b.before.prev : b.block.lastOp,
      origin: this.ctx.origin,
    };
    this.#values.set(value, lowered);
    if (!this.folding || wantedWhole(value, this.code)) lowered.packed = this.#pack(value, lowered);
    if (!this.folding) lowered.elements = undefined;
  }
  /** As `setElements`, for elements that are made one by one: where the struct is wanted, each goes into it at once. */
  setStruct(value: Value, count: number, element: (index: number) => Value): void {
    const { b } = this;
    const whole = !this.folding || wantedWhole(value, this.code);
    let packed = whole ? b.undef(this.typeOf(value.type)) : undefined;
    const elements: Value[] = [];
    for (let i = 0; i < count; i++) {
      elements.push(element(i));
      packed &&= b.insertValue(packed, elements[i]!, i);
    }
    if (!packed) return this.setElements(value, elements);
    this.setValue(value, packed);
    if (this.folding) this.#lowered(value).elements = elements;
  }
  /** A scalar, or a struct made as a whole. */
  setValue(value: Value, by: Value): void {
    this.#values.set(value, { elements: undefined, packed: by, block: this.b.block, after: null, origin: undefined });
  }
  /** `value` became just what `of` became. */
  alias(value: Value, of: Value): void {
    this.#values.set(value, this.#lowered(of));
  }
  /** The value in the type that it had: a cast after the value that it became. */
  unconverted(value: Value): Value {
    const by = this.value(value);
    if (by.type === value.type) return by;
    let cast = this.#unconverted.get(by);
    if (!cast) this.#unconverted.set(by, (cast = this.#castBehind(by, value.type)));
    return cast;
  }
  /** `olds` became values of their old types: casts after those that are used give the new ones, each in front of those before. */
  setUnconverted(olds: readonly Value[], news: readonly Value[]): void {
    olds.forEach((old, i) => this.setValue(old, news[i]!));
    for (const old of inOrderOfUse(olds)) {
      const by = this.value(old);
      this.setValue(old, this.#castBehind(by, this.typeOf(by.type)));
    }
  }
  /** Those of a function's arguments are in the order of the arguments, the last one first. */
  #castBehind(value: Value, type: Type): Value {
    if (value.type === type) return value;
    const { b } = this;
    const saved = { block: b.block, before: b.before };
    b.setAfter(value.parentBlock!, value.definingOp ?? null);
    if (!value.definingOp && this.newFunc.regions[0]!.firstBlock === value.parentBlock)
      while (isUnrealizedCast(b.before) && b.before.operand(0).index > value.index) b.before = b.before.next;
    const cast = b.insert(unrealizedCast(this.ctx, b.loc, [value], [type])).result(0);
    b.block = saved.block;
    b.before = saved.before;
    return cast;
  }
  #pack(value: Value, { elements, block, after, origin }: Lowered): Value {
    const type = this.typeOf(value.type);
    if (elements!.length === 1 && elements![0]!.type === type) return elements![0]!;
    const { b, ctx } = this;
    const saved = { block: b.block, before: b.before, origin: ctx.origin, loc: b.loc };
    // The constant that the struct begins with comes first: it may come after `after`.
    b.undef(type);
    b.setAfter(block, after);
    ctx.origin = origin;
    if (value.definingOp) b.loc = value.definingOp.locRef;
    const packed = b.packStruct(type, elements!);
    b.block = saved.block;
    b.before = saved.before;
    ctx.origin = saved.origin;
    b.loc = saved.loc;
    return packed;
  }

  // --- blocks -------------------------------------------------------------------------------
  /** The new block that an old one became. */
  newBlock(old: Block): Block {
    return this.#blocks.get(old)!;
  }
  /** Makes an empty block after the current one, in the same function. */
  addBlockAfter(block: Block, argTypes: readonly Type[] = []): Block {
    const added = new Block(this.ctx);
    for (const type of argTypes) added.addArgument(type, this.b.loc);
    block.region!.insertBlock(added, block.next);
    return added;
  }

  // --- driving ------------------------------------------------------------------------------
  /** Lowers the body of `func` into `newFunc`, whose entry block is there with its arguments (those of `func` come first). */
  lowerBody(func: Operation, newFunc: Operation): boolean {
    this.func = func;
    this.newFunc = newFunc;
    const region = func.regions[0]!;
    const entry = newFunc.regions[0]!.firstBlock!;
    this.#values = new Map();
    this.#blocks = new Map();
    this.#unconverted = new Map();
    this.b.startFunction(entry);
    region.firstBlock!.args.forEach((arg, i) => this.setValue(arg, entry.args[i]!));
    return this.#lowerBlocks(region, entry);
  }
  /** Lowers the ops that have a rule, in a function of the LLVM dialect. */
  lowerInPlace(func: Operation): boolean {
    const { ctx, b } = this;
    this.func = func;
    this.newFunc = func;
    this.#values = new Map();
    const ops: Operation[] = [];
    func.walk((op) => void (op.regions.length === 0 && ops.push(op)));
    for (const op of ops) {
      b.startFunction(op.block!);
      b.before = op;
      b.loc = op.locRef;
      ctx.origin = op.id;
      this.op = op;
      for (const operand of op.operands) if (!this.#values.has(operand)) this.setValue(operand, operand);
      const lowered = this.#lowerByRule(op);
      if (lowered === false) return false;
      if (!lowered) continue;
      for (const result of op.results) result.replaceAllUsesWith(this.value(result));
      op.erase();
    }
    return true;
  }
  /** Lowers all of a region into another, whose first block may be there; arguments keep their types. */
  lowerRegion(region: Region, into: Region): boolean {
    const entry = into.firstBlock ?? into.addBlock();
    const { args } = region.firstBlock!;
    this.setUnconverted(
      args,
      args.map((arg) => entry.addArgument(arg.type, arg.argLoc!)),
    );
    return this.#lowerBlocks(region, entry);
  }
  #lowerBlocks(region: Region, entry: Block): boolean {
    const order = [...depthFirst(region.firstBlock!)];
    this.#makeBlocks(region, order, entry);
    for (const block of order) {
      this.b.setEnd(this.newBlock(block));
      for (const op of block.ops()) if (!this.lower(op)) return false;
    }
    return true;
  }
  /** New blocks for those that control can reach, after `start`, in the order of the old ones; returns the last. */
  #makeBlocks(region: Region, reachable: readonly Block[], start: Block): Block {
    const wanted = new Set(reachable);
    let last = start;
    for (const block of region.blocks()) {
      if (!wanted.has(block)) continue;
      if (block !== region.firstBlock) {
        last = this.addBlockAfter(last);
        for (const arg of block.args) this.setValue(arg, last.addArgument(this.typeOf(arg.type), arg.argLoc!));
      }
      this.#blocks.set(block, last);
    }
    return last;
  }
  /** Lowers one op at the insertion point. */
  lower(op: Operation): boolean {
    const { ctx, b } = this;
    const { def } = op;
    const isUnknown = !def.registered && op.regions.length + op.successors.length === 0;
    const isLowered = def.dialect === "llvm" || def.dialect === this.code.dialect;
    const otherwise = isLowered ? COPY.lower : isUnknown || def.dialect === "scf" ? COPY_UNCONVERTED : undefined;
    const { origin } = ctx;
    const saved = { op: this.op, loc: b.loc };
    ctx.origin = op.id;
    b.loc = op.locRef;
    this.op = op;
    const done = (otherwise ? undefined : this.#folded(op)) ?? this.#lowerByRule(op) ?? otherwise?.(op, this);
    ctx.origin = origin;
    this.op = saved.op;
    b.loc = saved.loc;
    return done ?? this.fail(op, `failed to legalize operation '${op.name}' that was explicitly marked illegal`, "conversion.illegal");
  }
  /** As MLIR's conversions: an op that folds becomes what it folds to, before any rule. Undefined for others. */
  #folded(op: Operation): boolean | undefined {
    const values = foldToValues(op, Builder.before(op));
    if (values === undefined || values === "inPlace") return undefined;
    return op.results.every((result, i) => {
      const value = values[i]!;
      if (!this.#values.has(value) && !this.lower(value.definingOp!)) return false;
      this.alias(result, value);
      return true;
    });
  }
  /** Lowers the ops of a region of one block at the insertion point; returns what its terminator returns, undefined on failure. */
  inlineBlock(region: Region, args: readonly Value[]): readonly Value[] | undefined {
    const block = region.firstBlock!;
    block.args.forEach((arg, i) => this.setValue(arg, args[i]!));
    for (const op of block.ops()) if (op !== block.lastOp && !this.lower(op)) return undefined;
    return this.allValues(block.lastOp!.operands);
  }
  /**
   * Lowers the blocks of a region to blocks after the current one, which branches to them with `args`, and goes on in a block of
   * its own after those. Returns its arguments, which are what the region's terminators return; undefined on failure.
   * Source: lib/Conversion/TritonGPUToLLVM/Utility.cpp, inlineRegionImpl.
   */
  inlineBlocks(region: Region, args: readonly Value[]): readonly Value[] | undefined {
    const { b } = this;
    const first = region.firstBlock!;
    const from = b.block;
    const start = this.addBlockAfter(
      from,
      args.map((arg) => arg.type),
    );
    this.branch(start, args);
    first.args.forEach((arg, i) => this.setValue(arg, start.args[i]!));
    const order = [...depthFirst(region.firstBlock!)];
    const last = this.#makeBlocks(region, order, start);
    const returned = order.map((block) => block.lastOp!).find((op) => op.successors.length === 0)!;
    const after = this.addBlockAfter(
      last,
      returned.operands.map((v) => this.typeOf(v.type)),
    );
    for (const block of order) {
      b.setEnd(this.newBlock(block));
      for (const op of block.ops())
        if (op === block.lastOp && op.successors.length === 0) this.branch(after, this.allValues(op.operands));
        else if (!this.lower(op)) return undefined;
    }
    b.setEnd(after);
    return after.args;
  }
  /** Ends the current block with a branch. */
  branch(dest: Block, destOperands: readonly Value[]): void {
    this.b.create(BrOp, { dest, destOperands });
  }
  condBranch(condition: Value, trueDest: Block, falseDest: Block): void {
    this.b.create(CondBrOp, { condition, trueDest, trueDestOperands: [], falseDest, falseDestOperands: [] });
  }
}
