/**
 * Instructions of all lanes of one of AMD's waves of 64, which PTX has no name for: `wave.OPERATION`. A wave is two warps here,
 * which meet at each of these instructions (see `machine.ts`). Source: AMD's "CDNA3" and "CDNA4" ISA documents.
 */
import type { Operand } from "../../../ptx/instruction.js";
import type { SmallFloatKind } from "../../numbers/small-float.js";
import { valuesOf } from "../../numbers/small-float.js";
import { type InstructionCompiler, NotModelled } from "../instruction-compiler.js";
import { type Decode, decoder } from "../matrix-elements.js";
import type { Exchange } from "../program.js";
import type { Warp } from "../warp.js";

const LANES = 64;
const parts = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);
const isOn = (low: number, high: number, lane: number): boolean => (((lane < 32 ? low : high) >>> (lane & 31)) & 1) !== 0;

/** The words of a register of all lanes of a wave. */
function wordsOf(low: Warp, high: Warp, row: number, into: Int32Array): Int32Array {
  into.set(low.I.subarray(row, row + 32));
  into.set(high.I.subarray(row, row + 32), 32);
  return into;
}

/** Each lane that is on gets the word that `pick` returns. */
function eachLane(low: Warp, high: Warp, lowMask: number, highMask: number, row: number, pick: (lane: number) => number): void {
  for (let l = 0; l < LANES; l++) if (isOn(lowMask, highMask, l)) (l < 32 ? low : high).I[row + (l & 31)] = pick(l);
}

/** The lane that DPP reads for a lane; undefined where there is none. */
function dppSource(control: number, l: number): number | undefined {
  const row = l & ~15;
  const at = l & 15;
  const by = control & 15;
  if (control < 0x100) return (l & ~3) | ((control >> (2 * (l & 3))) & 3);
  switch (control >> 4) {
    case 0x10:
      return at + by > 15 ? undefined : l + by;
    case 0x11:
      return at < by ? undefined : l - by;
    case 0x12:
      return row | ((at - by) & 15);
    case 0x15:
      return row | by;
  }
  switch (control) {
    case 0x130:
      return l === LANES - 1 ? undefined : l + 1;
    case 0x134:
      return (l + 1) % LANES;
    case 0x138:
      return l === 0 ? undefined : l - 1;
    case 0x13c:
      return (l + LANES - 1) % LANES;
    case 0x140:
      return row | (15 - at);
    case 0x141:
      return (l & ~7) | (7 - (l & 7));
    case 0x142:
      return row === 0 ? undefined : row - 1;
    case 0x143:
      return l < 32 ? undefined : 31;
  }
  throw new NotModelled(`DPP control 0x${control.toString(16)}`);
}

/** A pattern of `ds_swizzle`: four lanes permuted, or bits of the lane's number kept, set and flipped, within 32 lanes. */
const swizzleSource = (pattern: number, l: number): number =>
  pattern & 0x8000 ? (l & ~3) | ((pattern >> (2 * (l & 3))) & 3) : (l & 32) | ((((l & pattern) | (pattern >> 5)) ^ (pattern >> 10)) & 31);

type Maker = (c: InstructionCompiler) => Exchange;
const words = new Int32Array(LANES);
const others = new Int32Array(LANES);

/** A word of another lane, by the numbers in the instruction; `otherwise` where that lane is off or there is none. */
const moved =
  (from: (c: InstructionCompiler) => (lane: number, index: Int32Array) => number | undefined, hasIndex: boolean): Maker =>
  (c) => {
    const pick = from(c);
    const source = c.source(c.operand(1), 32);
    const index = hasIndex ? c.source(c.operand(2), 32) : source;
    const target = c.dest(c.operand(0), 32);
    return (low, high, lowMask, highMask) => {
      wordsOf(low, high, source, words);
      wordsOf(low, high, index, others);
      eachLane(low, high, lowMask, highMask, target, (l) => {
        const lane = pick(l, others);
        return lane !== undefined && isOn(lowMask, highMask, lane) ? words[lane]! : 0;
      });
    };
  };

const dpp: Maker = (c) => {
  const [old, source] = [c.source(c.operand(1), 32), c.source(c.operand(2), 32)];
  const [control, rows, banks, bound] = [3, 4, 5, 6].map((i) => c.immediate(c.operand(i))) as [number, number, number, number];
  const target = c.dest(c.operand(0), 32);
  const sources = Array.from({ length: LANES }, (_, l) => dppSource(control, l));
  return (low, high, lowMask, highMask) => {
    wordsOf(low, high, old, others);
    wordsOf(low, high, source, words);
    eachLane(low, high, lowMask, highMask, target, (l) => {
      if (!((rows >> (l >> 4)) & 1) || !((banks >> ((l >> 2) & 3)) & 1)) return others[l]!;
      const lane = sources[l];
      if (lane !== undefined && isOn(lowMask, highMask, lane)) return words[lane]!;
      return bound ? 0 : others[l]!;
    });
  };
};

