/** Tensor memory: allocating, loading, storing, copying. Source: TritonNvidiaGPUOps.td; Ops.cpp. */
import type { Type } from "../../../ir/attribute.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { bitWidth, isFloat, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import { BoolAttr, I1, I32Attr, optional, optionalAttr } from "../../../ir/constraints.js";
import { defineOp, type MemoryEffect, type OpReport } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { attrText } from "../../../ir/text-hook.js";
import { AttrSizedResultSegments, Pure } from "../../../ir/traits.js";
import { basesPerDim } from "../../../layout/bases-per-dim.js";
import { getCTALayout, getSharedAlignment } from "../../../layout/encoding-queries.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { registersForTmem, type TMemAccessAtom } from "../../../layout/tmem-access.js";
import { computeTMemLdStEncodingInfo, type TMemLdStInfo } from "../../../layout/tmem-load-store.js";
import { Tensor } from "../../tt/constraints.js";
import { encodingAttr, encodingParams, sharedParams, toLinearLayout } from "../../ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../ttg/encodings/shared-memory.js";
import { enclosingModule, getNumCTAs, maybeLookupNumWarps } from "../../ttg/num-warps.js";
import { verifyAllocOp, verifyMemoryOpTypes } from "../../ttg/ops/local-memory.js";
import { WarpSpecializeOp, WarpSpecializePartitionsOp } from "../../ttg/ops/warp-specialize.js";
import { readsShared } from "../../ttg/ttg-op.js";
import { AsyncToken, type MemDesc, MemDescOperand, sameShape } from "../../ttg/types.js";
import {
  type TensorMemoryAttrParams,
  TensorMemoryEncoding,
  TensorMemoryScalesEncoding,
  TensorMemorySpace,
  TMEMLoadReduceModifierAttr,
} from "../attrs.js";
import { descOf, readsTensorMemory, TENSOR_MEMORY, ttngTraits, writesTensorMemory } from "../ttng-op.js";

const isTmem = (desc: MemDesc): boolean =>
  TensorMemoryEncoding.is(desc.params.encoding) || TensorMemoryScalesEncoding.is(desc.params.encoding);

export const TMEMLoadOp = defineOp("ttng.tmem_load", () => ({
  summary: "Load a buffer from tensor memory into a distributed tensor",
  operands: { src: MemDescOperand, dep: optional(AsyncToken) },
  // These attributes, and the third result, are there since 3.7.
  attrs: { redOp: optionalAttr(TMEMLoadReduceModifierAttr), abs: optionalAttr(BoolAttr), NaN: optionalAttr(BoolAttr) },
  results: { result: Tensor, token: optional(AsyncToken), red: optional(Tensor) },
  resultSizesWithout: (results, { triton }) => (triton.loadsReduce ? undefined : [1, results - 1, 0]),
  traits: ttngTraits(AttrSizedResultSegments),
  format: "$src `` custom<Token>($dep, type($token)) attr-dict `:` qualified(type($src)) `->` type($result) (`,` type($red)^)?",
  verify({ op, src, result, redOp, abs, NaN, red }, report) {
    const error = (message: string) => void report.error(message, "ttng.tmem");
    const desc = descOf(src);
    if (!TensorMemorySpace.is(desc.params.memorySpace)) return error("source must be a tensor memory buffer.");
    if (!TensorMemoryEncoding.is(desc.params.encoding)) return error("should use tensor memory encoding.");
    if (!verifyRegisters(op, result.type, desc, "result", report)) return;
    if (redOp && !red) return error("redOp is set but 'red' result is not present");
    if (red && !redOp) return error("'red' result is present but redOp is not set");
    for (const [name, isSet] of Object.entries({ abs, NaN })) {
      if (!isSet) continue;
      if (!redOp) return error(`'${name}' requires 'redOp' to be set`);
      if (!isFloat(desc.params.elementType, "f32")) return error(`'${name}' requires floating-point element type (f32)`);
    }
    if (redOp && !verifyReduction(op, result.type as TensorType, desc, report)) return;
    verifyMemoryOpTypes(src.type, result.type, report);
  },
  effects: ({ src }) => [readsTensorMemory(src)],
}));

