/**
 * Lets warp group dots of a loop run while the loop goes on.
 *
 *     %d = ttng.warp_group_dot %a, %b, %acc          %d0 = ttng.warp_group_dot %a, %b, %acc {isAsync}
 *     scf.yield %d                             ->    %d:3 = ttng.warp_group_dot_wait %d0, %a, %b {pendings = 1}
 *                                                    scf.yield %d#0
 *
 * A dot that something else needs in the same round is asynchronous too, but waited for at once (`pendings = 0`).
 * Source: lib/Dialect/TritonGPU/Transforms/Pipeliner/WGMMAPipeline.cpp.
 */
import { getBackwardSlice } from "../../../analysis/slices.js";
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import type { ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { layoutRules } from "../../../dialects/tt/infer-layout.js";
import { ReshapeOp, SplitOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { encodingParams, toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { MemDescIndexOp, MemDescReshapeOp, MemDescSubsliceOp, MemDescTransOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { type MemDesc, MemDescType, memDescType } from "../../../dialects/ttg/types.js";
import { WarpGroupDotOp, WarpGroupDotWaitOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Block } from "../../../ir/block.js";
import { boolAttr } from "../../../ir/builtin-attrs.js";
import { isFloat, RankedTensorType, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import { minimalCvtLayout } from "../../../layout/conversion.js";
import { type Explain, RemarkRefs } from "../../../pass/remark.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { bodyOf, findAncestorInBlock, isDefinedOutsideOfLoop } from "../../ttg/software-pipelining/pipelined-loops.js";

type Dot = View<typeof WarpGroupDotOp>;
type Wait = View<typeof WarpGroupDotWaitOp>;
/** Dots that the next round may start before they are done, with the carried value that holds the result. */
type AsyncDots = ReadonlyMap<Dot, number>;
/** A dot splits its accumulation in registers after so many products: never. */
const NO_IMPRECISE_ACC = 2 ** 30;

/** Makes the dots directly in a loop asynchronous and puts the waits that this takes. */
export function asyncLaunchDots(rw: Rewriter, loop: ForView, explain?: Explain): void {
  const body = bodyOf(loop);
  let asyncDots = new Map<Dot, number>();
  for (const dot of body.opsWithoutTerminator().flatMap((op) => WarpGroupDotOp.match(op) ?? [])) {
    rw.setAttr(dot, "isAsync", boolAttr(rw.ctx, true));
    const verdict = dotCanBeProperlyAsync(rw, dot, loop);
    if (explain) explainDot(explain, dot, verdict);
    if (typeof verdict === "number") asyncDots.set(dot, verdict);
    else insertWait(rw.setAfter(dot), dot, 0, [dot.d]);
  }
  if (asyncDots.size === 0) return;
  if (!firstFullWait(body)) asyncDots = new Map([...asyncDots].flatMap(([dot, arg]) => splitRSDot(rw, dot).map((part) => [part, arg])));
  insertWaitsInLoop(rw, loop, asyncDots);
  const results = [...asyncDots.values()].map((arg) => loop.op.result(arg));
  insertWait(rw.setAfter(loop), loop, 0, results);
}

const firstFullWait = (body: Block): Wait | undefined =>
  body
    .opsWithoutTerminator()
    .flatMap((op) => WarpGroupDotWaitOp.match(op) ?? [])
    .find((wait) => wait.pendings === 0);

/** Puts a wait for `values` at the insertion point. */
function insertWait(rw: Rewriter, { op }: { readonly op: Operation }, pendings: number, values: readonly Value[]): void {
  rw.from(op, () => threadValuesThroughWait(rw, { inputs: [], pendings, loc: op.locRef }, values));
}
/** Hands more values on through a wait that is there. */
function addToWait(rw: Rewriter, { op, inputs, pendings }: Wait, values: readonly Value[]): void {
  rw.setBefore(op);
  rw.from(op, () => rw.replace(op, threadValuesThroughWait(rw, { inputs, pendings, loc: op.locRef }, values).slice(0, inputs.length)));
}

/**
 * Makes a wait that hands on `inputs` and `values`: what follows uses `values` through it. The buffers read by the dots that
 * `values` come from are handed on as well, so that they live until the wait. Returns its results.
 */
function threadValuesThroughWait(
  rw: Rewriter,
  { inputs, pendings, loc }: { readonly inputs: readonly Value[]; readonly pendings: number; readonly loc: LocationRef },
  values: readonly Value[],
): readonly Value[] {
  const block = rw.builder.block!;
  const operands = new Set([...inputs, ...values]);
  const dots: Operation[] = [];
  const filter = (op: Operation): boolean => {
    if (WarpGroupDotOp.is(op)) dots.push(op);
    return !WarpGroupDotOp.is(op) && op.block === block;
  };
  for (const value of values) getBackwardSlice(value.definingOp ?? value.argOwner!.parentOp!, { omitBlockArguments: true, filter });
  for (const dot of dots) for (const operand of dot.operands) if (MemDescType.is(operand.type)) operands.add(operand);
  const { op } = rw.create(WarpGroupDotWaitOp, { inputs: [...operands], pendings }, { loc });
  for (const { value, index } of op.operandUses) {
    if (index < inputs.length || MemDescType.is(value.type)) continue;
    rw.replaceUsesWhere(value, op.result(index), ({ owner }) => {
      const user = findAncestorInBlock(block, owner);
      return user !== undefined && user !== op && op.isBeforeInBlock(user);
    });
  }
  return op.results;
}

/** Whether a dot reads registers that the loop writes, and so must be done before the next round writes them. */
function rsDotNeedsWait({ a }: Dot, loop: ForView): boolean {
  if (!RankedTensorType.is(a.type) || isDefinedOutsideOfLoop(loop, a)) return false;
  const convert = ConvertLayoutOp.match(a.definingOp);
  return !convert || encodingParams((convert.src.type as TensorType).params.encoding)?.kind !== "nvidia_mma";
}

/** Reshapes, transpositions and conversions that move nothing. */
function isNoop(op: Operation): boolean {
  if (ReshapeOp.is(op) || TransOp.is(op)) return true;
  const convert = ConvertLayoutOp.match(op);
  if (!convert) return false;
  const [from, to] = [convert.src, convert.result].map((value) => (value.type as TensorType).params);
  return minimalCvtLayout(toLinearLayout(from!.shape, from!.encoding!), toLinearLayout(to!.shape, to!.encoding!)).outDimNames.length === 0;
}

/**
 * Whether nobody needs a dot's result before the next round's dots: the number of the carried value that holds it, or why not.
 *
 * 1. Buffers that it reads are not written while it runs: they are from outside, or one of several.
 * 2. In the loop nothing uses the result but the yield, and what is in branches, where a wait can go.
 * 3. In the next round only dots use it, as accumulators; or all that do come after a wait for everything.
 */
function dotCanBeProperlyAsync(rw: Rewriter, dot: Dot, loop: ForView): number | string {
  const single = [dot.a, dot.b].findIndex((operand) => !isMultiBuffered(operand, loop));
  if (single >= 0) return `the buffer of operand ${single === 0 ? "a" : "b"} is not one of several`;
  const arg = carriedBy(dot, loop);
  if (typeof arg === "string") return arg;
  if (!isFloat((dot.c.type as TensorType).params.elementType, "f32")) return "its accumulator is not f32";
  const carried = bodyOf(loop).args[arg + 1]!;
  const isAccumulator = ({ owner, index }: OpOperand): boolean => {
    if (WarpGroupDotOp.is(owner)) return index === 2;
    return isNoop(owner) && [...owner.result(0).uses()].every(isAccumulator);
  };
  if ([...carried.uses()].every(isAccumulator)) return arg;
  const wait = firstFullWait(bodyOf(loop));
  if (!wait || !carried.users().every((user) => wait.op.isBeforeInBlock(findAncestorInBlock(bodyOf(loop), user)!)))
    return "in the next iteration more than dots that add to it use its result";
  addToWait(rw, wait, [carried]);
  return arg;
}

function isMultiBuffered(operand: Value, loop: ForView): boolean {
  if (RankedTensorType.is(operand.type)) return true;
  const views = [ConvertLayoutOp, MemDescTransOp, MemDescReshapeOp, MemDescSubsliceOp];
  const carried = new Set<Value>();
  let at = operand;
  while (!isDefinedOutsideOfLoop(loop, at)) {
    const def = at.definingOp;
    if (def && !views.some((view) => view.is(def))) return MemDescIndexOp.is(def);
    // One that is only handed on is what it was before the loop. (Real 3.6 does not end then.)
    if (!def && carried.has(at)) return true;
    if (!def) carried.add(at);
    at = def ? def.operand(0) : bodyOf(loop).lastOp!.operand(at.index - 1);
  }
  return true;
}

/** The number of the carried value that holds a dot's result, or why there is none. */
function carriedBy(dot: Dot, loop: ForView): number | string {
  let arg: number | undefined;
  const queue = [...dot.d.uses()];
  for (let use = queue.pop(); use; use = queue.pop()) {
    const user = use.owner;
    if (user.parentOp === loop.op) {
      if (isNoop(user)) queue.push(...user.result(0).uses());
      else if (!YieldOp.is(user)) return "its result is used in the same iteration";
      else if (arg !== undefined) return "its result is carried twice";
      else arg = use.index;
      continue;
    }
    const branch = IfOp.match(user.parentOp ?? undefined);
    if (!branch) return "its result is used in another region";
    if (YieldOp.is(user)) queue.push(...branch.op.result(use.index).uses());
  }
  return arg ?? "its result is not carried";
}

/** Waits for the dots of the round before, unless something waits for everything anyway. */
function insertWaitsInLoop(rw: Rewriter, loop: ForView, asyncDots: AsyncDots): void {
  if (firstFullWait(bodyOf(loop))) return;
  const dots = [...asyncDots.keys()];
  if (rw.ctx.triton.waitsAtUsers) waitsAtUsers(rw, loop, dots);
  else waitsAtBlocks(rw, loop, dots);
  const last = dots.at(-1)!;
  if (rsDotNeedsWait(last, loop)) return;
  insertWait(
    rw.setAfter(last),
    last,
    dots.length,
    dots.map(({ d }) => d),
  );
}

const waitForRegisters = (rw: Rewriter, dot: Dot, dots: readonly Dot[]): void =>
  insertWait(rw.setAfter(dot), dot, dots.length - 1, [dot.d]);

/** 3.6: waits at the start of blocks with users; a dot that is waited for anyway has no other. */
function waitsAtBlocks(rw: Rewriter, loop: ForView, dots: readonly Dot[]): void {
  for (const dot of dots) {
    if (rsDotNeedsWait(dot, loop)) {
      waitForRegisters(rw, dot, dots);
      continue;
    }
    const byBlock = new Map<Block, Value[]>();
    for (const { owner, value } of dot.d.uses()) {
      if (YieldOp.is(owner)) continue;
      const block = owner.block!;
      byBlock.set(block, [...(byBlock.get(block) ?? []), value]);
    }
    for (const [block, values] of byBlock) insertWait(rw.setStart(block), dot, 0, values);
  }
}

/** Since 3.7: waits before the first user of a block; a dot that adds to the result in the same registers needs none. */
function waitsAtUsers(rw: Rewriter, loop: ForView, dots: readonly Dot[]): void {
  for (const dot of dots) {
    const byBlock = new Map<Block, OpOperand[]>();
    for (const use of dot.d.uses()) {
      if (YieldOp.is(use.owner)) continue;
      const block = use.owner.block!;
      byBlock.set(block, [...(byBlock.get(block) ?? []), use]);
    }
    for (const uses of byBlock.values()) {
      uses.sort((a, b) => (a.owner === b.owner ? 0 : a.owner.isBeforeInBlock(b.owner) ? -1 : 1));
      const first = uses.find(({ owner, index }) => !(WarpGroupDotOp.is(owner) && index === 2));
      if (first) insertWait(rw.setBefore(first.owner), dot, 0, [dot.d]);
    }
  }
  for (const dot of dots) if (rsDotNeedsWait(dot, loop)) waitForRegisters(rw, dot, dots);
}

/**
 * Splits a dot with `a` in registers along K, in one for each instruction or, since 3.7, in two: all but one of them can be in flight.
 * Returns the parts in order.
 */
function splitRSDot(rw: Rewriter, dot: Dot): Dot[] {
  const { op, a, b, d, inputPrecision, isAsync } = dot;
  const mma = encodingParams((d.type as TensorType).params.encoding);
  if (!RankedTensorType.is(a.type) || mma?.kind !== "nvidia_mma") return [dot];
  const k = a.type.params.shape.at(-1)!;
  const inTwo = rw.ctx.triton.splitsDotsInTwo;
  const most = Math.trunc(k / mma.instrShape[2]!);
  if (most <= 1) return [dot];
  const count = inTwo ? 2 : most;
  const size = Math.trunc(k / count);
  return rw.from(op, () => {
    rw.setBefore(op);
    const lefts = splitLhs(rw, a, size, count);
    const rights = splitRhs(rw, b, size, count);
    let { c, useC, maxNumImpreciseAcc: left } = dot;
    const parts = lefts.map((lhs, i) => {
      const take = Math.min(left, size);
      left -= take;
      const maxNumImpreciseAcc = take === size ? NO_IMPRECISE_ACC : take;
      const operands = { a: lhs, b: rights[i]!, c, useC };
      const part = rw.create(WarpGroupDotOp, { ...operands, inputPrecision, maxNumImpreciseAcc, isAsync }, { loc: op.locRef });
      c = part.d;
      useC = inTwo ? undefined : rw.value(ConstantOp, { value: boolAttr(rw.ctx, true) }, { loc: op.locRef });
      return part;
    });
    rw.replace(op, c);
    return parts;
  });
}

/** Reshapes K to 2x2x..xsize, brings the twos to the end, slowest last, and splits them off one by one. */
function splitLhs(rw: Rewriter, lhs: Value, size: number, count: number): Value[] {
  const { shape, elementType, encoding } = (lhs.type as TensorType).params;
  const options = { loc: lhs.definingOp?.locRef ?? rw.loc };
  const rank = shape.length;
  const twos = new Array<number>(Math.log2(count)).fill(2);
  const long = [...shape.slice(0, -1), ...twos, size];
  const reshaped = tensorType(long, elementType, layoutRules(encoding!).inferReshapeOpEncoding(shape, encoding!, long, undefined));
  const whole = rw.value(ReshapeOp, { src: lhs }, { ...options, types: [reshaped] });
  const outer = long.slice(0, rank - 1).map((_, dim) => dim);
  const order = [...outer, long.length - 1, ...twos.map((_, i) => rank - 1 + i).reverse()];
  let parts = [rw.value(TransOp, { src: whole, order }, options)];
  for (const _ of twos) parts = parts.flatMap((src) => rw.create(SplitOp, { src }, options).op.results);
  const types = [tensorType((parts[0]!.type as TensorType).params.shape, elementType, encoding)];
  return parts.map((src) => rw.value(ConvertLayoutOp, { src }, { ...options, types }));
}

function splitRhs(rw: Rewriter, src: Value, size: number, count: number): Value[] {
  const { shape, elementType, encoding, memorySpace, allocShape } = (src.type as MemDesc).params;
  const kDim = shape.length - 2;
  const along = (n: number): number[] => shape.map((_, dim) => (dim === kDim ? n : 0));
  const types = [memDescType(shape.with(kDim, size), elementType, encoding, memorySpace, false, allocShape)];
  const loc = src.definingOp?.locRef ?? rw.loc;
  return Array.from({ length: count }, (_, i) => rw.value(MemDescSubsliceOp, { src, offsets: along(i * size) }, { loc, types }));
}

function explainDot(explain: Explain, dot: Dot, verdict: number | string): void {
  const refs = new RemarkRefs(dot.op);
  const message =
    typeof verdict === "number"
      ? "{0} runs while the loop goes on: it is waited for one iteration later"
      : `{0} is waited for at once: ${verdict}`;
  explain(dot.op, "pipeline.dot", { kind: typeof verdict === "number" ? "applied" : "missed", message, refs: refs.list });
}
