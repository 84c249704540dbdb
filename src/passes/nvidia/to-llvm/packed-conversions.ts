/**
 * Conversions of f8 floats, and of packed integers to bf16, as PTX: several elements at once, packed in words. Which text is used
 * depends on what the hardware converts itself. The texts, spaces included, are those that Triton emits.
 * Source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ElementwiseOpToLLVM.cpp.
 */
import type { GpuTarget } from "../../../gpu/nvidia.js";

/** PTX that converts `count` elements; `$0` and following are the words written, then those read. */
export interface PackedConversion {
  readonly text: string;
  /** Bits of a word read and of one written. */
  readonly inWidth: number;
  readonly outWidth: number;
  readonly count: number;
}

/** Lines of which all but the last are filled with spaces to the same width. */
const padded = (width: number, lines: readonly string[]): string =>
  lines.map((line, i) => (i < lines.length - 1 ? line.padEnd(width) : line)).join("\n");

/** Words read and written, and the elements in them. */
const FOUR = { inWidth: 32, outWidth: 32, count: 4 } as const;
const NARROWED_PAIR = { inWidth: 32, outWidth: 16, count: 2 } as const;
const WIDENED_PAIR = { inWidth: 16, outWidth: 32, count: 2 } as const;

/** Strips the lowest bit, adds half where numbers are rounded to the nearest, and keeps the upper bytes. */
const f16ToE5m2 = (...rounding: readonly string[]): PackedConversion => ({
  ...FOUR,
  text: padded(29, [
    "{",
    ".reg .b32 a<2>;",
    "and.b32 a0, $1, 0xfffefffe;",
    "and.b32 a1, $2, 0xfffefffe;",
    ...rounding,
    "prmt.b32 $0, a0, a1, 0x7531;",
    "\t}",
  ]),
});
/** By the hardware, through f32. */
const bf16ToPair = (kind: string): PackedConversion => ({
  ...NARROWED_PAIR,
  text: padded(40, [
    "{",
    ".reg .b16 a<2>;",
    ".reg .f32 b<2>;",
    "mov.b32 {a0, a1}, $1;",
    "cvt.f32.bf16 b0, a0;",
    "cvt.f32.bf16 b1, a1;",
    `cvt.rn.satfinite.${kind}x2.f32 $0, b1, b0;`,
    "}",
  ]),
});

const F16_TO_E5M2 = (native: boolean): PackedConversion =>
  native
    ? { ...NARROWED_PAIR, text: padded(38, ["cvt.rn.satfinite.e5m2x2.f16x2 $0, $1;", "\t"]) }
    : f16ToE5m2("add.u32 a0, a0, 0x00800080;", "add.u32 a1, a1, 0x00800080;");
const F16_TO_E5M2_RTZ = f16ToE5m2();
/** The byte is the upper half of the f16. */
const E5M2_TO_F16 = (native: boolean): PackedConversion =>
  native
    ? { ...WIDENED_PAIR, text: padded(28, ["cvt.rn.f16x2.e5m2x2 $0, $1;", "\t"]) }
    : {
        ...FOUR,
        text: padded(28, ["{", "prmt.b32 $0, 0, $2, 0x5140;", "\tprmt.b32 $1, 0, $2, 0x7362; ", "\t}"]),
      };
/** Shifts into place, and multiplies by 2^112 for the other exponent. */
const E5M2_TO_BF16 = (native: boolean): PackedConversion =>
  native
    ? {
        ...FOUR,
        text: padded(39, [
          "{                                       ",
          ".reg .b32 a<2>, b<2>;",
          ".reg .b32 e112;",
          "mov.u32 e112, 0x77807780;",
          "prmt.b32 a0, 0, $2, 0x5140;",
          "prmt.b32 a1, 0, $2, 0x7362;",
          "lop3.b32 b0, a0, 0x7fff7fff, 0, 0xc0;",
          "lop3.b32 b1, a1, 0x7fff7fff, 0, 0xc0;",
          "shr.b32  b0, b0, 3;",
          "shr.b32  b1, b1, 3;",
          "lop3.b32 b0, b0, 0x80008000, a0, 0xf8;",
          "lop3.b32 b1, b1, 0x80008000, a1, 0xf8;",
          "mul.rn.bf16x2 $0, b0, e112;",
          "mul.rn.bf16x2 $1, b1, e112;",
          "}",
        ]),
      }
    : {
        ...FOUR,
        text: padded(41, [
          "{",
          ".reg .b32 a<2>, b<2>, c<4>, d<4>, e112;",
          "mov.u32 e112, 0x77800000;",
          "prmt.b32 a0, 0, $2, 0x5140;",
          "prmt.b32 a1, 0, $2, 0x7362;",
          "lop3.b32 b0, a0, 0x7fff7fff, 0, 0xc0;",
          "lop3.b32 b1, a1, 0x7fff7fff, 0, 0xc0;",
          "shr.b32  b0, b0, 3;",
          "shr.b32  b1, b1, 3;",
          "and.b32 c0, b0, 0xFFFF0000;",
          "shl.b32 c1, b0, 16;",
          "and.b32 c2, b1, 0xFFFF0000;",
          "shl.b32 c3, b1, 16;",
          "mul.f32 d0, c0, e112;",
          "mul.f32 d1, c1, e112;",
          "mul.f32 d2, c2, e112;",
          "mul.f32 d3, c3, e112;",
          "prmt.b32 b0, d0, d1, 0x3276;",
          "prmt.b32 b1, d2, d3, 0x3276;",
          "lop3.b32 $0, b0, 0x80008000, a0, 0xf8;",
          "lop3.b32 $1, b1, 0x80008000, a1, 0xf8;",
          "}",
        ]),
      };
