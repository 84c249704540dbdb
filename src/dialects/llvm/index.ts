import { DenseElementsAttr, FloatAttr, IntegerAttr, SymbolRefAttr, typeOfAttr } from "../../ir/builtin-attrs.js";
import { defineDialect } from "../../ir/define-dialect.js";
import * as attrs from "./attrs/index.js";
import { LLVM_CANONICALIZATION } from "./canonicalize.js";
import "./directives.js";
import { llvmInliner } from "./inliner.js";
import { llvmOlderForms } from "./older-forms.js";
import { AddressOfOp, ConstantOp, PoisonOp, UndefOp, ZeroOp } from "./ops/constants.js";
import * as ops from "./ops/index.js";
import { VECTOR_PREDICATION } from "./ops/intrinsics-vector.js";
import { isCompatibleType } from "./types/compatible.js";
import * as types from "./types/types.js";

export const llvm = defineDialect("llvm", {
  ops: [ops, VECTOR_PREDICATION],
  attrs: [attrs],
  types: [types],
  canonicalize: LLVM_CANONICALIZATION,
  allowUnknownOps: true,
  olderForms: llvmOlderForms,
  inliner: llvmInliner,
  materializeConstant(b, value, type, loc) {
    const at = { types: [type], loc };
    if (SymbolRefAttr.is(value) && value.params.nested.length === 0 && types.LLVMPointerType.is(type))
      return b.create(AddressOfOp, { global_name: value }, at).op;
    if (attrs.UndefAttr.is(value)) return b.create(UndefOp, {}, at).op;
    if (attrs.PoisonAttr.is(value)) return b.create(PoisonOp, {}, at).op;
    if (attrs.ZeroAttr.is(value)) return b.create(ZeroOp, {}, at).op;
    const held = IntegerAttr.is(value) || FloatAttr.is(value) || DenseElementsAttr.is(value);
    return held && typeOfAttr(value) === type && isCompatibleType(type) ? b.create(ConstantOp, { value }, at).op : undefined;
  },
});
