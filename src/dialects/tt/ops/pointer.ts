/** Pointers, tensor pointers and tensor descriptors: how they are made and moved. */
import { DenseI32ArrayAttr, defaultAttr, I32, I64, variadic } from "../../../ir/constraints.js";
import { defineOp, type FoldResult } from "../../../ir/define-op.js";
import { constantInt } from "../../../ir/match.js";
import { Elementwise, Pure, SameOperandsAndResultShape, SameVariadicOperandSize, TypesMatchWith } from "../../../ir/traits.js";
import { IntLike, Ptr, PtrLike, TensorDesc, TensorPtr } from "../constraints.js";
import { PaddingOptionAttr } from "../enums.js";
import { SameOperandsAndResultEncoding } from "../traits.js";
import { ttTraits } from "../tt-op.js";
import { getAddressSpace, getElementTypeOfTensorPointerType, pointerType } from "../types.js";

const ResultIsPtrType = TypesMatchWith("result type matches ptr type", "result", "ptr", (type) => type);

/** Source: TritonOps.td, TT_AddPtrOp. */
export const AddPtrOp = defineOp("tt.addptr", () => ({
  operands: { ptr: PtrLike, offset: IntLike },
  results: { result: PtrLike },
  traits: ttTraits(Pure, Elementwise, SameOperandsAndResultShape, SameOperandsAndResultEncoding, ResultIsPtrType),
  format: "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)",
  // addptr(ptr, 0) -> ptr
  fold({ ptr }, [, offset]): FoldResult {
    return constantInt(offset) === 0n ? ptr : undefined;
  },
}));

/** Source: TritonOps.td, TT_AdvanceOp. */
export const AdvanceOp = defineOp("tt.advance", () => ({
  summary: "Advance a tensor pointer by offsets",
  operands: { ptr: TensorPtr, offsets: variadic(I32) },
  results: { result: TensorPtr },
  traits: ttTraits(Pure, ResultIsPtrType),
  format: "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)",
  // advance(ptr, 0, 0) -> ptr
  fold({ ptr }, [, ...offsets]): FoldResult {
    return offsets.every((offset) => constantInt(offset) === 0n) ? ptr : undefined;
  },
}));

/** Source: TritonOps.td, TT_MakeTensorPtrOp. */
export const MakeTensorPtrOp = defineOp("tt.make_tensor_ptr", () => ({
  summary: "Make a tensor pointer type with meta information of the parent tensor and the block specified",
  operands: { base: Ptr, shape: variadic(I64), strides: variadic(I64), offsets: variadic(I32) },
  attrs: { order: DenseI32ArrayAttr },
  results: { result: TensorPtr },
  traits: ttTraits(
    Pure,
    SameVariadicOperandSize,
    TypesMatchWith("infer pointer type from the result type", "result", "base", (type) => {
      const element = getElementTypeOfTensorPointerType(type);
      return element && pointerType(element, getAddressSpace(type));
    }),
  ),
  format: "$base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)",
}));

/** Source: TritonOps.td, TT_MakeTensorDescOp. */
export const MakeTensorDescOp = defineOp("tt.make_tensor_descriptor", () => ({
  summary: "Make a tensor descriptor type with meta information of the parent tensor and block size",
  operands: { base: Ptr, shape: variadic(I32), strides: variadic(I64) },
  attrs: { padding: defaultAttr(PaddingOptionAttr, "zero") },
  results: { result: TensorDesc },
  traits: ttTraits(Pure, SameVariadicOperandSize),
  format: "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)",
}));
