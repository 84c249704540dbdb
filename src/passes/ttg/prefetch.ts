import { AddIOp } from "../../dialects/arith/ops/integer.js";
import { buildFor, valueLocation } from "../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { TTG_CONVERT_LAYOUT_PATTERNS } from "../../dialects/ttg/canonicalize/index.js";
import { encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { AsyncWaitOp } from "../../dialects/ttg/ops/async-copy.js";
import { LocalLoadOp } from "../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp, MemDescSubsliceOp } from "../../dialects/ttg/ops/memdesc-views.js";
import { type MemDesc, MemDescType } from "../../dialects/ttg/types.js";
import { convertFromTMEMStore } from "../../dialects/ttng/canonicalize.js";
import { bitWidth, encodingOf, RankedTensorType, type TensorType, tensorType } from "../../ir/builtin-types.js";
import { Mapping } from "../../ir/clone.js";
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { Elementwise } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";
import type { DistributedParams } from "../../layout/encoding-params.js";
import { definePass } from "../../pass/define-pass.js";
import { RemarkRefs, type RemarkText } from "../../pass/remark.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import { Rewriter } from "../../rewrite/rewriter.js";

type DotView = View<typeof DotOp>;

/**
 *     scf.for ... iter_args(%a = ..., %b = ...) {
 *       %x = ttg.local_load %a
 *       %y = ttg.local_load %b
 *       tt.dot %x, %y, %c
 *
 * becomes a loop that carries the first slice along k of both operands in registers, loads the other slices while the first is
 * multiplied, and at its end loads the first slice of the next round.
 */
export const prefetch = definePass("tritongpu-prefetch", {
  name: "TritonGPUPrefetch",
  summary: "prefetch",
  source: "lib/Dialect/TritonGPU/Transforms/Prefetch.cpp",
  statistics: { prefetched: "dots whose operands are loaded a round ahead" },
  run(root, { listener, count, explain, report }) {
    applyPatternsGreedily(root, [...TTG_CONVERT_LAYOUT_PATTERNS, convertFromTMEMStore], { listener });
    const rw = new Rewriter(root.ctx, listener);
    root.walkPostOrder((op) => {
      const loop = ForOp.match(op);
      const dot = loop && onlyDotOf(loop);
      if (!dot) return;
      const plan = planFor(loop, dot);
      if (!throughWaits(op) && depthOf(dot) >= widthOf(dot) && ![dot.a, dot.b].every(({ definingOp }) => definingOp))
        report.crash(dot.op, "it asks for the op that defines an operand, and that is an argument of a block (SIGSEGV)");
      if (plan) count("prefetched");
      explain?.(dot.op, "prefetch.operand", explainPrefetch(dot, plan));
      // Before 3.8 the loop is made anew without a plan too.
      if (plan || !throughWaits(op)) rw.from(op, () => rewriteLoop(rw, loop, dot, plan));
    });
  },
});

const throughWaits = (op: Operation): boolean => op.ctx.triton.prefetchesThroughWaits;

/** The dot in the loop's body, when it is the only one and done by mma version 2 (or AMD's). */
function onlyDotOf({ region }: ForView): DotView | undefined {
  const dots: DotView[] = [];
  for (const op of region.firstBlock!.ops()) {
    const dot = DotOp.match(op);
    if (!dot) continue;
    const params = encodingParams(encodingOf(dot.d.type));
    if (params?.kind !== "amd_mfma" && !(params?.kind === "nvidia_mma" && params.versionMajor === 2)) return undefined;
    dots.push(dot);
  }
  return dots.length === 1 ? dots[0] : undefined;
}

/** Where an operand of the dot comes from. */
interface Source {
  /** The buffer, what is loaded from it, and what elementwise ops make of that, the operand last. */
  readonly chain: readonly Value[];
  /** That the copy to the buffer is done. */
  readonly token: Value | undefined;
}
interface Plan {
  /** Elements along k that are loaded ahead. */
  readonly width: number;
  readonly sources: readonly [Source, Source];
}

/** Elements along k that can be read ahead. */
function widthOf({ a }: DotView): number {
  const { elementType, encoding } = (a.type as TensorType).params;
  const params = encodingParams(encoding);
  const kWidth = params?.kind === "dot_op" ? params.kWidth : 0;
  return kWidth === 0 ? Math.trunc(256 / bitWidth(elementType)!) : 8 * kWidth;
}
const depthOf = ({ a }: DotView): number => (a.type as TensorType).params.shape.at(-1)!;

/** Undefined when an operand is not loaded from a buffer that the loop carries. */
function planFor(loop: ForView, dot: DotView): Plan | undefined {
  const width = widthOf(dot);
  if (depthOf(dot) < width) return undefined;
  const source = (operand: Value): Source | undefined => {
    const chain = chainFromBuffer(operand);
    const arg = chain?.[0];
    if (!chain || !arg) return undefined;
    return { chain, token: LocalLoadOp.match(chain[1]!.definingOp)?.token };
  };
  const [lhs, rhs] = [source(dot.a), source(dot.b)];
  if (!lhs || !rhs) return undefined;
  const plan: Plan = { width, sources: [lhs, rhs] };
  if (plan.sources.every(({ chain, token }) => isCarried(loop, chain[0]!) && (!token || throughWaits(loop.op)))) return plan;
  if (!throughWaits(loop.op) || !plan.sources.some(({ token }) => token)) return undefined;
  return plan.sources.every(({ chain, token }) => canMove(loop, chain[0]!) && (!token || canMove(loop, token))) ? plan : undefined;
}

const isCarried = (loop: ForView, value: Value): boolean => value.argOwner === loop.region.firstBlock && value.index > 0;
/** Whether a value can be computed before the loop for the first round, and at the end of a round for the next one. */
function canMove(loop: ForView, value: Value): boolean {
  const op = value.definingOp;
  if (!op || op.block !== loop.region.firstBlock) return true;
  if (op.regions.length > 0) return false;
  if (!op.def.traits.has(Elementwise) && !op.def.isConstantLike && !AsyncWaitOp.is(op) && !MemDescIndexOp.is(op)) return false;
  return op.operands.every((operand) => canMove(loop, operand));
}

/** Computes a value of the loop's body again, for another round than its own. */
function recompute(rw: Rewriter, loop: ForView, value: Value, ofArgument: (arg: Value) => Value, known: Map<Value, Value>): Value {
  const cached = known.get(value);
  if (cached) return cached;
  const body = loop.region.firstBlock!;
  const op = value.definingOp;
  if (!op) known.set(value, value.argOwner === body ? ofArgument(value) : value);
  else if (op.block !== body) known.set(value, value);
  else {
    const mapping = new Mapping();
    for (const operand of op.operands) mapping.map(operand, recompute(rw, loop, operand, ofArgument, known));
    rw.clone(op, mapping).results.forEach((result, i) => known.set(op.result(i), result));
  }
  return known.get(value)!;
}
/** The remark on a dot: the part that is loaded ahead, or the condition in `planFor` that does not hold. */
function explainPrefetch(dot: DotView, plan: Plan | undefined): RemarkText {
  const [k, width] = [depthOf(dot), widthOf(dot)];
  const refs = new RemarkRefs(dot.op);
  const [lhs, rhs] = [refs.of(dot.a), refs.of(dot.b)];
  const fields = { k, width };
  if (plan)
    return {
      kind: "applied",
      message: `the first ${width} of K = ${k} elements of ${lhs} and ${rhs} are read from shared memory one iteration ahead of {0}`,
      refs: refs.list,
      fields,
    };
  const reason =
    k < width
      ? `K = ${k} is less than the ${width} that are read ahead`
      : "an operand does not come, by ops on one value each, from a buffer that the loop carries from one iteration to the next";
  return { kind: "missed", message: `the operands ${lhs} and ${rhs} of {0} are not read ahead: ${reason}`, refs: refs.list, fields };
}

/** The values from the buffer to `operand`, through ops with one operand whose result is used once. */
function chainFromBuffer(operand: Value): Value[] | undefined {
  const chain: Value[] = [];
  let op = operand.definingOp;
  if (op) chain.push(op.result(0));
  for (; op; op = op.operand(0).definingOp) {
    // Before 3.8 a load that waits for a copy is not looked through.
    const isLoad = LocalLoadOp.is(op) && throughWaits(op);
    if ((op.numOperands !== 1 && !isLoad) || op.numResults === 0 || !op.result(0).hasOneUse()) return undefined;
    chain.push(op.operand(0));
    if (!LocalLoadOp.is(op)) continue;
    return encodingParams(encodingOf(op.result(0).type))?.kind === "dot_op" ? chain.reverse() : undefined;
  }
  return undefined;
}

const OPERANDS = [0, 1] as const;
interface Slice {
  readonly buffer: Value;
  readonly token: Value | undefined;
  /** Where it begins along k. */
  readonly offset: number;
}
/** Loads a slice of an operand's buffer, and does to it what is done to the operand. */
function loadSlice(rw: Rewriter, opIdx: 0 | 1, dot: DotView, { width, sources }: Plan, { buffer, token, offset }: Slice): Value {
  const loc = valueLocation(buffer);
  const { shape, ...rest } = (buffer.type as MemDesc).params;
  const kDim = opIdx === 0 ? shape.length - 1 : shape.length - 2;
  const sliced = shape.map((extent, d) => (d === kDim ? width : extent));
  const offsets = shape.map((_, d) => (d === kDim ? offset : 0));
  const type = MemDescType.get(rw.ctx, { ...rest, shape: sliced });
  const view = rw.value(MemDescSubsliceOp, { src: buffer, offsets }, { loc, types: [type] });
  const parent = encodingParams(encodingOf(dot.d.type)) as DistributedParams;
  const encoding = encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent, kWidth: Math.trunc(width / 8) });
  const loaded = rw.value(LocalLoadOp, { src: view, token }, { loc, types: [tensorType(sliced, rest.elementType, encoding)] });
  return cloneElementwiseOps(rw, loaded, sources[opIdx].chain);
}
function cloneElementwiseOps(rw: Rewriter, loaded: Value, chain: readonly Value[]): Value {
  const mapping = new Mapping().map(chain[1]!, loaded);
  const { shape } = (loaded.type as TensorType).params;
  for (const value of chain.slice(2)) {
    const copy = rw.clone(value.definingOp!, mapping);
    const { type } = copy.result(0);
    if (RankedTensorType.is(type)) copy.setResultType(0, tensorType(shape, type.params.elementType, encodingOf(copy.operand(0).type)));
  }
  return mapping.get(chain.at(-1)!);
}

