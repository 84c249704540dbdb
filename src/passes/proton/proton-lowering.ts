/**
 * The profiler's ops as code of the LLVM dialect, each in its place: other ops stay, with casts between.
 *
 * A segment is a struct of the buffer's address, the words before the warp's part of it (-1 for a warp that is not measured), and a
 * pointer to the words written so far. The buffer in global memory begins with a header of ten words, and a count of words for each warp.
 * Source: third_party/proton/Dialect/lib/ProtonGPUToLLVM/PatternProtonGPUOpToLLVM.cpp, Utility.cpp.
 */
import { Dimension } from "../../dialects/gpu/attrs.js";
import * as gpu from "../../dialects/gpu/ops/index.js";
import { BrOp, CondBrOp } from "../../dialects/llvm/ops/control-flow.js";
import { LLVMFuncOp } from "../../dialects/llvm/ops/functions.js";
import { AllocaOp } from "../../dialects/llvm/ops/memory.js";
import { LLVMPointerType, ptrType, structType } from "../../dialects/llvm/types/types.js";
import { GlobalMemorySpace } from "../../dialects/proton_gpu/attrs.js";
import { CircularStoreOp, ReadCounterOp } from "../../dialects/proton_gpu/ops/counters.js";
import * as memory from "../../dialects/proton_gpu/ops/memory.js";
import { type SegmentParams, SegmentType } from "../../dialects/proton_gpu/types.js";
import { PointerType } from "../../dialects/tt/types.js";
import { SharedMemorySpace } from "../../dialects/ttg/encodings/shared-memory.js";
import { firstThreadOfGroup, getThreadsPerWarp, maybeLookupNumWarps, totalNumWarps } from "../../dialects/ttg/num-warps.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import type { Block } from "../../ir/block.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { i8, i32, i64, isInteger } from "../../ir/builtin-types.js";
import type { OpDef, TypedOpDef, View, ViewOf } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { symbolVisibility } from "../../ir/symbol-table.js";
import type { Value } from "../../ir/value.js";
import { PassError } from "../../pass/pass-error.js";
import { ConversionTarget } from "../../rewrite/conversion-target.js";
import { applyPartialConversion } from "../../rewrite/dialect-conversion.js";
import { type RewriteListener, Rewriter } from "../../rewrite/rewriter.js";
import { unrealizedCast } from "../../rewrite/unrealized-casts.js";
import { arithToLLVMPatterns } from "../llvm/convert-arith-to-llvm.js";
import { branchPatterns } from "../llvm/convert-cf-to-llvm.js";
import { llvmTypeConverter } from "../llvm/llvm-type-converter.js";
import { LLBuilder, vecType } from "../ttg-to-llvm/ll-builder.js";

/** The code of a vendor's GPUs. */
export interface ProtonTarget {
  /** The vendor's op for an id or a size of the grid along an axis: i32. */
  readonly id: (b: LLBuilder, what: "thread" | "block" | "block_dim" | "grid_dim", axis: "x" | "y" | "z") => Value;
  readonly barrier: (b: LLBuilder) => void;
  /** Cycles, with 32 or 64 bits. */
  readonly clock: (b: LLBuilder, wide: boolean) => Value;
  /** Nanoseconds that all units count alike. */
  readonly globalTime: (b: LLBuilder) => Value;
  /** The number of the unit that runs the program. */
  readonly processorId: (b: LLBuilder, op: Operation) => Value;
  /** The address space of a thread's own variables. */
  readonly privateSpace: number;
  /** Stores the two words of a record where the predicate holds. */
  readonly storeRecord: (code: ProtonCode, record: Value, pointer: Value, predicate: Value) => void;
  readonly loadWord: (b: LLBuilder, pointer: Value) => Value;
}

const RECORD_WORDS = 2;
const HEADER_WORDS = 10;
/** Words of the header. */
const [PREAMBLE, PROGRAM, UNIT, BUFFER_SIZE, INIT_TIME, PRE_FINAL_TIME, POST_FINAL_TIME] = [0, 1, 2, 3, 4, 6, 8];
const MAGIC = 0xdeadbeef;

