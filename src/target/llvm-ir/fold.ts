/**
 * Constant folding as in IRBuilder: an instruction of constants only becomes a constant. (Nothing else is folded: `add i32 %x, 0` stays.)
 * Source: llvm/include/llvm/IR/ConstantFolder.h, llvm/lib/IR/ConstantFold.cpp.
 */
import type { Type } from "../../ir/attribute.js";
import { intOf, intsOf, TypeAttr } from "../../ir/builtin-attrs.js";
import { bitWidth, FloatType, IntegerType, VectorType } from "../../ir/builtin-types.js";
import { bitsToNumber, numberToBits } from "../../ir/float.js";
import { add, divide, multiply, remainder, subtract } from "../../ir/float-arithmetic.js";
import type { Operation } from "../../ir/operation.js";
import { type Constant, elementsOf } from "./constants.js";
import { byteSize, elementOffset } from "./data-layout.js";
import { CAST_OPCODES } from "./opcodes.js";

const FLOAT_BINARY: Readonly<Record<string, typeof add>> = {
  "llvm.fadd": add,
  "llvm.fsub": subtract,
  "llvm.fmul": multiply,
  "llvm.fdiv": divide,
  "llvm.frem": remainder,
};

/** The constant that an op on constants is; undefined when it stays an instruction. */
export function foldConstants(op: Operation, operands: readonly Constant[]): Constant | undefined {
  const type = op.results[0]?.type;
  if (!type || operands.length === 0) return undefined;
  const [a, b, c] = operands as [Constant, Constant | undefined, Constant | undefined];
  switch (op.name) {
    case "llvm.getelementptr":
      return foldGep(op, operands, type);
    case "llvm.insertelement": {
      const elements = elementsOf(a);
      return elements && c?.kind === "int" ? replaced(a, elements, Number(c.value), b!) : undefined;
    }
    case "llvm.extractelement":
      return b?.kind === "int" ? elementsOf(a)?.[Number(b.value)] : undefined;
    case "llvm.insertvalue":
      return insertAt(a, b!, intsOf(op.attr("position")) ?? []);
    case "llvm.extractvalue": {
      let at: Constant | undefined = a;
      for (const index of intsOf(op.attr("position")) ?? []) at = at && elementsOf(at)?.[index];
      return at;
    }
    case "llvm.select":
      return a.kind === "int" ? (a.value === 0n ? c : b) : undefined;
    case "llvm.icmp":
      return a.kind === "int" && b?.kind === "int"
        ? { kind: "int", type, value: compare(intOf(op.attr("predicate"))!, a.value, b.value, bitWidth(a.type)!) ? -1n : 0n }
        : undefined;
  }
  if (op.name in CAST_OPCODES) return foldCast(op.name.slice("llvm.".length), a, type);
  if (a.kind === "int" && b?.kind === "int" && operands.length === 2) {
    const value = foldIntBinary(op.name.slice("llvm.".length), a.value, b.value, bitWidth(type) ?? 64);
    return value === undefined ? undefined : { kind: "int", type, value };
  }
  if (a.kind === "float" && b?.kind === "float" && operands.length === 2) {
    const compute = FLOAT_BINARY[op.name];
    return compute && FloatType.is(type) ? { kind: "float", type, bits: compute(a.bits, b.bits, type.params.kind) } : undefined;
  }
  return undefined;
}

function replaced(aggregate: Constant, elements: readonly Constant[], index: number, value: Constant): Constant | undefined {
  if (index < 0 || index >= elements.length) return undefined;
  return { kind: "elements", type: aggregate.type, elements: elements.map((e, i) => (i === index ? value : e)) };
}
function insertAt(aggregate: Constant, value: Constant, position: readonly number[]): Constant | undefined {
  const [index, ...rest] = position;
  if (index === undefined) return value;
  const elements = elementsOf(aggregate);
  const inner = elements?.[index] && insertAt(elements[index], value, rest);
  return elements && inner && replaced(aggregate, elements, index, inner);
}

/** The result of integer arithmetic, sign-extended; undefined where it is not defined. */
export function foldIntBinary(name: string, x: bigint, y: bigint, width: number): bigint | undefined {
  const ux = BigInt.asUintN(width, x);
  const uy = BigInt.asUintN(width, y);
  const wrap = (value: bigint) => BigInt.asIntN(width, value);
  switch (name) {
    case "add":
      return wrap(x + y);
    case "sub":
      return wrap(x - y);
    case "mul":
      return wrap(x * y);
    case "and":
      return x & y;
    case "or":
      return x | y;
    case "xor":
      return x ^ y;
    case "udiv":
      return uy === 0n ? undefined : wrap(ux / uy);
    case "urem":
      return uy === 0n ? undefined : wrap(ux % uy);
    case "sdiv":
      return y === 0n || wrap(x / y) !== x / y ? undefined : x / y;
    case "srem":
      return y === 0n || wrap(x / y) !== x / y ? undefined : x % y;
  }
  if (uy >= BigInt(width)) return undefined;
  if (name === "shl") return wrap(x << uy);
  if (name === "lshr") return wrap(ux >> uy);
  return name === "ashr" ? x >> uy : undefined;
}

