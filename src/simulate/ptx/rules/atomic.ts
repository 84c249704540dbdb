/** Atomics: `atom` and `red`, lane after lane. */
import type { Operand } from "../../../ptx/instruction.js";
import { bf16ToF32, halfValues } from "../../numbers/half.js";
import { encode } from "../../numbers/small-float.js";
import { access, addressing, type Bytes, type LaneAccess, noteAtomicStore } from "../access.js";
import { NotModelled, type Rule } from "../instruction-compiler.js";
import { bitsOfType } from "../scope.js";
import { spaceOf } from "./memory.js";

const OPERATIONS = ["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"] as const;
type Operation = (typeof OPERATIONS)[number];

export const atom: Rule = (c) => {
  const returns = c.op.opcode === "atom";
  const operation = c.oneOf(...OPERATIONS);
  if (operation === undefined) throw new NotModelled("no operation is named");
  const { type } = c;
  const bits = bitsOfType(type);
  if (bits === 128) throw new NotModelled("128-bit atomics");
  const space = spaceOf(c);
  if (space === "param") throw new NotModelled("atomics on parameters");
  const base = returns ? 1 : 0;
  const where = addressing(c, c.operand(base));
  const list = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);
  const values = list(c.operand(base + 1)).map((v) => c.source(v, bits));
  const swaps = operation === "cas" ? list(c.operand(base + 2)).map((v) => c.source(v, bits)) : [];
  const results = returns ? list(c.operand(0)).map((r) => c.dest(r, bits, type.startsWith("s"))) : [];
  const one = bits === 64 ? wide(operation, type) : narrow(operation, type, bits);
  const bytes = bits / 8;
  const body: LaneAccess = (warp, l, memory, at) => {
    for (let e = 0; e < values.length; e++) one(warp, l, memory, at + e * bytes, values[e]!, swaps[e] ?? 0, results[e] ?? -1);
  };
  if (operation === "cas" && bits === 32) c.site.expects = values[0]!;
  c.emit(access(c, space, where, bytes * values.length, "atomic", body));
};

type One = (warp: Parameters<LaneAccess>[0], lane: number, memory: Bytes, at: number, value: number, swap: number, result: number) => void;

function narrow(operation: Operation, type: string, bits: number): One {
  const update = narrowUpdate(operation, type);
  return ({ I }, l, memory, at, value, swap, result) => {
    const old = bits === 32 ? memory.i32[at >> 2]! : memory.u16[at >> 1]!;
    if (operation !== "cas" || old === (bits === 32 ? I[value + l]! : I[value + l]! & 0xffff)) {
      const next = operation === "cas" ? I[swap + l]! : update(old, I[value + l]!);
      if (bits === 32) memory.i32[at >> 2] = next;
      else memory.u16[at >> 1] = next;
      noteAtomicStore();
    }
    if (result >= 0) I[result + l] = old;
  };
}

const f32 = new Float32Array(2);
const i32 = new Int32Array(f32.buffer);

/** Old and operand as bits to the new bits. */
function narrowUpdate(operation: Operation, type: string): (old: number, x: number) => number {
  if (/^b?f/.test(type) && !type.startsWith("b1") && !type.startsWith("b3") && operation !== "exch") return floatUpdate(operation, type);
  const unsigned = type.startsWith("u");
  switch (operation) {
    case "add":
      return (old, x) => (old + x) | 0;
    case "min":
      return unsigned ? (old, x) => (old >>> 0 < x >>> 0 ? old : x) : Math.min;
    case "max":
      return unsigned ? (old, x) => (old >>> 0 > x >>> 0 ? old : x) : Math.max;
    case "and":
      return (old, x) => old & x;
    case "or":
      return (old, x) => old | x;
    case "xor":
      return (old, x) => old ^ x;
    case "inc":
      return (old, x) => (old >>> 0 >= x >>> 0 ? 0 : old + 1);
    case "dec":
      return (old, x) => (old === 0 || old >>> 0 > x >>> 0 ? x : old - 1);
    default:
      return (_old, x) => x;
  }
}

function floatUpdate(operation: Operation, type: string): (old: number, x: number) => number {
  const combine =
    operation === "add" ? (a: number, b: number) => a + b : operation === "min" ? Math.min : operation === "max" ? Math.max : undefined;
  if (combine === undefined) throw new NotModelled(`.${operation} of .${type}`);
  if (type === "f32")
    return (old, x) => {
      i32[0] = old;
      i32[1] = x;
      f32[0] = combine(f32[0]!, f32[1]!);
      return i32[0]!;
    };
  const kind = type.startsWith("bf16") ? "bf16" : "f16";
  const read = kind === "bf16" ? bf16ToF32 : (bits: number) => halfValues()[bits]!;
  const half = (old: number, x: number) => encode(kind, combine(read(old & 0xffff), read(x & 0xffff)));
  return type.endsWith("x2") ? (old, x) => half(old, x) | (half(old >>> 16, x >>> 16) << 16) : half;
}

const view = new DataView(new ArrayBuffer(8));
const asDouble = (bits: bigint): number => {
  view.setBigInt64(0, bits);
  return view.getFloat64(0);
};
const asBits = (value: number): bigint => {
  view.setFloat64(0, value);
  return view.getBigInt64(0);
};

function wide(operation: Operation, type: string): One {
  const update = wideUpdate(operation, type);
  return ({ B, V }, l, { i32: words }, at, value, swap, result) => {
    const low = words[at >> 2]!;
    const high = words[(at >> 2) + 1]!;
    const old = (BigInt(high) << 32n) | BigInt(low >>> 0);
    const operand = type.startsWith("u") ? V[(value >> 1) + l]! : B[(value >> 1) + l]!;
    if (operation !== "cas" || old === B[(value >> 1) + l]!) {
      const next = operation === "cas" ? B[(swap >> 1) + l]! : update(type.startsWith("u") ? BigInt.asUintN(64, old) : old, operand);
      words[at >> 2] = Number(BigInt.asIntN(32, next));
      words[(at >> 2) + 1] = Number(BigInt.asIntN(32, next >> 32n));
      noteAtomicStore();
    }
    if (result >= 0) B[(result >> 1) + l] = old;
  };
}

function wideUpdate(operation: Operation, type: string): (old: bigint, x: bigint) => bigint {
  if (type === "f64" && operation !== "exch") {
    if (operation !== "add") throw new NotModelled(`.${operation} of .f64`);
    return (old, x) => asBits(asDouble(old) + asDouble(x));
  }
  switch (operation) {
    case "add":
      return (old, x) => old + x;
    // Math.min takes no bigints.
    case "min":
      return (old, x) => (old - x < 0n ? old : x);
    case "max":
      return (old, x) => (old - x > 0n ? old : x);
    case "and":
      return (old, x) => old & x;
    case "or":
      return (old, x) => old | x;
    case "xor":
      return (old, x) => old ^ x;
    case "inc":
      return (old, x) => (old >= x ? 0n : old + 1n);
    case "dec":
      return (old, x) => (old === 0n || old > x ? x : old - 1n);
    default:
      return (_old, x) => x;
  }
}
