import { typeAttr } from "../ir/builtin-attrs.js";
import { functionType } from "../ir/builtin-types.js";
import { FunctionOp } from "../ir/interfaces.js";
import type { Operation } from "../ir/operation.js";
import type { Conversion } from "./conversion.js";
import type { ConversionPattern } from "./conversion-pattern.js";
import type { Rewriter } from "./rewriter.js";
import { SignatureConversion, type TypeConverter } from "./type-converter.js";

/**
 * Converts the argument and result types of a function and of its body's blocks.
 * Source: mlir/lib/Transforms/Utils/DialectConversion.cpp, convertFuncOpTypes.
 */
export function convertFunctionTypes(op: Operation, converter: TypeConverter, rw: Rewriter, conversion: Conversion): boolean {
  const type = op.def.interface(FunctionOp)?.type(op);
  if (!type) return rw.noMatch("not a function", op);
  const signature = new SignatureConversion(type.inputs.length);
  const results = converter.convertTypes(type.results);
  if (!results || !converter.convertSignature(type.inputs, signature)) return rw.noMatch("the signature cannot be converted", op);
  if (!conversion.convertRegionTypes(op.regions[0]!, converter, signature)) return rw.noMatch("a block cannot be converted", op);
  return rw.setAttr(op, "function_type", typeAttr(functionType(op.ctx, signature.types, results)));
}

/** A pattern that does so for every function. Source: populateAnyFunctionOpInterfaceTypeConversionPattern. */
export function functionTypePattern(converter: TypeConverter): ConversionPattern {
  return {
    name: "convert-function-types",
    benefit: 1,
    root: undefined,
    applies: (op) => op.def.interface(FunctionOp) !== undefined,
    converter,
    generatedOps: [],
    boundedRecursion: false,
    rewrite: (op, _, rw, conversion) => convertFunctionTypes(op, converter, rw, conversion),
  };
}