/** Clamps, rounds, takes the difference of the exponents off and shifts into place. */
const BF16_TO_E5M2 = (native: boolean): PackedConversion =>
  native
    ? bf16ToPair("e5m2")
    : {
        ...FOUR,
        text: padded(44, [
          "{",
          ".reg .u32 sign, sign<2>, nosign, nosign<2>;",
          ".reg .u32 fp8_min, fp8_max, rn_;",
          "mov.u32 fp8_min, 0x38003800;",
          "mov.u32 fp8_max, 0x57e057e0;",
          "mov.u32 rn_, 0x00100010;",
          "and.b32 sign0, $1, 0x80008000;",
          "and.b32 sign1, $2, 0x80008000;",
          "prmt.b32 sign, sign0, sign1, 0x7531;",
          "and.b32 nosign0, $1, 0x7fff7fff;",
          "and.b32 nosign1, $2, 0x7fff7fff;",
          ".reg .u32 nosign_0_<2>, nosign_1_<2>;",
          "and.b32 nosign_0_0, nosign0, 0xffff0000;",
          "max.u32 nosign_0_0, nosign_0_0, 0x38000000;",
          "min.u32 nosign_0_0, nosign_0_0, 0x57e00000;",
          "and.b32 nosign_0_1, nosign0, 0x0000ffff;",
          "max.u32 nosign_0_1, nosign_0_1, 0x3800;",
          "min.u32 nosign_0_1, nosign_0_1, 0x57e0;",
          "or.b32 nosign0, nosign_0_0, nosign_0_1;",
          "and.b32 nosign_1_0, nosign1, 0xffff0000;",
          "max.u32 nosign_1_0, nosign_1_0, 0x38000000;",
          "min.u32 nosign_1_0, nosign_1_0, 0x57e00000;",
          "and.b32 nosign_1_1, nosign1, 0x0000ffff;",
          "max.u32 nosign_1_1, nosign_1_1, 0x3800;",
          "min.u32 nosign_1_1, nosign_1_1, 0x57e0;",
          "or.b32 nosign1, nosign_1_0, nosign_1_1;",
          "add.u32 nosign0, nosign0, rn_;",
          "add.u32 nosign1, nosign1, rn_;",
          "sub.u32 nosign0, nosign0, 0x38003800;",
          "sub.u32 nosign1, nosign1, 0x38003800;",
          "shl.b32 nosign0, nosign0, 3;",
          "shl.b32 nosign1, nosign1, 3;",
          "prmt.b32 nosign, nosign0, nosign1, 0x7531;",
          "or.b32 $0, nosign, sign;",
          "}",
        ]),
      };
