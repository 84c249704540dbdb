/**
 * Scales of a tcgen05 instruction that are loaded in blocks of 128 rows and 4 columns as tensor memory has them, and brought into rows and columns by
 * reshapes and a transposition: the instruction gets them in a buffer of shared memory with those blocks, which it copies.
 *
 *     load [.., 512] -> reshape [m, k, 32, 4, 4] -> trans {0, 3, 2, 1, 4} -> reshape [128 m, 4 k]
 *
 * Source: lib/Dialect/TritonGPU/Transforms/AccelerateMatmul.cpp, tryCreateTmemCopyCompatibleScaleOperand; LinearLayoutConversions.cpp,
 * getScaleSmemLayoutForTMEMCopy (Triton 3.8).
 */
import { DescriptorGatherOp, DescriptorLoadOp } from "../../../dialects/tt/ops/descriptor.js";
import { LoadOp } from "../../../dialects/tt/ops/memory.js";
import { ReshapeOp, TransOp } from "../../../dialects/tt/ops/shape.js";
import { distributedParams, encodingAttr } from "../../../dialects/ttg/encodings/define-encoding.js";
import { SharedMemorySpace } from "../../../dialects/ttg/encodings/shared-memory.js";
import { throughConversions } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { memDescType } from "../../../dialects/ttg/types.js";
import type { TensorType } from "../../../ir/builtin-types.js";
import type { Value } from "../../../ir/value.js";
import { getCTALayout, isInnermostContiguous } from "../../../layout/encoding-queries.js";
import { combineCtaCgaWithShape } from "../../../layout/encodings/combine-cta-cga.js";
import { LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

const paramsOf = (value: Value) => (value.type as TensorType).params;
const cgaOf = (value: Value): LinearLayout => getCTALayout(distributedParams(paramsOf(value).encoding)!)!;

/** offset -> row, column: 4 columns, then 4 rows that are 32 apart, 32 rows, and so on. */
function scaleLayout([rows, columns]: readonly [number, number], cga: LinearLayout): LinearLayout {
  const bits = (from: number, to: number): number[] => {
    const out: number[] = [];
    for (let bit = from; bit < to; bit *= 2) out.push(bit);
    return out;
  };
  const inRows = (bases: readonly number[]) => bases.map((bit) => [bit, 0]);
  const inColumns = (bases: readonly number[]) => bases.map((bit) => [0, bit]);
  const offset = [
    ...inColumns(bits(1, 4)),
    ...inRows(bits(32, 128)),
    ...inRows(bits(1, 32)),
    ...inColumns(bits(4, columns)),
    ...inRows(bits(128, rows)),
  ];
  return combineCtaCgaWithShape(LinearLayout.fromBases([["offset", offset]], standardOutDimNames(2)), cga, [rows, columns]);
}

/** The buffer; undefined where the scales come in another way. */
export function tmemCopyScale(rw: Rewriter, scale: Value): Value | undefined {
  const flat = ReshapeOp.match(throughConversions(scale).definingOp);
  if (!flat) return undefined;
  const { shape, elementType } = paramsOf(flat.result);
  const [rows, columns] = shape as [number, number];
  if (shape.length !== 2 || rows % 128 !== 0 || columns % 4 !== 0) return undefined;
  const trans = TransOp.match(throughConversions(flat.src).definingOp);
  if (trans?.order.join() !== "0,3,2,1,4") return undefined;
  const blocks = ReshapeOp.match(throughConversions(trans.src).definingOp);
  if (!blocks || paramsOf(blocks.result).shape.join() !== [rows / 128, columns / 4, 32, 4, 4].join()) return undefined;
  const packed = throughConversions(blocks.src);
  const load = packed.definingOp;
  const byTMA = load !== undefined && (DescriptorLoadOp.is(load) || DescriptorGatherOp.is(load));
  if (!load || !(LoadOp.is(load) || byTMA) || !isCompatible(packed, byTMA)) return undefined;
  const encoding = encodingAttr(rw.ctx, {
    kind: "shared_linear",
    layout: scaleLayout([rows, columns], cgaOf(flat.result)),
    alignment: 128,
  });
  const type = memDescType(shape, elementType, encoding, SharedMemorySpace.get(rw.ctx, {}));
  return rw.preserving(() => {
    rw.setAfter(flat);
    return rw.value(LocalAllocOp, { src: flat.result }, { loc: flat.op.locRef, types: [type] });
  });
}

/** The copy takes chunks of 32 rows of 128 bits that lie in one piece. */
function isCompatible(packed: Value, byTMA: boolean): boolean {
  const { shape } = paramsOf(packed);
  const unswizzled = { kind: "nvmma_shared", swizzlingByteWidth: 0, transposed: false, elementBitWidth: 8, fp4Padded: false } as const;
  if (!isInnermostContiguous({ ...unswizzled, cga: cgaOf(packed) }, shape, 512)) return false;
  return byTMA || (shape.length === 2 && (shape[1]! * 8) % (32 * 128) === 0);
}
