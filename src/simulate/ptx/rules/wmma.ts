/**
 * `wave32.wmma`: products of 16x16 matrices by the lanes of a wave of 32. Source: AMD's "RDNA3" and "RDNA4" ISA documents; for gfx1250,
 * whose document is not public, the places of elements are those of Triton's layouts.
 */
import type { Operand } from "../../../ptx/instruction.js";
import { encode, valuesOf } from "../../numbers/small-float.js";
import { type InstructionCompiler, NotModelled } from "../instruction-compiler.js";
import type { Warp } from "../warp.js";
import { elementsOf, type Maker, parts } from "./wave-registers.js";

const SIZE = 16;
const WAVE = 32;

/** Where elements of K are: in each lane of a row all of them (generation 1), or in pieces by turns in the row's two lanes. */
interface Places {
  readonly k: number;
  readonly whole: boolean;
  /** Bits of a piece; undefined where each lane has one. */
  readonly pieceBits: number | undefined;
}
/** 32 elements of a row have a scale, a byte of a word of one of the row's lanes. */
interface Scales {
  readonly half: number;
  readonly row: number;
}

type Read = (warp: Warp) => Float64Array;
/** Rows of A, or columns of B, of k elements. */
function matrix(c: InstructionCompiler, operand: Operand, type: string, { k, whole, pieceBits }: Places, scales?: Scales): Read {
  const registers = parts(operand).map((o) => c.source(o, 32));
  const { bits, value } = elementsOf(type);
  const perLane = whole ? k : k / 2;
  const perWord = 32 / bits;
  if (registers.length < perLane / perWord) throw new NotModelled(`${registers.length} registers of .${type} for 16x${k}`);
  const piece = Math.min(perLane, (pieceBits ?? perLane * bits) / bits);
  const scaleValues = valuesOf("f8E8M0FNU");
  const out = new Float64Array(SIZE * k);
  return ({ I }) => {
    for (let l = 0; l < WAVE; l++) {
      const [row, half] = [l % SIZE, l >> 4];
      for (let e = 0; e < perLane; e++) {
        const at = whole ? e : (2 * Math.floor(e / piece) + half) * piece + (e % piece);
        const element = value(I[registers[Math.floor(e / perWord)]! + l]!, e % perWord);
        out[row * k + at] = scales
          ? element * scaleValues[(I[scales.row + row + SIZE * scales.half]! >>> (8 * Math.floor(at / 32))) & 255]!
          : element;
      }
    }
    return out;
  };
}

/** `wave32.wmma.K.D.A.B.GENERATION{.hi} d, a, b, c{, half, scales, half, scales}`; `.hi` writes the upper halves of registers. */
export const wmma: Maker = (c) => {
  const [depth = "", dType = "", aType = "", bType = "", generation = ""] = c.op.modifiers.slice(1);
  const k = Number(depth);
  const isFirst = generation === "v1";
  const isScaled = c.op.operands.length > 4;
  const places: Places = { k, whole: isFirst, pieceBits: isScaled ? 128 : undefined };
  const scales = (i: number): Scales | undefined =>
    isScaled ? { half: c.immediate(c.operand(i)) & 1, row: c.source(c.operand(i + 1), 32) } : undefined;
  const a = matrix(c, c.operand(1), aType, places, scales(4));
  const b = matrix(c, c.operand(2), bType, places, scales(6));
  const sums = parts(c.operand(3)).map((o) => c.source(o, 32));
  const results = parts(c.operand(0)).map((o) => c.dest(o, 32));
  const isHalf = dType === "f16" || dType === "bf16";
  // Generation 1 has one element of 16 bits in each register, and leaves its other half as it was.
  const perRegister = isHalf && !isFirst ? 2 : 1;
  const shift = c.has("hi") ? 16 : 0;
  const decode = elementsOf(dType === "s32" ? "f32" : dType).value;
  const rowOf = (r: number, half: number): number => (isFirst ? 2 * r + half : r + 8 * half);
  return (warp) => {
    const { I, F } = warp;
    const [left, right] = [a(warp), b(warp)];
    for (let l = 0; l < WAVE; l++)
      for (let r = 0; r < results.length; r++) {
        const from = sums[r]! + l;
        const to = results[r]! + l;
        const product = (row: number): number => {
          let sum = 0;
          for (let i = 0; i < k; i++) sum += left[row * k + i]! * right[(l % SIZE) * k + i]!;
          return sum;
        };
        const row = rowOf(r * perRegister, l >> 4);
        if (dType === "s32") I[to] = I[from]! + product(row);
        else if (dType === "f32") F[to] = F[from]! + product(row);
        else if (perRegister === 2) {
          const before = I[from]!;
          const [low, high] = [0, 1].map((e) => encode(dType as "f16" | "bf16", decode(before, e) + product(row + e)));
          I[to] = low! | (high! << 16);
        } else {
          const before = I[from]!;
          const next = encode(dType as "f16" | "bf16", decode(before, shift >> 4) + product(row));
          I[to] = (before & ~(0xffff << shift)) | (next << shift);
        }
      }
  };
};
