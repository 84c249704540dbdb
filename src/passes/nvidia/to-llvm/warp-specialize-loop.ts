/**
 * The code of a warp-specialized kernel:
 *
 *     header:      warp < 4 ? entry : loop
 *     loop:        barrier 1; switch (state of this warp) { partition0, partition1, ..., exit, default }
 *     partition0:  load captures; barrier 1; ...; barrier 1; loop
 *     default:     barrier 1; barrier 1; loop
 *     entry:       the kernel. Where it specializes: store the state of each warp and the captures; barrier 1 (go); barrier 1 (captures
 *                  are read); the default region; barrier 1 (all are done). Before it returns: store the state "exit"; barrier 1.
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ConvertWarpSpecializeToLLVM.cpp.
 */
import { givenOffset } from "../../../analysis/allocation.js";
import { LoopAnnotationAttr, LoopLICMAttr } from "../../../dialects/llvm/attrs/loops.js";
import * as ll from "../../../dialects/llvm/ops/index.js";
import { LLVMStructType, LLVMVoidType } from "../../../dialects/llvm/types/types.js";
import { SetMaxRegisterActionAttr, ShflKindAttr } from "../../../dialects/nvvm/attrs.js";
import { ThreadIdXOp } from "../../../dialects/nvvm/ops/registers.js";
import { BarrierOp, SetMaxRegisterOp, SyncWarpOp } from "../../../dialects/nvvm/ops/synchronization.js";
import { ShflOp } from "../../../dialects/nvvm/ops/warp.js";
import { getThreadsPerWarp, maybeLookupNumWarps } from "../../../dialects/ttg/num-warps.js";
import {
  partitionRegionsOf,
  WarpReturnOp,
  WarpSpecializeOp,
  WarpSpecializePartitionsOp,
  WarpYieldOp,
} from "../../../dialects/ttg/ops/warp-specialize.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { Block } from "../../../ir/block.js";
import { boolAttr, denseElements, intOf } from "../../../ir/builtin-attrs.js";
import { i8, i32, VectorType } from "../../../ir/builtin-types.js";
import type { View } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import type { Region } from "../../../ir/region.js";
import type { Value } from "../../../ir/value.js";
import { elideTrivialCaptures } from "../../llvm/elide-captures.js";
import { LLBuilder } from "../../ttg-to-llvm/ll-builder.js";
import { isCtaBarrier } from "./cta-barrier.js";

/** The barriers of the default warps and of the loop; partitions have the following ones. */
const DEFAULT_BARRIER = 0;
const LOOP_BARRIER = 1;
const FIRST_PARTITION_BARRIER = 2;
/** The most and the fewest registers per thread that `setmaxnreg` can set. */
const MOST_REGISTERS = 256;
const FEWEST_REGISTERS = 24;

type WarpSpecialize = View<typeof WarpSpecializeOp>;

/** Registers of a thread: at the launch, in the default warps and in those that wait. */
interface Registers {
  readonly launch: number;
  readonly default: number;
  readonly waiting: number;
}

/** Lowers all `ttg.warp_specialize` of a kernel, in post-order. */
export function lowerWarpSpecialize(module: Operation, func: Operation, ops: readonly Operation[]): void {
  const threadsPerWarp = getThreadsPerWarp(module);
  const defaultWarps = maybeLookupNumWarps(func) ?? 4;
  const b = new LLBuilder(module.ctx, false);
  nameBarriers(b, func, ops, threadsPerWarp, threadsPerWarp * defaultWarps);
  const workerWarps = intOf(module.attr("ttg.total-num-warps"))! - defaultWarps;
  elideTrivialCaptures(func, ops);
  new SwitchLoop(b, func, threadsPerWarp, defaultWarps, workerWarps, registersOf(module, defaultWarps, workerWarps)).build(
    ops.map((op) => WarpSpecializeOp.match(op)!),
  );
}

