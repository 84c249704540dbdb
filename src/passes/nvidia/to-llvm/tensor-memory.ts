/**
 * Tensor memory: 128 rows (lanes) of 512 columns of 32 bits, an address being `row << 16 | column`. A warp moves the 32 rows that its
 * number within four gives it, in messages of so many registers a thread:
 *
 *     tcgen05.ld.sync.aligned.32x32b.x64.b32 {$0, ..., $63}, [$64 + 0];
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/TensorMemoryToLLVM.cpp.
 */
import { MaximumOp, MaxNumOp, MinimumOp, MinNumOp } from "../../../dialects/llvm/ops/intrinsics.js";
import { ptrType, structType, voidType } from "../../../dialects/llvm/types/types.js";
import { TensorMemoryBaseAddress } from "../../../dialects/nvgpu/ops/ops.js";
import { Tcgen05WaitOp } from "../../../dialects/nvvm/ops/matrix.js";
import type { MemDesc } from "../../../dialects/ttg/types.js";
import type { TMEMLoadReduction } from "../../../dialects/ttng/attrs.js";
import {
  getContextualMaxNReg,
  memoryLayout,
  TMEMAllocOp,
  TMEMCopyOp,
  TMEMLoadOp,
  TMEMStoreOp,
  tmemLdStInfo,
} from "../../../dialects/ttng/ops/tensor-memory.js";
import { descOf, runsOnTwoCTAs } from "../../../dialects/ttng/ttng-op.js";
import type { Type } from "../../../ir/attribute.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { bitWidth, i32, intType, type TensorType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { LayoutError } from "../../../layout/layout-error.js";
import type { TMemAccessAtom } from "../../../layout/tmem-access.js";
import type { TMemLdStInfo } from "../../../layout/tmem-load-store.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { sharedMemoryObject, shmemAffineBase } from "../../ttg-to-llvm/local-memory.js";
import { rule } from "../../ttg-to-llvm/lowering.js";
import { applyLinearLayout } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import { leadsPair } from "./cta-groups.js";
import { electPredicateWarp0, uniformWarpId } from "./elect.js";
import { mmaSharedOperand } from "./mma-shared-operand.js";
import type { Lowering, LoweringRule } from "./nvidia-lowering.js";
import { PtxBuilder } from "./ptx-builder.js";
import { ctaGroup, setTmemAddress, tmemAddress } from "./tensor-memory-views.js";

/** Tokens only order ops before this; nothing is left to hand on. */
export function dropToken(lo: Lowering, op: Operation, token: Value | undefined): false | void {
  if (token?.hasUses()) return lo.fail(op, "tokens of tensor memory are gone before this pass: run triton-nvidia-gpu-remove-tmem-tokens");
}

// --- loads and stores -----------------------------------------------------------------------------

/** The registers of a thread that one tile of a message takes. */
const REGISTERS: Readonly<Record<TMemAccessAtom, number>> = { "32x32b": 1, "16x64b": 1, "16x32bx2": 1, "16x128b": 2, "16x256b": 4 };

/** `{$2, $3, $4}`: registers of 32 bits as operands of inline assembly. */
const registerList = (first: number, count: number): string => `{${Array.from({ length: count }, (_, i) => `$${first + i}`).join(", ")}}`;

/** The minimum or maximum of each row that a load gives too, in parts: one of each message. */
interface Reduction {
  readonly redOp: TMEMLoadReduction;
  readonly abs: boolean;
  readonly NaN: boolean;
  readonly parts: Value[];
}
/** A store where `pred` is given, otherwise a load. */
interface Access {
  readonly pred?: Value;
  readonly reduction?: Reduction;
}

/** One instruction. */
interface Message {
  readonly info: TMemLdStInfo;
  readonly address: Value;
  /** `row << 16 | column`, added to the address. */
  readonly offset: number;
}

function storeMessage(lo: Lowering, { info, address, offset }: Message, pred: Value, values: readonly Value[]): void {
  const { atom, unpacked, secondHalfOffset } = info;
  const suffix = `${atom}.x${values.length / REGISTERS[atom]}${unpacked ? ".unpack::16b" : ""}.b32`;
  const half = secondHalfOffset === undefined ? "" : `${secondHalfOffset}, `;
  const asm = `@$0 tcgen05.st.sync.aligned.${suffix} [$1 + ${offset}], ${half}${registerList(2, values.length)};`;
  lo.b.inlineAsm(asm, ["b", "r", ...values.map(() => "r")].join(), [pred, address, ...values], voidType(lo.ctx));
}

