/**
 * Makes one loop of a loop and the loops right below it:
 *
 *     for i { prologue; for j0 { body0 }; between; for j1 { body1 }; epilogue }
 *
 * becomes
 *
 *     len = max(1, len_j0) + max(1, len_j1) - 1        // the last round of body0 is also the first one of body1
 *     T = 0; i = lb_i - step_i
 *     for _ in range(len_i * len) {
 *       if T == 0 { i += step_i; prologue; j0 = lb_j0 }
 *       if 0 <= T < len_j0 { body0; j0 += step_j0 }
 *       if T == max(1, len_j0) - 1 { between; j1 = lb_j1 }
 *       if max(1, len_j0) - 1 <= T < max(1, len_j0) - 1 + len_j1 { body1; j1 += step_j1 }
 *       if T == len - 1 { epilogue }
 *       T = T == len - 1 ? 0 : T + 1
 *     }
 *
 * The loop carries values that one part computes and a later one uses. Where the bounds of an inner loop depend on i, the lengths
 * are computed in the prologue, and added up by a loop of their own before.
 * Source: lib/Dialect/TritonGPU/Transforms/FuseNestedLoops.cpp, fuseOneLevel.
 */
import { topologicalSort } from "../../../analysis/slices.js";
import {
  AddIOp,
  AndIOp,
  CeilDivSIOp,
  CmpIOp,
  ConstantOp,
  ExtSIOp,
  IndexCastOp,
  MaxSIOp,
  MulIOp,
  SelectOp,
  SubIOp,
  TruncIOp,
} from "../../../dialects/arith/ops/index.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { PoisonOp } from "../../../dialects/ub/ops/poison.js";
import type { Type } from "../../../ir/attribute.js";
import { boolAttr, floatAttr, i32Attr, intAttr, intOf, splatOf, unitAttr } from "../../../ir/builtin-attrs.js";
import {
  bitWidth,
  elementTypeOrSelf,
  FloatType,
  IndexType,
  IntegerType,
  intType,
  isIndex,
  RankedTensorType,
} from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { Dominance } from "../../../ir/dominance.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { NUM_STAGES } from "../software-pipelining/pipelined-loops.js";
import { hoistOpsBefore } from "./hoistable.js";
import { createLogue, type Logue, replaceOutputs } from "./logue.js";
import type { LoopNestNode } from "./loop-nest.js";

/** An inner loop that is known to run: its body need not be under a condition. */
export const MUST_EXECUTE = "ttg.must-execute";
export const WARP_SPECIALIZE = "tt.warp_specialize";
const DISALLOW_ACC_MULTI_BUFFER = "tt.disallow_acc_multi_buffer";

/** The ops on which values of the outer loop's body depend; undefined when they depend on what may not be moved. */
export type OpsOfBounds = (dominance: Dominance, outer: ForView, values: readonly Value[]) => Set<Operation> | undefined;

interface InnerLoop {
  readonly loop: ForView;
  /** The ops that compute bounds which depend on the outer loop's round; empty when the bounds are the same in each. */
  readonly sliced: ReadonlySet<Operation>;
}

/** Fuses the children of a node into its loop, those whose bounds allow it. Returns how many. */
export function fuseOneLevel(
  rw: Rewriter,
  node: LoopNestNode,
  isInvariant: OpsOfBounds,
  canSlice: OpsOfBounds,
  dominance: Dominance,
): number {
  const outer = node.loop;
  const innerLoops: InnerLoop[] = [];
  const toHoist = new Set<Operation>();
  for (const { loop } of node.children) {
    const bounds = [loop.lowerBound, loop.upperBound, loop.step];
    const invariant = isInvariant(dominance, outer, bounds);
    for (const op of invariant ?? []) toHoist.add(op);
    const sliced = invariant ? new Set<Operation>() : canSlice(dominance, outer, bounds);
    if (sliced) innerLoops.push({ loop, sliced });
  }
  // Loops that stay are like any other op from here on.
  node.children = [];
  if (innerLoops.length === 0) return 0;
  hoistOpsBefore(rw, outer.op, toHoist);
  const savedLoc = rw.loc;
  rw.loc = outer.op.locRef;
  node.loop = new LoopFusion(rw, outer, innerLoops, dominance).run();
  rw.loc = savedLoc;
  return innerLoops.length;
}

