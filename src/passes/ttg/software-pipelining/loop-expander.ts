/**
 * Makes a pipelined loop out of a loop and its schedule: a prologue that starts the first rounds, and a loop each round of which
 * works at several rounds of the old one. Rounds that do not exist are masked; or an epilogue ends the last ones, if asked for.
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/PipelineExpander.cpp.
 */
import { AddIOp, CmpIOp, ConstantOp, DivSIOp, MaxSIOp, MulIOp, SelectOp, SubIOp } from "../../../dialects/arith/ops/index.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { PredicateStageOp } from "../../../dialects/ttg/ops/misc.js";
import { intAttr } from "../../../ir/builtin-attrs.js";
import { i1, isIndex } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { LocationRef } from "../../../ir/location.js";
import { constantInt } from "../../../ir/match.js";
import type { Operation } from "../../../ir/operation.js";
import { Region } from "../../../ir/region.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { withinAt } from "../../../pass/pass-error.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { Bug } from "../../../support/assert.js";
import type { Scheduled } from "./coarse-schedule.js";
import { bodyOf, isDefinedOutsideOfLoop } from "./pipelined-loops.js";

/** Makes an op do nothing where the predicate does not hold. */
export type Predicate = (rw: Rewriter, op: Operation, pred: Value) => Operation;

export interface ExpandOptions {
  readonly keepPredicateStage?: boolean;
  /** Make an epilogue, instead of masking rounds in the loop. */
  readonly peelEpilogue?: boolean;
  /** Hears of each op of the prologue. */
  readonly inPrologue?: (op: Operation) => void;
}

/** The stages in which a value that crosses stages is made and last used. */
interface Liverange {
  readonly defStage: number;
  lastUseStage: number;
}

/** Returns the new loop; undefined when the schedule does not fit the loop, which then stays. */
export function pipelineForLoop(
  rw: Rewriter,
  loop: ForView,
  schedule: readonly Scheduled[],
  predicate: Predicate,
  options: ExpandOptions = {},
): ForView | undefined {
  const expander = new LoopExpander(rw, loop, schedule, predicate, options);
  if (!expander.valid()) return undefined;
  rw.setBefore(loop);
  expander.emitPrologue();
  const kernel = expander.emitKernel();
  const results = kernel.op.results.slice(0, loop.op.numResults);
  rw.setAfter(kernel);
  rw.replace(loop, options.peelEpilogue ? expander.emitEpilogue(results) : results);
  return kernel;
}

class LoopExpander {
  readonly #body;
  readonly #stages = new Map<Operation, number>();
  readonly #order: readonly Operation[];
  readonly #maxStage: number;
  readonly #iterArgs: readonly Value[];
  /** The copies of each value of the loop, one for each round of the prologue. */
  readonly #versions = new Map<Value, (Value | undefined)[]>();