/** A row is in one thread, each element in a register of its own. */
function verifyReduction(op: Operation, type: TensorType, desc: MemDesc, report: OpReport): boolean {
  const { shape, encoding } = type.params;
  const info = encoding ? tmemLdStInfo(type, desc, getContextualMaxNReg(op)) : undefined;
  const problem = (): string | undefined => {
    if (!info) return "failed to compute TMEM encoding info";
    if (info.unpacked) return "tmem_load reduction requires packed format (unpacked=false)";
    const [rows, columns] = basesPerDim(toLinearLayout(shape, encoding!), "register");
    if (rows === 1 && columns === shape[1]) return undefined;
    return "tmem_load reduction with N dimension sharded across threads is not supported.";
  };
  const message = problem();
  if (message) report.error(message, "ttng.tmem");
  return message === undefined;
}

export const TMEMStoreOp = defineOp("ttng.tmem_store", () => ({
  summary: "Store a distributed tensor into a buffer in tensor memory",
  operands: { dst: MemDescOperand, dep: optional(AsyncToken), src: Tensor, pred: I1 },
  results: { token: optional(AsyncToken) },
  traits: ttngTraits(),
  format: "$src `,` $dst `` custom<Token>($dep, type($token)) `,` $pred attr-dict `:` type($src) `->` qualified(type($dst))",
  verify({ op, src, dst }, report) {
    const desc = descOf(dst);
    if (!isTmem(desc)) return void report.error("should use tensor memory encoding.", "ttng.tmem");
    if (!desc.params.mutableMemory) return void report.error("Cannot store into an immutable alloc", "ttng.tmem");
    if (verifyRegisters(op, src.type, desc, "source", report)) verifyMemoryOpTypes(src.type, dst.type, report);
  },
  effects: ({ dst }) => [writesTensorMemory(dst)],
}));

export const TMEMAllocOp = defineOp("ttng.tmem_alloc", () => ({
  summary: "allocate tensor memory",
  operands: { src: optional(Tensor) },
  results: { result: MemDescOperand, token: optional(AsyncToken) },
  traits: ttngTraits(),
  format: "($src^)? attr-dict `:` functional-type(operands, results)",
  verify({ op, src, result }, report) {
    const desc = descOf(result);
    if (!isTmem(desc)) return void report.error("should use tensor memory encoding", "ttng.tmem");
    if (!src || verifyRegisters(op, src.type, desc, "source", report)) verifyAllocOp(src, desc, report);
  },
  // Immutable and not yet placed: a value, for CSE and DCE.
  effects({ op, src, result }): readonly MemoryEffect[] {
    if (!descOf(result).params.mutableMemory && !op.hasAttr("tensor_memory_col_offset")) return [];
    const allocates: MemoryEffect = { kind: "allocate", value: result, resource: TENSOR_MEMORY };
    return src ? [allocates, writesTensorMemory(result)] : [allocates];
  },
}));

export const TMEMSubSliceOp = defineOp("ttng.tmem_subslice", () => ({
  summary: "Take a subslice of a tensor memory allocation",
  operands: { src: MemDescOperand },
  attrs: { N: I32Attr },
  results: { result: MemDescOperand },
  traits: ttngTraits(Pure),
  format: "$src attr-dict `:` qualified(type($src)) `->` qualified(type($result))",
  verify({ op, src, result, N }, report) {
    const error = (message: string) => void report.error(message, "ttng.tmem");
    const from = descOf(src).params.encoding;
    const to = descOf(result).params.encoding;
    if (!TensorMemoryEncoding.is(from)) return error("The source must be a tensor memory buffer.");
    if (op.ctx.triton.checksMemory) return verifyColumns(descOf(src), descOf(result), N, report);
    if (from.params.blockM !== 64 && from.params.blockM !== 128)
      return error(`The source tensor memory descriptor must have a 128xN or 64xN layout, got block_m=${from.params.blockM}`);
    if (!TensorMemoryEncoding.is(to)) return error("The destination must be a tensor memory buffer.");
    if (
      (["blockM", "CTASplitM", "CTASplitN", "CGALayout", "colStride"] as const).some(
        (key) => String(from.params[key]) !== String(to.params[key]),
      )
    )
      error("The destination must have the same block size and CTASplit size as the source.");
  },
}));