/** How the registers of the launch are shared while nothing is specialized: waiting warps give the default warps what they can use. */
function registersOf(module: Operation, defaultWarps: number, workerWarps: number): Registers | undefined {
  const launch = intOf(module.attr("ttg.maxnreg"));
  if (launch === undefined) return undefined;
  const eights = (n: number): number => Math.trunc(n / 8) * 8;
  const all = eights(launch + Math.trunc(((launch - FEWEST_REGISTERS) * workerWarps) / defaultWarps));
  if (all <= MOST_REGISTERS) return { launch, default: all, waiting: FEWEST_REGISTERS };
  const given = Math.trunc(((MOST_REGISTERS - launch) * defaultWarps) / workerWarps);
  return { launch, default: MOST_REGISTERS, waiting: eights(launch - given) };
}

/** Barriers of all threads become barriers of a group of warps: the default warps, or those of one partition. */
function nameBarriers(b: LLBuilder, func: Operation, ops: readonly Operation[], threadsPerWarp: number, defaultThreads: number): void {
  const rewrite = (barrier: Operation, index: number, threads: number): void => {
    before(b, barrier);
    if (threads === 32) b.create(SyncWarpOp, { mask: b.i32(-1) });
    else b.create(BarrierOp, { barrierId: b.i32(index), numberOfThreads: b.i32(threads) });
    barrier.erase();
  };
  func.walk((op) => {
    if (WarpSpecializePartitionsOp.is(op)) return "skip";
    if (isCtaBarrier(op)) rewrite(op, DEFAULT_BARRIER, defaultThreads);
    return undefined;
  });
  for (const op of ops) {
    const { partitionNumWarps } = WarpSpecializeOp.match(op)!;
    partitionRegionsOf(op).forEach((region, i) => {
      for (const barrier of opsIn(region, isCtaBarrier))
        rewrite(barrier, FIRST_PARTITION_BARRIER + i, threadsPerWarp * partitionNumWarps[i]!);
    });
  }
}

function before(b: LLBuilder, op: Operation): void {
  b.block = op.block!;
  b.before = op;
  b.loc = op.locRef;
}
function atStart(b: LLBuilder, block: Block): void {
  b.block = block;
  b.before = block.firstOp;
}
function opsIn(region: Region, test: (op: Operation) => boolean): Operation[] {
  const found: Operation[] = [];
  for (const block of region.blocks())
    for (const op of block.ops())
      op.walkPostOrder((nested) => {
        if (test(nested)) found.push(nested);
      });
  return found;
}

class SwitchLoop {
  readonly #body: Region;
  readonly #entry: Block;
  readonly #header: Block;
  readonly #loop: Block;
  readonly #shared: Type;
  constructor(
    readonly b: LLBuilder,
    readonly func: Operation,
    readonly threadsPerWarp: number,
    readonly defaultWarps: number,
    readonly workerWarps: number,
    readonly registers: Registers | undefined,
  ) {
    this.#body = func.regions[0]!;
    this.#entry = this.#body.firstBlock!;
    this.#header = new Block(func.ctx);
    this.#loop = new Block(func.ctx);
    this.#body.insertBlock(this.#header, this.#entry);
    this.#body.insertBlock(this.#loop, this.#entry);
    this.#shared = b.ptr(3);
  }