/** To the lane that each lane names; the last of several wins. */
const permute: Maker = (c) => {
  const [source, index] = [c.source(c.operand(1), 32), c.source(c.operand(2), 32)];
  const target = c.dest(c.operand(0), 32);
  const sent = new Int32Array(LANES);
  return (low, high, lowMask, highMask) => {
    wordsOf(low, high, source, words);
    wordsOf(low, high, index, others);
    sent.fill(0);
    for (let l = 0; l < LANES; l++) if (isOn(lowMask, highMask, l)) sent[(others[l]! >> 2) & 63] = words[l]!;
    eachLane(low, high, lowMask, highMask, target, (l) => sent[l]!);
  };
};

/** The word of one lane for all: of the number given, or of the first that is on. */
const readLane =
  (first: boolean): Maker =>
  (c) => {
    const source = c.source(c.operand(1), 32);
    const lane = first ? source : c.source(c.operand(2), 32);
    const target = c.dest(c.operand(0), 32);
    return (low, high, lowMask, highMask) => {
      wordsOf(low, high, source, words);
      const on = lowMask !== 0 ? 31 - Math.clz32(lowMask & -lowMask) : 63 - Math.clz32(highMask & -highMask);
      const from = first ? on : (on < 32 ? low : high).I[lane + (on & 31)]! & 63;
      eachLane(low, high, lowMask, highMask, target, () => words[from]!);
    };
  };

const ballot: Maker = (c) => {
  const source = c.predicateSource(c.operand(2));
  const [d0, d1] = [c.dest(c.operand(0), 32), c.dest(c.operand(1), 32)];
  return (low, high, lowMask, highMask) => {
    const votes = ({ P }: Warp, mask: number) => mask & (source & 1 ? ~P[source >> 1]! : P[source >> 1]!);
    const [first, second] = [votes(low, lowMask), votes(high, highMask)];
    eachLane(low, high, lowMask, highMask, d0, () => first);
    eachLane(low, high, lowMask, highMask, d1, () => second);
  };
};

/** Swaps the odd rows of the first register with the even rows of the second; a row has 16 or 32 lanes. */
const swap: Maker = (c) => {
  const row = c.has("32") ? 32 : 16;
  const [a, b] = [c.source(c.operand(2), 32), c.source(c.operand(3), 32)];
  const [d0, d1] = [c.dest(c.operand(0), 32), c.dest(c.operand(1), 32)];
  return (low, high, lowMask, highMask) => {
    wordsOf(low, high, a, words);
    wordsOf(low, high, b, others);
    const [x, y] = [words.slice(), others.slice()];
    eachLane(low, high, lowMask, highMask, d0, (l) => (l & row ? y[l - row]! : x[l]!));
    eachLane(low, high, lowMask, highMask, d1, (l) => (l & row ? y[l]! : x[l + row]!));
  };
};

/** 16 lanes have rows of 64 bits; each gets a column of its own. */
const transpose: Maker = (c) => {
  const bits = c.has("b8") ? 8 : 16;
  const elements = 64 / bits;
  const sources = parts(c.operand(1)).map((o) => c.source(o, 32));
  const targets = parts(c.operand(0)).map((o) => c.dest(o, 32));
  const bytes = new Uint8Array(LANES * 8);
  const out = new Uint8Array(LANES * 8);
  const size = bits / 8;
  return (low, high, lowMask, highMask) => {
    const view = new Int32Array(bytes.buffer);
    sources.forEach((row, w) => {
      wordsOf(low, high, row, words).forEach((word, l) => {
        view[2 * l + w] = word;
      });
    });
    const rowsBetween = 16 / elements;
    for (let l = 0; l < LANES; l++)
      for (let r = 0; r < elements; r++) {
        const from = (l & ~15) + rowsBetween * r + (((l % 16) / elements) | 0);
        for (let k = 0; k < size; k++) out[8 * l + r * size + k] = bytes[8 * from + (l % elements) * size + k]!;
      }
    const result = new Int32Array(out.buffer);
    targets.forEach((row, w) => eachLane(low, high, lowMask, highMask, row, (l) => result[2 * l + w]!));
  };
};

const SMALL: Readonly<Record<string, SmallFloatKind>> = { e4m3fnuz: "f8E4M3FNUZ", e5m2fnuz: "f8E5M2FNUZ" };
function elementsOf(type: string): { readonly bits: number; readonly value: Decode } {
  const kind = SMALL[type];
  if (kind) {
    const values = valuesOf(kind);
    return { bits: 8, value: (word, e) => values[(word >>> (8 * e)) & 255]! };
  }
  if (type !== "f32") return decoder(type);
  const word = new Int32Array(1);
  const float = new Float32Array(word.buffer);
  return { bits: 32, value: (bits) => ((word[0] = bits), float[0]!) };
}