const AXES = ["x", "y", "z"] as const;
const GPU_OPS: ReadonlyMap<OpDef, "barrier" | "thread" | "block" | "block_dim" | "grid_dim"> = new Map([
  [gpu.BarrierOp, "barrier"],
  [gpu.ThreadIdOp, "thread"],
  [gpu.BlockIdOp, "block"],
  [gpu.BlockDimOp, "block_dim"],
  [gpu.GridDimOp, "grid_dim"],
] as const);

/** Lowers the profiler's ops of a module, and arithmetic, branches and ids beside them; false after an error was reported. */
export function lowerProton(module: Operation, target: ProtonTarget, listener: RewriteListener): boolean {
  const ops: Operation[] = [];
  const others: Operation[] = [];
  module.walk((op) => void (LOWERINGS.has(op.def) ? ops.push(op) : GPU_OPS.has(op.def) && others.push(op)));
  const code = new ProtonCode(module, target, new Rewriter(module.ctx, listener));
  for (const op of ops) code.lower(op);
  code.finish();
  for (const op of others) code.lowerGpuOp(op);
  const converter = llvmTypeConverter();
  const legal = new ConversionTarget().addLegalDialect("llvm", "nvvm", "rocdl").addIllegalDialect("proton", "proton_gpu");
  return applyPartialConversion(module, legal, [...arithToLLVMPatterns(converter), ...branchPatterns(converter)], { listener }).ok;
}

/** A segment taken apart. */
interface SegmentValue {
  readonly base: Value;
  /** Words before the warp's part. */
  readonly start: Value;
  /** The pointer to the words written so far. */
  readonly written: Value;
}

export class ProtonCode {
  readonly b: LLBuilder;
  /** The lowered value of each result. */
  readonly #lowered = new Map<Value, Value>();
  readonly #done: Operation[] = [];
  op!: Operation;

  constructor(
    readonly module: Operation,
    readonly target: ProtonTarget,
    readonly rw: Rewriter,
  ) {
    this.b = new LLBuilder(module.ctx, false);
  }

  lower(op: Operation): void {
    this.at(op, () => {
      const made = LOWERINGS.get(op.def)!(op, this);
      if (made) this.#lowered.set(op.result(0), made);
    });
    this.#done.push(op);
  }
  /** Erases what was lowered; values that other ops use are cast back. */
  finish(): void {
    const { rw, b } = this;
    for (const op of this.#done.reverse()) {
      const made = op.results[0] && this.#lowered.get(op.results[0]);
      if (made && op.result(0).hasUses()) {
        b.setAfter(made.definingOp!.block!, made.definingOp!);
        const same = made.type === op.result(0).type;
        rw.replaceOpUses(op, [same ? made : b.insert(unrealizedCast(op.ctx, op.locRef, [made], op.resultTypes)).result(0)]);
      }
      rw.erase(op);
    }
  }
  lowerGpuOp(op: Operation): void {
    this.at(op, () => {
      const { b, rw } = this;
      const what = GPU_OPS.get(op.def);
      if (what === "barrier") this.target.barrier(b);
      else {
        const wide = b.sext(this.target.id(b, what!, Dimension.read(op.attr("dimension")!) as (typeof AXES)[number]), i64(op.ctx));
        rw.replaceOpUses(op, b.insert(unrealizedCast(op.ctx, op.locRef, [wide], op.resultTypes)).results);
      }
      rw.erase(op);
    });
  }
  private at(op: Operation, body: () => void): void {
    const { ctx } = op;
    const { origin } = ctx;
    ctx.origin = op.id;
    this.op = op;
    this.b.block = op.block!;
    this.b.before = op;
    this.b.loc = op.locRef;
    body();
    ctx.origin = origin;
  }

