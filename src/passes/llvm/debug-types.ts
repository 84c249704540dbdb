/** Types of the LLVM dialect as debug types. Source: lib/Target/LLVMIR/LLVMDIUtils.cpp; sizes: MLIR's default data layout. */
import { DIBasicTypeAttr, DICompositeTypeAttr, DIDerivedTypeAttr } from "../../dialects/llvm/attrs/debug-info.js";
import { LLVMArrayType, LLVMPointerType, LLVMStructType, structBody, structElements } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { stringAttr } from "../../ir/builtin-attrs.js";
import { bitWidth, FloatType, IntegerType, VectorType } from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";

/** The place of a function, which its structs and arrays are said to be at. */
export interface Place {
  readonly file: Attribute;
  readonly line: number;
}

const FLOATS: Readonly<Record<string, string>> = { f16: "half", f32: "float", f64: "double" };

/** A scalar or a vector; any other type is not known. */
export function basicType(ctx: Context, type: Type | undefined): Attribute {
  const basic = (name: string, bits: number, encoding: string) =>
    DIBasicTypeAttr.get(ctx, { tag: "DW_TAG_base_type", name: stringAttr(ctx, name), sizeInBits: BigInt(bits), encoding });
  if (IntegerType.is(type))
    return type.params.width === 1 ? basic("bool", 1, "DW_ATE_boolean") : basic("int", type.params.width, "DW_ATE_signed");
  const float = FloatType.is(type) ? FLOATS[type.params.kind] : undefined;
  if (float) return basic(float, bitWidth(type!)!, "DW_ATE_float");
  const element = VectorType.is(type) ? bitWidth(type.params.elementType) : undefined;
  if (element !== undefined && VectorType.is(type))
    return basic(
      "vector",
      type.params.shape.reduce((n, extent) => n * extent, element),
      "DW_ATE_float",
    );
  return basic("unknown_type", 0, "DW_ATE_signed");
}

/** The type of a parameter, at the place of its function; `pointee` is what a pointer points to, where that is known. */
export function parameterType(ctx: Context, type: Type, pointee: Type | undefined, place: Place): Attribute {
  if (LLVMPointerType.is(type))
    return DIDerivedTypeAttr.get(ctx, {
      tag: "DW_TAG_pointer_type",
      name: stringAttr(ctx, "pointer"),
      file: undefined,
      line: 0n,
      scope: undefined,
      baseType: basicType(ctx, pointee),
      sizeInBits: 64n,
      alignInBits: 0n,
      offsetInBits: 0n,
      dwarfAddressSpace: BigInt(type.params.addressSpace),
      flags: "Zero",
      extraData: undefined,
    });
  if (LLVMStructType.is(type)) {
    const elements = structElements(type).map((element) => basicType(ctx, element));
    return compositeType(ctx, "DW_TAG_structure_type", "struct", type, undefined, elements, place);
  }
  if (LLVMArrayType.is(type)) {
    const element = basicType(ctx, type.params.elementType);
    const elements = new Array<Attribute>(type.params.numElements).fill(element);
    return compositeType(ctx, "DW_TAG_array_type", "array", type, element, elements, place);
  }
  return basicType(ctx, type);
}

function compositeType(
  ctx: Context,
  tag: string,
  name: string,
  type: Type,
  baseType: Attribute | undefined,
  elements: readonly Attribute[],
  { file, line }: Place,
): Attribute {
  return DICompositeTypeAttr.get(ctx, {
    recId: undefined,
    isRecSelf: false,
    tag,
    name: stringAttr(ctx, name),
    file,
    line: BigInt(line),
    scope: file,
    baseType,
    flags: "Zero",
    sizeInBits: BigInt(8 * layoutOf(type).bytes),
    alignInBits: 0n,
    dataLocation: undefined,
    rank: undefined,
    allocated: undefined,
    associated: undefined,
    elements: elements.length > 0 ? elements : undefined,
  });
}

const powerOf2AtLeast = (n: number): number => 2 ** Math.ceil(Math.log2(Math.max(n, 1)));
const upTo = (bytes: number, align: number): number => Math.ceil(bytes / align) * align;

/** Bytes and alignment; an integer of 64 bits or more is aligned to 4 bytes there. */
function layoutOf(type: Type): { readonly bytes: number; readonly align: number } {
  if (LLVMPointerType.is(type)) return { bytes: 8, align: 8 };
  if (LLVMArrayType.is(type)) {
    const { bytes, align } = layoutOf(type.params.elementType);
    return { bytes: type.params.numElements * upTo(bytes, align), align };
  }
  if (LLVMStructType.is(type)) {
    let end = 0;
    let widest = 1;
    const packed = type.params.kind === "literal" ? type.params.packed : structBody(type)?.packed;
    for (const element of structElements(type)) {
      const { bytes, align: natural } = layoutOf(element);
      const align = packed ? 1 : natural;
      end = upTo(end, align) + bytes;
      widest = Math.max(widest, align);
    }
    return { bytes: upTo(end, widest), align: widest };
  }
  if (VectorType.is(type)) {
    const { shape, elementType } = type.params;
    const count = shape.reduce((n, extent, i) => n * (i === shape.length - 1 ? powerOf2AtLeast(extent) : extent), 1);
    const bytes = Math.ceil((count * (bitWidth(elementType) ?? 64)) / 8);
    return { bytes, align: powerOf2AtLeast(bytes) };
  }
  const bits = bitWidth(type) ?? 0;
  const bytes = Math.ceil(bits / 8);
  return { bytes, align: IntegerType.is(type) && bits >= 64 ? 4 : powerOf2AtLeast(bytes) };
}
