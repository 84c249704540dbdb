/** The fragments of matrix instructions as types with layouts, so that who holds what is computed and not written down. */

import { byName } from "../../support/by-name.js";

export interface Fragment {
  readonly title: string;
  /** A tensor type with the layout of the fragment. */
  readonly type: string;
}

/** Element types of AMD's instructions; those of 4 and 6 bits are chosen by operands. */
const AMD_BITS: Readonly<Record<string, number>> = byName({ xf32: 32, fp8: 8, bf8: 8, i8: 8, iu8: 8, iu4: 4 });
const BITS: Readonly<Record<string, number>> = byName({
  f64: 64,
  f32: 32,
  tf32: 32,
  s32: 32,
  f16: 16,
  bf16: 16,
  e4m3: 8,
  e5m2: 8,
  s8: 8,
  u8: 8,
});
/** Element types of MLIR of so many bits: layouts ask for no more. */
const TYPES: Readonly<Record<number, string>> = { 8: "i8", 16: "f16", 32: "f32", 64: "f64" };

/** The fragments of an instruction by its name and all modifiers; those not given are taken as in `mma.sync.m16n8k16` of f16. */
export function fragmentsOf(name: string, modifiers: readonly string[]): readonly Fragment[] {
  switch (name) {
    case "mma.sync":
      return mmaFragments(modifiers);
    case "ldmatrix":
    case "stmatrix":
      return [{ title: "Four matrices (.x4) as operand a of mma.sync.m16n8k16", type: operand(0, 16, 16, 16) }];
    case "wgmma.mma_async":
      return [
        {
          title: "Accumulator of 64 rows, its first 8 columns; the others repeat them",
          type: "tensor<64x8xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>>",
        },
      ];
    case "tcgen05.ld":
    case "tcgen05.st":
      return [
        {
          title: "32 rows of 8 columns as .32x32b.x8",
          type: "tensor<32x8xf32, #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>>",
        },
      ];
    default:
      return [];
  }
}

function mmaFragments(modifiers: readonly string[]): readonly Fragment[] {
  const [, m, n, k] = modifiers.map((part) => /^m(\d+)n(\d+)k(\d+)$/.exec(part)).find((found) => found !== null) ?? ["", "16", "8", "16"];
  const types = modifiers.filter((part) => part in BITS);
  const bits = BITS[types.at(-3) ?? "f16"]!;
  // Only these are Triton's: the layout has no others.
  if (m !== "16" || n !== "8" || bits === 64) return [];
  return [
    { title: `a: ${m} x ${k}`, type: operand(0, 16, Number(k), bits) },
    { title: `b: ${k} x ${n}`, type: operand(1, Number(k), 8, bits) },
    { title: `c and d: ${m} x ${n}`, type: `tensor<16x8xf32, ${MMA}>` },
  ];
}

const MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
const operand = (index: number, rows: number, columns: number, bits: number): string =>
  `tensor<${rows}x${columns}x${TYPES[bits]}, #ttg.dot_op<{opIdx = ${index}, parent = ${MMA}, kWidth = ${32 / bits}}>>`;

/** The fragments of a matrix instruction of AMD's: `mfma_f32_32x32x8f16`, `v_mfma_f32_32x32x8_f16`, `wmma_f32_16x16x16_f16`. */
export function amdFragmentsOf(mnemonic: string): readonly Fragment[] {
  const found = /^(?:v_)?(mfma|wmma)_(?:scale_)?(f32|f64|f16|bf16|i32)_(\d+)x(\d+)x(\d+)_?(\w+)$/.exec(mnemonic);
  if (!found) return [];
  const [, family, acc = "", ...rest] = found;
  const shape = rest.slice(0, 3).map(Number) as [number, number, number];
  const [type = ""] = (rest[3] ?? "").split("_");
  const bits = type === "f8f6f4" ? 8 : (AMD_BITS[type] ?? BITS[type]);
  if (bits === undefined || bits < 8) return [];
  if (family === "mfma") return mfmaFragments(shape, bits, acc);
  const [, , k] = shape;
  const onGfx1250 = k !== 16;
  return onGfx1250
    ? wmmaFragments(shape, bits, acc, 3, "gfx1250")
    : [
        ...wmmaFragments(shape, bits, acc, 2, "gfx12"),
        ...(type.endsWith("8") && type !== "iu8" ? [] : wmmaFragments(shape, bits, acc, 1, "gfx11")),
      ];
}

const AMD_TYPES: Readonly<Record<string, string>> = byName({ i32: "i32", f64: "f64" });

function mfmaFragments([m, n, k]: readonly [number, number, number], bits: number, acc: string): readonly Fragment[] {
  // A 4x4 instruction does 16 products beside each other, which Triton's layouts take as one of 64x4.
  if (m < 16) return [];
  const perLane = (m * k) / 64;
  const wide = acc === "f64" ? ", elementBitWidth = 64" : "";
  const mma = `#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [${m}, ${n}, ${k}], isTransposed = false${wide}}>`;
  return products([m, n, k], bits, AMD_TYPES[acc] ?? "f32", mma, Math.min(perLane, 128 / bits), "");
}
function wmmaFragments(
  [m, n, k]: readonly [number, number, number],
  bits: number,
  acc: string,
  version: number,
  gpu: string,
): readonly Fragment[] {
  const kWidth = version === 1 ? 16 : version === 2 ? 8 : bits === 32 ? 2 : 16;
  const instrShape = k === 16 ? "" : `, instrShape = [${m}, ${n}, ${k}]`;
  const mma = `#ttg.amd_wmma<{version = ${version}, isTranspose = false, warpsPerCTA = [1, 1]${instrShape}}>`;
  return products([m, n, k], bits, AMD_TYPES[acc] ?? "f32", mma, kWidth, ` on ${gpu}`);
}
function products(
  [m, n, k]: readonly [number, number, number],
  bits: number,
  acc: string,
  mma: string,
  kWidth: number,
  where: string,
): readonly Fragment[] {
  const side = (index: number, rows: number, columns: number): string =>
    `tensor<${rows}x${columns}x${TYPES[bits]}, #ttg.dot_op<{opIdx = ${index}, parent = ${mma}, kWidth = ${kWidth}}>>`;
  return [
    { title: `a${where}: ${m} x ${k}`, type: side(0, m, k) },
    { title: `b${where}: ${k} x ${n}`, type: side(1, k, n) },
    { title: `c and d${where}: ${m} x ${n}`, type: `tensor<${m}x${n}x${acc}, ${mma}>` },
  ];
}