  // --- values -----------------------------------------------------------------------------------
  /** The value as lowered: a cast after it where it stays. */
  value(value: Value): Value {
    const lowered = this.#lowered.get(value);
    if (lowered) return lowered;
    const type = this.typeOf(value.type);
    if (type === value.type) return value;
    const { b } = this;
    const { block, before } = b;
    b.setAfter(value.parentBlock!, value.definingOp ?? null);
    const cast = b.insert(unrealizedCast(value.type.ctx, b.loc, [value], [type])).result(0);
    this.#lowered.set(value, cast);
    b.block = block;
    // The next op comes after the cast in any case.
    b.before = before;
    return cast;
  }
  typeOf(type: Type): Type {
    const { ctx } = type;
    if (PointerType.is(type)) return ptrType(ctx, type.params.addressSpace);
    if (SegmentType.is(type)) return this.segmentType(this.spaceOf(type.params.memorySpace));
    if (!MemDescType.is(type)) return type;
    const { memorySpace, shape } = type.params;
    return structType(ctx, [ptrType(ctx, this.spaceOf(memorySpace)), ...shape.map(() => i32(ctx))]);
  }
  segmentType(space: number): Type {
    const { ctx } = this.module;
    return structType(ctx, [ptrType(ctx, space), i32(ctx), ptrType(ctx, this.target.privateSpace)]);
  }
  private spaceOf(memory: Attribute): number {
    if (SharedMemorySpace.is(memory)) return 3;
    if (GlobalMemorySpace.is(memory)) return 1;
    throw new PassError(this.op, "the profiler's buffer is in shared memory or in global memory", "lower.unsupported");
  }
  segment(value: Value): SegmentValue {
    const [base, start, written] = this.b.unpackStruct(this.value(value));
    return { base: base!, start: start!, written: written! };
  }
  /** The words of one warp's part. As upstream, segments of other granularities are an error. */
  wordsOfSegment({ nBytes, selectIds, granularity }: SegmentParams): number {
    if (granularity !== "warp")
      throw new PassError(this.op, `a segment has a part for each warp, and this one has granularity ${granularity}`, "lower.unsupported");
    return Math.trunc(Math.trunc(nBytes / (selectIds.length || this.numWarps)) / 4);
  }
  get numWarps(): number {
    return totalNumWarps(this.module);
  }

  // --- ids ----------------------------------------------------------------------------------------
  private id(what: "thread" | "block" | "grid_dim", axis: "x" | "y" | "z"): Value {
    return this.b.sext(this.target.id(this.b, what, axis), i64(this.module.ctx));
  }
  /** Among all threads of the CTA. */
  rawThreadId(): Value {
    return this.b.trunc(this.id("thread", "x"), i32(this.module.ctx));
  }
  /** Among the threads of the group of warps. */
  threadId(): Value {
    const { b, op } = this;
    const warps = maybeLookupNumWarps(op);
    if (warps === undefined) throw new PassError(op, "the module does not say how many warps it has", "pass.num-warps");
    const first = firstThreadOfGroup(op);
    const tid = this.rawThreadId();
    return b.and(first === undefined ? tid : b.sub(tid, b.i32(first)), b.i32(warps * getThreadsPerWarp(this.module) - 1));
  }
  /** The program's number in the grid. */
  programId(): Value {
    const { b } = this;
    const [x, y, z] = AXES.map((axis) => this.id("block", axis)) as [Value, Value, Value];
    const [columns, rows] = (["x", "y"] as const).map((axis) => this.id("grid_dim", axis)) as [Value, Value];
    const inPlane = b.add(x, b.mul(y, columns));
    return b.trunc(b.add(inPlane, b.mul(z, b.mul(columns, rows))), i32(this.module.ctx));
  }

