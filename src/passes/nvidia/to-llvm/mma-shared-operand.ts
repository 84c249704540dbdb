/**
 * Operands of wgmma and tcgen05 that lie in shared memory: the instruction is given a descriptor of 64 bits, of the address, of
 * how far core matrices are apart and of the swizzle.
 *
 *     const operand = mmaSharedOperand(lo, { layout, bits: 16, base, tile: [128, 16], mnDim: 0, version: 5 });
 *     operand.descriptor(128, 32)  // of the tile that begins at row 128, column 32
 *
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/DotOpToLLVM/MMAHelpers.h, DotOpMmaSmemLoader.
 */
import type { MemDesc } from "../../../dialects/ttg/types.js";
import { memoryLayout } from "../../../dialects/ttng/ops/tensor-memory.js";
import { bitWidth, i32, i64 } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { getReps } from "../../../layout/divide.js";
import { defaultCga } from "../../../layout/encodings/cga.js";
import { coreMatrixLayout } from "../../../layout/encodings/nvmma-shared.js";
import { LayoutError } from "../../../layout/layout-error.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { transposeLinearLayout } from "../../../layout/standard-dims.js";
import type { Lowering } from "./nvidia-lowering.js";

export interface SharedOperandPlace {
  /** Two dimensions -> offset in elements, block. */
  readonly layout: LinearLayout;
  /** The width of an element; 4 for fp4. */
  readonly bits: number;
  /** The address of element 0. */
  readonly base: Value;
  /** The block that one instruction reads, in elements. */
  readonly tile: readonly [number, number];
  /** Which dimension is M (of A) or N (of B); the other is K. */
  readonly mnDim: 0 | 1;
  /** 3 for wgmma, 5 for tcgen05. */
  readonly version: 3 | 5;
  /** The offset to add to the address, in units of 16 bytes; called after the address is computed. */
  readonly warpOffset?: (() => Value) | undefined;
}
export interface SharedOperand {
  /** Whether dimension 0 is the contiguous one. */
  readonly transposed: boolean;
  readonly descriptor: (row: number, column: number) => Value;
}

/** The map from coordinates of a buffer to offsets; `isFp4` takes a byte for two elements along the contiguous dimension. */
export function sharedOperandLayout(buffer: MemDesc, isFp4 = false): { readonly layout: LinearLayout; readonly bits: number } {
  const layout = memoryLayout(buffer).pseudoinvert();
  const bits = bitWidth(buffer.params.elementType)!;
  if (!isFp4) return { layout, bits };
  const [dim0 = "", dim1 = ""] = layout.inDimNames;
  const contiguous = layout.getBasis(dim0, 0, "offset") === 1 ? dim0 : dim1;
  return { layout: LinearLayout.identity1D(2, contiguous, "offset").multiply(layout), bits: bits / 2 };
}

export function mmaSharedOperand(lo: Lowering, place: SharedOperandPlace): SharedOperand {
  const { b, ctx } = lo;
  const { layout, bits, tile } = place;
  let base = b.lshr(b.ptrtoint(place.base, i32(ctx)), b.i32(4));
  if (place.warpOffset) base = b.add(base, place.warpOffset());
  const [dim0 = "", dim1 = ""] = layout.inDimNames;
  if (layout.getInDimSize(dim0) < tile[0] || layout.getInDimSize(dim1) < tile[1])
    throw new LayoutError("the instruction's tile is larger than the buffer");
  const { fields, swizzle, transposed } = matchTile(place);
  const start = b.zext(b.and(base, b.i32(lo.forms.descriptorAddressMask)), i64(ctx));
  return {
    transposed,
    descriptor(row, column) {
      const bytes = Math.trunc((layout.apply({ [dim0]: row, [dim1]: column })["offset"]! * bits) / 8);
      // Where the swizzle's pattern starts when the tile does not begin with it.
      const phase = Math.trunc(bytes / 128) & ((swizzle >> 4) - 1) & 7;
      return b.add(b.i64(fields + (BigInt(phase) << 49n) + BigInt(bytes >> 4)), start);
    },
  };
}

interface MatchedTile {
  /** All fields but the address. */
  readonly fields: bigint;
  /** Bytes. */
  readonly swizzle: number;
  readonly transposed: boolean;
}
/** How the descriptor writes each swizzle. */
const SWIZZLES: readonly (readonly [bytes: number, code: bigint])[] = [
  [0, 0n],
  [32, 3n],
  [64, 2n],
  [128, 1n],
];

/** The swizzle and direction with which core matrices, repeated to the instruction's tile, lie as the layout says. */
function matchTile(place: SharedOperandPlace): MatchedTile {
  for (const fp4Padded of place.bits === 4 ? [false, true] : [false])
    for (const transposed of [false, true])
      for (const [swizzle, code] of SWIZZLES) {
        const strides = tileStrides(place, swizzle, transposed, fp4Padded);
        if (!strides) continue;
        const inUnits = (stride: number): bigint => BigInt(((stride * place.bits) >> 3) >> 4);
        const version = place.version === 5 ? 1n << 46n : 0n;
        const fields =
          version | ((inUnits(strides.leading) & 0x3fffn) << 16n) | ((inUnits(strides.strided) & 0x3fffn) << 32n) | (code << 62n);
        return { fields, swizzle, transposed };
      }
  throw new LayoutError("no shared memory descriptor describes the layout");
}

/** How far core matrices are apart, in elements, along both of their dimensions; undefined where they do not lie so. */
function tileStrides(
  { layout, bits, tile, mnDim }: SharedOperandPlace,
  swizzle: number,
  transposed: boolean,
  fp4Padded: boolean,
): { readonly leading: number; readonly strided: number } | undefined {
  const dims = layout.inDimNames;
  const elementBitWidth = Math.max(8, bits);
  let matrix = coreMatrixLayout(
    { kind: "nvmma_shared", swizzlingByteWidth: swizzle, transposed, elementBitWidth, fp4Padded, cga: defaultCga(2) },
    false,
  );
  if (bits === 4) matrix = LinearLayout.identity1D(2, "offset", "dim1").multiply(matrix);
  if (transposed) matrix = transposeLinearLayout(matrix, [1, 0]);
  const inverse = matrix.renameOutDims(dims).pseudoinvert();

  const sizes = dims.map((dim) => inverse.getInDimSize(dim));
  /** The distance that the instruction adds to reach the next core matrix along a dimension; 0 where one is enough. */
  const stride = (d: number): number => (tile[d]! > sizes[d]! ? layout.getBasis(dims[d]!, Math.log2(sizes[d]!), "offset") : 0);
  let [leading, strided] = transposed ? [0, 1] : [1, 0];
  // Without a swizzle the two are the other way round where M (or N) is contiguous.
  if (swizzle === 0 && (mnDim === 0) === transposed) [leading, strided] = [strided, leading];

  const bases = dims.map((dim, d): [string, number[][]] => {
    const list = inverse.getInDimBases(dim).map((basis) => [basis[0]!]);
    for (let i = 1; i < tile[d]! / sizes[d]!; i *= 2) list.push([stride(d) * i]);
    return [dim, list];
  });
  const largest = Math.max(0, ...bases.flatMap(([, list]) => list.flat()));
  const size = 2 ** (Math.floor(Math.log2(Math.max(largest, 0.5))) + 1);
  const repeated = LinearLayout.fromBases(bases, [["offset", size]], false).multiply(LinearLayout.identity1D(1, dims[0]!, "block"));
  return getReps(layout, repeated) && { leading: stride(leading), strided: stride(strided) };
}