/** The rules of 3.8: part of the columns, that begins at a multiple of their number. */
function verifyColumns({ params: from }: MemDesc, { params: to }: MemDesc, first: number, report: OpReport): void {
  const error = (message: string) => void report.error(message, "ttng.tmem");
  const plain = (message: string) => void report.plain(message, "ttng.tmem");
  if (!TensorMemoryEncoding.is(to.encoding)) return error("The destination must be a tensor memory buffer.");
  const [ofFrom, ofTo] = [from, to].map(({ encoding }) => encoding.params as TensorMemoryAttrParams);
  if ((["blockM", "CGALayout", "colStride"] as const).some((key) => String(ofFrom![key]) !== String(ofTo![key])))
    return error("The destination must have the same block size and CTASplit size as the source.");
  if (from.elementType !== to.elementType) return error("The source and result must have the same element type.");
  if (from.encoding !== to.encoding) return error("The source and result must have the same encoding.");
  if (!sameShape(from.allocShape, to.allocShape)) return error("The source and result must have the same alloc shape.");
  if (from.shape.length !== 2 || to.shape.length !== 2) return error("The result must be a 2D tensor memory buffer.");
  if (from.shape[0] !== to.shape[0]) return error("The result must have the same number of rows as the source.");
  if ((first & (to.shape[1]! - 1)) !== 0) return plain("The split offset may not touch the tile");
  if (first >= from.shape[1]!) plain("The split offset may not exceed the source shape");
}

/** Tensor memory of one CTA says nothing of CTAs. */
const withBlocks = (layout: LinearLayout): LinearLayout =>
  layout.hasInDim("block") ? layout : layout.multiply(LinearLayout.identity1D(1, "block", layout.outDimNames[0]!));

export const TMEMCopyOp = defineOp("ttng.tmem_copy", () => ({
  summary: "Initiate an asynchronous copy operation from shared memory to the Tensor Memory.",
  operands: { src: MemDescOperand, dst: MemDescOperand, barrier: optional(MemDescOperand) },
  traits: ttngTraits(),
  format: "$src `,` $dst (`,` $barrier^)? attr-dict `:` qualified(type(operands))",
  verify({ op, src, dst, barrier }, report) {
    const error = (message: string) => void report.error(message, "ttng.tmem");
    const from = descOf(src).params;
    const to = descOf(dst).params;
    if (!SharedMemorySpace.is(from.memorySpace)) return error("The source must be a shared memory buffer");
    if (!sameShape(from.shape, to.shape))
      return error(`source shape ${from.shape.join(", ")} must match destination shape ${to.shape.join(", ")}`);
    if (barrier && !SharedMemorySpace.is(descOf(barrier).params.memorySpace))
      return error("The optional barrier should be a shared memory buffer");
    if (!to.mutableMemory) return error("Cannot copy into an immutable alloc");
    const shared = sharedParams(from.encoding);
    if (shared && getSharedAlignment(shared) < 16)
      return error("Source must have at least 16-byte alignment to be representable in a matrix descriptor.");
    if (!op.ctx.triton.blocksInTmem) {
      if (getNumCTAs(enclosingModule(op)) !== 1) return error("NYI: Only one CTA is supported for now.");
    } else if (shared && encodingParams(to.encoding)) {
      const [ofFrom, ofTo] = [from, to].map(({ shape, allocShape, encoding }) =>
        withBlocks(toLinearLayout(allocShape.slice(-shape.length), encoding)),
      ) as [LinearLayout, LinearLayout];
      if (!ofTo.invertAndCompose(ofFrom).isTrivialOver(["block"]))
        return error(
          `The source and destination must have the same cga layout. Got source: ${ofFrom.toString()} and destination: ${ofTo.toString()}`,
        );
    }
    const nvmma = shared?.kind === "nvmma_shared" ? shared : undefined;
    if (nvmma && (nvmma.transposed || nvmma.fp4Padded)) return error("The source should not be transposed or padded");
    if (TensorMemoryScalesEncoding.is(to.encoding)) {
      if (nvmma && nvmma.swizzlingByteWidth !== 0) error("The source should not be swizzled for now");
      return;
    }
    if (!TensorMemoryEncoding.is(to.encoding)) return error("Incorrect tmem layout.");
    if (to.encoding.params.blockM !== 128) return error("Tmem layout ahouls have M=128.");
    if (nvmma && nvmma.swizzlingByteWidth === 0) return error("Source layout should be swizzled.");
    if (bitWidth(from.elementType) !== 32) error("Source element type should be 32-bit.");
  },
  effects: ({ src, dst }) => [readsShared(src), writesTensorMemory(dst)],
}));