  constructor(
    readonly rw: Rewriter,
    readonly loop: ForView,
    schedule: readonly Scheduled[],
    readonly predicate: Predicate,
    readonly options: ExpandOptions,
  ) {
    this.#body = bodyOf(loop);
    for (const { op, stage } of schedule) this.#stages.set(op, stage);
    this.#order = schedule.map(({ op }) => op);
    this.#maxStage = schedule.reduce((most, { stage }) => Math.max(most, stage), 0);
    withinAt(loop.op, "pipeline-stages", this.#maxStage);
    this.#iterArgs = this.#body.args.slice(1);
  }

  #stageOf(op: Operation): number {
    const stage = this.#stages.get(op);
    if (stage === undefined) throw new Bug(`${op.name} has no stage`);
    return stage;
  }
  get #yielded(): readonly OpOperand[] {
    return this.#body.lastOp!.operandUses;
  }
  #isOutside(value: Value): boolean {
    return isDefinedOutsideOfLoop(this.loop, value);
  }
  /** The op that defines a value in the loop, and how many rounds before. */
  #definition(value: Value): { readonly def: Operation | undefined; readonly distance: number } {
    let at = value;
    let distance = 0;
    const seen = new Set<Value>();
    while (!at.definingOp) {
      if (at.owner !== this.#body || at.index === 0) return { def: undefined, distance: 0 };
      distance++;
      at = this.#body.lastOp!.operand(at.index - 1);
      if (seen.has(at)) return { def: undefined, distance: 0 };
      seen.add(at);
    }
    return { def: at.definingOp, distance };
  }

  /** Every op has a stage, and none comes before what it uses. */
  valid(): boolean {
    if (this.#order.length === 0) return false;
    if (this.#body.opsWithoutTerminator().some((op) => !this.#stages.has(op))) return false;
    const perRound = this.#order.length;
    const cycles = new Map(this.#order.map((op, i) => [op, i + this.#stageOf(op) * perRound]));
    for (const op of this.#order)
      for (const operand of allOperands(op)) {
        const { def, distance } = this.#definition(operand.value);
        const made = def && cycles.get(def);
        if (made === undefined) continue;
        if (distance > 1 || cycles.get(op)! < made - perRound * distance) return false;
      }
    return true;
  }
  /** Whether it is not known that all rounds of the prologue exist. */
  #isDynamic(): boolean {
    const { lowerBound, upperBound, step } = this.loop;
    const [lb, ub, by] = [lowerBound, upperBound, step].map((v) => (isIndex(v.type) ? constantInt(v) : undefined));
    if (lb === undefined || ub === undefined || by === undefined || by === 0n) return true;
    const distance = ub - lb;
    const rounds = distance / by + (distance % by !== 0n && distance > 0n === by > 0n ? 1n : 0n);
    return rounds < BigInt(this.#maxStage);
  }

  #setVersion(value: Value, version: Value, index: number): void {
    let versions = this.#versions.get(value);
    if (!versions) this.#versions.set(value, (versions = new Array<Value | undefined>(this.#maxStage + 1).fill(undefined)));
    versions[index] = version;
  }
  #version(value: Value, index: number): Value {
    const version = this.#versions.get(value)?.[index];
    if (!version) throw new Bug("a value of a pipelined loop has no such version");
    return version;
  }

  emitPrologue(): void {
    const { rw, loop } = this;
    const { lowerBound, upperBound, step, op: forOp } = loop;
    const loc = forOp.locRef;
    const iv = this.#body.args[0]!;
    this.#iterArgs.forEach((arg, i) => {
      this.#setVersion(arg, loop.initArgs[i]!, 0);
      const { value } = this.#yielded[i]!;
      if (this.#isOutside(value)) for (let round = 1; round < this.#maxStage; round++) this.#setVersion(arg, value, round);
    });
    const dynamic = this.#isDynamic();
    const predicates: (Value | undefined)[] = [];
    for (let round = 0; round < this.#maxStage; round++) {
      const index = rw.value(ConstantOp, { value: intAttr(lowerBound.type, round) }, { loc });
      const offset = rw.value(MulIOp, { lhs: step, rhs: index }, { loc });
      const at = rw.value(AddIOp, { lhs: lowerBound, rhs: offset }, { loc });
      this.#setVersion(iv, at, round);
      predicates.push(dynamic ? rw.value(CmpIOp, { predicate: "slt", lhs: at, rhs: upperBound }, { loc }) : undefined);
      for (const op of this.#order) {
        const stage = this.#stageOf(op);
        if (stage <= round) this.#emitInPrologue(op, round - stage, predicates[round - stage]);
      }
    }
  }
  /** A copy of an op that uses one version of what it needs. */
  #copy(op: Operation, version: number, pred: Value | undefined): Operation {
    const { rw } = this;
    const made = rw.clone(op);
    made.walk((nested) => {
      for (const use of nested.operandUses) {
        const def = use.value.definingOp;
        if ((!def || !made.isAncestorOf(def)) && this.#versions.has(use.value)) use.set(this.#version(use.value, version));
      }
    });
    return pred ? rw.preserving(() => this.predicate(rw, made, pred)) : made;
  }
  #emitInPrologue(op: Operation, round: number, pred: Value | undefined): void {
    const { rw, loop } = this;
    const made = this.#copy(op, round, pred);
    this.options.inPrologue?.(made);
    op.results.forEach((result, r) => {
      let source = made.result(r);
      for (const { value, index } of this.#yielded) {
        if (value !== result) continue;
        const arg = this.#iterArgs[index]!;
        if (pred && loop.op.result(index).hasUses()) {
          const false_value = this.#version(arg, round);
          source = rw.value(SelectOp, { condition: pred, true_value: source, false_value }, { loc: loop.op.locRef });
        }
        this.#setVersion(arg, source, round + 1);
      }
      this.#setVersion(result, made.result(r), round);
    });
  }

  /** The values used in a later stage than they are made in. */
  #crossStageValues(): Map<Value, Liverange> {
    const ranges = new Map<Value, Liverange>();
    const analyze = (value: Value, stage: number): void => {
      const { def, distance } = this.#definition(value);
      const defStage = def && this.#stages.get(def);
      if (defStage === undefined || defStage === stage || defStage === stage + distance) return;
      const range = ranges.get(value);
      if (range) range.lastUseStage = Math.max(range.lastUseStage, stage);
      else ranges.set(value, { defStage, lastUseStage: stage });
    };
    for (const op of this.#order) {
      const stage = this.#stageOf(op);
      for (const { value } of op.operandUses) analyze(value, stage);
      op.walkPostOrder((nested) => {
        if (nested !== op)
          for (const { value } of nested.operandUses) if (!op.isAncestorOf(value.parentBlock!.parentOp!)) analyze(value, stage);
      });
    }
    return ranges;
  }

  emitKernel(): ForView {
    const { rw, loop } = this;
    const maxStage = this.#maxStage;
    const ranges = this.#crossStageValues();
    const initArgs = this.#yielded.map(({ value }, i) => {
      const stage = value.definingOp && this.#stages.get(value.definingOp);
      return stage === undefined ? loop.initArgs[i]! : this.#version(this.#iterArgs[i]!, maxStage - stage);
    });
    /** The carried value that holds a version of a value, by how many stages ago it was made. */
    const argOf = new Map<Value, number[]>();
    for (const [value, { defStage, lastUseStage }] of ranges) {
      const span = lastUseStage - defStage;
      const args: number[] = [];
      for (let i = 0; i < span; i++) {
        args[span - i] = initArgs.length;
        initArgs.push(this.#version(value, maxStage - lastUseStage + i));
      }
      argOf.set(value, args);
    }
    const kernel = this.#makeLoop(initArgs);
    const body = bodyOf(kernel);
    rw.setEnd(body);
    const mapping = new Mapping({ ops: true }).mapAll(this.#body.args, body.args);
    const predicates: Value[] = [];
    if (!this.options.peelEpilogue)
      for (let stage = 0; stage < maxStage; stage++) predicates.push(this.#predicateForStage(body.args[0]!, stage));
    for (const op of this.#order) {
      const stage = this.#stageOf(op);
      const made = rw.clone(op, mapping);
      for (const use of allOperands(op)) this.#remap(use, stage, made, mapping, body.args, argOf);
      const pred = predicates[stage];
      if (pred) mapping.mapAll(op.results, rw.preserving(() => this.predicate(rw, made, pred)).results);
    }
    // From now on the versions are those of the rounds after the loop's last one.
    this.#versions.clear();
    const results = this.#yielded.map(({ value, index }) => this.#yieldedNow(value, index, mapping, predicates, body.args));
    for (const [value, { defStage, lastUseStage }] of ranges) {
      let version = maxStage - lastUseStage + 1;
      for (let i = 1; i < lastUseStage - defStage; i++) {
        this.#setVersion(value, kernel.op.result(results.length), version++);
        results.push(body.args[results.length + 2]!);
      }
      this.#setVersion(value, kernel.op.result(results.length), version);
      results.push(mapping.get(value));
    }
    for (const { value, index } of this.#yielded) {
      const arg = this.#iterArgs[index]!;
      const stage = value.definingOp && this.#stages.get(value.definingOp);
      if (stage === undefined) for (let version = 1; version <= maxStage; version++) this.#setVersion(arg, value, version);
      else if (stage > 0) this.#setVersion(arg, kernel.op.result(index), maxStage - stage + 1);
    }
    rw.create(YieldOp, { results }, { loc: loop.op.locRef });
    return kernel;
  }
  /** Ends the rounds that the loop began, part by part. Returns the results of the old loop; `results` are those of the new one. */
  emitEpilogue(results: readonly Value[]): readonly Value[] {
    const { rw, loop } = this;
    const { lowerBound, upperBound, step, op: forOp } = loop;
    const options = { loc: forOp.locRef };
    const maxStage = this.#maxStage;
    const constant = (n: number): Value => rw.value(ConstantOp, { value: intAttr(lowerBound.type, n) }, options);
    const [zero, one] = [constant(0), constant(1)];
    const isNegative = rw.value(CmpIOp, { predicate: "slt", lhs: step, rhs: zero }, options);
    const towardsZero = rw.value(SelectOp, { condition: isNegative, true_value: one, false_value: constant(-1) }, options);
    const distance = rw.value(SubIOp, { lhs: upperBound, rhs: lowerBound }, options);
    const extended = rw.value(AddIOp, { lhs: distance, rhs: step }, options);
    const rounded = rw.value(AddIOp, { lhs: extended, rhs: towardsZero }, options);
    const rounds = rw.value(DivSIOp, { lhs: rounded, rhs: step }, options);
    const ahead = rw.value(SubIOp, { lhs: rounds, rhs: constant(maxStage) }, options);
    let round = rw.value(MaxSIOp, { lhs: zero, rhs: ahead }, options);
    const dynamic = this.#isDynamic();
    const predicates: (Value | undefined)[] = [undefined];
    for (let part = 1; part <= maxStage; part++) {
      const offset = rw.value(MulIOp, { lhs: step, rhs: round }, options);
      this.#setVersion(this.#body.args[0]!, rw.value(AddIOp, { lhs: lowerBound, rhs: offset }, options), part);
      round = rw.value(AddIOp, { lhs: round, rhs: one }, options);
      predicates.push(dynamic ? rw.value(CmpIOp, { predicate: "sge", lhs: rounds, rhs: constant(part) }, options) : undefined);
    }
    const returned = [...results];
    for (let part = 1; part <= maxStage; part++) {
      const made = new Map<number, number>();
      for (const op of this.#order) {
        const stage = this.#stageOf(op);
        if (stage < part) continue;
        const version = maxStage - stage + part;
        const copy = this.#copy(op, version, predicates[version]);
        op.results.forEach((result, r) => {
          this.#setVersion(result, copy.result(r), version);
          for (const { value, index } of this.#yielded) {
            if (value !== result) continue;
            returned[index] = copy.result(r);
            made.set(index, version);
            if (version < maxStage) this.#setVersion(this.#iterArgs[index]!, copy.result(r), version + 1);
          }
        });
      }
      if (!dynamic) continue;
      // A round that does not exist leaves what the one before gave.
      returned.forEach((true_value, index) => {
        const version = made.get(index);
        if (version === undefined) return;
        const arg = this.#iterArgs[index]!;
        const parts = { condition: predicates[version]!, true_value, false_value: this.#version(arg, version) };
        const value = rw.value(SelectOp, parts, options);
        returned[index] = value;
        if (version < maxStage) this.#setVersion(arg, value, version + 1);
      });
    }
    return returned;
  }
  #makeLoop(initArgs: readonly Value[]): ForView {
    const { rw, loop } = this;
    const { lowerBound, step, op } = loop;
    let { upperBound } = loop;
    if (this.options.peelEpilogue) {
      const options = { loc: op.locRef };
      const rounds = rw.value(ConstantOp, { value: intAttr(upperBound.type, this.#maxStage) }, options);
      const distance = rw.value(MulIOp, { lhs: step, rhs: rounds }, options);
      upperBound = rw.value(SubIOp, { lhs: upperBound, rhs: distance }, options);
    }
    const region = new Region(rw.ctx, null, 0);
    const block = region.addBlock();
    block.addArgument(lowerBound.type, op.locRef);
    for (const init of initArgs) block.addArgument(init.type, valueLocation(init));
    const types = initArgs.map((init) => init.type);
    const made = rw.create(ForOp, { lowerBound, upperBound, step, initArgs, region }, { loc: op.locRef, types });
    made.op.setAttrs(op.attrs);
    return made;
  }
  /** Whether a stage still has a round to work at. */
  #predicateForStage(iv: Value, stage: number): Value {
    const { rw, loop } = this;
    const { upperBound, step } = loop;
    const options = { loc: loop.op.locRef };
    if (this.options.keepPredicateStage) {
      const types = [i1(rw.ctx)];
      return rw.value(PredicateStageOp, { iv, ub: upperBound, step, maxStage: this.#maxStage, stage }, { ...options, types });
    }
    return emitPredicateForStage(rw, options, { iv, upperBound, step, rest: this.#maxStage - stage });
  }
  /** Makes an operand of a copy in the new loop the right version of what the original uses. */
  #remap(use: OpOperand, stage: number, made: Operation, mapping: Mapping, args: readonly Value[], argOf: Map<Value, number[]>): void {
    const { rw, loop } = this;
    const user = mapping.ops!.get(use.owner)!;
    let source = use.value;
    if (source === this.#body.args[0]) {
      const options = { loc: loop.op.locRef };
      rw.setBefore(made);
      const ahead = rw.value(ConstantOp, { value: intAttr(loop.step.type, this.#maxStage - stage) }, options);
      const offset = rw.value(MulIOp, { lhs: loop.step, rhs: ahead }, options);
      user.setOperand(use.index, rw.value(AddIOp, { lhs: args[0]!, rhs: offset }, options));
      rw.setAfter(made);
      return;
    }
    if (source.owner === this.#body) {
      const { value } = this.#yielded[source.index - 1]!;
      if (this.#isOutside(value)) {
        if (stage !== this.#maxStage) user.setOperand(use.index, value);
        return;
      }
      const defStage = value.definingOp && this.#stages.get(value.definingOp);
      if (defStage === undefined || defStage === stage) return;
      // The next stage works on the round before, so the new loop's body has that value already.
      if (defStage === stage + 1) return user.setOperand(use.index, mapping.get(value));
      source = value;
    }
    const defStage = source.definingOp && this.#stages.get(source.definingOp);
    if (defStage === undefined || defStage === stage) return;
    const arg = argOf.get(use.value)?.[stage - defStage];
    if (arg === undefined) throw new Bug("a value crosses stages and is not carried");
    user.setOperand(use.index, args[arg + 1]!);
  }
  /** A value used after the loop stays as it was when its stage has no round left. */
  #yieldedNow(value: Value, index: number, mapping: Mapping, predicates: readonly Value[], args: readonly Value[]): Value {
    const { rw, loop } = this;
    const true_value = mapping.get(value);
    const { def } = !this.options.peelEpilogue && loop.op.result(index).hasUses() ? this.#definition(value) : { def: undefined };
    const stage = def && this.#stages.get(def);
    if (stage === undefined || stage >= this.#maxStage) return true_value;
    const false_value = args[index + 1]!;
    return rw.value(SelectOp, { condition: predicates[stage]!, true_value, false_value }, { loc: loop.op.locRef });
  }
}

/** Whether there are more than `rest` rounds after the one of `iv`. */
export function emitPredicateForStage(
  rw: Rewriter,
  options: { readonly loc: LocationRef },
  { iv, upperBound, step, rest }: { readonly iv: Value; readonly upperBound: Value; readonly step: Value; readonly rest: number },
): Value {
  const rounds = rw.value(ConstantOp, { value: intAttr(iv.type, rest) }, options);
  const distance = rw.value(MulIOp, { lhs: step, rhs: rounds }, options);
  const end = rw.value(SubIOp, { lhs: upperBound, rhs: distance }, options);
  return rw.value(CmpIOp, { predicate: "slt", lhs: iv, rhs: end }, options);
}

/** The operands of an op and of what is nested in it, innermost first. */
function allOperands(op: Operation): OpOperand[] {
  const operands: OpOperand[] = [];
  op.walkPostOrder((nested) => void operands.push(...nested.operandUses));
  return operands;
}