/** Makes the loop anew; without a plan with the same body. As upstream, its attributes are lost. */
function rewriteLoop(rw: Rewriter, loop: ForView, dot: DotView, plan: Plan | undefined): void {
  const { op, lowerBound, upperBound, step, initArgs } = loop;
  const oldBlock = loop.region.firstBlock!;
  const oldYield = oldBlock.lastOp!;
  rw.setBefore(op);
  const firstRound = new Map<Value, Value>();
  const atFirst = (value: Value): Value =>
    recompute(rw, loop, value, (arg) => (arg.index === 0 ? lowerBound : initArgs[arg.index - 1]!), firstRound);
  // Buffers of a and b, and the tokens of both: the loop carries those that it does not carry yet.
  const tracked = plan ? [...plan.sources.map(({ chain }) => chain[0]), ...plan.sources.map(({ token }) => token)] : [];
  const added = tracked.flatMap((value, i) => (value && !isCarried(loop, value) ? [i] : []));
  const load = (opIdx: 0 | 1, offset: number, valueOf: (value: Value, slot: number) => Value): Value => {
    const [buffer, token] = [tracked[opIdx]!, tracked[opIdx + 2]];
    return loadSlice(rw, opIdx, dot, plan!, { buffer: valueOf(buffer, opIdx), token: token && valueOf(token, opIdx + 2), offset });
  };
  const heads = plan ? OPERANDS.map((opIdx) => load(opIdx, 0, atFirst)) : [];
  const more = [...added.map((slot) => atFirst(tracked[slot]!)), ...heads];
  const made = buildFor(rw.builder, { lowerBound, upperBound, step, initArgs: [...initArgs, ...more] }, { loc: op.locRef });
  const block = made.region.firstBlock!;
  const mapping = new Mapping();
  oldBlock.args.forEach((arg, i) => mapping.map(arg, block.args[i]!));
  const [aHead, bHead] = block.args.slice(oldBlock.args.length + added.length);
  const current = (value: Value, slot: number): Value =>
    isCarried(loop, value) ? mapping.get(value) : block.args[oldBlock.args.length + added.indexOf(slot)]!;

  // The last dot is issued as late as can be: what follows goes before it, up to an op with regions or one that needs it.
  const toEnd = (): void => void (block.lastOp?.def.isTerminator ? rw.setBefore(block.lastOp) : rw.setEnd(block));
  rw.setStart(block);
  for (const at of oldBlock.ops()) {
    if (at === oldYield) break;
    if (at.regions.length > 0) toEnd();
    if (plan && at.operandUses.some(({ value }) => value === dot.d)) toEnd();
    let copy = rw.clone(at, mapping);
    if (plan && at === dot.op) {
      const first = rw.clone(at, mapping);
      rw.setOperand(first, 0, aHead!);
      rw.setOperand(first, 1, bHead!);
      copy = splitRest(rw, dot, plan, mapping, first, (opIdx, offset) => load(opIdx, offset, current));
    }
    mapping.mapAll(at.results, copy.results);
  }

  const yielded = oldYield.operands.map((value) => mapping.get(value));
  if (plan) {
    const inNextRound = (value: Value): Value => {
      const ofArgument = (arg: Value): Value => {
        if (arg.index > 0) return mapping.get(oldYield.operand(arg.index - 1));
        return rw.value(AddIOp, { lhs: mapping.get(arg), rhs: step }, { loc: op.locRef });
      };
      return isCarried(loop, value) ? ofArgument(value) : recompute(rw, loop, value, ofArgument, new Map());
    };
    const next = tracked.map((value) => value && inNextRound(value));
    yielded.push(...added.map((slot) => next[slot]!), ...OPERANDS.map((opIdx) => load(opIdx, 0, (_, slot) => next[slot]!)));
  }
  if (yielded.length > 0) rw.setEnd(block).create(YieldOp, { results: yielded }, { loc: oldYield.locRef });
  rw.replace(op, made.op.results.slice(0, op.numResults));
}

/** Dots of the slices after the first one, which is `first`; returns the last of them and leaves the insertion point before it. */
function splitRest(
  rw: Rewriter,
  dot: DotView,
  plan: Plan,
  mapping: Mapping,
  first: Operation,
  load: (opIdx: 0 | 1, offset: number) => Value,
): Operation {
  const k = depthOf(dot);
  let previous = first;
  for (let offset = plan.width; offset < k; offset += plan.width) {
    const before = previous;
    const [a, b] = rw.preserving(() => {
      rw.setBefore(before);
      return OPERANDS.map((opIdx) => load(opIdx, offset));
    });
    const next = rw.clone(dot.op, mapping);
    rw.setOperand(next, 0, a!);
    rw.setOperand(next, 1, b!);
    rw.setOperand(next, 2, previous.result(0));
    previous = next;
  }
  rw.setBefore(previous);
  return previous;
}
