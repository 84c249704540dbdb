/**
 * The types of Triton's language as its users see them: they print, mangle and compare as Triton's do.
 *
 *     tensorTypeName(blockType(FLOAT32, [16, 16]))  // "<['16', '16'], fp32>"
 *     mangleType(blockType(UINT32, [1024]))   // "u32S1024S"
 *
 * Dtypes, pointers and blocks are interned, so `===` compares them; `sameType` compares any two types.
 * Source: python/triton/language/core.py (dtype and its subclasses).
 */

import { CONSTANT_MEMORY, pointerType as irPointerType, TensorDescType } from "../../dialects/tt/types.js";
import { SharedMemorySpace } from "../../dialects/ttg/encodings/shared-memory.js";
import { type MemDescParams, MemDescType } from "../../dialects/ttg/types.js";
import { TensorMemorySpace } from "../../dialects/ttng/attrs.js";
import { TensorDescIm2ColType } from "../../dialects/ttng/types.js";
import type { Type } from "../../ir/attribute.js";
import { type FloatKind, floatType, IntegerType, intType, noneType, type Signedness, tensorType } from "../../ir/builtin-types.js";
import type { Context } from "../../ir/context.js";
import { raise } from "./errors.js";
import type { Layout, PyClass, PyValue } from "./values.js";

const SIGNED = ["int8", "int16", "int32", "int64"] as const;
const UNSIGNED = ["int1", "uint8", "uint16", "uint32", "uint64"] as const;
const FLOATS = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"] as const;
export type DtypeName = (typeof SIGNED)[number] | (typeof UNSIGNED)[number] | (typeof FLOATS)[number] | "void";

/** A scalar type. `bits` is 0 for void. */
export interface Dtype {
  readonly kind: "dtype";
  readonly name: DtypeName;
  readonly bits: number;
  readonly family: "signed" | "unsigned" | "float" | "void";
}
/** A pointer to a scalar, or to a block (a block pointer). */
export interface PointerType {
  readonly kind: "pointer";
  readonly element: Dtype | PointerType | BlockType;
  readonly addressSpace: number;
  readonly isConst: boolean;
}
export interface BlockType {
  readonly kind: "block";
  readonly element: Dtype | PointerType;
  readonly shape: readonly number[];
  readonly numel: number;
  /** In Gluon; blocks of Triton get their layouts from the compiler. */
  readonly layout: Layout | undefined;
}
/** Types of values that are one IR value. */
export type TensorType = Dtype | PointerType | BlockType;

export interface TupleType {
  readonly kind: "tuple_type";
  readonly types: readonly TlType[];
  /** Names of a named tuple's fields; empty strings otherwise. */
  readonly fields: readonly string[];
}
export interface ConstexprType {
  readonly kind: "constexpr_type";
  readonly value: PyValue;
}
/** A tensor descriptor; shape and strides are known for those with their tensors' extents (all but Gluon's). */
export interface DescriptorType {
  readonly kind: "descriptor_type";
  readonly block: BlockType;
  readonly shapeType: TupleType | undefined;
  readonly stridesType: TupleType | undefined;
  /** The layout in shared memory, in Gluon. */
  readonly layout?: Layout | undefined;
  /** Its loads gather what a convolution multiplies (im2col), in Gluon. */
  readonly im2col?: boolean | undefined;
}
/** A buffer in shared or tensor memory, in Gluon. */
export interface BufferType {
  readonly kind: "buffer_type";
  readonly space: "shared" | "tensor";
  readonly element: Dtype;
  readonly shape: readonly number[];
  readonly layout: Layout;
  /** The shape of the allocation, which the buffer may be a part of. */
  readonly allocShape: readonly number[];
  /** Whether that shape is a kernel's tuple, which names of functions show. */
  readonly isTuple?: boolean;
}
/** The result of an asynchronous wgmma, in Gluon: it may be read after a wait. */
export interface AccumulatorType {
  readonly kind: "accumulator_type";
  readonly tensor: BlockType;
}
/** The response to a request for the work of another cluster (`clc.load_result`), in Gluon. */
export interface ClcResultType {
  readonly kind: "clc_result_type";
}
export const CLC_RESULT_TYPE: ClcResultType = { kind: "clc_result_type" };
export interface AggregateType {
  readonly kind: "aggregate_type";
  readonly cls: PyClass;
  readonly fields: readonly (readonly [string, TlType])[];
}
export interface SliceType {
  readonly kind: "slice_type";
}
export type TlType =
  | TensorType
  | TupleType
  | ConstexprType
  | DescriptorType
  | BufferType
  | AccumulatorType
  | ClcResultType
  | AggregateType
  | SliceType;