/** Reads an operand: M (or N) rows of K elements for each block. Lanes hold neighbouring elements along K. */
interface Matrix {
  read(low: Warp, high: Warp): Float64Array;
}
function matrix(c: InstructionCompiler, operand: Operand, type: string, rows: number, k: number, blocks: number, scale?: Scale): Matrix {
  const isDouble = type === "f64";
  const registers = parts(operand).map((o) => c.source(o, isDouble ? 64 : 32));
  const { bits, value } = isDouble ? { bits: 64, value: () => 0 } : elementsOf(type);
  const perLane = (rows * k * blocks) / LANES;
  const perWord = isDouble ? 1 : 32 / bits;
  if (registers.length < perLane / perWord) throw new NotModelled(`${registers.length} registers of .${type} for ${rows}x${k}`);
  const groups = LANES / rows;
  // Where a lane has more than 16 bytes, it has 16 of each part of K.
  const piece = Math.min(perLane, 128 / bits);
  const out = new Float64Array(blocks * rows * k);
  return {
    read(low, high) {
      for (let l = 0; l < LANES; l++) {
        const warp = l < 32 ? low : high;
        const group = Math.floor(l / rows);
        const first = (blocks > 1 ? group * rows + (l % rows) : l % rows) * k;
        for (let e = 0; e < perLane; e++) {
          const row = registers[Math.floor(e / perWord)]!;
          const element = isDouble ? warp.D[row / 2 + (l & 31)]! : value(warp.I[row + (l & 31)]!, e % perWord);
          const at = blocks > 1 ? e : (Math.floor(e / piece) * groups + group) * piece + (e % piece);
          // A lane of the row has the scale of each 32 elements.
          const owner = (l % rows) + rows * Math.floor(at / 32);
          out[first + at] = scale ? element * scale(owner < 32 ? low : high, owner & 31) : element;
        }
      }
      return out;
    },
  };
}
type Scale = (warp: Warp, lane: number) => number;
/** The scale of a lane's elements: a byte of a word. */
function scaleOf(c: InstructionCompiler, picked: Operand, word: Operand): Scale {
  const values = valuesOf("f8E8M0FNU");
  const [index, row] = [c.source(picked, 32), c.source(word, 32)];
  return ({ I }, lane) => values[(I[row + lane]! >>> (8 * (I[index + lane]! & 3))) & 255]!;
}

/** `wave.mfma.MxNxKxBLOCKS.D.A.B d, a, b, c, cbsz, abid{, scales}`: the first operand's blocks may be repeated. */
const mfma: Maker = (c) => {
  const [shape = "", dType = "", aType = "", bType = ""] = c.op.modifiers.slice(1);
  const [m, n, k, blocks] = shape.split("x").map(Number) as [number, number, number, number];
  const isScaled = c.op.operands.length > 6;
  const isDouble = dType === "f64";
  const scales = isScaled ? [scaleOf(c, c.operand(6), c.operand(7)), scaleOf(c, c.operand(8), c.operand(9))] : [];
  const a = matrix(c, c.operand(1), aType, m, k, blocks, scales[0]);
  const b = matrix(c, c.operand(2), bType, n, k, blocks, scales[1]);
  const [repeat, of] = [c.immediate(c.operand(4)), c.immediate(c.operand(5))];
  const sums = parts(c.operand(3)).map((o) => c.source(o, isDouble ? 64 : 32));
  const results = parts(c.operand(0)).map((o) => c.dest(o, isDouble ? 64 : 32));
  if (results.length !== (m * n * blocks) / LANES) throw new NotModelled(`${results.length} results of ${shape}`);
  const perGroup = 4 * (LANES / n);
  return (low, high) => {
    const [left, right] = [a.read(low, high), b.read(low, high)];
    for (let l = 0; l < LANES; l++) {
      const warp = l < 32 ? low : high;
      const lane = l & 31;
      const group = Math.floor(l / n);
      const block = blocks > 1 ? group : 0;
      const from = repeat > 0 ? (block & -(1 << repeat)) + of : block;
      for (let r = 0; r < results.length; r++) {
        const row = blocks > 1 ? r : isDouble ? 4 * r + group : (r & 3) + 4 * group + perGroup * (r >> 2);
        let sum = 0;
        const [x, y] = [(from * m + row) * k, (block * n + (l % n)) * k];
        for (let i = 0; i < k; i++) sum += left[x + i]! * right[y + i]!;
        if (isDouble) warp.D[results[r]! / 2 + lane] = warp.D[sums[r]! / 2 + lane]! + sum;
        else if (dType === "s32") warp.I[results[r]! + lane] = warp.I[sums[r]! + lane]! + sum;
        else warp.F[results[r]! + lane] = warp.F[sums[r]! + lane]! + sum;
      }
    }
  };
};

const MAKERS: Readonly<Record<string, Maker>> = {
  sync: () => () => {},
  dpp,
  bpermute: moved(() => (l, index) => (index[l]! >> 2) & 63, true),
  permute,
  swizzle: moved((c) => {
    const pattern = c.immediate(c.operand(2));
    return (l) => swizzleSource(pattern, l);
  }, false),
  readlane: readLane(false),
  readfirstlane: readLane(true),
  ballot,
  swap,
  transpose,
  mfma,
};

/** The work that the two halves of a wave do when they meet at an instruction. */
export function waveExchange(c: InstructionCompiler): Exchange {
  const make = MAKERS[c.op.modifiers[0] ?? ""];
  if (!make) throw new NotModelled("no such operation of a wave");
  return make(c);
}