/** `predicate` is the number of ICMP_PREDICATES. */
export function compare(predicate: number, x: bigint, y: bigint, width: number): boolean {
  const [a, b] = predicate >= 6 ? [BigInt.asUintN(width, x), BigInt.asUintN(width, y)] : [x, y];
  switch (predicate) {
    case 0:
      return a === b;
    case 1:
      return a !== b;
    case 2:
    case 6:
      return a < b;
    case 3:
    case 7:
      return a <= b;
    case 4:
    case 8:
      return a > b;
    default:
      return a >= b;
  }
}

function foldCast(name: string, a: Constant, type: Type): Constant | undefined {
  if (a.kind === "undef" || a.kind === "poison")
    return a.kind === "poison" || name === "bitcast" || name === "trunc" ? { kind: a.kind, type } : undefined;
  if (name === "bitcast") return a.type === type ? a : bitcast(a, type);
  if (a.kind === "int" && IntegerType.is(type)) {
    const width = bitWidth(a.type)!;
    if (name === "zext") return { kind: "int", type, value: BigInt.asIntN(type.params.width, BigInt.asUintN(width, a.value)) };
    if (name === "sext") return { kind: "int", type, value: a.value };
    if (name === "trunc") return { kind: "int", type, value: BigInt.asIntN(type.params.width, a.value) };
  }
  if (a.kind === "int" && FloatType.is(type) && (name === "sitofp" || name === "uitofp")) {
    const value = name === "uitofp" ? BigInt.asUintN(bitWidth(a.type)!, a.value) : a.value;
    return Number.isSafeInteger(Number(value)) ? { kind: "float", type, bits: numberToBits(Number(value), type) } : undefined;
  }
  if (a.kind === "float" && FloatType.is(type)) return { kind: "float", type, bits: numberToBits(bitsToNumber(a.bits, a.type), type) };
  if (a.kind === "float" && IntegerType.is(type)) {
    const value = Math.trunc(bitsToNumber(a.bits, a.type));
    if (!Number.isFinite(value)) return undefined;
    const wide = BigInt(value);
    const fits = name === "fptoui" ? BigInt.asUintN(type.params.width, wide) === wide : BigInt.asIntN(type.params.width, wide) === wide;
    return fits ? { kind: "int", type, value: BigInt.asIntN(type.params.width, wide) } : undefined;
  }
  if (a.kind === "address" || a.kind === "cast") return a.type === type ? a : { kind: "cast", type, opcode: name, from: a };
  return undefined;
}

/** The same bits as another type: elements are laid out from the lowest bits. */
function bitcast(a: Constant, type: Type): Constant | undefined {
  const bits = bitsOf(a);
  return bits === undefined ? undefined : fromBits(bits, type);
}
function bitsOf(c: Constant): bigint | undefined {
  if (c.kind === "int") return BigInt.asUintN(bitWidth(c.type)!, c.value);
  if (c.kind === "float") return c.bits;
  if (c.kind === "zero") return 0n;
  if (c.kind !== "elements") return undefined;
  let bits = 0n;
  let at = 0n;
  for (const element of c.elements) {
    const part = bitsOf(element);
    const width = bitWidth(element.type);
    if (part === undefined || width === undefined) return undefined;
    bits |= part << at;
    at += BigInt(width);
  }
  return bits;
}
function fromBits(bits: bigint, type: Type): Constant | undefined {
  if (IntegerType.is(type)) return { kind: "int", type, value: BigInt.asIntN(type.params.width, bits) };
  if (FloatType.is(type)) return { kind: "float", type, bits };
  if (!VectorType.is(type)) return undefined;
  const element = type.params.elementType;
  const width = bitWidth(element);
  if (width === undefined) return undefined;
  const elements: Constant[] = [];
  for (let i = 0; i < type.params.shape[0]!; i++) {
    const made = fromBits(BigInt.asUintN(width, bits >> BigInt(i * width)), element);
    if (!made) return undefined;
    elements.push(made);
  }
  return { kind: "elements", type, elements };
}

/** An address with constant indices: bytes after the symbol. */
function foldGep(op: Operation, operands: readonly Constant[], type: Type): Constant | undefined {
  const base = operands[0]!;
  const element = op.attr("elem_type");
  if (base.kind !== "address" || !TypeAttr.is(element)) return undefined;
  const dynamic = operands.slice(1).map((c) => (c.kind === "int" ? c.value : undefined));
  if (dynamic.includes(undefined)) return undefined;
  let next = 0;
  const indices = (intsOf(op.attr("rawConstantIndices")) ?? []).map((i) => (i === -2147483648 ? dynamic[next++]! : BigInt(i)));
  let offset = base.offset + indices[0]! * BigInt(byteSize(element.params.type));
  let at: Type = element.params.type;
  for (const index of indices.slice(1)) {
    const inner = elementOffset(at, Number(index));
    offset += BigInt(inner.offset);
    at = inner.type;
  }
  const flags = intOf(op.attr("noWrapFlags")) ?? 0;
  const text = flags === 0 ? "" : (flags & 3) === 3 ? "inbounds " : flags & 2 ? "nusw " : "";
  return { kind: "address", type, symbol: base.symbol, offset, flags: base.offset === 0n ? text : base.flags && text };
}