function dtypeRecord(name: DtypeName): Dtype {
  const is = (names: readonly string[]) => names.includes(name);
  const family = is(SIGNED) ? "signed" : is(UNSIGNED) ? "unsigned" : is(FLOATS) ? "float" : "void";
  const bits = name === "void" ? 0 : name.startsWith("fp8") ? 8 : Number(/\d+$/.exec(name)![0]);
  return { kind: "dtype", name, bits, family };
}
/** Every dtype by name. */
export const DTYPES: ReadonlyMap<string, Dtype> = new Map(
  [...SIGNED, ...UNSIGNED, ...FLOATS, "void" as const].map((name) => [name, dtypeRecord(name)]),
);
const known = (name: DtypeName): Dtype => DTYPES.get(name)!;
export const VOID = known("void");
export const INT1 = known("int1");
export const INT8 = known("int8");
export const INT16 = known("int16");
export const INT32 = known("int32");
export const INT64 = known("int64");
export const UINT8 = known("uint8");
export const UINT16 = known("uint16");
export const UINT32 = known("uint32");
export const UINT64 = known("uint64");
export const FLOAT8E5 = known("fp8e5");
export const FLOAT8E5B16 = known("fp8e5b16");
export const FLOAT8E4NV = known("fp8e4nv");
export const FLOAT8E4B8 = known("fp8e4b8");
export const FLOAT8E4B15 = known("fp8e4b15");
export const FLOAT16 = known("fp16");
export const BFLOAT16 = known("bf16");
export const FLOAT32 = known("fp32");
export const FLOAT64 = known("fp64");

const pointers = new Map<string, PointerType>();
const blocks = new Map<string, BlockType>();

export function pointerType(element: PointerType["element"], addressSpace = 1, isConst = false): PointerType {
  const key = `${tensorTypeName(element)}/${addressSpace}/${isConst}/${constMarks(element)}`;
  let type = pointers.get(key);
  if (!type) pointers.set(key, (type = { kind: "pointer", element, addressSpace, isConst }));
  return type;
}
/** As `str(type)`. */
export function tensorTypeName(type: TensorType): string {
  switch (type.kind) {
    case "dtype":
      return type.name;
    case "pointer":
      return `${type.isConst ? "const_pointer" : "pointer"}<${tensorTypeName(type.element)}>`;
    case "block":
      return `<[${type.shape.map((extent) => `'${extent}'`).join(", ")}], ${tensorTypeName(type.element)}${type.layout ? `, ${type.layout.text}` : ""}>`;
  }
}
/** Address spaces and constness below `element`, which its name leaves out. */
function constMarks(type: TensorType): string {
  return type.kind === "dtype" ? "" : `${type.kind === "pointer" ? type.addressSpace : ""}${constMarks(type.element)}`;
}

/** The greatest number of elements of a block. */
export const TRITON_MAX_TENSOR_NUMEL = 1048576;

/** A block; raises what Triton raises for a shape that is none, or that its layout does not fit. */
export function blockType(element: Dtype | PointerType, shape: readonly number[], layout?: Layout): BlockType {
  if (shape.length === 0) raise("TypeError", "0d block_type is forbidden");
  const key = `${shape.join("x")}/${tensorTypeName(element)}/${constMarks(element)}/${layout?.text ?? ""}`;
  let type = blocks.get(key);
  if (!type) {
    const numel = validateBlockShape(shape, BigInt);
    if (layout?.rank !== undefined && layout.rank !== shape.length)
      raise(
        "AssertionError",
        `tensor shape and layout rank mismatch: shape=[${shape.join(", ")}], layout=${layout.text}, shape rank=${shape.length}, layout rank=${layout.rank}`,
      );
    blocks.set(key, (type = { kind: "block", element, shape: [...shape], numel, layout }));
  }
  return type;
}