/** Loads `words`; `reduction` is the minimum or maximum of a thread's words, where it is asked for. */
interface Loaded {
  readonly words: readonly Value[];
  readonly reduction?: Value;
}
function loadMessage(lo: Lowering, { info, address, offset }: Message, element: Type, reduction: Reduction | undefined): Loaded {
  const { atom, unpacked, secondHalfOffset, numRegsPerMessage: count } = info;
  const { b, ctx } = lo;
  const modifiers = reduction
    ? `.${reduction.redOp}${reduction.abs ? ".abs" : ""}${reduction.NaN ? ".NaN" : ""}.f32`
    : `${unpacked ? ".pack::16b" : ""}.b32`;
  const suffix = `${atom}.x${count / REGISTERS[atom]}${modifiers}`;
  const total = count + (reduction ? 1 : 0);
  const half = secondHalfOffset === undefined ? "" : `, ${secondHalfOffset}`;
  const results = `${registerList(0, count)}${reduction ? `, ${registerList(count, 1)}` : ""}`;
  const asm = `tcgen05.ld.${reduction ? "red." : ""}sync.aligned.${suffix} ${results}, [$${total} + ${offset}]${half};`;
  const constraints = [...Array.from({ length: total }, () => "=r"), "r"].join();
  const type = total === 1 ? i32(ctx) : structType(ctx, new Array<Type>(total).fill(i32(ctx)));
  const loaded = b.inlineAsm(asm, constraints, [address], type);
  const values = Array.from({ length: total }, (_, i) => {
    const word = total === 1 ? loaded : b.extractValue(loaded, i);
    return lo.folding && word.type === element ? word : b.bitcast(word, element);
  });
  return { words: values.slice(0, count), ...(reduction ? { reduction: values[count]! } : {}) };
}

/** Moves registers of 32 bits: a store of `values`, a load when there are none. */
function moveWords(
  lo: Lowering,
  info: TMemLdStInfo,
  base: Value,
  { pred, reduction }: Access,
  element: Type,
  values: readonly Value[],
): Value[] {
  const { b, ctx } = lo;
  const { reps, numRegsPerMessage } = info;
  let address = b.ptrtoint(base, i32(ctx));
  const warp = uniformWarpId(lo);
  address = b.add(address, b.shl(b.and(warp, b.i32(3)), b.i32(5 + 16)));
  if (reps.getInDimSize("warp") > 4) {
    const [row, column] = applyLinearLayout(lo, reps, [
      ["register", 0],
      ["lane", 0],
      ["warp", warp],
      ["block", 0],
    ]);
    address = b.add(address, b.orDisjoint(b.shl(row!, b.i32(16)), column!));
  }
  const loaded: Value[] = [];
  for (let i = 0; i < reps.getInDimSize("register"); i += numRegsPerMessage) {
    const at = reps.apply({ register: i, lane: 0, warp: 0, block: 0 });
    const message = { info, address, offset: at["col"]! | (at["row"]! << 16) };
    if (pred) storeMessage(lo, message, pred, values.slice(i, i + numRegsPerMessage));
    else {
      const { words, reduction: part } = loadMessage(lo, message, element, reduction);
      loaded.push(...words);
      if (part) reduction!.parts.push(part);
    }
  }
  return loaded;
}

/** Elements side by side in wider ones; with `padded` each is alone in its word. */
function packElements(lo: Lowering, values: readonly Value[], wide: Type, padded: boolean): readonly Value[] {
  const { b } = lo;
  const { type } = values[0]!;
  if (type === wide) return values;
  const perWord = scalarBits(wide) / scalarBits(type);
  if (perWord === 1) return values.map((value) => b.bitcast(value, wide));
  const step = padded ? 1 : perWord;
  return Array.from({ length: values.length / step }, (_, i) => {
    let vector = b.undef(vecType(type, perWord));
    for (let j = 0; j < step; j++) vector = b.insertElement(vector, values[i * step + j]!, b.i32(j));
    return b.bitcast(vector, wide);
  });
}
function unpackElements(lo: Lowering, words: readonly Value[], narrow: Type, padded: boolean): readonly Value[] {
  const { b } = lo;
  const { type } = words[0]!;
  if (type === narrow) return words;
  const perWord = scalarBits(type) / scalarBits(narrow);
  if (perWord === 1) return words.map((value) => b.bitcast(value, narrow));
  return words.flatMap((word) => {
    const vector = b.bitcast(word, vecType(narrow, perWord));
    return Array.from({ length: padded ? 1 : perWord }, (_, j) => b.extractElement(vector, b.i32(j)));
  });
}

