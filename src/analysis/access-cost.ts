/**
 * The memory cost of one warp-wide instruction, as far as layouts and addresses determine it: sectors of global memory, rounds of
 * shared memory. Costs that are not known statically are left out; `tt-step run --facts` measures it.
 */

import { PADDED_SCRATCH } from "../dialects/amdg/attrs.js";
import { BufferOpInterface } from "../dialects/amdg/ops/buffer.js";
import { argumentAttr, setArgumentAttr } from "../dialects/builtin/function-op.js";
import { FuncOp } from "../dialects/tt/ops/function.js";
import { getPointeeBitWidth, PointerType } from "../dialects/tt/types.js";
import { encodingAttr, sharedParams, toLinearLayout } from "../dialects/ttg/encodings/define-encoding.js";
import { ConvertLayoutOp } from "../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp, LocalStoreOp } from "../dialects/ttg/ops/local-memory.js";
import { type MemDesc, MemDescType } from "../dialects/ttg/types.js";
import { i32Attr, intOf } from "../ir/builtin-attrs.js";
import { bitWidth, RankedTensorType, type TensorType } from "../ir/builtin-types.js";
import { FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Value } from "../ir/value.js";
import { type BankConflict, type BankRules, firstConflict, offsetsOf, simulateAccess, simulateMatrices } from "../layout/bank-conflicts.js";
import { actionRemoveBroadcastedRegs } from "../layout/column-action.js";
import { cvtNeedsSharedMemory } from "../layout/conversion.js";
import type { SwizzledSharedParams } from "../layout/encoding-params.js";
import { placeOf } from "../layout/encoding-queries.js";
import type { LinearLayout } from "../layout/linear-layout.js";
import { type MatrixInstructions, swizzledConversion } from "../layout/swizzle.js";
import { layoutProblem } from "../layout/verify-encoding.js";
import { memoryAccess } from "./access-width.js";
import { ModuleAxisInfo } from "./module-axis-info.js";
import { storedBitWidth } from "./scratch-size.js";

/** Bytes that global memory is fetched by. */
const SECTOR = 32;
/** Arrays begin at a multiple of this, as CUDA's allocators give them; Triton's hint says 16 at most. */
const ALLOCATION = 256;

/** AxisInfo of a module whose pointers that are known to be aligned begin where allocators put arrays. */
export function axesOfAllocations(module: Operation): ModuleAxisInfo {
  const hints: (() => void)[] = [];
  const name = "tt.divisibility";
  module.walk((op) => {
    if (!FuncOp.is(op)) return;
    op.def
      .interface(FunctionOp)!
      .type(op)
      .inputs.forEach((type, index) => {
        const hint = argumentAttr(op, index, name);
        if (!PointerType.is(type) || !hint || intOf(hint)! < 16 || intOf(hint)! >= ALLOCATION) return;
        setArgumentAttr(op, index, name, i32Attr(op.ctx, ALLOCATION));
        hints.push(() => setArgumentAttr(op, index, name, hint));
      });
  });
  const axes = new ModuleAxisInfo(module);
  for (const restore of hints) restore();
  return axes;
}

/**
 * Sectors that a warp touches with one access of `bytes` a thread, all threads taking part; undefined where it depends on addresses
 * that are not known. `axes` are those of `axesOfAllocations`.
 */
export function sectorsOf(op: Operation, bytes: number, axes: ModuleAxisInfo): number | undefined {
  const buffer = op.def.interface(BufferOpInterface);
  const ptr = buffer ? op.operand(buffer.ptr) : memoryAccess(op)?.ptr;
  if (!ptr) return undefined;
  // A buffer's addresses are a pointer and offsets of elements.
  const places = buffer ? op.operand(buffer.offsets) : ptr;
  const elementBytes = Math.max(1, getPointeeBitWidth(ptr.type) / 8);
  const info = axes.get(places);
  if (!RankedTensorType.is(places.type) || !info) return RankedTensorType.is(places.type) ? undefined : 1;
  const { shape, encoding } = places.type.params;
  const layout = toLinearLayout(shape, encoding!);
  const { contiguity, constancy, divisibility } = info;
  // Along this dimension neighbours are in a row; a row begins at a multiple of `divisibility`.
  const along = contiguity.indexOf(Math.max(...contiguity));
  const begins = buffer ? [divisibility[along]! * elementBytes, axes.getOrWorst(ptr).divisibility[0]!] : [divisibility[along]!];
  if (begins.some((at) => at % SECTOR !== 0)) return undefined;
  const sectors = new Set<string>();
  const numRegisters = Math.max(1, bytes / elementBytes);
  if (numRegisters > layout.getInDimSize("register")) return undefined;
  for (let lane = 0; lane < layout.getInDimSize("lane"); lane++)
    for (let register = 0; register < numRegisters; register++) {
      const coordinates = layout.apply({ register, lane });
      const at = shape.map((_, d) => coordinates[`dim${d}`]!);
      const row = at.map((x, d) => Math.floor(x / (d === along ? Math.max(contiguity[d]!, constancy[d]!) : constancy[d]!)));
      const offset = constancy[along]! > 1 ? 0 : (at[along]! % contiguity[along]!) * elementBytes;
      sectors.add(`${row.join(",")}:${Math.floor(offset / SECTOR)}`);
    }
  return sectors.size;
}

export interface SharedCost {
  /** Rounds of one warp-wide instruction, and those without conflicts. */
  readonly needed: number;
  readonly least: number;
}

/** An instruction of shared memory. */
export interface SharedInstruction {
  /** Bytes that a thread moves. */
  readonly bytes: number;
  /** ldmatrix or stmatrix. */
  readonly byMatrices: boolean;
  /** A load, or a store. */
  readonly loads: boolean;
  readonly rules: BankRules;
  /** The matrix instructions that conversions of layouts may use. */
  readonly gpu: MatrixInstructions;
}

