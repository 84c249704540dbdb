/** Giving an op on distributed tensors another layout. Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp. */

import { DescriptorGatherOp, DescriptorScatterOp } from "../../dialects/tt/ops/descriptor.js";
import { AsyncCopyGlobalToLocalOp } from "../../dialects/ttg/ops/async-copy.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { RankedTensorType, type TensorType, withEncoding } from "../../ir/builtin-types.js";
import type { LocationRef } from "../../ir/location.js";
import { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import type { Rewriter } from "../../rewrite/rewriter.js";

/** The tensor in another layout: `ttg.convert_layout` at the insertion point. */
export function convertLayout(rw: Rewriter, value: Value, encoding: Attribute, loc: LocationRef): Value {
  return rw.value(ConvertLayoutOp, { src: value }, { loc, types: [withEncoding(value.type as TensorType, encoding)] });
}

/**
 * Makes an op work in another layout: its tensor operands are converted to it, its results back.
 *
 *     %v = tt.load %p : tensor<64x!tt.ptr<f32>, #a>
 *
 * becomes
 *
 *     %p1 = ttg.convert_layout %p : tensor<64x!tt.ptr<f32>, #a> -> tensor<64x!tt.ptr<f32>, #b>
 *     %v1 = tt.load %p1 : tensor<64x!tt.ptr<f32>, #b>
 *     %v = ttg.convert_layout %v1 : tensor<64xf32, #b> -> tensor<64xf32, #a>
 */
export function convertDistributedOpEncoding(rw: Rewriter, op: Operation, encoding: Attribute): Operation {
  return rw.from(op, () => {
    const loc = op.locRef;
    rw.setBefore(op);
    const operands = op.operands.map((operand, i) =>
      RankedTensorType.is(operand.type) && !keepsLayout(op, i) ? convertLayout(rw, operand, encoding, loc) : operand,
    );
    const isAsync = AsyncCopyGlobalToLocalOp.is(op);
    const resultTypes = op.resultTypes.map((type): Type => (isAsync ? type : withEncoding(type as TensorType, encoding)));
    const made = new Operation(op.ctx, op.def, { loc, operands, resultTypes, attrs: op.attrs });
    rw.insert(made);
    const results = made.results.map((result, i) => {
      const { type } = op.result(i);
      return result.type === type ? result : rw.value(ConvertLayoutOp, { src: result }, { loc, types: [type] });
    });
    rw.replace(op, results);
    return made;
  });
}

/** Offsets of rows have the layout that the op demands. */
function keepsLayout(op: Operation, index: number): boolean {
  const rows = DescriptorGatherOp.match(op)?.x_offsets ?? DescriptorScatterOp.match(op)?.x_offsets;
  return rows !== undefined && op.operand(index) === rows;
}
