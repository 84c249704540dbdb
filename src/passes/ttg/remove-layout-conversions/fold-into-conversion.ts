/**
 * Which ops make a layout conversion after them cheap or free.
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, canFoldIntoConversion, isFreeConvert.
 */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { HistogramOp } from "../../../dialects/tt/ops/gather.js";
import { MakeRangeOp } from "../../../dialects/tt/ops/program.js";
import { CatOp, ReshapeOp, SplatOp } from "../../../dialects/tt/ops/shape.js";
import { isExpensiveCat, isExpensiveView } from "../../../dialects/ttg/canonicalize/convert-layout.js";
import { toLinearLayout } from "../../../dialects/ttg/encodings/define-encoding.js";
import { NvidiaMmaEncoding } from "../../../dialects/ttg/encodings/nvidia-mma.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp, LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import type { Attribute } from "../../../ir/attribute.js";
import { encodingOf, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { cvtReordersRegisters } from "../../../layout/conversion.js";

const FOLDS: ReadonlySet<OpDef> = new Set<OpDef>([ConstantOp, MakeRangeOp, SplatOp, HistogramOp, LocalAllocOp, LocalLoadOp, LocalStoreOp]);

/** Whether the op could as well give its result in that encoding: a conversion to it goes away. */
export function canFoldIntoConversion(op: Operation, target: Attribute): boolean {
  if (FOLDS.has(op.def)) return true;
  const cat = CatOp.match(op);
  if (cat) return !isExpensiveCat(cat, target);
  const convert = ConvertLayoutOp.match(op);
  // Conversions to an accumulator's layout stay where they are.
  if (convert) return !NvidiaMmaEncoding.is(target) || encodingOf(convert.src.type) === target;
  const reshape = ReshapeOp.match(op);
  if (!reshape?.allow_reorder || reshape.efficient_layout) return false;
  return !isExpensiveView(reshape.src.type as TensorType, withEncoding(reshape.result.type as TensorType, target));
}

/** Whether the op is a conversion in which no element leaves its thread. */
export function isFreeConvert(op: Operation): boolean {
  const convert = ConvertLayoutOp.match(op);
  if (!convert) return false;
  const [src, dst] = [convert.src.type as TensorType, convert.result.type as TensorType];
  const { shape } = src.params;
  return cvtReordersRegisters(toLinearLayout(shape, src.params.encoding!), toLinearLayout(shape, dst.params.encoding!));
}
