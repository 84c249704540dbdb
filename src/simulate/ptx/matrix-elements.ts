/** Elements of matrix operands, as registers and shared memory hold them. */
import { byName } from "../../support/by-name.js";
import { bf16ToF32, halfValues } from "../numbers/half.js";
import { type SmallFloatKind, valuesOf } from "../numbers/small-float.js";
import { NotModelled } from "./instruction-compiler.js";

/** The value of an element of a word of a fragment, or of a piece of 16 bytes whose words begin at `at`. */
export type Decode = (word: number, element: number) => number;

const f32 = new Float32Array(1);
const i32 = new Int32Array(f32.buffer);

const SMALL: Readonly<Record<string, SmallFloatKind>> = byName({
  e4m3: "f8E4M3FN",
  e5m2: "f8E5M2",
  e2m3: "f6E2M3FN",
  e3m2: "f6E3M2FN",
  e2m1: "f4E2M1FN",
});

/** Bits of an element, and its value in a word. */
export function decoder(type: string): { readonly bits: number; readonly value: Decode } {
  switch (type) {
    case "f16": {
      const values = halfValues();
      return { bits: 16, value: (word, e) => values[(word >>> (16 * e)) & 0xffff]! };
    }
    case "bf16":
      return { bits: 16, value: (word, e) => bf16ToF32((word >>> (16 * e)) & 0xffff) };
    case "tf32":
      return {
        bits: 32,
        value: (word) => {
          i32[0] = word & 0xffffe000;
          return f32[0]!;
        },
      };
    case "e4m3":
    case "e5m2": {
      const values = valuesOf(SMALL[type]!);
      return { bits: 8, value: (word, e) => values[(word >>> (8 * e)) & 255]! };
    }
    case "e2m1": {
      const values = valuesOf("f4E2M1FN");
      return { bits: 4, value: (word, e) => values[(word >>> (4 * e)) & 15]! };
    }
    case "s8":
      return { bits: 8, value: (word, e) => (word << (24 - 8 * e)) >> 24 };
    case "u8":
      return { bits: 8, value: (word, e) => (word >>> (8 * e)) & 255 };
    case "s4":
      return { bits: 4, value: (word, e) => (word << (28 - 4 * e)) >> 28 };
    case "u4":
      return { bits: 4, value: (word, e) => (word >>> (4 * e)) & 15 };
    default:
      throw new NotModelled(`elements of .${type}`);
  }
}

/** Puts the elements of the 16 bytes at a word into `out`, `step` apart. */
export interface PieceReader {
  readonly count: number;
  /** Those that hold elements. */
  readonly bytes: number;
  readonly read: (words: Int32Array, at: number, out: Float64Array, to: number, step: number) => void;
}

/** Reads pieces of 16 bytes. `padded`: sixteen elements of 4 or 6 bits to a piece, with padding after them. */
export function pieceReader(type: string, padded = false): PieceReader {
  if (padded && SMALL[type] !== undefined && /^e(?:2m1|2m3|3m2)$/.test(type)) return paddedReader(type);
  const { bits, value } = decoder(type);
  const perWord = 32 / bits;
  return {
    count: 4 * perWord,
    bytes: 16,
    read: (words, at, out, to, step) => {
      for (let w = 0, i = to; w < 4; w++) {
        const word = words[at + w]!;
        for (let e = 0; e < perWord; e++, i += step) out[i] = value(word, e);
      }
    },
  };
}

function paddedReader(type: string): PieceReader {
  const values = valuesOf(SMALL[type]!);
  const bits = type === "e2m1" ? 4 : 6;
  return {
    count: 16,
    bytes: 2 * bits,
    read: (words, at, out, to, step) => {
      for (let e = 0, i = to; e < 16; e++, i += step) {
        const bit = e * bits;
        const [word, shift] = [at + (bit >> 5), bit & 31];
        const low = words[word]! >>> shift;
        const both = shift + bits > 32 ? low | (words[word + 1]! << (32 - shift)) : low;
        out[i] = values[both & ((1 << bits) - 1)]!;
      }
    },
  };
}