  build(ops: readonly WarpSpecialize[]): void {
    const { b, registers } = this;
    b.loc = this.func.locRef;
    const warp = this.header();
    atStart(b, this.#entry);
    if (registers) this.setRegisters(registers.launch, registers.default);
    const state = this.loopStart(warp);

    const partitions: Block[] = [];
    const states = ops.map((op) => this.partitionsOf(op, partitions));
    this.loopEnd(state, partitions);
    ops.forEach((op, i) => this.defaultRegion(op, states[i]!));
    this.exit(partitions.length);
  }

  /** Takes the arguments over and sends the worker warps into the loop. Returns the index of the warp. */
  private header(): Value {
    const { b } = this;
    for (const arg of this.#entry.args) arg.replaceAllUsesWith(this.#header.addArgument(arg.type, arg.argLoc ?? this.func.locRef));
    while (this.#entry.args.length > 0) this.#entry.eraseArgument(0);
    b.setEnd(this.#header);
    const thread = b.value(ThreadIdXOp, {}, i32(b.ctx));
    const uneven = b.udiv(thread, b.i32(this.threadsPerWarp));
    // Shows ptxas that all lanes have the same.
    const kind = ShflKindAttr.get(b.ctx, { value: "idx" });
    const lane = { offset: b.i32(0), mask_and_clamp: b.i32(0x1f), thread_mask: b.i32(-1) };
    const warp = b.value(ShflOp, { ...lane, val: uneven, kind }, i32(b.ctx));
    const condition = b.icmp("ult", warp, b.i32(this.defaultWarps));
    const none = { trueDestOperands: [], falseDestOperands: [] };
    b.create(ll.CondBrOp, { condition, trueDest: this.#entry, falseDest: this.#loop, ...none });
    return warp;
  }

  /** Waits for a state; returns it. */
  private loopStart(warp: Value): Value {
    const { b, registers } = this;
    atStart(b, this.#loop);
    if (registers) this.setRegisters(registers.launch, registers.waiting);
    this.barrier();
    const states = this.sharedBase(this.func);
    const worker = b.sub(warp, b.i32(this.defaultWarps));
    return b.load(i8(b.ctx), b.gep(this.#shared, i8(b.ctx), states, [worker]));
  }

  /** Switches to the blocks of the partitions, which come after the loop. */
  private loopEnd(state: Value, partitions: readonly Block[]): void {
    const { b } = this;
    b.loc = this.func.locRef;
    const behindLoop = this.#loop.next;
    const idle = new Block(b.ctx);
    this.#body.insertBlock(idle, behindLoop);
    const exit = new Block(b.ctx);
    this.#body.insertBlock(exit, behindLoop);
    for (const block of partitions) this.#body.takeBlocksOf(block.region!, behindLoop);

    b.setEnd(idle);
    this.barrier();
    this.barrier();
    const again = b.create(ll.BrOp, { dest: this.#loop, destOperands: [] });
    again.setAttr("loop_annotation", withoutLICM(b));

    const caseDestinations = [...partitions, exit];
    const values = VectorType.get(b.ctx, { shape: [caseDestinations.length], elementType: i8(b.ctx), scalable: undefined });
    b.setEnd(this.#loop);
    b.create(ll.SwitchOp, {
      value: state,
      defaultDestination: idle,
      defaultOperands: [],
      caseDestinations,
      caseOperands: [],
      case_operand_segments: caseDestinations.map(() => 0),
      case_values: denseElements(
        values,
        caseDestinations.map((_, i) => BigInt.asIntN(8, BigInt(i))),
      ),
    });
    this.#exit = exit;
  }
  #exit!: Block;

  /** Rewrites the partitions of an op; their first blocks go to `blocks`. Returns the state of each worker warp, -1 for those that wait. */
  private partitionsOf(op: WarpSpecialize, blocks: Block[]): number[] {
    const states = new Array<number>(this.workerWarps).fill(-1);
    partitionRegionsOf(op.op).forEach((region, i) => {
      this.partition(op, region, i);
      const first = op.warpGroupStartIds![i]! - this.defaultWarps;
      states.fill(blocks.length, first, first + op.partitionNumWarps[i]!);
      blocks.push(region.firstBlock!);
    });
    return states;
  }

  private partition(specialize: WarpSpecialize, region: Region, index: number): void {
    const { b } = this;
    const { op, actualRegisters } = specialize;
    const registers = actualRegisters?.[index + 1];
    const waiting = this.registers?.waiting ?? -1;
    const block = region.firstBlock!;
    b.loc = op.locRef;
    atStart(b, block);
    if (registers !== undefined) this.setRegisters(waiting, registers);
    if (block.args.length > 0) {
      const captures = this.captures(op, block.args);
      // Each thread has its own copy.
      block.args.forEach((arg, i) => arg.replaceAllUsesWith(b.load(arg.type, captures(i), 1)));
      while (block.args.length > 0) block.eraseArgument(0);
    }
    // The memory may be used for other things from here on.
    this.barrier();
    for (const end of opsIn(region, WarpReturnOp.is)) {
      before(b, end);
      this.barrier();
      if (registers !== undefined) this.setRegisters(registers, waiting);
      b.create(ll.BrOp, { dest: this.#loop, destOperands: [] });
      end.erase();
    }
  }

  /** Starts the partitions, runs the default region, and waits for all. */
  private defaultRegion(specialize: WarpSpecialize, states: readonly number[]): void {
    const { b } = this;
    const { op, actualRegisters } = specialize;
    const registers = actualRegisters?.[0];
    const shared = this.registers?.default ?? -1;
    const above = op.block!;
    const after = above.splitBefore(op);
    b.loc = op.locRef;
    b.setEnd(above);
    const stateBase = this.sharedBase(this.func);
    states.forEach((state, i) => this.storeState(b.int(i8(b.ctx), state), stateBase, i));
    if (op.numOperands > 0) {
      const captures = this.captures(op, op.operands);
      op.operands.forEach((value, i) => b.store(value, captures(i), 1));
    }
    this.barrier();
    if (registers !== undefined) this.setRegisters(shared, registers);
    this.barrier();
    const region = op.regions[0]!;
    b.create(ll.BrOp, { dest: region.firstBlock!, destOperands: [] });
    for (const end of opsIn(region, WarpYieldOp.is)) {
      before(b, end);
      this.barrier();
      if (registers !== undefined) this.setRegisters(registers, shared);
      b.create(ll.BrOp, { dest: after, destOperands: end.operands });
      end.erase();
    }
    after.region!.takeBlocksOf(region, after);
    for (const result of op.results) result.replaceAllUsesWith(after.addArgument(result.type, op.locRef));
    op.erase();
  }

  /** Sends the workers home before the kernel returns. */
  private exit(state: number): void {
    const { b } = this;
    for (const end of opsIn(this.#body, ll.ReturnOp.is)) {
      before(b, end);
      const base = this.sharedBase(this.func);
      const value = b.int(i8(b.ctx), BigInt.asIntN(8, BigInt(state)));
      for (let i = 0; i < this.workerWarps; i++) this.storeState(value, base, i);
      this.barrier();
    }
    b.loc = this.func.locRef;
    b.setEnd(this.#exit);
    b.create(ll.ReturnOp, {});
  }

  private storeState(state: Value, base: Value, warp: number): void {
    this.b.store(state, this.b.gep(this.#shared, i8(this.b.ctx), base, [warp]));
  }
  /** Where each of the captures lies: they are packed into the op's scratch memory. */
  private captures(op: Operation, values: readonly Value[]): (index: number) => Value {
    const struct = LLVMStructType.get(op.ctx, { kind: "literal", elements: values.map((v) => v.type), packed: true });
    const base = this.sharedBase(op);
    return (i) => this.b.gep(this.#shared, struct, base, [0, i]);
  }
  /** Where the scratch memory of an op, or of the function, begins. */
  private sharedBase(op: Operation): Value {
    const { b } = this;
    const offset = b.i32(givenOffset(op));
    const { loc } = b;
    b.loc = this.func.locRef;
    const memory = b.addressOf("global_smem", this.#shared);
    b.loc = loc;
    return b.gep(this.#shared, i8(b.ctx), memory, [offset]);
  }
  /** All warps of the CTA wait for each other. */
  private barrier(): void {
    const { ctx } = this.b;
    const result = ctx.triton.loopBarriersReturnVoid ? LLVMVoidType.get(ctx, {}) : undefined;
    this.b.intrinsic("llvm.nvvm.barrier.cta.sync.all", result, [this.b.i32(LOOP_BARRIER)]);
  }
  private setRegisters(from: number, to: number): void {
    const [now, regCount] = [Math.min(MOST_REGISTERS, from), Math.min(MOST_REGISTERS, to)];
    const action = SetMaxRegisterActionAttr.get(this.b.ctx, { value: regCount < now ? "decrease" : "increase" });
    this.b.create(SetMaxRegisterOp, { regCount, action });
  }
}

/** Code hoisted out of the loop would hold registers in all partitions. */
function withoutLICM(b: LLBuilder): Attribute {
  const licm = LoopLICMAttr.get(b.ctx, { disable: boolAttr(b.ctx, true), versioningDisable: undefined });
  const none = { disableNonforced: undefined, vectorize: undefined, interleave: undefined, unroll: undefined, unrollAndJam: undefined };
  const others = { distribute: undefined, pipeline: undefined, peeled: undefined, unswitch: undefined, mustProgress: undefined };
  const last = { isVectorized: undefined, startLoc: undefined, endLoc: undefined, parallelAccesses: undefined };
  return LoopAnnotationAttr.get(b.ctx, { ...none, licm, ...others, ...last });
}
