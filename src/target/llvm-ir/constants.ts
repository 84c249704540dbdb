/** Constants of LLVM IR: how they are spelt, and what IRBuilder's ConstantFolder makes of instructions on them. */

import { PoisonAttr, UndefAttr, ZeroAttr } from "../../dialects/llvm/attrs/index.js";
import { LLVMArrayType, LLVMPointerType, LLVMStructType, structElements } from "../../dialects/llvm/types/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import type { DenseAttr } from "../../ir/builtin-attrs.js";
import { ArrayAttr, DenseElementsAttr, FloatAttr, IntegerAttr, StringAttr, SymbolRefAttr } from "../../ir/builtin-attrs.js";
import { bitWidth, elementTypeOrSelf, FloatType, IntegerType, isShaped, numElements, VectorType } from "../../ir/builtin-types.js";
import { bitsToNumber } from "../../ir/float.js";
import { Bug } from "../../support/assert.js";
import { escapedText, llvmType, symbolText } from "./types.js";

/** A constant of a type. Integers are sign-extended, floats are their bits; an address is a symbol and bytes after it. */
export type Constant =
  | { readonly kind: "int"; readonly type: Type; readonly value: bigint }
  | { readonly kind: "float"; readonly type: Type; readonly bits: bigint }
  | { readonly kind: "elements"; readonly type: Type; readonly elements: readonly Constant[] }
  | { readonly kind: "string"; readonly type: Type; readonly value: string }
  | { readonly kind: "address"; readonly type: Type; readonly symbol: string; readonly offset: bigint; readonly flags: string }
  /** A cast of an address: `ptrtoint (ptr @x to i64)`. */
  | { readonly kind: "cast"; readonly type: Type; readonly opcode: string; readonly from: Constant }
  | { readonly kind: "undef" | "poison" | "zero"; readonly type: Type };

/** The constant that an attribute stands for as a value of `type`. */
export function constantOf(attr: Attribute, type: Type): Constant {
  if (IntegerAttr.is(attr))
    return FloatType.is(type)
      ? { kind: "float", type, bits: BigInt.asUintN(bitWidth(type)!, attr.params.value) }
      : { kind: "int", type, value: BigInt.asIntN(bitWidth(type) ?? 64, attr.params.value) };
  if (FloatAttr.is(attr))
    return IntegerType.is(type)
      ? { kind: "int", type, value: BigInt.asIntN(type.params.width, attr.params.bits) }
      : { kind: "float", type, bits: attr.params.bits };
  if (UndefAttr.is(attr)) return { kind: "undef", type };
  if (PoisonAttr.is(attr)) return { kind: "poison", type };
  if (ZeroAttr.is(attr)) return { kind: "zero", type };
  if (StringAttr.is(attr)) return { kind: "string", type, value: attr.params.value };
  if (SymbolRefAttr.is(attr)) return { kind: "address", type, symbol: attr.params.root, offset: 0n, flags: "" };
  if (DenseElementsAttr.is(attr)) return denseConstant(attr, type);
  if (ArrayAttr.is(attr)) {
    const types = LLVMStructType.is(type) ? structElements(type) : undefined;
    const elements = attr.params.elements.map((e, i) => constantOf(e, types?.[i] ?? elementType(type)));
    return { kind: "elements", type, elements };
  }
  throw new Bug(`no LLVM constant for ${attr.def.name}`);
}

function denseConstant(attr: DenseAttr, type: Type): Constant {
  const { elements, splat } = attr.params;
  const isFloat = FloatType.is(elementTypeOrSelf(attr.params.type));
  let next = 0;
  const build = (t: Type): Constant => {
    if (LLVMArrayType.is(t)) {
      const inner = t.params.elementType;
      return { kind: "elements", type: t, elements: Array.from({ length: t.params.numElements }, () => build(inner)) };
    }
    if (VectorType.is(t)) {
      const inner = t.params.elementType;
      return { kind: "elements", type: t, elements: Array.from({ length: numElements(t.params.shape) }, () => build(inner)) };
    }
    const value = elements[splat ? 0 : next++]!;
    return isFloat && FloatType.is(t) ? { kind: "float", type: t, bits: value } : { kind: "int", type: t, value };
  };
  return build(type);
}

