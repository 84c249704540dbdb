/** The types that casts may convert. Source: mlir/lib/Dialect/Arith/IR/ArithOps.cpp, "Utility functions for verifying cast ops". */
import type { Type } from "../../../ir/attribute.js";
import {
  bitWidth,
  encodingOf,
  FloatType,
  IndexType,
  IntegerType,
  isInteger,
  isShaped,
  MemRefType,
  RankedTensorType,
  UnrankedTensorType,
  VectorType,
} from "../../../ir/builtin-types.js";
import type { OpReport } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { typeText } from "../../../ir/text-hook.js";
import { defineTrait, PredOpTrait, type Trait } from "../../../ir/traits.js";

/** The dimensions of a tensor; none for anything else. */
const tensorShape = (type: Type): readonly number[] => (RankedTensorType.is(type) ? type.params.shape : []);
/** Dimensions of tensors agree exactly, dynamic ones too. */
export const SameInputOutputTensorDims = PredOpTrait("input and output have the same tensor dimensions", (op: Operation) => {
  const from = tensorShape(op.operand(0).type);
  const to = tensorShape(op.result(0).type);
  return from.length === to.length && from.every((extent, i) => extent === to[i]);
});

type ElementTest = (type: Type) => boolean;
const isIntegerType: ElementTest = (type) => IntegerType.is(type);
const isFloatType: ElementTest = (type) => FloatType.is(type);
const isIntegerOrIndex: ElementTest = (type) => IntegerType.is(type) || IndexType.is(type);
const isIntegerOrFloat: ElementTest = (type) => IntegerType.is(type) || FloatType.is(type);

/** The element type of a vector or tensor (or memref, where allowed), a scalar itself; undefined when it fails `test`. */
function elementIf(type: Type, test: ElementTest, memRef = false): Type | undefined {
  if (MemRefType.is(type) && !memRef) return undefined;
  const element = isShaped(type) || UnrankedTensorType.is(type) ? type.params.elementType : type;
  return test(element) ? element : undefined;
}

/** Encodings are equal, and the shapes could be. */
function areShapesCastable(from: Type, to: Type): boolean {
  if (RankedTensorType.is(from) && RankedTensorType.is(to) && encodingOf(from) !== encodingOf(to)) return false;
  if (UnrankedTensorType.is(from) || UnrankedTensorType.is(to)) return isShapedOrUnranked(from) && isShapedOrUnranked(to);
  if (!isShaped(from) || !isShaped(to)) return !isShaped(from) && !isShaped(to);
  if (VectorType.is(from) && VectorType.is(to) && scalableText(from) !== scalableText(to)) return false;
  const a = from.params.shape;
  const b = to.params.shape;
  return a.length === b.length && a.every((extent, i) => extent === b[i] || extent < 0 || b[i]! < 0);
}
const isShapedOrUnranked = (type: Type): boolean => isShaped(type) || UnrankedTensorType.is(type);
const scalableText = (type: Type): string => String(VectorType.match(type)?.params.scalable ?? "");

export type CastTest = (from: Type, to: Type) => boolean;
function widthChange(element: ElementTest, wider: boolean): CastTest {
  return (from, to) => {
    const source = elementIf(from, element);
    const target = elementIf(to, element);
    if (!source || !target || !areShapesCastable(from, to)) return false;
    return wider ? bitWidth(target)! > bitWidth(source)! : bitWidth(target)! < bitWidth(source)!;
  };
}
export const isIntegerExtension = widthChange(isIntegerType, true);
export const isIntegerTruncation = widthChange(isIntegerType, false);
export const isFloatExtension = widthChange(isFloatType, true);
export const isFloatTruncation = widthChange(isFloatType, false);
export const isIntToFloat: CastTest = (from, to) =>
  areShapesCastable(from, to) && !!elementIf(from, isIntegerType) && !!elementIf(to, isFloatType);
export const isFloatToInt: CastTest = (from, to) =>
  areShapesCastable(from, to) && !!elementIf(from, isFloatType) && !!elementIf(to, isIntegerType);
export const isIndexConversion: CastTest = (from, to) => {
  const source = elementIf(from, isIntegerOrIndex, true);
  const target = elementIf(to, isIntegerOrIndex, true);
  if (!source || !target || !areShapesCastable(from, to)) return false;
  return IndexType.is(source) ? isInteger(target) : IndexType.is(target);
};
export const isSameWidthCast: CastTest = (from, to) => {
  const source = elementIf(from, isIntegerOrFloat, true);
  const target = elementIf(to, isIntegerOrFloat, true);
  return !!source && !!target && areShapesCastable(from, to) && bitWidth(source) === bitWidth(target);
};

/** CastOpInterface: the types must be `castable`. Source: mlir/lib/Interfaces/CastInterfaces.cpp. */
export function Castable(castable: CastTest): Trait {
  return defineTrait("CastOpInterface", {
    dependsOn: "types",
    verify(op: Operation, report: OpReport) {
      const to = op.result(0).type;
      if (castable(op.operand(0).type, to)) return;
      const from = op.operands.map((v) => `'${typeText(v.type)}'`).join(", ");
      report.error(
        `operand type${op.numOperands === 1 ? "" : "s"} ${from} and result type '${typeText(to)}' are cast incompatible`,
        "verify.cast",
      );
    },
  });
}
