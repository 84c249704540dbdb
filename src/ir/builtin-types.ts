/**
 * The types that the core itself needs: integers, floats, tensors and so on.
 * Their syntax is in `syntax/builtin-syntax.ts`, as it does not follow the `!dialect.mnemonic` form.
 * Source: mlir/include/mlir/IR/BuiltinTypes.td.
 */
import { Bug } from "../support/assert.js";
import { type Attribute, defineType, type Type, type TypeOf } from "./attribute.js";
import type { Context } from "./context.js";

export type Signedness = "signless" | "signed" | "unsigned";
export const IntegerType = defineType<{ readonly width: number; readonly signedness: Signedness }>("builtin.integer");
export const IndexType = defineType<Record<string, never>>("builtin.index");
export const NoneType = defineType<Record<string, never>>("builtin.none");

/** Exponent and mantissa bits of each float kind; `bias`, `finite` (no infinity) and `nanEncoding` complete it. */
export interface FloatFormat {
  readonly width: number;
  readonly exponent: number;
  readonly mantissa: number;
  readonly bias: number;
  /** "ieee": infinities and NaNs; "allOnes": NaN only, as all ones; "negZero": NaN is -0; "none": neither. */
  readonly special: "ieee" | "allOnes" | "negZero" | "none";
}
export const FLOAT_FORMATS = {
  f16: { width: 16, exponent: 5, mantissa: 10, bias: 15, special: "ieee" },
  bf16: { width: 16, exponent: 8, mantissa: 7, bias: 127, special: "ieee" },
  f32: { width: 32, exponent: 8, mantissa: 23, bias: 127, special: "ieee" },
  tf32: { width: 19, exponent: 8, mantissa: 10, bias: 127, special: "ieee" },
  f64: { width: 64, exponent: 11, mantissa: 52, bias: 1023, special: "ieee" },
  f80: { width: 80, exponent: 15, mantissa: 64, bias: 16383, special: "ieee" },
  f128: { width: 128, exponent: 15, mantissa: 112, bias: 16383, special: "ieee" },
  f8E5M2: { width: 8, exponent: 5, mantissa: 2, bias: 15, special: "ieee" },
  f8E4M3: { width: 8, exponent: 4, mantissa: 3, bias: 7, special: "ieee" },
  f8E3M4: { width: 8, exponent: 3, mantissa: 4, bias: 3, special: "ieee" },
  f8E4M3FN: { width: 8, exponent: 4, mantissa: 3, bias: 7, special: "allOnes" },
  f8E5M2FNUZ: { width: 8, exponent: 5, mantissa: 2, bias: 16, special: "negZero" },
  f8E4M3FNUZ: { width: 8, exponent: 4, mantissa: 3, bias: 8, special: "negZero" },
  f8E4M3B11FNUZ: { width: 8, exponent: 4, mantissa: 3, bias: 11, special: "negZero" },
  f8E8M0FNU: { width: 8, exponent: 8, mantissa: 0, bias: 127, special: "allOnes" },
  f6E2M3FN: { width: 6, exponent: 2, mantissa: 3, bias: 1, special: "none" },
  f6E3M2FN: { width: 6, exponent: 3, mantissa: 2, bias: 3, special: "none" },
  f4E2M1FN: { width: 4, exponent: 2, mantissa: 1, bias: 1, special: "none" },
} as const satisfies Record<string, FloatFormat>;
export type FloatKind = keyof typeof FLOAT_FORMATS;
export const FloatType = defineType<{ readonly kind: FloatKind }>("builtin.float");

/** The extent of a dynamic dimension in `shape`. */
export const DYNAMIC = -1;
export const RankedTensorType = defineType<{
  readonly shape: readonly number[];
  readonly elementType: Type;
  readonly encoding: Attribute | undefined;
}>("builtin.tensor");
export const UnrankedTensorType = defineType<{ readonly elementType: Type }>("builtin.unranked_tensor");
export const VectorType = defineType<{
  readonly shape: readonly number[];
  readonly elementType: Type;
  /** Which dimensions are scalable (`[4]`); all false when absent. */
  readonly scalable: readonly boolean[] | undefined;
}>("builtin.vector");
export const MemRefType = defineType<{
  readonly shape: readonly number[];
  readonly elementType: Type;
  readonly layout: Attribute | undefined;
  readonly memorySpace: Attribute | undefined;
}>("builtin.memref");
export const FunctionType = defineType<{ readonly inputs: readonly Type[]; readonly results: readonly Type[] }>("builtin.function");
export const ComplexType = defineType<{ readonly elementType: Type }>("builtin.complex");
export const TupleType = defineType<{ readonly types: readonly Type[] }>("builtin.tuple");
/** A type of a dialect that is not registered: kept as its text. */
export const OpaqueType = defineType<{ readonly dialect: string; readonly data: string }>("builtin.opaque_type");

export type TensorType = TypeOf<typeof RankedTensorType>;

export const BUILTIN_TYPES = [
  IntegerType,
  IndexType,
  NoneType,
  FloatType,
  RankedTensorType,
  UnrankedTensorType,
  VectorType,
  MemRefType,
  FunctionType,
  ComplexType,
  TupleType,
  OpaqueType,
] as const;