/** The type of the elements of a vector or an array. */
export function elementType(type: Type): Type {
  if (LLVMArrayType.is(type)) return type.params.elementType;
  if (isShaped(type)) return type.params.elementType;
  throw new Bug(`${type.def.name} has no elements`);
}
/** The elements of an aggregate constant, undef and zero taken apart; undefined for what has none. */
export function elementsOf(c: Constant): readonly Constant[] | undefined {
  if (c.kind === "elements") return c.elements;
  if (c.kind !== "undef" && c.kind !== "poison" && c.kind !== "zero") return undefined;
  const { kind, type } = c;
  if (LLVMStructType.is(type)) return structElements(type).map((t) => voidOf(kind, t));
  const count = LLVMArrayType.is(type) ? type.params.numElements : VectorType.is(type) ? numElements(type.params.shape) : undefined;
  return count === undefined ? undefined : Array.from({ length: count }, () => voidOf(kind, elementType(type)));
}
function voidOf(kind: "undef" | "poison" | "zero", type: Type): Constant {
  if (kind !== "zero") return { kind, type };
  if (IntegerType.is(type)) return { kind: "int", type, value: 0n };
  if (FloatType.is(type)) return { kind: "float", type, bits: 0n };
  return { kind, type };
}

/** The constant without its type: `-1`, `0x7FF0000000000000`, `zeroinitializer`, `getelementptr (i8, ptr @x, i64 16)`. */
export function constantText(c: Constant): string {
  switch (c.kind) {
    case "int":
      return IntegerType.is(c.type) && c.type.params.width === 1 ? String(c.value !== 0n) : String(c.value);
    case "float":
      return floatText(c.bits, c.type);
    case "undef":
    case "poison":
      return c.kind;
    case "zero":
      if (LLVMPointerType.is(c.type)) return "null";
      return IntegerType.is(c.type) ? "0" : FloatType.is(c.type) ? floatText(0n, c.type) : "zeroinitializer";
    case "string":
      return `c"${escapedText(c.value)}"`;
    case "address": {
      const name = `@${symbolText(c.symbol)}`;
      return c.offset === 0n ? name : `getelementptr ${c.flags}(i8, ${llvmType(c.type)} ${name}, i64 ${c.offset})`;
    }
    case "cast":
      return `${c.opcode} (${typedConstant(c.from)} to ${llvmType(c.type)})`;
    case "elements":
      return elementsText(c);
  }
}
export function typedConstant(c: Constant): string {
  return `${llvmType(c.type)} ${constantText(c)}`;
}

function elementsText({ type, elements }: Extract<Constant, { readonly kind: "elements" }>): string {
  if (elements.every(isZero)) return "zeroinitializer";
  const first = elements[0]!;
  if (elements.every((e) => e.kind === first.kind && (e.kind === "undef" || e.kind === "poison"))) return first.kind;
  const texts = elements.map(typedConstant);
  if (LLVMStructType.is(type)) return `{ ${texts.join(", ")} }`;
  if (LLVMArrayType.is(type)) return `[${texts.join(", ")}]`;
  if (texts.every((t) => t === texts[0])) return `splat (${texts[0]})`;
  return `<${texts.join(", ")}>`;
}
function isZero(c: Constant): boolean {
  if (c.kind === "int") return c.value === 0n;
  if (c.kind === "float") return c.bits === 0n;
  return c.kind === "zero" || (c.kind === "elements" && c.elements.every(isZero));
}

/** Half and bfloat as their bits; float and double in decimal where six digits say it exactly, else as the bits of a double. */
function floatText(bits: bigint, type: Type): string {
  const { kind } = FloatType.params(type);
  const hex = (n: bigint, digits: number) => n.toString(16).toUpperCase().padStart(digits, "0");
  if (kind === "f16") return `0xH${hex(bits, 4)}`;
  if (kind === "bf16") return `0xR${hex(bits, 4)}`;
  if (kind !== "f32" && kind !== "f64") throw new Bug(`no LLVM constant of type ${kind}`);
  const value = bitsToNumber(bits, type);
  if (Number.isFinite(value)) {
    const digits = value.toExponential(5);
    if (Number(digits) === value) {
      const [mantissa, exponent] = digits.split("e") as [string, string];
      const sign = Object.is(value, -0) ? "-" : "";
      return `${sign}${mantissa}0e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
    }
  }
  return `0x${hex(kind === "f64" ? bits : doubleBits(bits), 16)}`;
}
/** The bits of the double that holds a float; the payload of a NaN is kept. */
function doubleBits(single: bigint): bigint {
  const sign = (single >> 31n) << 63n;
  const exponent = (single >> 23n) & 0xffn;
  let mantissa = single & 0x7fffffn;
  if (exponent === 0xffn) return sign | (0x7ffn << 52n) | (mantissa << 29n);
  if (exponent !== 0n) return sign | ((exponent + 896n) << 52n) | (mantissa << 29n);
  if (mantissa === 0n) return sign;
  let scale = 897n;
  while ((mantissa & 0x800000n) === 0n) {
    mantissa <<= 1n;
    scale--;
  }
  return sign | (scale << 52n) | ((mantissa & 0x7fffffn) << 29n);
}
