/**
 * Reads of fp4 that is packed along rows or columns and becomes packed along K: `ds_read_b64_tr4` transposes words of four bits.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/MemoryOpToLLVM.cpp, LocalLoadPackedTransposedOpConversion;
 * lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp, chooseDotDsReadTrLayout.
 */
import { LocalLoadPackedTransposedOp } from "../../../dialects/amdg/ops/tiles.js";
import { TRANSPOSED_READS } from "../../../dialects/rocdl/ops/matrix.js";
import { encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { i32, shapedParams, type TensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { largestVectorisationInOrder } from "../../../layout/bank-conflicts.js";
import type { DotOperandParams } from "../../../layout/encoding-params.js";
import { combineCtaCgaWithShape } from "../../../layout/encodings/combine-cta-cga.js";
import { getMatrixOrder } from "../../../layout/encodings/matrix-order.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { identityStandardND, standardOutDimNames } from "../../../layout/standard-dims.js";
import { scalarBits, vecType } from "../../ttg-to-llvm/ll-builder.js";
import { linearLayoutOf, memDescOf, placeOf, sharedMemoryObject } from "../../ttg-to-llvm/local-memory.js";
import { COPY_UNCONVERTED, rule } from "../../ttg-to-llvm/lowering.js";
import { lowerLdSt } from "../../ttg-to-llvm/shared-access.js";
import { laneAndWarpId } from "../../ttg-to-llvm/thread-indices.js";
import { convertType } from "../../ttg-to-llvm/type-converter.js";
import type { Lowering, LoweringRule } from "./amd-lowering.js";

/** Bytes that a lane reads with one instruction. */
const TILE = 8;

/** Which byte of the packed matrix of `shape` a register of a lane receives: register, lane, warp, block -> dims. */
function packedLayout({ opIdx, parent }: DotOperandParams, shape: readonly number[]): LinearLayout | undefined {
  if (parent.kind !== "amd_mfma") return undefined;
  const rank = shape.length;
  const names = standardOutDimNames(rank);
  const isNarrow = parent.instrShape[0] === 16;
  const size = shape[opIdx === 0 ? rank - 1 : rank - 2]!;
  // Along rows or columns, and along K.
  const registers = [
    [1, 0],
    [2, 0],
    [4, 0],
    [0, 16],
  ];
  for (let k = isNarrow ? 128 : 64; k < size; k *= 2) registers.push([0, k]);
  const others = isNarrow
    ? [
        [0, 32],
        [0, 64],
      ]
    : [
        [8, 0],
        [0, 32],
      ];
  const lanes = [[0, 1], [0, 2], [0, 4], [0, 8], ...others];
  const order = getMatrixOrder(rank, opIdx !== 0);
  let tile = LinearLayout.fromBases(
    [
      ["register", registers],
      ["lane", lanes],
    ],
    [names[order[0]!]!, names[order[1]!]!],
  );
  if (rank === 3) for (const dim of ["register", "lane"]) tile = tile.multiply(LinearLayout.identity1D(1, dim, names[order[2]!]!));
  const warps = identityStandardND("warp", parent.warpsPerCTA, getMatrixOrder(rank, true));
  return combineCtaCgaWithShape(tile.transposeOuts(names).multiply(warps.transposeOuts(names)), parent.cga, shape);
}

function readPacked(lo: Lowering, src: Value, result: Value): readonly Value[] | undefined {
  const { b, ctx, target } = lo;
  const type = memDescOf(src);
  const element = convertType(type.elementType);
  const dot = encodingParams((result.type as TensorType).params.encoding);
  if (scalarBits(element) !== 8 || target.family !== "CDNA4" || dot?.kind !== "dot_op") return undefined;
  const layout = packedLayout(dot, type.shape)?.invertAndCompose(linearLayoutOf(type));
  if (!layout || largestVectorisationInOrder(layout, TILE).vec !== TILE) return undefined;
  const place = placeOf(lo, layout.sublayout(["register", "lane", "warp"], ["offset"]), type, sharedMemoryObject(lo, src));
  return lowerLdSt(lo, { ...place, maxVecElems: TILE }, [], laneAndWarpId(lo), (_values, ptr, _index, vector) => {
    const words = vecType(i32(ctx), (shapedParams(vector).shape[0]! * 8) / 32);
    return b.unpackVector(b.bitcast(b.value(TRANSPOSED_READS["tr4.b64"]!, { ptr }, words), vector));
  });
}

export const PACKED_READS: readonly LoweringRule[] = [
  rule(LocalLoadPackedTransposedOp, ({ op, src, result }, lo: Lowering) => {
    const values = readPacked(lo, src, result);
    if (values) lo.setElements(result, values);
    else COPY_UNCONVERTED(op, lo);
  }),
];
