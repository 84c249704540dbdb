import { buildFor, valueLocation } from "../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { TTG_CONVERT_LAYOUT_PATTERNS } from "../../dialects/ttg/canonicalize/index.js";
import { encodingAttr, encodingParams } from "../../dialects/ttg/encodings/define-encoding.js";
import { LocalLoadOp } from "../../dialects/ttg/ops/local-memory.js";
import { MemDescSubsliceOp } from "../../dialects/ttg/ops/memdesc-views.js";
import { type MemDesc, MemDescType } from "../../dialects/ttg/types.js";
import { convertFromTMEMStore } from "../../dialects/ttng/canonicalize.js";
import { bitWidth, encodingOf, RankedTensorType, type TensorType, tensorType } from "../../ir/builtin-types.js";
import { Mapping } from "../../ir/clone.js";
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
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
      if (depthOf(dot) >= widthOf(dot) && ![dot.a, dot.b].every(({ definingOp }) => definingOp))
        report.crash(dot.op, "it asks for the op that defines an operand, and that is an argument of a block (SIGSEGV)");
      if (plan) count("prefetched");
      explain?.(dot.op, "prefetch.operand", explainPrefetch(dot, plan));
      rw.from(op, () => rewriteLoop(rw, loop, dot, plan));
    });
  },
});

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
  /** The iter arg that is the buffer, what is loaded from it, and what elementwise ops make of that, the operand last. */
  readonly chain: readonly Value[];
  /** The buffer of the first round, and that of the next. */
  readonly init: Value;
  readonly next: Value;
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
    if (!chain || arg?.argOwner?.parentOp !== loop.op) return undefined;
    const init = loop.initArgs[arg.index - 1];
    return init && { chain, init, next: arg.argOwner.lastOp!.operand(arg.index - 1) };
  };
  const [lhs, rhs] = [source(dot.a), source(dot.b)];
  return lhs && rhs && { width, sources: [lhs, rhs] };
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
    if (op.numOperands !== 1 || op.numResults === 0 || !op.result(0).hasOneUse()) return undefined;
    chain.push(op.operand(0));
    if (!LocalLoadOp.is(op)) continue;
    return encodingParams(encodingOf(op.result(0).type))?.kind === "dot_op" ? chain.reverse() : undefined;
  }
  return undefined;
}

/** Loads elements `offset` to `offset + size` along k of an operand's buffer, and does to them what is done to the operand. */
function loadSlice(rw: Rewriter, buffer: Value, opIdx: 0 | 1, dot: DotView, { width, sources }: Plan, offset: number, size: number): Value {
  const loc = valueLocation(buffer);
  const { shape, ...rest } = (buffer.type as MemDesc).params;
  const kDim = opIdx === 0 ? shape.length - 1 : shape.length - 2;
  const sliced = shape.map((extent, d) => (d === kDim ? size : extent));
  const offsets = shape.map((_, d) => (d === kDim ? offset : 0));
  const type = MemDescType.get(rw.ctx, { ...rest, shape: sliced });
  const view = rw.value(MemDescSubsliceOp, { src: buffer, offsets }, { loc, types: [type] });
  const parent = encodingParams(encodingOf(dot.d.type)) as DistributedParams;
  const encoding = encodingAttr(rw.ctx, { kind: "dot_op", opIdx, parent, kWidth: Math.trunc(width / 8) });
  const loaded = rw.value(LocalLoadOp, { src: view }, { loc, types: [tensorType(sliced, rest.elementType, encoding)] });
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
  const heads = plan
    ? [loadSlice(rw, plan.sources[0].init, 0, dot, plan, 0, plan.width), loadSlice(rw, plan.sources[1].init, 1, dot, plan, 0, plan.width)]
    : [];
  const made = buildFor(rw.builder, { lowerBound, upperBound, step, initArgs: [...initArgs, ...heads] }, { loc: op.locRef });
  const block = made.region.firstBlock!;
  const mapping = new Mapping();
  oldBlock.args.forEach((arg, i) => mapping.map(arg, block.args[i]!));
  const [aHead, bHead] = block.args.slice(oldBlock.args.length);

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
      copy = splitRest(rw, dot, plan, mapping, first);
    }
    mapping.mapAll(at.results, copy.results);
  }

  const yielded = oldYield.operands.map((value) => mapping.get(value));
  if (plan) {
    const ahead = ([0, 1] as const).map((opIdx) => loadSlice(rw, mapping.get(plan.sources[opIdx].next), opIdx, dot, plan, 0, plan.width));
    yielded.push(...ahead);
  }
  if (yielded.length > 0) rw.setEnd(block).create(YieldOp, { results: yielded }, { loc: oldYield.locRef });
  rw.replace(op, made.op.results.slice(0, op.numResults));
}

/** Dots of the slices after the first one, which is `first`; returns the last of them and leaves the insertion point before it. */
function splitRest(rw: Rewriter, dot: DotView, plan: Plan, mapping: Mapping, first: Operation): Operation {
  const k = depthOf(dot);
  let previous = first;
  for (let offset = plan.width; offset < k; offset += plan.width) {
    const before = previous;
    const [a, b] = rw.preserving(() => {
      rw.setBefore(before);
      return ([0, 1] as const).map((opIdx) =>
        loadSlice(rw, mapping.get(plan.sources[opIdx].chain[0]!), opIdx, dot, plan, offset, plan.width),
      );
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