  // --- memory and control -------------------------------------------------------------------------
  /** The address of a word. */
  word(base: Value, index: Value): Value {
    return this.b.gep(base.type, i32(this.module.ctx), base, [index]);
  }
  /** Stores to a word of the header. */
  setHeader(scratch: Value, index: number, value: () => Value): void {
    const pointer = this.word(scratch, this.b.i32(index));
    this.b.store(value(), pointer);
  }
  /** Cuts the block before the op. Returns the part before it; the op is in the other. */
  cut(): Block {
    const from = this.op.block!;
    this.b.setEnd(from);
    this.rw.splitBlock(from, this.op);
    return from;
  }
  condBranch(condition: Value, trueDest: Block, trueDestOperands: readonly Value[], falseDest: Block): void {
    this.b.create(CondBrOp, { condition, trueDest, trueDestOperands, falseDest, falseDestOperands: [] });
  }
  branch(dest: Block, destOperands: readonly Value[] = []): void {
    this.b.create(BrOp, { dest, destOperands });
  }
  /** Makes `body` where the condition holds, before the op. */
  where(condition: Value, body: () => void): void {
    const { b, rw } = this;
    const from = this.cut();
    const after = this.op.block!;
    const inside = rw.createBlock(from.region!, after);
    this.condBranch(condition, inside, [], after);
    b.setEnd(inside);
    body();
    this.branch(after);
    b.block = after;
    b.before = this.op;
  }
}

// --- the ops --------------------------------------------------------------------------------------

function readCounter({ counter }: View<typeof ReadCounterOp>, { b, target }: ProtonCode): Value {
  return target.clock(b, isInteger(counter.type, 64));
}

function initialize({ op, scratchPtr }: View<typeof memory.InitializeOp>, code: ProtonCode): undefined {
  const { b, target } = code;
  const scratch = code.value(scratchPtr);
  const isFirst = b.icmp("eq", code.threadId(), b.i32(0));
  code.where(isFirst, () => {
    const magic = b.i32(MAGIC);
    code.setHeader(scratch, PREAMBLE, () => magic);
    code.setHeader(scratch, PROGRAM, () => code.programId());
    code.setHeader(scratch, UNIT, () => target.processorId(b, op));
    code.setHeader(scratch, INIT_TIME, () => target.globalTime(b));
  });
}

function finalize({ segment, scratchPtr }: View<typeof memory.FinalizeOp>, code: ProtonCode): undefined {
  const { b, target, numWarps } = code;
  const parts = code.segment(segment);
  const scratch = code.value(scratchPtr);
  const tid = code.rawThreadId();
  const lanes = b.i32(getThreadsPerWarp(code.module));
  const warp = b.udiv(tid, lanes);
  const lane = b.urem(tid, lanes);
  const leadsWarp = b.icmp("eq", lane, b.i32(0));
  const leadsBlock = b.icmp("eq", tid, b.i32(0));
  const params = SegmentType.params(segment.type);
  code.where(leadsBlock, () => {
    code.setHeader(scratch, BUFFER_SIZE, () => b.i32(Math.trunc(params.nBytes / 4) * 4));
    code.setHeader(scratch, PRE_FINAL_TIME, () => target.globalTime(b));
  });
  code.where(leadsWarp, () => {
    const pointer = code.word(scratch, b.add(warp, b.i32(HEADER_WORDS)));
    b.store(b.load(i32(code.module.ctx), parts.written), pointer);
  });
  if (LLVMPointerType.params(parts.base.type).addressSpace === 3)
    copyRecords(code, parts, scratch, { lane, lanes, words: code.wordsOfSegment(params), first: HEADER_WORDS + numWarps });
  code.where(leadsBlock, () => code.setHeader(scratch, POST_FINAL_TIME, () => target.globalTime(b)));
}

