/** Instructions of AMD's GPUs for each lane by itself, which PTX has no name for: `amd.OPERATION`. */

import type { Operand } from "../../../ptx/instruction.js";
import { byName } from "../../../support/by-name.js";
import { encode, type SmallFloatKind, valuesOf } from "../../numbers/small-float.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";

const KINDS: Readonly<Record<string, SmallFloatKind>> = byName({
  f16: "f16",
  bf16: "bf16",
  e4m3: "f8E4M3FN",
  e5m2: "f8E5M2",
  e4m3fnuz: "f8E4M3FNUZ",
  e5m2fnuz: "f8E5M2FNUZ",
  e2m1: "f4E2M1FN",
});
const WIDTH: Readonly<Record<string, number>> = byName({ f16: 16, bf16: 16, f32: 32, e2m1: 4 });
const widthOf = (type: string): number => WIDTH[type] ?? 8;
const parts = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);

const float = new Float32Array(1);
const word = new Int32Array(float.buffer);
const floatOf = (bits: number): number => {
  word[0] = bits;
  return float[0]!;
};
const bitsOf = (value: number): number => {
  float[0] = value;
  return word[0]!;
};

function forLanes(c: InstructionCompiler, body: (I: Int32Array, lane: number) => void): void {
  c.emit(({ I }, mask) => {
    for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) body(I, l);
  });
}

/** `amd.unpack.TO.FROM d, a, place, scale`: two floats of a word, from the one at `place` pairs on; registers of `d` hold one or two. */
function unpack(c: InstructionCompiler): void {
  const [to = "", from = ""] = c.op.modifiers.slice(1);
  const values = valuesOf(KINDS[from]!);
  const source = c.source(c.operand(1), 32);
  const place = c.immediate(c.operand(2));
  const scale = c.source(c.operand(3), 32);
  const targets = parts(c.operand(0)).map((o) => c.dest(o, 32));
  const bits = widthOf(from);
  const wide = KINDS[to];
  forLanes(c, (I, l) => {
    const pair = [0, 1].map((i) => values[(I[source + l]! >>> (bits * (2 * place + i))) & ((1 << bits) - 1)]! * floatOf(I[scale + l]!));
    if (!wide) targets.forEach((row, i) => void (I[row + l] = bitsOf(pair[i]!)));
    else I[targets[0]! + l] = encode(wide, pair[0]!) | (encode(wide, pair[1]!) << 16);
  });
}

/** `amd.pack.TO.ROUNDING d, a, b, old, place, scale`: two f32, divided by the scale, as a part of a word; the rest is `old`. */
function pack(c: InstructionCompiler): void {
  const [to = "", rounding] = c.op.modifiers.slice(1);
  const kind = KINDS[to]!;
  const [a, b, old] = [1, 2, 3].map((i) => c.source(c.operand(i), 32)) as [number, number, number];
  const place = c.immediate(c.operand(4));
  const scale = c.source(c.operand(5), 32);
  const target = c.dest(c.operand(0), 32);
  const saturates = c.has("sat");
  const bits = widthOf(to);
  const shift = 2 * bits * place;
  const keep = bits === 16 ? 0 : ~(0xffff << shift);
  forLanes(c, (I, l) => {
    const by = floatOf(I[scale + l]!);
    const [x, y] = [a, b].map((row) => encode(kind, floatOf(I[row + l]!) / by, rounding === "rz" ? "rz" : "rn", saturates));
    I[target + l] = (I[old + l]! & keep) | ((x! | (y! << bits)) << shift);
  });
}

/** `amd.perm d, high, low, selector`: four bytes of eight; numbers above 7 are signs, 0 and 255. */
function perm(c: InstructionCompiler): void {
  const [high, low, selector] = [1, 2, 3].map((i) => c.source(c.operand(i), 32)) as [number, number, number];
  const target = c.dest(c.operand(0), 32);
  const byte = (value: number, i: number) => (value >>> (8 * i)) & 255;
  forLanes(c, (I, l) => {
    const pick = (s: number): number => {
      if (s < 4) return byte(I[low + l]!, s);
      if (s < 8) return byte(I[high + l]!, s - 4);
      // The sign of one of the four halves.
      if (s < 12) return (((s < 10 ? I[low + l]! : I[high + l]!) << (s & 1 ? 0 : 16)) >> 31) & 255;
      return s === 12 ? 0 : 255;
    };
    let out = 0;
    for (let i = 0; i < 4; i++) out |= pick(byte(I[selector + l]!, i)) << (8 * i);
    I[target + l] = out;
  });
}

/** `amd.class d, a, classes`: 1 where the f32 is of one of the classes, by LLVM's numbers of them. */
function classOf(c: InstructionCompiler): void {
  const source = c.source(c.operand(1), 32);
  const classes = c.immediate(c.operand(2));
  const target = c.dest(c.operand(0), 32);
  forLanes(c, (I, l) => {
    const bits = I[source + l]!;
    const magnitude = bits & 0x7fffffff;
    let number: number;
    if (magnitude > 0x7f800000) number = bits & 0x400000 ? 1 : 0;
    else {
      // Infinite, normal, subnormal, zero: from -infinity on upwards.
      const kind = magnitude === 0x7f800000 ? 0 : magnitude >= 0x800000 ? 1 : magnitude > 0 ? 2 : 3;
      number = bits < 0 ? 2 + kind : 9 - kind;
    }
    I[target + l] = (classes >> number) & 1;
  });
}

export const amd: Rule = (c) => {
  const operation = c.op.modifiers[0];
  if (operation === "unpack") unpack(c);
  else if (operation === "pack") pack(c);
  else if (operation === "perm") perm(c);
  else if (operation === "class") classOf(c);
  else throw new NotModelled("no such instruction");
};