/** Drops copies, packs what is narrower than a register, brings registers into the order of messages; the other way round for loads. */
function move(lo: Lowering, info: TMemLdStInfo, base: Value, access: Access, element: Type, values: readonly Value[]): readonly Value[] {
  const { broadcast, vec, perm } = info;
  const { pred } = access;
  if (broadcast) {
    const moved = move(lo, { ...info, broadcast: undefined }, base, access, element, pred ? broadcast.applyToValues(values) : []);
    if (pred) return [];
    // Upstream repeats as the messages do, and ends there.
    const { action, inSizeLog2 } = broadcast;
    const source = (register: number): number => action.reduce((at, bit, i) => at | (((register >> bit) & 1) << i), 0);
    return Array.from({ length: 2 ** inSizeLog2 }, (_, register) => moved[source(register)]!);
  }
  const bits = scalarBits(element);
  if (bits < 32) {
    const packed = vec > 1 ? intType(lo.ctx, bits * vec) : i32(lo.ctx);
    const padded = vec === 1 && info.padding;
    const words = pred ? packElements(lo, values, packed, padded) : [];
    const moved = move(lo, { ...info, vec: 1 }, base, access, packed, words);
    return pred ? [] : unpackElements(lo, moved, element, padded);
  }
  const moved = moveWords(lo, info, base, access, element, pred ? perm.applyToValues(values) : []);
  return pred ? [] : perm.inverse().applyToValues(moved);
}

/** The verifier saw to it that some instruction fits. */
function moveTensor(
  lo: Lowering,
  op: Operation,
  type: TensorType,
  buffer: MemDesc,
  base: Value,
  access: Access = {},
  values: readonly Value[] = [],
) {
  const info = tmemLdStInfo(type, buffer, getContextualMaxNReg(op));
  if (!info) throw new LayoutError("no instruction moves the tensor to or from that buffer");
  return move(lo, info, base, access, convertType(buffer.params.elementType), values);
}
/** The minimum or maximum of all parts, by pairs. */
function combineParts(lo: Lowering, { redOp, NaN: keepsNaN, parts }: Reduction): Value {
  const { propagating, ignoring } = EXTREMA[redOp];
  let level: readonly Value[] = parts;
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, i) =>
      lo.b.value(keepsNaN ? propagating : ignoring, { a: level[2 * i]!, b: level[2 * i + 1]! }),
    );
  return level[0]!;
}
const EXTREMA = {
  min: { propagating: MinimumOp, ignoring: MinNumOp },
  max: { propagating: MaximumOp, ignoring: MaxNumOp },
} as const;
function storeTensor(lo: Lowering, op: Operation, src: Value, buffer: MemDesc, base: () => Value, pred: Value): void {
  const values = lo.elements(src);
  moveTensor(lo, op, src.type as TensorType, buffer, base(), { pred }, values);
  lo.b.create(Tcgen05WaitOp, { kind: "store" });
  // Before anyone uses the buffer all threads have written.
  if (!lo.ctx.triton.placesTmemBarriers) lo.code.barrier(lo);
}

// --- copies from shared memory --------------------------------------------------------------------

/** Rows and bits that one tcgen05.cp copies, and which warps' rows get the same: none, the odd, the upper two, all. */
interface CopyAtom {
  readonly rows: number;
  readonly bits: number;
  readonly multicast: "" | ".warpx2::02_13" | ".warpx2::01_23" | ".warpx4";
}
function copyAtom(repeats32: boolean, repeats64: boolean, rowBits: number): CopyAtom {
  if (repeats32) return repeats64 ? { rows: 32, bits: 128, multicast: ".warpx4" } : { rows: 64, bits: 128, multicast: ".warpx2::02_13" };
  if (repeats64) return { rows: 64, bits: 128, multicast: ".warpx2::01_23" };
  return { rows: 128, bits: rowBits === 128 ? 128 : 256, multicast: "" };
}

