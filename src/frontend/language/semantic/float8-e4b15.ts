/**
 * Casts from and to fp8e4b15, which no GPU has: PTX that works on four elements at a time.
 * Source: third_party/nvidia/language/cuda/utils.py.
 */
import type { Semantic } from "../semantic.js";
import { FLOAT8E4B15, FLOAT16, withElement } from "../types.js";
import type { Tensor } from "../values.js";
import { emitAsm } from "./emit.js";

/** fp16 of fp8e4b15. */
export const halfOfFloat8 = (s: Semantic, x: Tensor): Tensor =>
  emitAsm(s, { asm: TO_HALF, constraints: "=r,=r,r", isPure: true, pack: 4 }, [x], [withElement(x.type, FLOAT16)])[0]!;

/** fp8e4b15 of fp16. */
export function float8OfHalf(s: Semantic, half: Tensor): Tensor {
  const asm = fromHalf(s.options.gpu.cuda?.nanExtrema ?? true);
  return emitAsm(s, { asm, constraints: "=r,r,r", isPure: true, pack: 4 }, [half], [withElement(half.type, FLOAT8E4B15)])[0]!;
}

/** Statements in lines of 40 characters, as upstream lays them out: the text is part of the IR. */
const TO_HALF = [
  "{",
  ".reg .b32 a<2>, b<2>;",
  "prmt.b32 a0, 0, $2, 0x5746;",
  "and.b32 b0, a0, 0x7f007f00;",
  "and.b32 b1, a0, 0x00ff00ff;",
  "and.b32 a1, a0, 0x00800080;",
  "shr.b32  b0, b0, 1;",
  "add.u32 b1, b1, a1;",
  "lop3.b32 $0, b0, 0x80008000, a0, 0xf8;",
  "shl.b32 $1, b1, 7;",
  "}",
]
  .map((line) => `${line.padEnd(39)}\n`)
  .join("");

/** Clamps to the largest value, then shifts and packs. Before sm_80 there is no `min.f16x2`. */
function fromHalf(hasMin: boolean): string {
  const declared = [
    ".reg .pred p<4>;",
    ".reg .b32 a<2>, b<2>;",
    ".reg .b16 c<4>;",
    ".reg .b16 max_val_f16;",
    ".reg .b32 max_val_f16x2;",
    "mov.b16 max_val_f16,   0x3F00;",
    "mov.b32 max_val_f16x2, 0x3F003F00;",
    "and.b32 a0, $1, 0x7fff7fff;",
    "and.b32 a1, $2, 0x7fff7fff;",
  ];
  const withMin = ["min.f16x2 a0, a0, max_val_f16x2;", "min.f16x2 a1, a1, max_val_f16x2;"];
  const withSelect = [
    "setp.lt.f16x2  p0|p1, a0, max_val_f16x2;",
    "setp.lt.f16x2  p2|p3, a1, max_val_f16x2;",
    "mov.b32 {c0, c1}, a0;",
    "mov.b32 {c2, c3}, a1;",
    "selp.b16  c0, c0, max_val_f16, p0;",
    "selp.b16  c1, c1, max_val_f16, p1;",
    "selp.b16  c2, c2, max_val_f16, p2;",
    "selp.b16  c3, c3, max_val_f16, p3;",
    "mov.b32 a0, {c0, c1};",
    "mov.b32 a1, {c2, c3};",
  ];
  const packed = [
    "mad.lo.u32 a0, a0, 2, 0x00800080;",
    "mad.lo.u32 a1, a1, 2, 0x00800080;",
    "lop3.b32 b0, $1, 0x80008000, a0, 0xea;",
    "lop3.b32 b1, $2, 0x80008000, a1, 0xea;",
    "prmt.b32 $0, b0, b1, 0x7531;",
    "}",
  ];
  const lines = (list: readonly string[], indent: number) => list.join(`\n${" ".repeat(indent)}`);
  return `{\n${" ".repeat(12)}${lines(declared, 12)}${lines(hasMin ? withMin : withSelect, 18)}${lines(packed, 14)}`;
}