/** Whether some tcgen05 instruction moves a tensor of that type from or to the buffer; if not, layouts that could are named. */
function verifyRegisters(op: Operation, type: Type, desc: MemDesc, name: string, report: OpReport): boolean {
  if (!RankedTensorType.is(type)) return true;
  const { shape, encoding } = type.params;
  if (shape.length !== 2) return (report.error(`${name} must be a 2D tensor`, "ttng.tmem"), false);
  if (!encoding || isDistributedLayoutTMemCompatible(op, type, desc)) return true;
  report.error(name, "ttng.tmem-layout").note(`Got: ${attrText(encoding)}`);
  const params = encodingParams(encoding);
  const numWarps = maybeLookupNumWarps(op) ?? 4;
  const cga = params && getCTALayout(params);
  for (const atom of ["32x32b", "16x256b", "16x128b", "16x64b"] as const) {
    const layout = cga && orUndefined(() => registerLayoutFor(desc, atom, numWarps, cga));
    if (layout) report.note(`potential TMEM layout: ${attrText(encodingAttr(op.ctx, { kind: "linear", layout }))}`);
  }
  return false;
}

/** The layout of a tensor that fills the buffer, for one kind of instruction; `cga` is how CTAs share the tensor. */
export function registerLayoutFor(
  { params }: MemDesc,
  atom: TMemAccessAtom,
  numWarps: number,
  cga: LinearLayout,
): LinearLayout | undefined {
  return registersForTmem(params.shape, encodingParams(params.encoding)!, atom, numWarps, bitWidth(params.elementType) ?? 32, cga);
}
/** The layout of the whole allocation that the buffer is a part of. */
export function memoryLayout({ params }: MemDesc): LinearLayout {
  return toLinearLayout(params.allocShape.slice(-params.shape.length), params.encoding);
}
/** A cache for each tensor type, by the buffer's type and the number of registers, because every verification needs the result again. */
const infosOfType = new WeakMap<TensorType, Map<string, TMemLdStInfo | undefined>>();

/** How a tensor of that type is moved from or to the buffer; undefined where no tcgen05 instruction does. */
export function tmemLdStInfo(type: TensorType, desc: MemDesc, maxnreg: number): TMemLdStInfo | undefined {
  let infos = infosOfType.get(type);
  if (!infos) infosOfType.set(type, (infos = new Map()));
  const key = `${desc.id} ${maxnreg}`;
  if (!infos.has(key)) infos.set(key, computeLdStInfo(type, desc, maxnreg));
  return infos.get(key);
}
function computeLdStInfo({ params, ctx }: TensorType, desc: MemDesc, maxnreg: number): TMemLdStInfo | undefined {
  const width = bitWidth(desc.params.elementType) ?? 32;
  // ptxas took no offset 0 before 3.8; scales are allocated with padding, so 1 does no harm there.
  const padded = TensorMemoryScalesEncoding.is(desc.params.encoding) ? 1 : undefined;
  const sameHalf = ctx.triton.zeroHalfOffsets ? 0 : padded;
  return orUndefined(() =>
    computeTMemLdStEncodingInfo(toLinearLayout(params.shape, params.encoding!), memoryLayout(desc), width, sameHalf, maxnreg),
  );
}
/** Whether some tcgen05 instruction moves a tensor of that type from or to the buffer. Source: Dialect.cpp. */
export function isDistributedLayoutTMemCompatible(op: Operation, type: TensorType, desc: MemDesc): boolean {
  return !type.params.encoding || tmemLdStInfo(type, desc, getContextualMaxNReg(op)) !== undefined;
}
/** Nothing where the layouts do not fit each other (upstream aborts then). */
function orUndefined<T>(compute: () => T | undefined): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof LayoutError) return undefined;
    throw error;
  }
}

/**
 * The most registers a thread may use at `op`: what the module and the enclosing partition of a warp specialisation allow.
 * Source: TensorMemoryUtils.cpp, getContextualMaxNReg.
 */
export function getContextualMaxNReg(op: Operation): number {
  const ofModule = intOf(enclosingModule(op)?.attr("ttg.maxnreg")) ?? 256;
  for (let at: Operation | null = op; at; at = at.parentOp) {
    const parent: Operation | null = at.parentOp;
    const partitions = WarpSpecializePartitionsOp.is(parent) ? WarpSpecializeOp.match(parent!.parentOp) : undefined;
    const limit = partitions ? partitions.actualRegisters?.[1 + at.region!.index] : WarpSpecializeOp.match(parent)?.actualRegisters?.[0];
    if (limit !== undefined) return Math.min(ofModule, limit, 256);
  }
  return Math.min(ofModule, 256);
}