function copyFromShared(lo: Lowering, src: Value, dst: Value, pred: Value): void {
  const { b } = lo;
  const from = descOf(src);
  const to = descOf(dst);
  const ofAllCTAs = memoryLayout(to).invertAndCompose(memoryLayout(from));
  const cvt = ofAllCTAs.hasInDim("block") ? ofAllCTAs.sublayout(["row", "col"], ["offset"]) : ofAllCTAs;
  const bits = bitWidth(from.params.elementType)!;
  const repeats = (bit: number): boolean => cvt.getBasis("row", bit, "offset") === 0;
  const columns = cvt.getInDimSize("col");
  const atom = copyAtom(repeats(5), repeats(6), columns * bits);
  const base = shmemAffineBase(lo, sharedMemoryObject(lo, src), from.params);
  const tile = [32, atom.bits / bits] as const;
  const ofWarp = cvt
    .reshapeIns([
      ["row", 32],
      ["warp", 4],
      ["col", columns],
    ])
    .sublayout(["row", "col"], cvt.outDimNames);
  const operand = mmaSharedOperand(lo, { layout: ofWarp, bits, base, tile, mnDim: 0, version: 5 });
  // Rows 32 and 64 are not in the descriptor: they follow at the distance of the core matrices.
  const stride = cvt.getBasis("row", 3, "offset");
  const follows = (bit: number): boolean => repeats(bit) || cvt.getBasis("row", bit, "offset") === stride << (bit - 3);
  if (operand.transposed || !follows(5) || !follows(6)) throw new LayoutError("tcgen05.cp cannot read the rows of shared memory");
  for (let column = 0; column < columns; column += tile[1]) {
    const descriptor = operand.descriptor(0, column);
    const [start, offset] = [tmemAddress(lo, dst), b.i32(Math.trunc((column * bits) / 32))];
    const address = lo.forms.addsCopyColumn ? b.add(start, offset) : b.orDisjoint(start, offset);
    const ptx = new PtxBuilder();
    const operands = [ptx.address(address, "r"), ptx.input(descriptor, "l")];
    ptx.instruction([`tcgen05.cp.${ctaGroup(lo)}${atom.multicast}.${atom.rows}x${atom.bits}b`], operands, ptx.input(pred, "b"));
    ptx.launch(b, voidType(lo.ctx));
  }
}

// --- rules ----------------------------------------------------------------------------------------

export const TENSOR_MEMORY: readonly LoweringRule[] = [
  rule(TMEMAllocOp, ({ op, src, result, token }, lo) => {
    const { b, ctx } = lo;
    const row = intOf(op.attr("tensor_memory_row_offset"));
    const column = intOf(op.attr("tensor_memory_col_offset"));
    if (row === undefined || column === undefined)
      return lo.fail(op, "no tensor memory was allocated for it: run triton-tensor-memory-allocation before", "lower.not-allocated");
    const base = b.value(TensorMemoryBaseAddress, {}, ptrType(ctx, 6));
    const address = b.add(b.ptrtoint(base, i32(ctx)), b.i32(column | (row << 16)));
    if (src) storeTensor(lo, op, src, descOf(result), () => b.inttoptr(address, base.type), b.i1(true));
    setTmemAddress(lo, result, address);
    return dropToken(lo, op, token);
  }),
  rule(TMEMLoadOp, ({ op, src, result, token, redOp, abs = false, NaN: keepsNaN = false, red }, lo) => {
    const reduction = redOp && { redOp, abs, NaN: keepsNaN, parts: [] };
    lo.setElements(result, moveTensor(lo, op, result.type as TensorType, descOf(src), lo.value(src), reduction && { reduction }));
    const combine = (): void => void (reduction && lo.setElements(red!, [combineParts(lo, reduction)]));
    if (lo.forms.combinesBeforeWait) combine();
    lo.b.create(Tcgen05WaitOp, { kind: "load" });
    if (!lo.forms.combinesBeforeWait) combine();
    return dropToken(lo, op, token);
  }),
  rule(TMEMStoreOp, ({ op, src, dst, pred, token }, lo) => {
    storeTensor(lo, op, src, descOf(dst), () => lo.value(dst), lo.value(pred));
    return dropToken(lo, op, token);
  }),
  rule(TMEMCopyOp, ({ src, dst, barrier: done }, lo) => {
    let pred = electPredicateWarp0(lo);
    if (runsOnTwoCTAs(lo.module)) pred = lo.b.and(pred, leadsPair(lo));
    copyFromShared(lo, src, dst, pred);
    if (!done) return;
    const ptx = new PtxBuilder();
    const barrierOperand = ptx.address(sharedMemoryObject(lo, done).base, "r");
    ptx.instruction([`tcgen05.commit.${ctaGroup(lo)}.mbarrier::arrive::one.b64`], [barrierOperand], ptx.input(pred, "b"));
    ptx.launch(lo.b, voidType(lo.ctx));
  }),
];
