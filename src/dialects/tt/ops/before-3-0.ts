/** Ops of tt that are gone, or have another name now. Source: TritonOps.td of 2.0 and 2.1. */
import { AnyType, BoolAttr, defaultAttr, StrAttr, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { Elementwise, Pure, SameOperandsAndResultElementType } from "../../../ir/traits.js";
import { Tensor, TritonType } from "../constraints.js";
import { ttTraits, writesGlobal } from "../tt-op.js";

/** A reshape that may reorder elements. */
export const ViewOp = defineOp("tt.view", () => ({
  summary: "view",
  operands: { src: Tensor },
  results: { result: Tensor },
  traits: ttTraits(Pure, SameOperandsAndResultElementType),
  format: "$src attr-dict `:` functional-type(operands, results)",
}));

/** A call of a library's function: `tt.extern_elementwise` since 2.1. */
export const ExtElemwiseOp = defineOp("tt.ext_elemwise", () => ({
  summary: "ext_elemwise",
  operands: { args: variadic(TritonType) },
  attrs: { libname: StrAttr, libpath: StrAttr, symbol: StrAttr },
  results: { result: TritonType },
  traits: ttTraits(Elementwise, Pure),
  format: "operands attr-dict `:` functional-type(operands, $result)",
}));

/** `tt.print` since 2.1. */
export const PrintfOp = defineOp("tt.printf", () => ({
  summary: "device-side printf",
  operands: { args: variadic(AnyType) },
  attrs: { prefix: StrAttr, hex: defaultAttr(BoolAttr, false) },
  traits: ttTraits(),
  format: "$prefix attr-dict ($args^ `:` type($args))?",
  effects: () => [writesGlobal()],
}));
