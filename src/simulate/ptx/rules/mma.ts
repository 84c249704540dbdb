/**
 * `mma.sync`: which lane holds which elements, and the product. In every shape but m8n8k4 of halves, a register of e
 * elements of A holds row (lane / 4) + 8 * (r & 1) and columns (r >> 1) * 4e + (lane & 3) * e + 0..e-1; B likewise with
 * rows for columns; C and D hold two neighbours in row (lane / 4) + 8 * (i >> 1).
 *
 * Products are exact in doubles; a sum of K products and the accumulator is rounded once. Hardware keeps fewer bits of
 * the sum, within the tolerance by which results are compared.
 */
import type { Operand } from "../../../ptx/instruction.js";
import { f32ToF16, halfValues } from "../../numbers/half.js";
import { encode } from "../../numbers/small-float.js";
import { type InstructionCompiler, NoInstruction, NotModelled, type Rule } from "../instruction-compiler.js";
import { type Decode, decoder } from "../matrix-elements.js";
import type { Warp } from "../warp.js";
import { wholeWarp } from "./memory.js";

const elements = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);

export const mma: Rule = (c) => {
  const shape = /^m(\d+)n(\d+)k(\d+)$/.exec(c.op.modifiers.find((m) => /^m\d+n\d+k\d+$/.test(m)) ?? "");
  if (shape === null) throw new NotModelled("no shape is named");
  const [m, n, k] = [Number(shape[1]), Number(shape[2]), Number(shape[3])];
  const [dType = "f32", aType = "f16", bType = "f16", cType = "f32"] = c.types;
  if (c.has("sp") || c.has("block_scale")) throw new NotModelled("sparse or scaled mma");
  if (aType === "f64") return double(c, m, k);
  if (aType === "b1") return singleBit(c, m, k);
  if (m === 8 && k === 4) return quadPairs(c, aType, dType, cType);
  if (n !== 8 || (m !== 8 && m !== 16)) throw new NoInstruction(`shape m${m}n${n}k${k}`);
  const a = elements(c.operand(1)).map((o) => c.source(o, 32));
  const b = elements(c.operand(2)).map((o) => c.source(o, 32));
  const accumulators = elements(c.operand(3)).map((o) => c.source(o, 32));
  const results = elements(c.operand(0)).map((o) => c.dest(o, 32));
  const [left, right] = [decoder(aType), decoder(bType)];
  const perWord = 32 / left.bits;
  const rowParts = m / 8;
  if (a.length * perWord * 32 !== m * k || b.length * perWord * 32 !== n * k)
    throw new NoInstruction(`${a.length} and ${b.length} registers for m${m}n${n}k${k}`);
  const A = new Float64Array(m * k);
  const B = new Float64Array(n * k);
  const D = new Float64Array(m * n);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    gather(warp.I, a, left.value, perWord, rowParts, k, A);
    gather(warp.I, b, right.value, perWord, 1, k, B);
    multiply(A, B, D, m, k);
    finish(warp, accumulators, results, D, dType, cType, c.has("satfinite"));
  });
};

/** Rows of `k` elements; `parts` is 2 where a fragment has 16 rows. */
export function gather(
  I: Int32Array,
  rows: readonly number[],
  value: Decode,
  perWord: number,
  parts: number,
  k: number,
  out: Float64Array,
): void {
  for (let r = 0; r < rows.length; r++) {
    const row = rows[r]!;
    const down = parts === 2 ? 8 * (r & 1) : 0;
    const right = (parts === 2 ? r >> 1 : r) * 4 * perWord;
    for (let l = 0; l < 32; l++) {
      const word = I[row + l]!;
      const at = ((l >> 2) + down) * k + right + (l & 3) * perWord;
      for (let e = 0; e < perWord; e++) out[at + e] = value(word, e);
    }
  }
}

/** D = A * B, B by columns. */
function multiply(A: Float64Array, B: Float64Array, D: Float64Array, m: number, k: number): void {
  for (let i = 0; i < m; i++)
    for (let j = 0; j < 8; j++) {
      let sum = 0;
      for (let x = i * k, y = j * k, end = x + k; x < end; x++, y++) sum += A[x]! * B[y]!;
      D[i * 8 + j] = sum;
    }
}

