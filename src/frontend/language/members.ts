/** Attributes and methods of values of the language: `x.shape`, `x.dtype.is_floating()`, `desc.load(...)`. Source: core.py. */

import { toLinearLayout } from "../../layout/to-linear-layout.js";
import { byName } from "../../support/by-name.js";
import { clcMethod } from "../gluon/builtins/blackwell.js";
import { bufferMethod } from "../gluon/builtins/core.js";
import { blockPointerMember, descriptorAttribute, descriptorMethod } from "./builtins/blocks.js";
import { raise } from "./errors.js";
import { nativeMethod } from "./native-method.js";
import { tensorAttribute, tensorMethod } from "./operators.js";
import { mangleType, noAttribute, typeName, typeRepr } from "./python-text.js";
import { isBlockPointer } from "./semantic/block-pointers.js";
import { permute } from "./semantic/shape.js";
import type { Semantic } from "./semantic.js";
import {
  type BlockType,
  type Dtype,
  exponentBias,
  intMax,
  intMin,
  isDtype,
  isFloating,
  isFp8,
  isInt,
  isIntSigned,
  isIntUnsigned,
  isStandardFloating,
  kindRank,
  mantissaWidth,
  type PointerType,
  scalarOf,
  type TensorType,
  type TlType,
  withElement,
} from "./types.js";
import {
  type Buffer,
  type Descriptor,
  type EnumMember,
  isBuffer,
  isDescriptor,
  isKind,
  isTensor,
  isTensorType,
  type PyValue,
  tuple,
  unwrap,
} from "./values.js";
import { hasMember } from "./version-names.js";

/** The attribute or bound method, or undefined when the value has none of that name, or is no value of the language. */
export function member(s: Semantic, value: PyValue, name: string): PyValue | undefined {
  if (name === "nbytes_per_cta") return bytesPerCta(s, value);
  if (isTensor(value)) {
    if (name === "T") return permute(s, value, [1, 0], tuple([1n, 0n]));
    const method = tensorMethod(name);
    return method ? { kind: "bound_method", self: value, fn: { kind: "builtin", def: method } } : tensorAttribute(value, name);
  }
  if (isDescriptor(value)) {
    const method = descriptorMethod(value, name);
    return method ? { kind: "bound_method", self: value, fn: { kind: "builtin", def: method } } : descriptorAttribute(value, name);
  }
  if (isBlockPointer(value)) return blockPointerMember(value, name);
  if (isBuffer(value)) {
    const method = bufferMethod(s, value, name);
    return method ? { kind: "bound_method", self: value, fn: { kind: "builtin", def: method } } : bufferAttribute(value, name);
  }
  if (value !== null && typeof value === "object" && value.kind === "accumulator") return name === "type" ? value.type : undefined;
  if (isKind(value, "clc_result")) {
    const method = clcMethod(name);
    return method ? { kind: "bound_method", self: value, fn: { kind: "builtin", def: method } } : name === "type" ? value.type : undefined;
  }
  return value !== null && typeof value === "object" ? typeMember(value, name) : undefined;
}

/** The bytes that each CTA has of a buffer in shared memory, or of a descriptor's block. */
function bytesPerCta({ ctx }: Semantic, value: PyValue): PyValue | undefined {
  const isShared = isBuffer(value) && value.type.space === "shared";
  if (!isShared && !isDescriptor(value)) return undefined;
  if (!hasMember(isShared ? "shared_memory_descriptor" : "tensor_descriptor", "nbytes_per_cta", ctx.triton)) return undefined;
  const [{ element, shape }, layout] = isShared
    ? [value.type, value.type.layout]
    : [(value as Descriptor).type.block, (value as Descriptor).type.layout];
  const params = layout?.encoding();
  if (!params || !isDtype(element)) return undefined;
  const splits = toLinearLayout(shape, params)
    .getInDimBases("block")
    .filter((basis) => basis.some((x) => x !== 0));
  const elements = shape.reduce((a, b) => a * b, 1) / 2 ** splits.length;
  return BigInt(Math.trunc((elements * element.bits) / 8));
}

/** Attributes of buffers are plain Python values. */
function bufferAttribute({ type }: Buffer, name: string): PyValue | undefined {
  switch (name) {
    case "type":
      return type;
    case "rank":
      return BigInt(type.shape.length);
    case "numel":
      return type.space === "shared" ? BigInt(type.shape.reduce((a, b) => a * b, 1)) : undefined;
    case "dtype":
      return type.element;
    case "shape":
    case "layout":
      return otherTypeMember(type, name);
    default:
      return undefined;
  }
}

/** As `member`, of types: these attributes are there for host code too. */
export function typeMember(value: PyValue, name: string): PyValue | undefined {
  if (!isTensorType(value)) return otherTypeMember(value, name);
  const method = TYPE_METHODS[name];
  if (method) return nativeMethod(name, (args) => method(value, args));
  if (name === "scalar") return scalarOf(value);
  if (name === "name") return typeName(value);
  if (name === "cache_key_part" && isDtype(value)) return value.name;
  if (isDtype(value)) return dtypeMember(value, name);
  return value.kind === "pointer" ? pointerMember(value, name) : blockMember(value, name);
}

