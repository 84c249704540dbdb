/** The shapes and types of `nvvm.mma.sync`. Source: mlir/lib/Dialect/LLVMIR/IR/NVVMDialect.cpp, MmaOp::verify. */

import type { Type } from "../../../ir/attribute.js";
import { f16, f32, floatType, i32, VectorType } from "../../../ir/builtin-types.js";
import type { Context } from "../../../ir/context.js";

/** So many registers of one type. */
type Registers = readonly [count: number, type: "f16x2" | "f32" | "f64" | "i32"];

/** `a` and `b` are the fragments of the smallest k; `k` has those that there are. */
interface Variant {
  readonly k: readonly number[];
  readonly a: Registers;
  readonly b: Registers;
  readonly c: readonly Registers[];
  /** Where not each of `c` is a result. */
  readonly results?: readonly Registers[];
}

const HALF16: readonly Registers[] = [
  [2, "f16x2"],
  [4, "f32"],
];
/** m16n8: two 8x8 tiles of A, one of B for each `k`; a second k has twice as many. */
const m16 = (k: number, type: "f16x2" | "i32", c: readonly Registers[], results?: readonly Registers[]): Variant => ({
  k: [k, 2 * k],
  a: [2, type],
  b: [1, type],
  c,
  ...(results && { results }),
});
const integers16 = (k: number): Variant => m16(k, "i32", [[4, "i32"]]);
const integers8 = (k: number): Variant => ({ k: [k], a: [1, "i32"], b: [1, "i32"], c: [[2, "i32"]] });

/** By M, then by PTX type of A; N is 8 in all. */
const VARIANTS: Readonly<Record<number, Readonly<Record<string, Variant>>>> = {
  16: {
    tf32: m16(4, "i32", HALF16, [[4, "f32"]]),
    bf16: m16(8, "i32", HALF16, [[4, "f32"]]),
    f16: m16(8, "f16x2", HALF16),
    s4: integers16(32),
    u4: integers16(32),
    s8: integers16(16),
    u8: integers16(16),
    b1: integers16(128),
  },
  8: {
    f16: {
      k: [4],
      a: [2, "f16x2"],
      b: [2, "f16x2"],
      c: [
        [4, "f16x2"],
        [8, "f32"],
      ],
    },
    f64: { k: [4], a: [1, "f64"], b: [1, "f64"], c: [[2, "f64"]] },
    s4: integers8(32),
    u4: integers8(32),
    s8: integers8(16),
    u8: integers8(16),
    b1: integers8(128),
  },
};

/** The types that the operands and the result may have; undefined where there is no such instruction. */
export function mmaTypes(
  ctx: Context,
  ptxType: string,
  m: number,
  n: number,
  k: number,
): Record<"A" | "B" | "C" | "result", Type[][]> | undefined {
  const variant = VARIANTS[m]?.[ptxType];
  if (n !== 8 || !variant?.k.includes(k)) return undefined;
  const times = k / variant.k[0]!;
  const types = ([count, name]: Registers, times = 1): Type[] => Array<Type>(count * times).fill(typeOf(ctx, name));
  return {
    A: [types(variant.a, times)],
    B: [types(variant.b, times)],
    C: variant.c.map((registers) => types(registers)),
    result: (variant.results ?? variant.c).map((registers) => types(registers)),
  };
}
/** Whether there are instructions with that M for the type at all. */
export const hasMma = (m: number, ptxType: string): boolean => VARIANTS[m]?.[ptxType] !== undefined;

function typeOf(ctx: Context, name: Registers[1]): Type {
  if (name === "f16x2") return VectorType.get(ctx, { shape: [2], elementType: f16(ctx), scalable: undefined });
  return name === "i32" ? i32(ctx) : name === "f32" ? f32(ctx) : floatType(ctx, "f64");
}