/** The number of elements of a block shape, whose extents `integer` converts; raises unless all extents are powers of two and there are not too many. */
export function validateBlockShape<T extends PyValue>(shape: readonly T[], integer: (extent: T, i: number) => bigint): number {
  let numel = 1n;
  shape.forEach((extent, i) => {
    const value = integer(extent, i);
    if ((value & (value - 1n)) !== 0n) raise("ValueError", `Shape element ${i} must be a power of 2`);
    numel *= value;
  });
  if (numel > BigInt(TRITON_MAX_TENSOR_NUMEL))
    raise("ValueError", `numel (${numel}) exceeds triton maximum tensor numel (${TRITON_MAX_TENSOR_NUMEL})`);
  return Number(numel);
}

export function tupleType(types: readonly TlType[], fields?: readonly string[]): TupleType {
  return { kind: "tuple_type", types, fields: fields ?? types.map(() => "") };
}
export const constexprType = (value: PyValue): ConstexprType => ({ kind: "constexpr_type", value });

export const isDtype = (type: TlType): type is Dtype => type.kind === "dtype";
export const isBlock = (type: TlType): type is BlockType => type.kind === "block";
export const isPtr = (type: TlType): type is PointerType => type.kind === "pointer";
/** The element type of a block, any other type itself. */
export const scalarOf = (type: TensorType): Dtype | PointerType => (type.kind === "block" ? type.element : type);
/** The same shape with other elements. */
export const withElement = <E extends Dtype | PointerType>(type: TensorType, element: E): E | BlockType =>
  type.kind === "block" ? blockType(element, type.shape, type.layout) : element;
export const shapeOf = (type: TensorType): readonly number[] => (type.kind === "block" ? type.shape : []);

export const isFloating = (type: TlType): boolean => type.kind === "dtype" && type.family === "float";
/** A float type other than fp8. */
export const isStandardFloating = (type: TlType): boolean => isFloating(type) && !isFp8(type);
export const isFp8 = (type: TlType): boolean => type.kind === "dtype" && type.name.startsWith("fp8");
export const isInt = (type: TlType): boolean => isIntSigned(type) || isIntUnsigned(type);
export const isIntSigned = (type: TlType): boolean => type.kind === "dtype" && type.family === "signed";
/** Booleans count as unsigned integers of one bit. */
export const isIntUnsigned = (type: TlType): boolean => type.kind === "dtype" && type.family === "unsigned";
/** bool < integer < float: who promotes whom. */
export const kindRank = (type: Dtype): number => (type === INT1 ? 0 : isInt(type) ? 1 : 2);
export const intMax = (type: Dtype): bigint => (isIntSigned(type) ? 2n ** BigInt(type.bits - 1) - 1n : 2n ** BigInt(type.bits) - 1n);
export const intMin = (type: Dtype): bigint => (isIntSigned(type) ? -(2n ** BigInt(type.bits - 1)) : 0n);
const MANTISSA: Readonly<Partial<Record<DtypeName, number>>> = {
  fp8e4b15: 3,
  fp8e4nv: 3,
  fp8e4b8: 3,
  fp8e5: 2,
  fp8e5b16: 2,
  fp16: 10,
  bf16: 7,
  fp32: 23,
  fp64: 52,
};
/** The bits of the fraction of a float type; 0 for all other types. */
export const mantissaWidth = (type: Dtype): number => MANTISSA[type.name] ?? 0;
const BIAS: Readonly<Partial<Record<DtypeName, number>>> = {
  fp8e4b15: 15,
  fp8e4nv: 7,
  fp8e4b8: 8,
  fp8e5: 15,
  fp8e5b16: 16,
  fp16: 15,
  bf16: 127,
  fp32: 127,
  fp64: 1023,
};
export const exponentBias = (type: Dtype): number => BIAS[type.name] ?? 0;

/** The integer dtype of that width; raises when there is none. */
export function intDtype(bits: number, signed: boolean): Dtype {
  if (bits === 1) return INT1;
  const type = DTYPES.get(`${signed ? "" : "u"}int${bits}`);
  if (!type) raise("ValueError", `Unsupported bitwidth ${bits} and signedness ${signed ? "True" : "False"}`);
  return type;
}

