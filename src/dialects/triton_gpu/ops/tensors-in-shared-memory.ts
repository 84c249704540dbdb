/**
 * Shared memory before 3.0 was a tensor with a `shared` layout, inserted into and sliced as a value. There is no
 * counterpart today: buffers are memory now. Source: TritonGPUOps.td of Triton 2.0 and 2.1.
 */
import type { Type } from "../../../ir/attribute.js";
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import { i32 } from "../../../ir/builtin-types.js";
import { AnyType, BoolAttr, defaultAttr, I32, I32Attr, optional, rankedTensorOf } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments, TypesMatchWith } from "../../../ir/traits.js";
import { defineExtractSlice } from "../../tensor/ops/extract-slice.js";
import { PtrTensor, Tensor, TritonType } from "../../tt/constraints.js";
import { CacheModifierAttr, EvictionPolicyAttr } from "../../tt/enums.js";
import { readsGlobal } from "../../tt/tt-op.js";
import { getI1SameShape, getPointeeType } from "../../tt/types.js";
import { SHARED_MEMORY } from "../../ttg/ttg-op.js";

export const AllocTensorOp = defineOp("triton_gpu.alloc_tensor", () => ({
  summary: "allocate tensor",
  results: { result: Tensor },
  format: "attr-dict `:` type($result)",
  effects: ({ result }) => [{ kind: "allocate", value: result, resource: SHARED_MEMORY }],
}));

const SIZES = "operandSegmentSizes";

/** `%s = insert_slice_async %ptrs, %buffer, %index, %mask, %other {axis = 0 : i32, ...} : tensor<ptrs> -> tensor<buffer>` */
export const InsertSliceAsyncOp = defineOp("triton_gpu.insert_slice_async", () => ({
  summary: "insert slice async",
  operands: { src: PtrTensor, dst: Tensor, index: I32, mask: optional(AnyType), other: optional(TritonType) },
  attrs: {
    cache: defaultAttr(CacheModifierAttr, "none"),
    evict: defaultAttr(EvictionPolicyAttr, "evict_normal"),
    isVolatile: defaultAttr(BoolAttr, false),
    axis: I32Attr,
  },
  results: { result: rankedTensorOf(AnyType) },
  traits: [
    AttrSizedOperandSegments,
    TypesMatchWith("result type matches dst type", "result", "dst", (type) => type),
    TypesMatchWith("infer mask type from src type", "src", "mask", (type) => {
      const pointee = getPointeeType(type);
      return pointee && getI1SameShape(pointee);
    }),
    TypesMatchWith("infer other type from src type", "src", "other", getPointeeType),
  ],
  effects: ({ src }) => [readsGlobal(src), { kind: "write", resource: SHARED_MEMORY }],
  parse(p) {
    const operands = p.operands();
    p.optAttrDict();
    const src = p.colonType();
    p.punct("->");
    const dst = p.type();
    if (operands.length < 3 || operands.length > 5) return p.fail(`expected 3 to 5 operands, got ${operands.length}`);
    const pointee = getPointeeType(src);
    const types: (Type | undefined)[] = [src, dst, i32(p.ctx), pointee && getI1SameShape(pointee), pointee];
    operands.forEach((operand, i) => {
      const type = types[i];
      p.state.operands.push(type ? p.resolve(operand, type) : operand.value);
    });
    p.setAttr(SIZES, i32ArrayAttr(p.ctx, [1, 1, 1, operands.length > 3 ? 1 : 0, operands.length > 4 ? 1 : 0]));
    p.state.types.push(dst);
  },
  print({ op, src, result }, p) {
    p.write(` ${p.values(op.operands)}`);
    p.optAttrDict(op, [SIZES]);
    p.write(` : ${p.type(src.type)} -> ${p.type(result.type)}`);
  },
}));

export const OldExtractSliceOp = defineExtractSlice("triton_gpu.extract_slice");