/** By the hardware, from sm_89 on. */
const E4M3_TO_F16: PackedConversion = { ...WIDENED_PAIR, text: padded(2, ["{", "cvt.rn.f16x2.e4m3x2 $0, $1; ", "}"]) };
/** By the hardware, from sm_89 on. */
const F16_TO_E4M3: PackedConversion = {
  ...NARROWED_PAIR,
  text: padded(2, ["{", "cvt.rn.satfinite.e4m3x2.f16x2 $0, $1; ", "}"]),
};
/** Through f16, and f32 where the hardware has no way from f16 to bf16. */
const E4M3_TO_BF16 = (native: boolean): PackedConversion =>
  native
    ? {
        ...WIDENED_PAIR,
        text: padded(40, [
          "{",
          ".reg .b32 a;",
          ".reg .f16 a<2>;",
          ".reg .b16 b<2>;",
          "cvt.rn.f16x2.e4m3x2 a, $1;",
          "mov.b32 {a0, a1}, a;",
          "cvt.bf16.f16 b0, a0;",
          "cvt.bf16.f16 b1, a1;",
          "mov.b32 $0, {b0, b1};",
          "}",
        ]),
      }
    : {
        ...WIDENED_PAIR,
        text: padded(40, [
          "{",
          ".reg .b32 a;",
          ".reg .f16 a<2>;",
          ".reg .f32 b<2>;",
          ".reg .b16 c<2>;",
          "cvt.rn.f16x2.e4m3x2 a, $1;",
          "mov.b32 {a0, a1}, a;",
          "cvt.f32.f16 b0, a0;",
          "cvt.f32.f16 b1, a1;",
          "cvt.rn.bf16.f32 c0, b0;",
          "cvt.rn.bf16.f32 c1, b1;",
          "mov.b32 $0, {c0, c1};",
          "}",
        ]),
      };
const BF16_TO_E4M3 = bf16ToPair("e4m3");
/** By the hardware. */
const F32_TO_E4M3: PackedConversion = {
  ...NARROWED_PAIR,
  text: padded(41, ["cvt.rn.satfinite.e4m3x2.f32  $0, $2, $1;", ""]),
};
/** By the hardware. */
const F32_TO_E5M2: PackedConversion = {
  ...NARROWED_PAIR,
  text: padded(40, ["cvt.rn.satfinite.e5m2x2.f32 $0, $2, $1;", ""]),
};

/** The conversion of floats between these kinds, with `rtne` or `rtz` for those that round; undefined when there is none. */
export function f8Conversion(from: string, to: string, rounding: string | undefined, gpu: GpuTarget): PackedConversion | undefined {
  const bf16 = gpu.bf16 === "arithmetic";
  switch (`${from} ${to} ${rounding ?? ""}`.trim()) {
    case "f8E4M3FN f16":
      return E4M3_TO_F16;
    case "f8E5M2 f16":
      return E5M2_TO_F16(gpu.fp8Pairs);
    case "f16 f8E4M3FN rtne":
      return F16_TO_E4M3;
    case "f16 f8E5M2 rtne":
      return F16_TO_E5M2(gpu.fp8Pairs);
    case "f16 f8E5M2 rtz":
      return F16_TO_E5M2_RTZ;
    case "f8E5M2 bf16":
      return E5M2_TO_BF16(bf16);
    case "f8E4M3FN bf16":
      return E4M3_TO_BF16(bf16);
    case "bf16 f8E5M2 rtne":
      return BF16_TO_E5M2(gpu.fp8Pairs);
    case "bf16 f8E4M3FN rtne":
      return BF16_TO_E4M3;
    case "f32 f8E4M3FN rtne":
      return F32_TO_E4M3;
    case "f32 f8E5M2 rtne":
      return F32_TO_E5M2;
  }
  return undefined;
}

/** Four bytes to four bf16. */
export function s8ToBf16(gpu: GpuTarget): PackedConversion {
  const text =
    gpu.bf16 === "arithmetic"
      ? padded(32, [
          "{",
          ".reg .b32 l<3>;",
          ".reg .b32 h<3>;",
          "prmt.b32 l0, $2, 0x43, 0x4140;",
          "prmt.b32 h0, $2, 0x43, 0x4342;",
          "and.b32 l1, l0, 0xff7fff7f;",
          "and.b32 h1, h0, 0xff7fff7f;",
          "and.b32 l2, l0, 0xff80ff80;",
          "and.b32 h2, h0, 0xff80ff80;",
          "sub.bf16x2 $0, l1, l2;",
          "sub.bf16x2 $1, h1, h2;",
          "}",
        ])
      : padded(44, [
          "{",
          ".reg .s8 s<4>;",
          ".reg .f32 f<4>;",
          "mov.b32 {s0, s1, s2, s3}, $2;",
          "cvt.rn.f32.s8 f0, s0;",
          "cvt.rn.f32.s8 f1, s1;",
          "cvt.rn.f32.s8 f2, s2;",
          "cvt.rn.f32.s8 f3, s3;",
          "prmt.b32 $0, f0, f1, 0x7632;",
          "prmt.b32 $1, f2, f3, 0x7632;",
          "}",
        ]);
  return { ...FOUR, text };
}