/** Adds the accumulators and rounds. */
function finish(
  warp: Warp,
  accumulators: readonly number[],
  results: readonly number[],
  D: Float64Array,
  dType: string,
  cType: string,
  saturate: boolean,
): void {
  const { I, F } = warp;
  const halves = halfValues();
  const count = dType === "f16" ? results.length * 2 : results.length;
  for (let l = 0; l < 32; l++) {
    let low = 0;
    for (let i = 0; i < count; i++) {
      const product = D[((l >> 2) + 8 * (i >> 1)) * 8 + (l & 3) * 2 + (i & 1)]!;
      if (dType === "s32") {
        const sum = product + I[accumulators[i]! + l]!;
        I[results[i]! + l] = saturate ? Math.min(Math.max(sum, -(2 ** 31)), 2 ** 31 - 1) : sum;
        continue;
      }
      const c = cType === "f16" ? halves[(I[accumulators[i >> 1]! + l]! >>> (16 * (i & 1))) & 0xffff]! : F[accumulators[i]! + l]!;
      if (dType === "f32") F[results[i]! + l] = product + c;
      else if ((i & 1) === 0) low = encode("f16", product + c);
      else I[results[i >> 1]! + l] = low | (encode("f16", product + c) << 16);
    }
  }
}

/** m8n8k4 and m16n8k4..16 of f64: one element a register, rounded at each step as a chain of fused multiply-adds. */
function double(c: InstructionCompiler, m: number, k: number): void {
  const a = elements(c.operand(1)).map((o) => c.source(o, 64));
  const b = elements(c.operand(2)).map((o) => c.source(o, 64));
  const accumulators = elements(c.operand(3)).map((o) => c.source(o, 64));
  const results = elements(c.operand(0)).map((o) => c.dest(o, 64));
  const A = new Float64Array(m * k);
  const B = new Float64Array(8 * k);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { D } = warp;
    for (let l = 0; l < 32; l++) {
      for (let r = 0; r < a.length; r++)
        A[((l >> 2) + (m === 16 ? 8 * (r & 1) : 0)) * k + (m === 16 ? r >> 1 : r) * 4 + (l & 3)] = D[a[r]! / 2 + l]!;
      for (let r = 0; r < b.length; r++) B[(l >> 2) * k + r * 4 + (l & 3)] = D[b[r]! / 2 + l]!;
    }
    for (let l = 0; l < 32; l++)
      for (let i = 0; i < results.length; i++) {
        const row = (l >> 2) + 8 * (i >> 1);
        const column = (l & 3) * 2 + (i & 1);
        let sum = D[accumulators[i]! / 2 + l]!;
        for (let x = 0; x < k; x++) sum += A[row * k + x]! * B[column * k + x]!;
        D[results[i]! / 2 + l] = sum;
      }
  });
}

/** m8n8k128, m16n8k128, m16n8k256 of single bits: .xor.popc or .and.popc. */
function singleBit(c: InstructionCompiler, m: number, k: number): void {
  const a = elements(c.operand(1)).map((o) => c.source(o, 32));
  const b = elements(c.operand(2)).map((o) => c.source(o, 32));
  const accumulators = elements(c.operand(3)).map((o) => c.source(o, 32));
  const results = elements(c.operand(0)).map((o) => c.dest(o, 32));
  const exclusive = c.has("xor");
  const words = k / 32;
  const A = new Int32Array(m * words);
  const B = new Int32Array(8 * words);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { I } = warp;
    for (let l = 0; l < 32; l++) {
      for (let r = 0; r < a.length; r++)
        A[((l >> 2) + (m === 16 ? 8 * (r & 1) : 0)) * words + (m === 16 ? r >> 1 : r) * 4 + (l & 3)] = I[a[r]! + l]!;
      for (let r = 0; r < b.length; r++) B[(l >> 2) * words + r * 4 + (l & 3)] = I[b[r]! + l]!;
    }
    for (let l = 0; l < 32; l++)
      for (let i = 0; i < results.length; i++) {
        const row = (l >> 2) + 8 * (i >> 1);
        const column = (l & 3) * 2 + (i & 1);
        let sum = I[accumulators[i]! + l]!;
        for (let x = 0; x < words; x++) {
          let bits = exclusive ? A[row * words + x]! ^ B[column * words + x]! : A[row * words + x]! & B[column * words + x]!;
          for (; bits !== 0; bits &= bits - 1) sum++;
        }
        I[results[i]! + l] = sum;
      }
  });
}