/** The lanes of a warp copy its records from shared memory, one record a lane and round. */
function copyRecords(
  code: ProtonCode,
  { base, start, written }: SegmentValue,
  scratch: Value,
  { lane, lanes, words, first }: { readonly lane: Value; readonly lanes: Value; readonly words: number; readonly first: number },
): void {
  const { b, rw, op, target } = code;
  const { ctx } = op;
  const word = i32(ctx);
  const from = code.cut();
  const region = from.region!;
  const exit = op.block!;
  const copy = rw.createBlock(region, exit);
  const header = rw.createBlock(region, exit, [word], op.locRef);
  const body = rw.createBlock(region, exit, [word], op.locRef);
  code.branch(copy);

  b.setEnd(copy);
  const count = b.load(word, written);
  const most = b.i32(words);
  const filled = b.select(b.icmp("slt", count, most), count, most);
  const isMeasured = b.icmp("sge", start, b.i32(0));
  const hasRecord = b.icmp("sge", filled, b.i32(RECORD_WORDS));
  const wanted = b.and(isMeasured, hasRecord);
  const stride = b.mul(lanes, b.i32(RECORD_WORDS));
  const last = b.sub(filled, b.i32(RECORD_WORDS));
  const own = b.mul(lane, b.i32(RECORD_WORDS));
  code.condBranch(b.and(wanted, b.icmp("sle", own, last)), header, [own], exit);

  b.setEnd(header);
  const at = header.args[0]!;
  code.condBranch(b.icmp("sle", at, last), body, [at], exit);

  b.setEnd(body);
  const index = body.args[0]!;
  const tag = b.add(start, index);
  const counter = b.add(tag, b.i32(1));
  const globalTag = b.add(b.add(b.i32(first), start), index);
  const globalCounter = b.add(globalTag, b.i32(1));
  for (const [source, dest] of [
    [tag, globalTag],
    [counter, globalCounter],
  ] as const) {
    const value = target.loadWord(b, code.word(base, source));
    b.store(value, code.word(scratch, dest));
  }
  code.branch(header, [b.add(index, stride)]);
  b.block = exit;
  b.before = op;
}

function segmentAlloc({ op, buffer, segment }: View<typeof memory.SegmentAllocOp>, code: ProtonCode): Value {
  const { b, target } = code;
  const { ctx } = op;
  const params = SegmentType.params(segment.type);
  const { selectIds } = params;
  const tid = code.rawThreadId();
  const warp = b.udiv(tid, b.i32(getThreadsPerWarp(code.module)));
  const words = code.wordsOfSegment(params);
  let start: Value;
  if (selectIds.length === 0) start = b.mul(warp, b.i32(words));
  else {
    start = b.i32(-1);
    selectIds.forEach((id, i) => {
      const isOwn = b.icmp("eq", warp, b.i32(id));
      start = b.select(isOwn, b.i32(i * words), start);
    });
  }
  const whole = code.value(buffer);
  const base = LLVMPointerType.is(whole.type) ? whole : b.extractValue(whole, 0);
  const one = b.i32(1);
  const written = b.value(AllocaOp, { arraySize: one, elem_type: i32(ctx) }, ptrType(ctx, target.privateSpace));
  b.store(b.i32(0), written);
  return b.packStruct(code.segmentType(LLVMPointerType.params(base.type).addressSpace), [base, start, written]);
}

function globalScratchAlloc({ op }: View<typeof memory.GlobalScratchAllocOp>, code: ProtonCode): Value {
  const { b } = code;
  const { ctx } = op;
  const func = LLVMFuncOp.match(op.parentOfType(LLVMFuncOp));
  const offset = intOf(op.attr("offset"));
  if (!func) throw new PassError(op, "its function is not of the LLVM dialect yet", "lower.unsupported");
  if (offset === undefined)
    throw new PassError(op, "its buffer has no place yet: run allocate-proton-global-scratch-buffer before", "lower.not-allocated");
  const base = func.body.firstBlock?.args.at(-1);
  if (!base) throw new PassError(op, "its function has no argument for the profiler's memory", "lower.unsupported");
  const pointer = ptrType(ctx, 1);
  const own = b.i32(offset);
  if (symbolVisibility(func.op) !== "public") return b.gep(pointer, i8(ctx), base, [own]);
  const size = intOf(code.module.attr("ttg.profile_scratch_memory_size"));
  if (size === undefined) throw new PassError(op, "the module does not say how large the profiler's memory is", "lower.not-allocated");
  const program = code.programId();
  return b.gep(pointer, i8(ctx), base, [b.add(own, b.mul(program, b.i32(size)))]);
}