class LoopFusion {
  /** The type of lengths and of T: wide enough for every induction variable. */
  readonly #type: Type;
  constructor(
    readonly rw: Rewriter,
    readonly outer: ForView,
    readonly inner: readonly InnerLoop[],
    readonly dominance: Dominance,
  ) {
    const widths = [outer, ...inner.map(({ loop }) => loop)].map(({ step }) => (IntegerType.is(step.type) ? step.type.params.width : 64));
    this.#type = intType(rw.ctx, Math.max(...widths));
  }

  // --- arithmetic ---
  #int(value: number): Value {
    return this.rw.value(ConstantOp, { value: intAttr(this.#type, value) });
  }
  #add(lhs: Value, rhs: Value): Value {
    return this.rw.value(AddIOp, { lhs, rhs });
  }
  #sub(lhs: Value, rhs: Value): Value {
    return this.rw.value(SubIOp, { lhs, rhs });
  }
  #atLeastOne(length: Value): Value {
    return this.rw.value(MaxSIOp, { lhs: this.#int(1), rhs: length });
  }
  /** The number of rounds of a loop, its bounds taken through `mapping`; right for negative steps as well. */
  #numIters({ lowerBound, upperBound, step }: ForView, mapping = new Mapping()): Value {
    const [lower, upper, by] = [lowerBound, upperBound, step].map((bound) => mapping.get(bound)) as [Value, Value, Value];
    return this.rw.value(CeilDivSIOp, { lhs: this.#sub(upper, lower), rhs: by });
  }
  #cast(value: Value): Value {
    const { rw } = this;
    const types = [this.#type];
    if (value.type === this.#type) return value;
    if (isIndex(value.type)) return rw.value(IndexCastOp, { in: value }, { types });
    return rw.value(bitWidth(value.type)! > bitWidth(this.#type)! ? TruncIOp : ExtSIOp, { in: value }, { types });
  }
  /** A value that is never looked at: zero, from which ptxas makes better code than from poison, where there is a zero. */
  #undefined(type: Type): Value {
    const element = elementTypeOrSelf(type);
    const isNumber = IntegerType.is(element) || IndexType.is(element) || FloatType.is(element);
    if (!isNumber || (type !== element && !RankedTensorType.is(type))) return this.rw.value(PoisonOp, {}, { types: [type] });
    const zero = FloatType.is(element) ? floatAttr(element, 0) : intAttr(element, 0);
    return this.rw.value(ConstantOp, { value: type === element ? zero : splatOf(type, zero) });
  }
  #cloneSliced({ sliced }: InnerLoop, mapping: Mapping): void {
    for (const op of topologicalSort([...sliced])) if (!mapping.ops!.has(op)) this.rw.clone(op, mapping);
  }

  run(): ForView {
    const { rw, outer, inner } = this;
    rw.setBefore(outer);
    const outerBody = outer.region.firstBlock!;
    const last = inner.length - 1;
    const lenOuter = this.#numIters(outer);
    let lengths = inner.map(({ loop, sliced }) => (sliced.size === 0 ? this.#cast(this.#numIters(loop)) : this.#undefined(this.#type)));
    let innerLen = this.#int(0);
    inner.forEach(({ sliced }, k) => {
      if (sliced.size === 0) innerLen = this.#add(innerLen, this.#atLeastOne(lengths[k]!));
    });
    innerLen = this.#sub(innerLen, this.#int(last));
    const total = this.#addVariantLengths(rw.value(MulIOp, { lhs: this.#cast(lenOuter), rhs: innerLen }));

    const logues: Logue[] = [];
    inner.forEach(({ loop }, k) => {
      logues.push(createLogue(k === 0 ? outerBody.firstOp! : inner[k - 1]!.loop.op.next!, loop.op, this.dominance));
    });
    const epilogue = createLogue(inner[last]!.loop.op.next!, outerBody.lastOp!, this.dominance);

    const inits: Value[] = [this.#int(0), this.#sub(outer.lowerBound, outer.step), ...outer.initArgs];
    const lengthsAt = inits.push(...lengths) - lengths.length;
    const innerLenAt = inits.push(innerLen) - 1;
    const ivsAt = inits.push(...inner.map(({ loop }) => this.#undefined(loop.step.type))) - inner.length;
    const bodyOutsAt = inits.length;
    for (const { loop } of inner) inits.push(...loop.op.resultTypes.map((type) => this.#undefined(type)));
    let logueOutAt = inits.length;
    for (const { outputs } of logues) inits.push(...outputs.map(({ type }) => this.#undefined(type)));

    const fused = this.#makeLoop(this.#int(0), total, this.#int(1), inits);
    const args = fused.region.firstBlock!.args.slice(1);
    const carried = (at: number, count: number): readonly Value[] => args.slice(at, at + count);
    outerBody.args.slice(1).forEach((arg, i) => rw.replaceAllUses(arg, args[2 + i]!));
    lengths = [...carried(lengthsAt, lengths.length)];
    rw.setStart(fused.region.firstBlock!);

    const T = args[0]!;
    let i = args[1]!;
    let bodyOutAt = bodyOutsAt;
    const prologueIfs: IfView[] = [];
    const bodyIfs: IfView[] = [];
    for (const [k, { loop }] of inner.entries()) {
      const { op } = loop;
      const logue = logues[k]!;
      let start = this.#int(0);
      for (let before = 0; before < k; before++) start = this.#add(start, this.#atLeastOne(lengths[before]!));
      start = this.#sub(start, this.#int(k));
      const condition = this.#compare("eq", T, start);
      const types = [loop.step.type, ...logue.outputs.map(({ type }) => type), ...op.resultTypes];
      if (k === 0) types.push(i.type, ...inner.map(() => this.#type), innerLen.type);
      const prologueIf = this.#makeIf(types, condition);
      prologueIfs.push(prologueIf);

      const then = rw.createBlock(prologueIf.thenRegion);
      for (const moved of logue.ops) moved.moveToEnd(then);
      let next: readonly Value[] = [];
      if (k === 0) next = this.#startRound(prologueIf, i, lengths, innerLen);
      rw.setEnd(then).create(YieldOp, { results: [loop.lowerBound, ...logue.outputs, ...loop.initArgs, ...next] });

      rw.createBlock(prologueIf.elseRegion);
      const numOuts = logue.outputs.length;
      const kept = [args[ivsAt + k]!, ...carried(logueOutAt, numOuts), ...carried(bodyOutAt, op.numResults)];
      // That the length stays is seen here, for no canonicalization would see it.
      const invariant = inner.every(({ sliced }) => sliced.size === 0);
      if (k === 0) kept.push(i, ...carried(lengthsAt, lengths.length), invariant ? innerLen : args[innerLenAt]!);
      logueOutAt += numOuts;
      rw.create(YieldOp, { results: kept });

      const { results } = prologueIf;
      const jk = results[0]!;
      const [iv, ...iterArgs] = loop.region.firstBlock!.args as [Value, ...Value[]];
      rw.replaceAllUses(iv, jk);
      replaceOutputs(rw, logue, results.slice(1, 1 + numOuts), prologueIf.thenRegion);
      iterArgs.forEach((arg, a) => rw.replaceAllUses(arg, results[1 + numOuts + a]!));
      if (k === 0) {
        const at = 1 + numOuts + op.numResults;
        i = results[at]!;
        lengths = results.slice(at + 1, -1);
        innerLen = results.at(-1)!;
        rw.replaceAllUses(outerBody.args[0]!, i);
      }

      rw.setAfter(prologueIf);
      const end = this.#add(start, lengths[k]!);
      const isStarted = this.#compare("sge", T, start);
      const isRunning = rw.value(AndIOp, { lhs: isStarted, rhs: this.#compare("slt", T, end) });
      bodyIfs.push(this.#makeBodyIf(loop, jk, isRunning, carried(bodyOutAt, op.numResults)));
      bodyOutAt += op.numResults;
    }

    const outerYield = outerBody.lastOp!;
    const epilogueIf = this.#makeEpilogueIf(epilogue, outerYield, args, T, innerLen);
    rw.setEnd(fused.region.firstBlock!);
    const plusOne = this.#add(T, this.#int(1));
    const rollsOver = this.#compare("eq", T, this.#sub(innerLen, this.#int(1)));
    const nextT = rw.value(SelectOp, { condition: rollsOver, true_value: this.#int(0), false_value: plusOne });
    const outs: Value[] = [nextT, i, ...outerYield.operands, ...lengths, innerLen, ...bodyIfs.map(({ results }) => results[0]!)];
    for (const { results } of bodyIfs) outs.push(...results.slice(1));
    prologueIfs.forEach(({ results }, k) => void outs.push(...results.slice(1, 1 + logues[k]!.outputs.length)));
    rw.create(YieldOp, { results: outs });
    rw.replaceOpUses(outer.op, fused.op.results.slice(2, 2 + outer.op.numResults));
    this.#hoistInits(fused, bodyOutsAt, prologueIfs, bodyIfs, logues, epilogueIf);
    this.#setAttributes(fused);
    for (const { loop } of inner) rw.erase(loop);
    rw.erase(outer);
    return fused;
  }

  #compare(predicate: "eq" | "sge" | "slt", lhs: Value, rhs: Value): Value {
    return this.rw.value(CmpIOp, { predicate, lhs, rhs });
  }
  /** A loop with an empty body. */
  #makeLoop(lowerBound: Value, upperBound: Value, step: Value, initArgs: readonly Value[]): ForView {
    const { rw } = this;
    const region = new Region(rw.ctx, null, 0);
    const block = region.addBlock();
    block.addArgument(lowerBound.type, rw.loc);
    for (const init of initArgs) block.addArgument(init.type, valueLocation(init));
    return rw.create(ForOp, { lowerBound, upperBound, step, initArgs, region }, { types: initArgs.map(({ type }) => type) });
  }
  /** An if without blocks. */
  #makeIf(types: readonly Type[], condition: Value): IfView {
    const { ctx } = this.rw;
    const [thenRegion, elseRegion] = [new Region(ctx, null, 0), new Region(ctx, null, 1)];
    return this.rw.create(IfOp, { condition, thenRegion, elseRegion }, { types });
  }

  /** A loop over i that adds the lengths of loops whose bounds depend on it. */
  #addVariantLengths(total: Value): Value {
    const { rw, outer } = this;
    const peeled = this.#makeLoop(outer.lowerBound, outer.upperBound, outer.step, [total]);
    const body = peeled.region.firstBlock!;
    let sum = body.args[1]!;
    const mapping = new Mapping({ ops: true }).map(outer.region.firstBlock!.args[0]!, body.args[0]!);
    rw.setStart(body);
    for (const inner of this.inner) {
      if (inner.sliced.size === 0) continue;
      this.#cloneSliced(inner, mapping);
      sum = this.#add(sum, this.#atLeastOne(this.#cast(this.#numIters(inner.loop, mapping))));
    }
    rw.create(YieldOp, { results: [sum] });
    rw.setAfter(peeled);
    return peeled.op.result(0);
  }

  /** At the start of the first prologue: the next i, and the lengths that depend on it. Returns them and the length of the round. */
  #startRound({ thenRegion }: IfView, i: Value, lengths: readonly Value[], innerLen: Value): readonly Value[] {
    const { rw, outer } = this;
    const next = rw.setStart(thenRegion.firstBlock!).value(AddIOp, { lhs: i, rhs: outer.step });
    rw.replaceUsesWhere(outer.region.firstBlock!.args[0]!, next, ({ owner }) => owner.region!.isInside(thenRegion));
    const mapping = new Mapping({ ops: true });
    let length = innerLen;
    const now = this.inner.map((inner, k) => {
      if (inner.sliced.size === 0) return lengths[k]!;
      this.#cloneSliced(inner, mapping);
      const own = this.#cast(this.#numIters(inner.loop, mapping));
      length = this.#add(length, this.#atLeastOne(own));
      return own;
    });
    return [next, ...now, length];
  }

  /** The body of an inner loop under its condition; its first result is the next induction variable. */
  #makeBodyIf({ op, step, region }: ForView, jk: Value, condition: Value, carried: readonly Value[]): IfView {
    const { rw } = this;
    const bodyIf = this.#makeIf([jk.type, ...op.resultTypes], condition);
    const block = region.firstBlock!;
    for (let arg = block.args.length - 1; arg >= 0; arg--) block.eraseArgument(arg);
    bodyIf.thenRegion.takeBlocksOf(region);
    const yieldOp = block.lastOp!;
    const next = rw.setBefore(yieldOp).value(AddIOp, { lhs: jk, rhs: step });
    rw.modify(yieldOp, () => yieldOp.setOperands([next, ...yieldOp.operands]));
    rw.createBlock(bodyIf.elseRegion);
    rw.create(YieldOp, { results: [jk, ...carried] });
    rw.replaceOpUses(op, bodyIf.results.slice(1));
    if (op.hasAttr(MUST_EXECUTE)) {
      rw.setBefore(bodyIf);
      rw.setOperand(bodyIf, 0, rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }));
    }
    rw.setAfter(bodyIf);
    return bodyIf;
  }

  #makeEpilogueIf(epilogue: Logue, outerYield: Operation, args: readonly Value[], T: Value, innerLen: Value): IfView {
    const { rw } = this;
    const { ops, outputs } = epilogue;
    // Only the yield can use what the epilogue computes.
    const kept = outputs.flatMap((output) =>
      [...output.uses()].filter(({ owner }) => owner === outerYield).map(({ index }) => args[2 + index]!),
    );
    const condition = this.#compare("eq", T, this.#sub(innerLen, this.#int(1)));
    const epilogueIf = this.#makeIf(
      outputs.map(({ type }) => type),
      condition,
    );
    const then = rw.createBlock(epilogueIf.thenRegion);
    for (const op of ops) op.moveToEnd(then);
    rw.setEnd(then).create(YieldOp, { results: outputs });
    rw.createBlock(epilogueIf.elseRegion);
    rw.create(YieldOp, { results: kept });
    replaceOutputs(rw, epilogue, epilogueIf.results, epilogueIf.thenRegion);
    return epilogueIf;
  }

  /** Initial values from outside are set before the fused loop, and again at the end of a round, instead of in the prologues: parts depend less on each other. */
  #hoistInits(
    fused: ForView,
    bodyOutsAt: number,
    prologueIfs: readonly IfView[],
    bodyIfs: readonly IfView[],
    logues: readonly Logue[],
    epilogueIf: IfView,
  ): void {
    const { rw } = this;
    const body = fused.region.firstBlock!;
    const yieldOp = body.lastOp!;
    const reset: { readonly at: number; readonly init: Value; readonly forwarded: Value }[] = [];
    let at = bodyOutsAt;
    this.inner.forEach(({ loop }, k) => {
      const skip = 1 + logues[k]!.outputs.length;
      const replacements = new Map<number, Value>();
      loop.initArgs.forEach((init, i) => {
        if (init.parentBlock!.region === fused.region) return;
        fused.op.setOperand(3 + at + i, init);
        replacements.set(skip + i, body.args[1 + at + i]!);
        reset.push({ at: at + i, init, forwarded: bodyIfs[k]!.results[1 + i]! });
      });
      this.#eraseIfResults(prologueIfs[k]!, replacements);
      at += loop.op.numResults;
    });
    if (reset.length === 0) return;
    const extend = (region: Region, values: readonly Value[]): void => {
      const old = region.firstBlock!.lastOp!;
      rw.modify(old, () => old.setOperands([...old.operands, ...values]));
    };
    const { op, condition, thenRegion, elseRegion } = epilogueIf;
    extend(
      thenRegion,
      reset.map(({ init }) => init),
    );
    extend(
      elseRegion,
      reset.map(({ forwarded }) => forwarded),
    );
    rw.setBefore(op);
    const types = [...op.resultTypes, ...reset.map(({ init }) => init.type)];
    const made = this.#makeIf(types, condition);
    made.thenRegion.takeBlocksOf(thenRegion);
    made.elseRegion.takeBlocksOf(elseRegion);
    reset.forEach(({ at: index }, i) => void rw.setOperand(yieldOp, index, made.results[op.numResults + i]!));
    rw.replace(op, made.results.slice(0, op.numResults));
  }
  /** Some results of an if go, for other values. */
  #eraseIfResults({ op, condition, thenRegion, elseRegion }: IfView, replacements: ReadonlyMap<number, Value>): void {
    const { rw } = this;
    rw.setBefore(op);
    for (const region of [thenRegion, elseRegion]) region.firstBlock!.lastOp!.eraseOperands(new Set(replacements.keys()));
    const made = this.#makeIf(
      op.resultTypes.filter((_, i) => !replacements.has(i)),
      condition,
    );
    made.thenRegion.takeBlocksOf(thenRegion);
    made.elseRegion.takeBlocksOf(elseRegion);
    let next = 0;
    rw.replace(
      op,
      op.results.map((_, i) => replacements.get(i) ?? made.results[next++]!),
    );
  }

  /** Gives the fused loop the attributes of the loops that it replaces; its number of stages is the largest of theirs. */
  #setAttributes(fused: ForView): void {
    const { op } = fused;
    const loops = [this.outer, ...this.inner.map(({ loop }) => loop)].map((loop) => loop.op);
    for (const name of [WARP_SPECIALIZE, DISALLOW_ACC_MULTI_BUFFER])
      if (loops.some((loop) => loop.hasAttr(name))) op.setAttr(name, unitAttr(op.ctx));
    const own = intOf(this.outer.op.attr(NUM_STAGES)) ?? 1;
    const numStages = loops.slice(1).reduce((most, loop) => Math.max(most, intOf(loop.attr(NUM_STAGES)) ?? most), own);
    if (numStages > 1) op.setAttr(NUM_STAGES, i32Attr(op.ctx, numStages));
  }
}
