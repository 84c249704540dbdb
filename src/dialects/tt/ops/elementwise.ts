/** Element by element: regions of scalars, external functions, inline assembly. */
import { numElements, RankedTensorType, type TensorType } from "../../../ir/builtin-types.js";
import { AnyRegion, AnyType, BoolAttr, I32Attr, StrAttr, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { ConditionallySpeculatable, implement, memoryEffects } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import {
  Elementwise,
  HasParent,
  Pure,
  RecursiveMemoryEffects,
  ReturnLike,
  SameOperandsAndResultShape,
  SameVariadicOperandSize,
  Terminator,
} from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { Tensor, TritonType } from "../constraints.js";
import { SameOperandsAndResultEncoding } from "../traits.js";
import { ttTraits, UNKNOWN_EFFECTS } from "../tt-op.js";

/** Runs its region on `pack` elements at a time. Source: TritonOps.td, TT_MapElementwiseOp. */
export const MapElementwiseOp = defineOp("tt.map_elementwise", () => ({
  summary: "Map a scalar subregion over a tensor",
  operands: { srcs: variadic(Tensor) },
  attrs: { pack: I32Attr },
  results: { result: variadic(Tensor) },
  regions: { scalarOp: AnyRegion },
  traits: ttTraits(SameOperandsAndResultEncoding, SameOperandsAndResultShape, RecursiveMemoryEffects),
  verify({ srcs, pack }, report) {
    if (srcs.length === 0) report.error("MapElementwiseOp must have at least 1 operand", "tt.map_elementwise");
    else if (pack <= 0 || (pack & (pack - 1)) !== 0) report.error("Pack must be a power of 2", "tt.map_elementwise");
  },
  verifyRegions({ op, srcs, result, pack, scalarOp }, report) {
    const repeated = (values: readonly Value[]) =>
      values.flatMap((v) => Array.from({ length: pack }, () => (v.type as TensorType).params.elementType));
    const wanted = repeated(srcs);
    const { args } = scalarOp.firstBlock!;
    if (args.length !== wanted.length) return void report.error("region has wrong number of arguments", "tt.map_elementwise");
    if (args.some((arg, i) => arg.type !== wanted[i])) return void report.plain("argument types did not match", "tt.map_elementwise");
    const returned = repeated(result);
    op.walk((inner) => {
      if (inner === op) return undefined;
      // A store would be done again by threads that hold the same element.
      if (memoryEffects(inner)?.some((effect) => effect.kind === "write")) {
        report.plain(`'${inner.name}' op Stores are not supported inside map_elementwise`, "tt.map_elementwise", inner.locRef);
        return "interrupt";
      }
      if (!MapElementwiseReturnOp.is(inner)) return undefined;
      const { operands } = inner;
      if (operands.length === returned.length && operands.every((v, i) => v.type === returned[i])) return undefined;
      report.plain("region return does not match map_elementwise result", "tt.map_elementwise", inner.locRef);
      return "interrupt";
    });
  },
}));

/** Source: TritonOps.td, TT_MapElementwiseReturnOp. */
export const MapElementwiseReturnOp = defineOp("tt.map_elementwise.return", () => ({
  summary: "terminator for map elementwise operator",
  operands: { result: variadic(AnyType) },
  traits: ttTraits(HasParent("tt.map_elementwise"), Pure, Terminator, ReturnLike),
  format: "attr-dict ($result^ `:` type($result))?",
}));

const speculatableWhenPure = implement(ConditionallySpeculatable, {
  speculatable: (op: Operation) => ((op.def.viewOf(op) as { readonly pure: boolean }).pure ? "yes" : "no"),
});

/** Calls a function of a library, libdevice for one. Source: TritonOps.td, TT_ExternElementwiseOp. */
export const ExternElementwiseOp = defineOp("tt.extern_elementwise", () => ({
  operands: { srcs: variadic(TritonType) },
  attrs: { libname: StrAttr, libpath: StrAttr, symbol: StrAttr, pure: BoolAttr },
  results: { result: TritonType },
  traits: ttTraits(Elementwise, SameOperandsAndResultEncoding, SameVariadicOperandSize),
  interfaces: [speculatableWhenPure],
  format: "operands attr-dict `:` functional-type(operands, $result)",
  effects: ({ pure }) => (pure ? [] : UNKNOWN_EFFECTS),
}));

/** Runs assembly on `packed_element` elements at a time. Source: TritonOps.td, TT_ElementwiseInlineAsmOp. */
export const ElementwiseInlineAsmOp = defineOp("tt.elementwise_inline_asm", () => ({
  summary: "inline assembly applying an elementwise operation to a group of packed elements.",
  operands: { args: variadic(TritonType) },
  attrs: { asm_string: StrAttr, constraints: StrAttr, pure: BoolAttr, packed_element: I32Attr },
  results: { result: variadic(TritonType) },
  traits: ttTraits(Elementwise, SameOperandsAndResultEncoding),
  interfaces: [speculatableWhenPure],
  format: "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)",
  effects: ({ pure }) => (pure ? [] : UNKNOWN_EFFECTS),
  verify({ args, packed_element }, report) {
    const type = args[0]?.type;
    const count = type && RankedTensorType.is(type) ? numElements(type.params.shape) : 0;
    // The attribute is read as an unsigned number. A remainder by 0 is NaN here, and ends real Triton.
    const packed = packed_element >>> 0;
    if (count % packed !== 0)
      report.plain(
        `number of input elements ${count} must be a multiple of the op's packed_element attribute, ${packed}`,
        "tt.elementwise_inline_asm",
      );
  },
}));