function initContext({ scratchPtr }: View<typeof memory.InitCtxOp>, code: ProtonCode): undefined {
  const { b } = code;
  const scratch = code.value(scratchPtr);
  const isFirst = b.icmp("eq", code.threadId(), b.i32(0));
  code.where(isFirst, () => {
    for (let warp = 0; warp < code.numWarps; warp++) {
      const pointer = code.word(scratch, b.i32(warp + HEADER_WORDS));
      b.store(b.i32(0), pointer);
    }
  });
}
function restoreContext({ segment, scratchPtr }: View<typeof memory.RestoreCtxOp>, code: ProtonCode): undefined {
  const { b } = code;
  const { written } = code.segment(segment);
  const tid = code.rawThreadId();
  const warp = b.udiv(tid, b.i32(getThreadsPerWarp(code.module)));
  const pointer = code.word(code.value(scratchPtr), b.add(warp, b.i32(HEADER_WORDS)));
  b.store(b.load(i32(code.module.ctx), pointer), written);
}
function saveContext({ segment, scratchPtr }: View<typeof memory.SaveCtxOp>, code: ProtonCode): undefined {
  const { b } = code;
  const { written } = code.segment(segment);
  const lanes = b.i32(getThreadsPerWarp(code.module));
  const tid = code.rawThreadId();
  const warp = b.udiv(tid, lanes);
  const leads = b.icmp("eq", b.urem(tid, lanes), b.i32(0));
  code.where(leads, () => {
    const pointer = code.word(code.value(scratchPtr), b.add(warp, b.i32(HEADER_WORDS)));
    b.store(b.load(i32(code.module.ctx), written), pointer);
  });
}

/** A record is a word with the region and the counter's high bits, and the counter. */
function circularStore({ op, segment, counter, isStart, scopeId }: View<typeof CircularStoreOp>, code: ProtonCode): undefined {
  const { b, target } = code;
  const { ctx } = op;
  const params = SegmentType.params(segment.type);
  const { base, start, written } = code.segment(segment);
  const before = b.load(i32(ctx), written);
  const after = b.add(before, b.i32(RECORD_WORDS));
  const place = b.add(start, b.urem(before, b.i32(code.wordsOfSegment(params))));
  const pointer = code.word(base, place);
  const clock = code.value(counter);
  const tag = b.i32((isStart ? 0 : 1 << 31) | ((scopeId & 0xff) << 23));
  let record: Value;
  if (isInteger(clock.type, 64)) {
    const halves = b.bitcast(clock, vecType(i32(ctx), 2));
    const low = b.extractElement(halves, b.i32(0));
    const high = b.extractElement(halves, b.i32(1));
    record = b.packVector([b.or(tag, b.and(high, b.i32(0x7ff))), low]);
  } else record = b.packVector([tag, clock]);
  const tid = code.threadId();
  let isWriter = b.icmp("eq", b.urem(tid, b.i32(getThreadsPerWarp(code.module))), b.i32(0));
  let stored = after;
  if (params.selectIds.length > 0) {
    const isMeasured = b.icmp("ne", start, b.i32(-1));
    isWriter = b.and(isMeasured, isWriter);
    stored = b.select(isMeasured, after, before);
  }
  b.store(stored, written);
  target.storeRecord(code, record, pointer, isWriter);
}

type Lower = (op: Operation, code: ProtonCode) => Value | undefined;
function lowering<O, A, R, G, S>(
  def: TypedOpDef<O, A, R, G, S>,
  lower: (view: ViewOf<O, A, R, G, S>, code: ProtonCode) => Value | undefined,
): readonly [OpDef, Lower] {
  return [def, (op, code) => lower(def.viewOf(op) as ViewOf<O, A, R, G, S>, code)];
}
const LOWERINGS: ReadonlyMap<OpDef, Lower> = new Map([
  lowering(ReadCounterOp, readCounter),
  lowering(CircularStoreOp, circularStore),
  lowering(memory.InitializeOp, initialize),
  lowering(memory.FinalizeOp, finalize),
  lowering(memory.SegmentAllocOp, segmentAlloc),
  lowering(memory.GlobalScratchAllocOp, globalScratchAlloc),
  lowering(memory.InitCtxOp, initContext),
  lowering(memory.RestoreCtxOp, restoreContext),
  lowering(memory.SaveCtxOp, saveContext),
]);