function dtypeMember(type: Dtype, name: string): PyValue | undefined {
  switch (name) {
    case "primitive_bitwidth":
      return BigInt(type.bits);
    case "itemsize":
      return BigInt(Math.trunc(type.bits / 8));
    case "int_bitwidth":
      return isInt(type) ? BigInt(type.bits) : undefined;
    case "int_signedness":
      return isInt(type) ? (isIntSigned(type) ? SIGNED : UNSIGNED) : undefined;
    case "fp_mantissa_width":
      return isFloating(type) ? BigInt(mantissaWidth(type)) : undefined;
    case "exponent_bias":
      return isFloating(type) ? BigInt(exponentBias(type)) : undefined;
    default:
      return undefined;
  }
}
function pointerMember(type: PointerType, name: string): PyValue | undefined {
  switch (name) {
    case "element_ty":
      return type.element;
    case "address_space":
      return BigInt(type.addressSpace);
    case "const":
      return type.isConst;
    default:
      return undefined;
  }
}
function blockMember(type: BlockType, name: string): PyValue | undefined {
  switch (name) {
    case "element_ty":
      return type.element;
    case "shape":
      return extents(type);
    case "numel":
      return BigInt(type.numel);
    case "layout":
      return type.layout;
    case "nbytes":
      return isDtype(type.element) ? BigInt(type.numel * Math.trunc(type.element.bits / 8)) : undefined;
    default:
      return undefined;
  }
}
const extents = (type: BlockType): PyValue => tuple(type.shape.map(BigInt));

function otherTypeMember(value: PyValue, name: string): PyValue | undefined {
  if (value === null || typeof value !== "object") return undefined;
  switch (value.kind) {
    case "tuple_type":
      if (name === "types") return tuple(value.types);
      return name === "fields" ? tuple(value.fields) : undefined;
    case "constexpr_type":
      return name === "value" ? value.value : undefined;
    case "descriptor_type":
      if (name === "layout") return value.layout;
      return name === "block_type" ? value.block : undefined;
    case "buffer_type":
      if (name === "element_ty") return value.element;
      if (name === "layout") return value.layout;
      if (name !== "shape" && name !== "alloc_shape") return undefined;
      return { kind: "list", values: (name === "shape" ? value.shape : value.allocShape).map(BigInt) };
    case "accumulator_type":
      return name === "tensor_type" ? value.tensor : undefined;
    case "aggregate_type":
    case "slice_type":
      return name === "mangle" ? nativeMethod(name, () => mangleType(value as TlType)) : undefined;
    default:
      return undefined;
  }
}

const SIGNED: EnumMember = { kind: "enum", type: "SIGNEDNESS", name: "SIGNED", value: 0n };
const UNSIGNED: EnumMember = { kind: "enum", type: "SIGNEDNESS", name: "UNSIGNED", value: 1n };
const KINDS: readonly EnumMember[] = ["BOOLEAN", "INTEGRAL", "FLOATING"].map((name, i) => ({
  kind: "enum",
  type: "KIND",
  name,
  value: BigInt(i),
}));

type TypeMethod = (type: TensorType, args: readonly PyValue[]) => PyValue;
const isNamed =
  (name: string): TypeMethod =>
  (type) =>
    isDtype(type) && type.name === name;
const NAMED = ["fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"];
const NAMED_INTS = ["int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"];

const TYPE_METHODS: Readonly<Record<string, TypeMethod>> = byName({
  ...Object.fromEntries([...NAMED, ...NAMED_INTS].map((name) => [`is_${name}`, isNamed(name)])),
  is_fp8: isFp8,
  is_floating: isFloating,
  is_standard_floating: isStandardFloating,
  is_int_signed: isIntSigned,
  is_int_unsigned: isIntUnsigned,
  is_int: isInt,
  is_bool: isNamed("int1"),
  is_block: (type) => type.kind === "block",
  is_ptr: (type) => type.kind === "pointer",
  is_const: (type) => type.kind === "pointer" && type.isConst,
  kind: (type) => KINDS[kindRank(type as Dtype)]!,
  get_int_max_value: (type) => (isInt(type) ? intMax(type as Dtype) : raise("AssertionError", "")),
  get_int_min_value: (type) => (isInt(type) ? intMin(type as Dtype) : raise("AssertionError", "")),
  get_block_shapes: (type) => (type.kind === "block" ? extents(type) : noMethod(type, "get_block_shapes")),
  codegen_name: (type) => typeRepr(type).replace("triton.language.", ""),
  mangle: mangleType,
  with_element_ty(type, [given]) {
    const element = unwrap(given ?? null);
    if (!isTensorType(element) || element.kind === "block") return noMethod(type, "with_element_ty");
    return withElement(type, element);
  },
});
const noMethod = (type: TensorType, name: string): never => raise("AttributeError", noAttribute(type, name));