const FLOAT_KINDS: Readonly<Partial<Record<DtypeName, FloatKind>>> = {
  fp8e5: "f8E5M2",
  fp8e5b16: "f8E5M2FNUZ",
  fp8e4nv: "f8E4M3FN",
  fp8e4b8: "f8E4M3FNUZ",
  fp16: "f16",
  bf16: "bf16",
  fp32: "f32",
  fp64: "f64",
};

/** The property of the target that `toIr` needs: the 8-bit floats it has. */
export interface Fp8Support {
  readonly supportedFp8Dtypes: readonly string[];
}

/** The IR type of a type that is one IR value; raises for an 8-bit float that the target lacks. */
export function toIr(ctx: Context, type: TensorType, target: Fp8Support | undefined): Type {
  if (type.kind === "pointer")
    return irPointerType(
      toIr(ctx, type.element, target),
      type.isConst && ctx.triton.namesAddressSpaces ? CONSTANT_MEMORY : type.addressSpace,
    );
  if (type.kind === "block") return tensorType(type.shape, toIr(ctx, type.element, target), type.layout?.attr(ctx));
  const { name, bits } = type;
  if (target && isFp8(type) && !target.supportedFp8Dtypes.includes(name))
    raise(
      "ValueError",
      `type ${name} not supported in this architecture. The supported fp8 dtypes are ${pyTupleOfStrings(target.supportedFp8Dtypes)}`,
    );
  if (name === "void") return noneType(ctx);
  // MLIR has no such float: its bits are carried by an integer.
  if (name === "fp8e4b15") return intType(ctx, 8);
  const kind = FLOAT_KINDS[name];
  return kind ? floatType(ctx, kind) : intType(ctx, bits);
}
const pyTupleOfStrings = (names: readonly string[]): string => `(${names.map((n) => `'${n}'`).join(", ")}${names.length === 1 ? "," : ""})`;

/** The IR types of a value of any type, in the order of its handles. */
export function flattenIrTypes(ctx: Context, type: TlType, target: Fp8Support | undefined, out: Type[] = []): Type[] {
  switch (type.kind) {
    case "dtype":
    case "pointer":
    case "block":
      out.push(toIr(ctx, type, target));
      break;
    case "tuple_type":
      for (const t of type.types) flattenIrTypes(ctx, t, target, out);
      break;
    case "descriptor_type":
      out.push(descriptorIrType(ctx, type, target));
      if (type.shapeType) flattenIrTypes(ctx, type.shapeType, target, out);
      if (type.stridesType) flattenIrTypes(ctx, type.stridesType, target, out);
      break;
    case "buffer_type":
      out.push(bufferIrType(ctx, type, target));
      break;
    case "accumulator_type":
      out.push(toIr(ctx, type.tensor, target));
      break;
    case "clc_result_type":
      out.push(intType(ctx, 128));
      break;
    case "aggregate_type":
      for (const [, t] of type.fields) flattenIrTypes(ctx, t, target, out);
      break;
    case "constexpr_type":
    case "slice_type":
      break;
  }
  return out;
}

/** `!tt.tensordesc`: integers of the block say whether they are signed. */
export function descriptorIrType(
  ctx: Context,
  { block, layout, im2col }: Pick<DescriptorType, "block" | "layout" | "im2col">,
  target: Fp8Support | undefined,
): Type {
  const element = toIr(ctx, block.element, target);
  const signedness: Signedness = isIntSigned(block.element) ? "signed" : "unsigned";
  const elementType = IntegerType.is(element) ? IntegerType.get(ctx, { width: element.params.width, signedness }) : element;
  return (im2col ? TensorDescIm2ColType : TensorDescType).get(ctx, { blockType: tensorType(block.shape, elementType, layout?.attr(ctx)) });
}

/** `!ttg.memdesc`; raises what the verifier says of it. */
export function bufferIrType(ctx: Context, type: BufferType, target: Fp8Support | undefined): Type {
  const params: MemDescParams = {
    shape: type.shape,
    elementType: toIr(ctx, type.element, target),
    encoding: type.layout.attr(ctx),
    memorySpace: (type.space === "shared" ? SharedMemorySpace : TensorMemorySpace).get(ctx, {}),
    mutableMemory: true,
    allocShape: type.allocShape,
  };
  MemDescType.verify?.(params, (message) => raise("RuntimeError", message), ctx);
  return MemDescType.get(ctx, params);
}