/** Rounds of shared memory for an instruction that moves a tensor to or from a buffer, or converts a layout. */
export function wavefrontsOf(op: Operation, instruction: SharedInstruction): SharedCost | undefined {
  const access = bufferAccess(op) ?? conversionAccess(op, instruction);
  return access && costOf(access, instruction);
}
function costOf({ offsets, bits, place }: Access, { bytes, byMatrices, rules, loads }: SharedInstruction): SharedCost | undefined {
  if (bits < 8) return undefined;
  if (byMatrices) {
    const found = simulateMatrices(offsets, bits);
    const count = bytes / 4;
    return found && { needed: (found.wavefronts / found.matrices) * count, least: count };
  }
  const found = simulateAccess(offsets, bits, { maxVectorBytes: bytes, place, rules, loads });
  if ((found.vec * bits) / 8 !== bytes) return undefined;
  return { needed: found.wavefronts / found.instructions, least: found.minWavefronts / found.instructions };
}

/** Lanes of an instruction of shared memory that meet in a bank, and what would keep them apart. */
export interface ExplainedConflict extends BankConflict {
  /** A swizzle without conflicts for this instruction: another `swizzled_shared` of the same buffer; undefined where there is none. */
  readonly swizzle: Pick<SwizzledSharedParams, "vec" | "perPhase" | "maxPhase"> | undefined;
}

/** Why an instruction of shared memory takes more rounds than it needs; undefined where it does not, or where that is not known. */
export function conflictOf(op: Operation, instruction: SharedInstruction): ExplainedConflict | undefined {
  const { bytes, byMatrices } = instruction;
  const access = bufferAccess(op) ?? conversionAccess(op, instruction);
  if (!access || access.bits < 8) return undefined;
  // A row of a matrix is what a thread would read alone.
  const found = firstConflict(access.offsets, access.bits, { ...instruction, maxVectorBytes: byMatrices ? 4 : bytes, place: access.place });
  return found && { ...found, swizzle: swizzleWithout(op, instruction) };
}

const POWERS = [1, 2, 4, 8, 16] as const;
/** The mildest swizzle of a buffer under which an instruction takes no more rounds than it needs. */
function swizzleWithout(op: Operation, instruction: SharedInstruction): ExplainedConflict["swizzle"] {
  const access = sharedAccess(op);
  const own = access && sharedParams(access.buffer.params.encoding);
  if (!access || own?.kind !== "swizzled_shared") return undefined;
  for (const maxPhase of POWERS)
    for (const perPhase of POWERS)
      for (const vec of [own.vec, ...POWERS.toReversed()]) {
        const params = { ...own, vec, perPhase, maxPhase };
        const buffer = { ...access.buffer.params, encoding: encodingAttr(op.ctx, params) };
        const cost = layoutProblem(wholeShape(buffer), params) === undefined && costOf(bufferOffsets(access.tensor, buffer), instruction);
        if (cost && cost.needed === cost.least) return { vec, perPhase, maxPhase };
      }
  return undefined;
}

interface Access {
  /** From registers, lanes and warps. */
  readonly offsets: LinearLayout;
  readonly bits: number;
  readonly place?: (offset: number) => number;
}

function bufferAccess(op: Operation): Access | undefined {
  const access = sharedAccess(op);
  return access && bufferOffsets(access.tensor, access.buffer.params);
}
/** The shape of the buffer that a view is a part of. */
const wholeShape = ({ shape, allocShape }: MemDesc["params"]): readonly number[] => allocShape.slice(-shape.length);
function bufferOffsets(tensor: TensorType, buffer: MemDesc["params"]): Access {
  const { elementType, encoding } = buffer;
  const params = sharedParams(encoding);
  const offsets = offsetsOf(layoutOf(tensor), toLinearLayout(wholeShape(buffer), encoding));
  const place = params && placeOf(params);
  return { offsets, bits: bitWidth(elementType) ?? 0, ...(place ? { place } : {}) };
}

function conversionAccess(op: Operation, { loads, gpu }: SharedInstruction): Access | undefined {
  const convert = ConvertLayoutOp.match(op);
  if (!convert || !RankedTensorType.is(convert.src.type) || !RankedTensorType.is(convert.result.type)) return undefined;
  const [from, to] = [layoutOf(convert.src.type), layoutOf(convert.result.type)];
  // Rows that are padded are not counted.
  if (op.hasAttr(PADDED_SCRATCH) || !cvtNeedsSharedMemory(from, to)) return undefined;
  const [src, dst] = [from, to].map((layout) => {
    const within = layout.sublayout(["register", "lane", "warp"], layout.outDimNames);
    return actionRemoveBroadcastedRegs(within).apply(within);
  }) as [LinearLayout, LinearLayout];
  const bits = storedBitWidth(convert.src.type);
  const { store, load } = swizzledConversion(src, dst, gpu, bits);
  return { offsets: (loads ? load : store).layout, bits };
}

const layoutOf = ({ params }: TensorType): LinearLayout => toLinearLayout(params.shape, params.encoding!);

function sharedAccess(op: Operation): { readonly tensor: TensorType; readonly buffer: MemDesc } | undefined {
  const between = (tensor: Value | undefined, buffer: Value) =>
    tensor && RankedTensorType.is(tensor.type) && MemDescType.is(buffer.type) ? { tensor: tensor.type, buffer: buffer.type } : undefined;
  const load = LocalLoadOp.match(op);
  if (load) return between(load.result, load.src);
  const store = LocalStoreOp.match(op);
  if (store) return between(store.src, store.dst);
  const alloc = LocalAllocOp.match(op);
  return alloc && between(alloc.src, alloc.result);
}
