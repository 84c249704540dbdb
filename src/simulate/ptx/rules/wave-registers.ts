/** Registers of the lanes of one of AMD's waves, whose halves are two warps. */

import type { Operand } from "../../../ptx/instruction.js";
import { byName } from "../../../support/by-name.js";
import { type SmallFloatKind, valuesOf } from "../../numbers/small-float.js";
import type { InstructionCompiler } from "../instruction-compiler.js";
import { type Decode, decoder } from "../matrix-elements.js";
import type { Exchange } from "../program.js";
import type { Warp } from "../warp.js";

export const LANES = 64;
/** Makes the work of an instruction. */
export type Maker = (c: InstructionCompiler) => Exchange;
export const parts = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);

/** The words of a register of all lanes of a wave. */
export function wordsOf(low: Warp, high: Warp, row: number, into: Int32Array): Int32Array {
  into.set(low.I.subarray(row, row + 32));
  into.set(high.I.subarray(row, row + 32), 32);
  return into;
}

const SMALL: Readonly<Record<string, SmallFloatKind>> = byName({ e4m3fnuz: "f8E4M3FNUZ", e5m2fnuz: "f8E5M2FNUZ" });
export function elementsOf(type: string): { readonly bits: number; readonly value: Decode } {
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

export type Scale = (warp: Warp, lane: number) => number;
/** The scale of a lane's elements: a byte of a word. */
export function scaleOf(c: InstructionCompiler, picked: Operand, word: Operand): Scale {
  const values = valuesOf("f8E8M0FNU");
  const [index, row] = [c.source(picked, 32), c.source(word, 32)];
  return ({ I }, lane) => values[(I[row + lane]! >>> (8 * (I[index + lane]! & 3))) & 255]!;
}
