/**
 * Instructions of all lanes of one of AMD's waves, which PTX has no name for: `wave.OPERATION` for waves of 64 lanes, `wave32.OPERATION`
 * for those of 32. A wave of 64 is two warps here, which meet at each of these instructions (see `machine.ts`); one of 32 has no upper
 * half. Source: AMD's ISA documents of CDNA3, CDNA4, RDNA3 and RDNA4.
 */
import { byName } from "../../../support/by-name.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import type { Exchange } from "../program.js";
import type { Warp } from "../warp.js";
import { mfma } from "./mfma.js";
import { LANES, type Maker, parts, wordsOf } from "./wave-registers.js";
import { wmma } from "./wmma.js";

const isOn = (low: number, high: number, lane: number): boolean => (((lane < 32 ? low : high) >>> (lane & 31)) & 1) !== 0;

/** Each lane that is on gets the word that `pick` returns. */
function eachLane(low: Warp, high: Warp, lowMask: number, highMask: number, row: number, pick: (lane: number) => number): void {
  for (let l = 0; l < LANES; l++) if (isOn(lowMask, highMask, l)) (l < 32 ? low : high).I[row + (l & 31)] = pick(l);
}

const lanesOf = (c: InstructionCompiler): 32 | 64 => (c.op.opcode === "wave32" ? 32 : 64);

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
    case 0x16:
      return l ^ by;
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

/** A lane of the other row of 16, by 4 bits for each lane of the row; `fetch` reads lanes that are off too. */
const permlanex16: Maker = (c) => {
  const [old, source, low, high] = [1, 2, 3, 4].map((i) => c.source(c.operand(i), 32)) as [number, number, number, number];
  const [fetch, bound] = [c.immediate(c.operand(5)), c.immediate(c.operand(6))];
  const target = c.dest(c.operand(0), 32);
  return (warp, _, mask) => {
    wordsOf(warp, warp, source, words);
    wordsOf(warp, warp, old, others);
    const first = 31 - Math.clz32(mask & -mask);
    const selectors = [warp.I[low + first]!, warp.I[high + first]!] as const;
    eachLane(warp, warp, mask, 0, target, (l) => {
      const lane = ((l & 16) ^ 16) | ((selectors[(l >> 3) & 1]! >>> (4 * (l & 7))) & 15);
      if (fetch || isOn(mask, 0, lane)) return words[lane]!;
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
    for (let l = 0; l < LANES; l++) if (isOn(lowMask, highMask, l)) sent[(others[l]! >> 2) & (lanesOf(c) - 1)] = words[l]!;
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
      const from = first ? on : (on < 32 ? low : high).I[lane + (on & 31)]! & (lanesOf(c) - 1);
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

/** The wave counts its copies: a half whose lanes are off has another one under way too, an empty one. */
const commitCopies: Maker = () => (low, high) => {
  for (const half of new Set([low, high])) {
    half.copyGroups.push(half.openCopies);
    half.openCopies = [];
  }
};

const MAKERS: Readonly<Record<string, Maker>> = byName({
  sync: () => () => {},
  commit_copies: commitCopies,
  dpp,
  bpermute: moved((c) => (l, index) => (index[l]! >> 2) & (lanesOf(c) - 1), true),
  permute,
  permlanex16,
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
  wmma,
});

/** The work that the two halves of a wave do when they meet at an instruction. */
export function waveExchange(c: InstructionCompiler): Exchange {
  const make = MAKERS[c.op.modifiers[0] ?? ""];
  if (!make) throw new NotModelled("no such operation of a wave");
  return make(c);
}

/** An instruction of a wave of 32 lanes: one warp does it. */
export const wave32: Rule = (c) => {
  const exchange = waveExchange(c);
  c.emit((warp, mask) => exchange(warp, warp, mask, 0));
};