/** Volta's m8n8k4 of halves: four products, each of the lanes 4q..4q+3 and 16 + 4q..16 + 4q+3. */
function quadPairs(c: InstructionCompiler, aType: string, dType: string, cType: string): void {
  if (aType !== "f16" || cType !== dType) throw new NotModelled(`m8n8k4 of .${aType} with .${cType} to .${dType}`);
  const [aOrder, bOrder] = c.op.modifiers.filter((m) => m === "row" || m === "col");
  const a = elements(c.operand(1)).map((o) => c.source(o, 32));
  const b = elements(c.operand(2)).map((o) => c.source(o, 32));
  const accumulators = elements(c.operand(3)).map((o) => c.source(o, 32));
  const results = elements(c.operand(0)).map((o) => c.dest(o, 32));
  const A = new Float64Array(32);
  const B = new Float64Array(32);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { I, F } = warp;
    const halves = halfValues();
    const half = (row: number, lane: number, i: number) => halves[(I[row + lane]! >>> (16 * (i & 1))) & 0xffff]!;
    for (let q = 0; q < 4; q++) {
      for (let t = 0; t < 8; t++) {
        const lane = 4 * q + (t & 3) + (t >= 4 ? 16 : 0);
        const upper = t >= 4 ? 4 : 0;
        for (let i = 0; i < 4; i++) {
          const [row, column] = aOrder === "row" ? [(lane & 3) + upper, i] : [i + upper, lane & 3];
          A[row * 4 + column] = half(a[i >> 1]!, lane, i);
          const [down, right] = bOrder === "col" ? [i, (lane & 3) + upper] : [lane & 3, i + upper];
          B[right * 4 + down] = half(b[i >> 1]!, lane, i);
        }
      }
      for (let t = 0; t < 8; t++) {
        const lane = 4 * q + (t & 3) + (t >= 4 ? 16 : 0);
        const upper = t >= 4 ? 4 : 0;
        let low = 0;
        for (let i = 0; i < 8; i++) {
          const place = (type: string): readonly [number, number] =>
            type === "f16" ? [(lane & 3) + upper, i] : [(lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)];
          const [row, column] = place(dType);
          let sum = cType === "f16" ? half(accumulators[i >> 1]!, lane, i) : F[accumulators[i]! + lane]!;
          for (let x = 0; x < 4; x++) sum += A[row * 4 + x]! * B[column * 4 + x]!;
          if (dType === "f32") F[results[i]! + lane] = sum;
          else if ((i & 1) === 0) low = f32ToF16(Math.fround(sum));
          else I[results[i >> 1]! + lane] = low | (f32ToF16(Math.fround(sum)) << 16);
        }
      }
    }
  });
}

/** `movmatrix.sync.aligned.m8n8.trans.b16 d, a`: transposes an 8x8 of halves across the warp. */
export const movmatrix: Rule = (c) => {
  const [d, a] = [c.dest(c.operand(0), 32), c.source(c.operand(1), 32)];
  const words = new Int32Array(32);
  const halves = new Uint16Array(words.buffer);
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    words.set(warp.I.subarray(a, a + 32));
    for (let l = 0; l < 32; l++) {
      const column = l >> 2;
      const row = 2 * (l & 3);
      warp.I[d + l] = halves[8 * row + column]! | (halves[8 * (row + 1) + column]! << 16);
    }
  });
};
