/**
 * Rewrites of ops that take or give pointers: where a pointer was, there are a base and an offset.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/CanonicalizePointers.cpp.
 */
import { ExtractSliceOp } from "../../../dialects/amdg/ops/tiles.js";
import { ConstantOp, SelectOp } from "../../../dialects/arith/ops/index.js";
import { UnrealizedConversionCastOp } from "../../../dialects/builtin/ops/index.js";
import { BranchOp, CondBranchOp } from "../../../dialects/cf/ops/branch.js";
import { buildIf } from "../../../dialects/scf/build.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { BitcastOp, PtrToIntOp } from "../../../dialects/tt/ops/cast.js";
import { PrintOp } from "../../../dialects/tt/ops/debug.js";
import { ElementwiseInlineAsmOp, ExternElementwiseOp } from "../../../dialects/tt/ops/elementwise.js";
import { CallOp, FuncOp, ReturnOp } from "../../../dialects/tt/ops/function.js";
import { AtomicCASOp, AtomicRMWOp, LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { AddPtrOp } from "../../../dialects/tt/ops/pointer.js";
import { BroadcastOp, ExpandDimsOp, SplatOp } from "../../../dialects/tt/ops/shape.js";
import { PointerType } from "../../../dialects/tt/types.js";
import { AsyncCopyGlobalToLocalOp } from "../../../dialects/ttg/ops/async-copy.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import type { Block } from "../../../ir/block.js";
import { bitWidth, elementTypeOrSelf, RankedTensorType, tensorType } from "../../../ir/builtin-types.js";
import type { OpDef, TypedOpDef, ViewOf } from "../../../ir/define-op.js";
import { isZeroInt } from "../../../ir/match.js";
import { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { PassReport } from "../../../pass/define-pass.js";
import type { Conversion } from "../../../rewrite/conversion.js";
import {
  type ConversionPattern,
  kindConversionPattern,
  type OperandRanges,
  rangeConversionPattern,
} from "../../../rewrite/conversion-pattern.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { SignatureConversion } from "../../../rewrite/type-converter.js";
import { type FatPointerFacts, type FatPointers, materializePointer } from "./fat-pointers.js";
import { addOffsets, castOffset, decompose, isTensorZero, repeatedScalar } from "./offsets.js";
import { smallTensorOffset } from "./small-tensor-offset.js";

type Pair = readonly [base: Value, offset: Value];
const isPair = (values: readonly Value[] | undefined): values is Pair => values?.length === 2;

/** State that the patterns share while they run. */
export interface PointerRewrite {
  readonly pointers: FatPointers;
  /** The ops that are to be rewritten. */
  readonly pending: Set<Operation>;
  /** The yields that were rewritten of each if, with the places of the pairs among their operands. */
  readonly ifYields: Map<Operation, Map<Operation, readonly number[]>>;
  readonly report: PassReport;
}

/** Whether both yields of an if were rewritten, so that the types of its results are known. */
export const ifIsReady = (op: Operation, { ifYields }: PointerRewrite): boolean => ifYields.get(op)?.size === op.regions.length;

/** Ops whose first operand is a pointer, and ops of which any operand may be one. */
const WITH_POINTER: readonly OpDef[] = [AtomicCASOp, AtomicRMWOp, BitcastOp, LoadOp, AsyncCopyGlobalToLocalOp, PtrToIntOp, StoreOp];
const WITH_OPERANDS: readonly OpDef[] = [CallOp, ExternElementwiseOp, ElementwiseInlineAsmOp, PrintOp];

/** The patterns of the first conversion. */
export function pointerPatterns(state: PointerRewrite): ConversionPattern[] {
  const { pointers, report } = state;
  /** The facts known of a pair; real Triton reads past its table where nothing is. */
  const factsOf = ([base, offset]: Pair, op: Operation): FatPointerFacts => {
    const known = pointers.get(base, offset);
    if (!known) report.crash(op, "nothing is known of a base and an offset that come together here");
    return known ?? { attributes: new Map(), smallTensorBase: undefined, canNarrow: false };
  };
  const on = <O, A, R, G, S>(
    name: string,
    def: TypedOpDef<O, A, R, G, S>,
    rewrite: (view: ViewOf<O, A, R, G, S>, operands: OperandRanges, rw: Rewriter, conversion: Conversion) => boolean,
  ): ConversionPattern =>
    rangeConversionPattern(`canonicalize-pointers-${name}`, def, (view, operands, rw, conversion) => {
      if (!rewrite(view, operands, rw, conversion)) return false;
      state.pending.delete(view.op);
      return true;
    });
  /** The op becomes the pair `to`, of which the same is known as of `from`. */
  const become = (op: Operation, from: Pair, to: Pair, conversion: Conversion): true => {
    conversion.replaceWithMultiple(op, [to]);
    pointers.set(...to, factsOf(from, op));
    return true;
  };
  /** An op of one operand that changes the shape or layout of a pointer does so to the offset. */
  const onOffset = <O, A, R, G, S>(
    name: string,
    def: TypedOpDef<O, A, R, G, S>,
    make: (rw: Rewriter, view: ViewOf<O, A, R, G, S>, offset: Value, type: Type) => Value,
  ): ConversionPattern =>
    on(name, def, (view, [pair], rw, conversion) => {
      if (!isPair(pair)) return true;
      const { op } = view;
      const [base, offset] = pair;
      if (!PointerType.is(base.type)) return rw.noMatch("the base is no pointer", op);
      const { shape, encoding } = (op.result(0).type as ReturnType<typeof tensorType>).params;
      const type = tensorType(shape, elementTypeOrSelf(offset.type), encoding);
      return become(op, pair, [base, make(rw, view, offset, type)], conversion);
    });
  /** An op that is left as it is gets its pointers back. */
  const materialize = (def: OpDef, onlyFirst: boolean): ConversionPattern =>
    kindConversionPattern(def, (op, ranges, rw) => {
      const first = elementTypeOrSelf(op.operand(0).type);
      if (onlyFirst && !PointerType.is(first)) return rw.noMatch("the first operand is no pointer", op);
      state.pending.delete(op);
      if (onlyFirst && !isPair(ranges[0])) return true;
      const operands = op.operands.map((operand, i) => {
        const pair = ranges[i];
        if (!isPair(pair) || (onlyFirst && i > 0)) return operand;
        return materializePointer(rw, op.locRef, pair[0], pair[1], factsOf(pair, op));
      });
      const fresh = new Operation(rw.ctx, op.def, { loc: op.locRef, operands, resultTypes: op.resultTypes, attrs: op.attrs });
      return rw.replace(op, rw.insert(fresh));
    });
  /** Facts known of operands hold for the values that receive them. */
  const handOver = (ranges: OperandRanges, to: readonly Value[], op: Operation): (readonly Value[])[] => {
    let next = 0;
    return ranges.map((range) => {
      const received = to.slice(next, (next += range.length));
      if (isPair(range) && isPair(received)) pointers.set(received[0], received[1], factsOf(range, op));
      return received;
    });
  };
  /** Gives a block an argument for each value that its arguments become. Ranges after the last argument are ignored. */
  const convertBlock = (block: Block, ranges: OperandRanges, conversion: Conversion, op: Operation): void => {
    let { args } = block;
    if (!converted.has(block)) {
      const signature = new SignatureConversion(args.length);
      for (const [i, range] of ranges.slice(0, args.length).entries())
        signature.addInputs(
          range.map((value) => value.type),
          i,
        );
      const fresh = conversion.applySignatureConversion(block, signature, undefined);
      converted.add(fresh);
      ({ args } = fresh);
    }
    handOver(ranges, args, op);
  };
  const converted = new Set<Block>();

  return [
    on("argument", UnrealizedConversionCastOp, ({ op }, operands, rw, conversion) => {
      if (!op.isUsed()) {
        report.remark(op.parentOfType(FuncOp)!, "expected at least 1 use of unrealized_cast");
        return true;
      }
      const [[base] = [], [offset] = []] = operands;
      if (operands.length !== 2 || !base || !offset) return rw.noMatch("expected CastOp to have already been remapped", op);
      const isArgument = FuncOp.is(base.argOwner?.parentOp) && PointerType.is(base.type);
      if (!isArgument || !ConstantOp.is(offset.definingOp) || !isZeroInt(offset)) return rw.noMatch("not the cast of an argument", op);
      return conversion.replaceWithMultiple(op, [[base, offset]]);
    }),
    onOffset("broadcast", BroadcastOp, (rw, _, src, type) => rw.value(BroadcastOp, { src }, { types: [type] })),
    onOffset("splat", SplatOp, (rw, _, src, type) => rw.value(SplatOp, { src }, { types: [type] })),
    onOffset("convert-layout", ConvertLayoutOp, (rw, _, src, type) => rw.value(ConvertLayoutOp, { src }, { types: [type] })),
    onOffset("extract-slice", ExtractSliceOp, (rw, { static_offsets }, source, type) =>
      rw.value(ExtractSliceOp, { source, static_offsets }, { types: [type] }),
    ),
    onOffset("expand-dims", ExpandDimsOp, (rw, { axis }, src, type) => rw.value(ExpandDimsOp, { src, axis }, { types: [type] })),
    on("addptr", AddPtrOp, (addPtr, [pair, offsets], rw, conversion) => {
      if (!isPair(pair)) return true;
      if (offsets!.length !== 1) return rw.noMatch("the offset became several values", addPtr);
      const facts = factsOf(pair, addPtr.op);
      const addition: Addition = { addPtr, pair, by: offsets![0]!, facts, rw, conversion, pointers };
      return facts.smallTensorBase ? addToSmallTensor(addition) : addToPointer(addition);
    }),
    ...WITH_POINTER.map((def) => materialize(def, true)),
    ...WITH_OPERANDS.map((def) => materialize(def, false)),
    on("for", ForOp, ({ op, region }, operands, rw, conversion) => {
      const [[lowerBound], [upperBound], [step], ...inits] = operands as [[Value], [Value], [Value], ...Value[][]];
      const body = region.firstBlock!;
      const signature = new SignatureConversion(body.args.length).addInputs([body.args[0]!.type], 0);
      inits.forEach((init, i) =>
        signature.addInputs(
          init.map((value) => value.type),
          i + 1,
        ),
      );
      handOver(inits, conversion.applySignatureConversion(body, signature, undefined).args.slice(1), op);
      const initArgs = inits.flat();
      const types = initArgs.map((value) => value.type);
      const fresh = rw.create(ForOp, { lowerBound, upperBound, step, initArgs }, { types });
      fresh.op.setAttrs(op.attrs);
      rw.inlineRegionBefore(region, fresh.region);
      return conversion.replaceWithMultiple(op, handOver(inits, fresh.op.results, op));
    }),
    on("yield", YieldOp, ({ op }, operands, rw) => {
      // In place: the op around it must find one terminator.
      rw.modify(op, () => op.setOperands(operands.flat()));
      const parent = op.parentOp!;
      if (!IfOp.is(parent)) return true;
      let next = 0;
      const pairs: number[] = [];
      for (const range of operands) {
        if (isPair(range)) pairs.push(next);
        next += range.length;
      }
      const yields = state.ifYields.get(parent) ?? new Map<Operation, readonly number[]>();
      state.ifYields.set(parent, yields.set(op, pairs));
      // Whether the if is legal has to be asked again.
      return rw.modify(parent, () => {});
    }),
    on("if", IfOp, ({ op, condition, thenRegion, elseRegion }, _, rw, conversion) => {
      const yielded = thenRegion.firstBlock!.lastOp!;
      const results = yielded.operands;
      const fresh = buildIf(
        rw.builder,
        results.map((value) => value.type),
        condition,
        true,
      );
      for (const [from, to] of [
        [thenRegion, fresh.thenRegion],
        [elseRegion, fresh.elseRegion],
      ] as const)
        rw.mergeBlocks(from.firstBlock!, to.firstBlock!);
      const pairs = state.ifYields.get(op)!.get(yielded)!;
      const values: (readonly Value[])[] = [];
      for (let i = 0; i < results.length; ) {
        const size = pairs.includes(i) ? 2 : 1;
        values.push(fresh.op.results.slice(i, i + size));
        if (size === 2) pointers.set(fresh.op.result(i), fresh.op.result(i + 1), factsOf([results[i]!, results[i + 1]!], op));
        i += size;
      }
      return conversion.replaceWithMultiple(op, values);
    }),
    on("condition", ConditionOp, ({ op, condition }, [, ...args], rw) => rw.modify(op, () => op.setOperands([condition, ...args.flat()]))),
    on("while", WhileOp, ({ op, before, after }, inits, rw, conversion) => {
      convertBlock(before.firstBlock!, inits, conversion, op);
      convertBlock(after.firstBlock!, inits, conversion, op);
      // As upstream: the results are the carried values without the conditions.
      const carried = inits.filter((range) => !(range.length === 1 && bitWidth(range[0]!.type) === 1));
      const fresh = rw.create(WhileOp, { inits: inits.flat() }, { types: carried.flat().map((value) => value.type) });
      fresh.op.setAttrs(op.attrs);
      rw.inlineRegionBefore(before, fresh.before);
      rw.inlineRegionBefore(after, fresh.after);
      return conversion.replaceWithMultiple(op, handOver(carried, fresh.op.results, op));
    }),
    on("cond-br", CondBranchOp, ({ op, condition, trueDest, trueDestOperands, falseDest }, [, ...ranges], rw, conversion) => {
      const whenTrue = ranges.slice(0, trueDestOperands.length);
      const whenFalse = ranges.slice(trueDestOperands.length);
      const operands = { trueDestOperands: whenTrue.flat(), falseDestOperands: whenFalse.flat() };
      const fresh = rw.create(CondBranchOp, { condition, trueDest, falseDest, ...operands });
      convertBlock(trueDest, whenTrue, conversion, op);
      convertBlock(falseDest, whenFalse, conversion, op);
      return rw.replace(op, fresh.op);
    }),
    on("br", BranchOp, ({ op, dest }, ranges, rw, conversion) => {
      const fresh = rw.create(BranchOp, { dest, destOperands: ranges.flat() });
      convertBlock(dest, ranges, conversion, op);
      return rw.replace(op, fresh.op);
    }),
    on("select", SelectOp, ({ op, condition, false_value }, [, whenTrue, whenFalse], rw, conversion) => {
      if (!isPair(whenTrue) || !isPair(whenFalse)) return true;
      const choose = (a: Value, b: Value): Value => rw.value(SelectOp, { condition, true_value: a, false_value: b });
      // As upstream: the other scalar pointer is taken whole, not as a pair.
      if (!RankedTensorType.is(op.result(0).type)) return become(op, whenTrue, [choose(whenTrue[0], false_value), whenTrue[1]], conversion);
      const base = choose(whenTrue[0], whenFalse[0]);
      return become(op, whenTrue, [base, choose(whenTrue[1], whenFalse[1])], conversion);
    }),
    on("return", ReturnOp, ({ op }, operands, rw) => {
      rw.create(ReturnOp, { srcs: operands.flat() });
      return rw.replace(op, []);
    }),
  ];
}

/** Replaces the casts that are left by pointers, for users that cannot take a pair. */
export function leftoverCasts({ pointers, report }: PointerRewrite): ConversionPattern {
  return rangeConversionPattern("canonicalize-pointers-leftover", UnrealizedConversionCastOp, ({ op }, operands, rw) => {
    if (!op.isUsed()) return rw.erase(op);
    const [[base] = [], [offset] = []] = operands;
    if (operands.length !== 2 || !base || !offset) return rw.noMatch("expected CastOp to have already been remapped", op);
    if (!PointerType.is(base.type)) return rw.noMatch("the base is no pointer", op);
    if (!RankedTensorType.is(offset.type) && isZeroInt(offset)) return rw.replace(op, base);
    const facts = pointers.get(base, offset);
    if (!facts) {
      report.crash(op, "nothing is known of a base and an offset that come together here");
      return false;
    }
    rw.setAfter(op);
    return rw.replace(op, materializePointer(rw, op.locRef, base, offset, facts));
  });
}

/** An addition of `by` to a pointer that became a pair, and what it is rewritten with. */
interface Addition {
  readonly addPtr: NonNullable<ReturnType<typeof AddPtrOp.match>>;
  readonly pair: Pair;
  readonly by: Value;
  readonly facts: FatPointerFacts;
  readonly rw: Rewriter;
  readonly conversion: Conversion;
  readonly pointers: FatPointers;
}
/** Attributes of an addition to a pointer that describe its result. */
const HINTS = ["tt.divisibility", "tt.contiguity", "tt.constancy"];

/** The scalar part of the offset goes to the base, the rest to the offset. */
function addToPointer({ addPtr: { op, ptr }, pair: [base, offset], by, facts, rw, conversion, pointers }: Addition): true {
  const loc = op.locRef;
  const hints = HINTS.flatMap((name): [string, Attribute][] => {
    const value = op.attr(name);
    return value ? [[name, value]] : [];
  });
  const rank = RankedTensorType.is(ptr.type) ? ptr.type.params.shape.length : 1;
  const bump = (scalar: Value): Value =>
    rw.value(AddPtrOp, { ptr: base, offset: scalar }, { loc, types: [base.type], extraAttrs: rank === 1 ? hints : [] });
  const scalar = PointerType.is(ptr.type) ? by : repeatedScalar(rw, loc, by);
  if (scalar) {
    const fresh = bump(scalar);
    conversion.replaceWithMultiple(op, [[fresh, offset]]);
    pointers.set(fresh, offset, facts);
    return true;
  }
  const { uniform, rest } = decompose(rw, loc, by, bitWidth(elementTypeOrSelf(by.type)) ?? 64);
  const fresh = bump(uniform);
  let to = offset;
  let { canNarrow } = facts;
  const moved = !isTensorZero(rest);
  if (moved) {
    canNarrow &&= SplatOp.is(offset.definingOp) && bitWidth(elementTypeOrSelf(rest.type)) === 32;
    to = addOffsets(rw, loc, castOffset(rw, loc, rest, elementTypeOrSelf(offset.type)), offset);
  }
  conversion.replaceWithMultiple(op, [[fresh, to]]);
  pointers.set(fresh, to, { ...(moved ? {} : { attributes: facts.attributes }), smallTensorBase: undefined, canNarrow });
  return true;
}

/** The base stays, everything goes to the offset. */
function addToSmallTensor({ addPtr: { op }, pair: [base, offset], by, facts, rw, conversion, pointers }: Addition): true {
  const sum = smallTensorOffset(rw, op.locRef, [offset, by]);
  // An offset that existed may have been replaced: its users will see what replaced it.
  const to = conversion.remap(sum) ?? sum;
  conversion.replaceWithMultiple(op, [[base, to]]);
  pointers.set(base, to, { ...facts, canNarrow: false });
  return true;
}