/** The signless integer type of `width` bits. */
export function intType(ctx: Context, width: number): TypeOf<typeof IntegerType> {
  const last = lastIntTypes[width];
  if (last?.ctx === ctx) return last;
  const type = ctx.memo(`i${width}`, () => IntegerType.get(ctx, { width, signedness: "signless" }));
  if (width < lastIntTypes.length) lastIntTypes[width] = type;
  return type;
}
/** By width, in the Context that asked last: constraints ask at every op. */
const lastIntTypes = new Array<TypeOf<typeof IntegerType> | undefined>(65).fill(undefined);
export const i1 = (ctx: Context): TypeOf<typeof IntegerType> => intType(ctx, 1);
export const i8 = (ctx: Context): TypeOf<typeof IntegerType> => intType(ctx, 8);
export const i16 = (ctx: Context): TypeOf<typeof IntegerType> => intType(ctx, 16);
export const i32 = (ctx: Context): TypeOf<typeof IntegerType> => intType(ctx, 32);
export const i64 = (ctx: Context): TypeOf<typeof IntegerType> => intType(ctx, 64);
export const indexType = (ctx: Context): TypeOf<typeof IndexType> => ctx.memo("index", () => IndexType.get(ctx, {}));
export const noneType = (ctx: Context): TypeOf<typeof NoneType> => ctx.memo("none", () => NoneType.get(ctx, {}));
export function floatType(ctx: Context, kind: FloatKind): TypeOf<typeof FloatType> {
  return ctx.memo(kind, () => FloatType.get(ctx, { kind }));
}
export const f16 = (ctx: Context): TypeOf<typeof FloatType> => floatType(ctx, "f16");
export const f32 = (ctx: Context): TypeOf<typeof FloatType> => floatType(ctx, "f32");
export function tensorType(shape: readonly number[], elementType: Type, encoding?: Attribute): TensorType {
  return RankedTensorType.get(elementType.ctx, { shape, elementType, encoding });
}
export function functionType(ctx: Context, inputs: readonly Type[], results: readonly Type[]): TypeOf<typeof FunctionType> {
  return FunctionType.get(ctx, { inputs, results });
}

/** The kind of a float type; undefined for any other. */
export const floatKind = (type: Type): FloatKind | undefined => FloatType.match(type)?.params.kind;

/** Whether `type` is an integer of that width, signless unless `signedness` says otherwise. */
export function isInteger(type: Type | undefined, width?: number, signedness: Signedness = "signless"): type is TypeOf<typeof IntegerType> {
  return IntegerType.is(type) && type.params.signedness === signedness && (width === undefined || type.params.width === width);
}
/** A float type, of that kind if one is given. */
export function isFloat(type: Type | undefined, kind?: FloatKind): type is TypeOf<typeof FloatType> {
  return FloatType.is(type) && (kind === undefined || type.params.kind === kind);
}
export const isIndex = (type: Type | undefined): boolean => IndexType.is(type);

/** The encoding of a tensor type, if it has one. */
export function encodingOf(type: Type): Attribute | undefined {
  return RankedTensorType.is(type) ? type.params.encoding : undefined;
}

/** A type that holds elements. */
export type ShapedType = Type<{ readonly shape: readonly number[]; readonly elementType: Type }>;

/** Types that hold elements: tensors, vectors, memrefs and what other dialects add. */
export function isShaped(type: Type): type is ShapedType {
  return RankedTensorType.is(type) || VectorType.is(type) || MemRefType.is(type) || type.def.shaped === true;
}

/** The shape and element type of a type that must hold elements; another is a Bug. */
export function shapedParams(type: Type): ShapedType["params"] {
  if (!isShaped(type)) throw new Bug(`${type.def.name} holds no elements`);
  return type.params;
}

/** The element type of a shaped type, any other type itself. */
export function elementTypeOrSelf(type: Type): Type {
  return isShaped(type) || UnrankedTensorType.is(type) ? type.params.elementType : type;
}

/** The same shaped type with other elements; for a scalar, `elementType` itself. */
export function withElementType(type: Type, elementType: Type): Type {
  if (RankedTensorType.is(type)) return RankedTensorType.get(type.ctx, { ...type.params, elementType });
  if (VectorType.is(type)) return VectorType.get(type.ctx, { ...type.params, elementType });
  if (MemRefType.is(type)) return MemRefType.get(type.ctx, { ...type.params, elementType });
  if (UnrankedTensorType.is(type)) return UnrankedTensorType.get(type.ctx, { elementType });
  return elementType;
}

/** The same tensor type with another encoding. */
export function withEncoding(type: TensorType, encoding: Attribute | undefined): TensorType {
  return RankedTensorType.get(type.ctx, { ...type.params, encoding });
}

/** The product of the extents. */
export function numElements(shape: readonly number[]): number {
  return shape.reduce((product, extent) => product * extent, 1);
}

/** The width in bits of an integer or float type; undefined for any other. */
export function bitWidth(type: Type): number | undefined {
  if (IntegerType.is(type)) return type.params.width;
  if (FloatType.is(type)) return FLOAT_FORMATS[type.params.kind].width;
  return undefined;
}
