/** The types of tt and what its rules ask of types. Source: TritonTypes.td, lib/Dialect/Triton/IR/Types.cpp. */

import type { AttrParser, AttrPrinter } from "../../ir/asm.js";
import { defineType, type Type, type TypeOf } from "../../ir/attribute.js";
import {
  bitWidth,
  elementTypeOrSelf,
  IntegerType,
  i1,
  i32,
  intType,
  RankedTensorType,
  type TensorType,
  tensorType,
  withElementType,
} from "../../ir/builtin-types.js";
import { takeSpelling } from "../../ir/spelling.js";
import { typeText } from "../../ir/text-hook.js";
import { Bug } from "../../support/assert.js";

/** `!tt.ptr<f32>`, `!tt.ptr<tensor<8x8xf16>, 3>`. Address space 1 is global memory and goes without saying. */
export const PointerType = defineType<{ readonly pointeeType: Type; readonly addressSpace: number }>("tt.ptr", {
  summary: "Pointer type (`::mlir::triton::PointerType`) in Triton IR type system",
  parse(p) {
    p.punct("<");
    const pointeeType = p.type();
    const addressSpace = p.optPunct(",") ? addressSpaceOf(p) : 1;
    p.punct(">");
    return { pointeeType, addressSpace };
  },
  print({ pointeeType, addressSpace }, p) {
    const { spelling, triton } = pointeeType.ctx;
    const isNamed = addressSpace === CONSTANT_MEMORY && (triton.namesAddressSpaces || spelling?.era === "3.9");
    return `<${p.type(pointeeType)}${addressSpace === 1 ? "" : isNamed ? ', "constant"' : `, ${addressSpace}`}>`;
  },
});
/** The address space of constants, by its number in LLVM. */
export const CONSTANT_MEMORY = 4;
/** A number, or since 3.9 a name. */
function addressSpaceOf(p: AttrParser): number {
  const at = p.pos;
  const name = p.optString();
  if (name === undefined) return p.int();
  const known: ReadonlyMap<string, number> = new Map([
    ["global", 1],
    ["constant", CONSTANT_MEMORY],
  ]);
  takeSpelling(p.ctx, "3.9");
  return known.get(name) ?? p.fail(`invalid pointer address space '${name}'`, at);
}
export const pointerType = (pointeeType: Type, addressSpace = 1): TypeOf<typeof PointerType> =>
  PointerType.get(pointeeType.ctx, { pointeeType, addressSpace });

/** `!tt.tensordesc<tensor<64x64xf16>>`, or since 3.8 `!tt.tensordesc<64x64xf16>`: a block of a tensor in global memory. Integers of the block carry a sign or not. */
export const TensorDescType = defineType<BlockParams>("tt.tensordesc", {
  summary: "Tensor descriptor type (`::mlir::triton::TensorDescType`) in Triton IR type system",
  parse: parseBlock,
  print: printBlock,
});
export interface BlockParams {
  readonly blockType: TensorType;
}
export function parseBlock(p: AttrParser): BlockParams {
  p.punct("<");
  const at = p.pos;
  const shape = p.dimensionList({ allowDynamic: false });
  const inner = p.type();
  if (shape.length > 0) {
    const encoding = p.optPunct(",") ? p.attribute() : undefined;
    p.punct(">");
    return { blockType: tensorType(shape, inner, encoding) };
  }
  const blockType = inner;
  if (!RankedTensorType.is(blockType))
    return p.fail(`invalid kind of type specified: expected builtin.tensor, but found '${typeText(blockType)}'`, at, "parse.type");
  p.punct(">");
  return { blockType };
}
export function printBlock({ blockType }: BlockParams, p: AttrPrinter): string {
  if (!blockType.ctx.triton.descriptorsOfShapes) return `<${p.type(blockType)}>`;
  const { shape, elementType, encoding } = blockType.params;
  return `<${shape.map((extent) => `${extent}x`).join("")}${p.type(elementType)}${encoding ? `, ${p.attr(encoding)}` : ""}>`;
}

/** The block of a descriptor with signless integers, as ops on values see it. */
export function signlessBlockType(desc: Type): TensorType {
  if (!TensorDescType.is(desc)) throw new Bug(`${desc.def.name} is no tensor descriptor`);
  return signless(desc.params.blockType);
}
export function signless(tensor: TensorType): TensorType {
  const { elementType } = tensor.params;
  if (!IntegerType.is(elementType)) return tensor;
  return withElementType(tensor, intType(tensor.ctx, elementType.params.width)) as TensorType;
}

/** A pointer to a tensor (`!tt.ptr<tensor<...>>`), not a tensor of pointers. */
export const isTensorPointerType = (type: Type): boolean => PointerType.is(type) && RankedTensorType.is(type.params.pointeeType);
export const isTensorOrTensorPointerType = (type: Type): boolean => RankedTensorType.is(type) || isTensorPointerType(type);

/** The pointee type of a pointer, or of each element of a tensor of pointers. Any other type is its own pointee. */
export function getPointeeType(type: Type): Type | undefined {
  if (RankedTensorType.is(type)) {
    const { elementType } = type.params;
    return PointerType.is(elementType) ? withElementType(type, elementType.params.pointeeType) : undefined;
  }
  return PointerType.is(type) ? type.params.pointeeType : type;
}
/** The width in bits of one element behind a pointer. */
export function getPointeeBitWidth(type: Type): number {
  const pointee = getPointeeType(type);
  const width = pointee && bitWidth(elementTypeOrSelf(pointee));
  if (width === undefined) throw new Bug("pointee without width");
  return width;
}
/** i1, or a tensor of i1 with the shape and encoding of `type`. */
export const getI1SameShape = (type: Type): Type => (RankedTensorType.is(type) ? withElementType(type, i1(type.ctx)) : i1(type.ctx));
/** i32, or a tensor of i32 with the shape and encoding of `type`. */
export const getI32SameShape = (type: Type): Type => (RankedTensorType.is(type) ? withElementType(type, i32(type.ctx)) : i32(type.ctx));
/** A pointer to `type`; of a tensor the tensor of pointers to its elements. */
export function getPointerTypeSameShape(type: Type): Type {
  return RankedTensorType.is(type) ? withElementType(type, pointerType(type.params.elementType)) : pointerType(type);
}
/** A pointer to the elements of a tensor, or to a scalar type. */
export const getPointerTypeToElement = (type: Type): Type => pointerType(elementTypeOrSelf(type));
/** A pointer's address space; 1 for all other types. */
export const getAddressSpace = (type: Type): number => (PointerType.is(type) ? type.params.addressSpace : 1);
/** The element type of the tensor that a pointer points to. */
export function getElementTypeOfTensorPointerType(type: Type): Type | undefined {
  if (!PointerType.is(type)) return undefined;
  const { pointeeType } = type.params;
  return RankedTensorType.is(pointeeType) ? pointeeType.params.elementType : undefined;
}

/** Pointers have as many bits, whatever they point to. */
export const PTR_BIT_WIDTH = 64;
/** The width in bits of an element of a tensor in registers: a pointer has 64, an i1 takes a byte. */
export function getBitwidth(type: TensorType): number {
  const { elementType } = type.params;
  return PointerType.is(elementType) ? PTR_BIT_WIDTH : Math.max(getIntOrFloatOrPtrBitWidth(elementType), 8);
}
/** The width in bits of an integer, float or pointer. */
export function getIntOrFloatOrPtrBitWidth(type: Type): number {
  const width = PointerType.is(type) ? PTR_BIT_WIDTH : bitWidth(type);
  if (width === undefined) throw new Bug(`${type.def.name} has no width`);
  return width;
}
