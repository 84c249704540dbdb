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
  const found = /^(?:v_)?(mfma|wmma)_(?:scale_)?(f32|f64|f16|bf16|i32)_(\d+)x(\d+)x(\d+)_?(?:\d+b_)?(\w+)$/.exec(mnemonic);
  if (!found) return [];
  const [, family, acc = "", ...rest] = found;
  const shape = rest.slice(0, 3).map(Number) as [number, number, number];
  const [type = "", variant] = (rest[3] ?? "").split("_");
  const bits = type === "f8f6f4" ? 8 : (AMD_BITS[type] ?? BITS[type]);
  if (bits === undefined || bits < 8) return [];
  const [m, n, k] = shape;
  if (type === "f8f6f4") {
    const ofBytes = (depth: number, suffix: string) =>
      family === "mfma" ? mfmaFragments([m, n, depth], 8, acc, suffix) : wmmaFragments([m, n, depth], 8, acc, 3, suffix);
    // Two elements of 4 bits are a byte.
    return [...ofBytes(k, family === "mfma" ? "" : " on gfx1250"), ...ofBytes(k / 2, " of 4 bits, two in each byte").slice(0, 2)];
  }
  if (family === "mfma") {
    // A lane has at least so many elements of each operand. An instruction does several products where one has fewer.
    const least = acc === "f64" || bits === 32 ? 1 : type === "bf16" && variant !== "1k" ? 2 : 4;
    const products = least / ((m * k) / 64);
    return products > 1 ? manyProducts(shape, bits, acc, products) : mfmaFragments(shape, bits, acc, "");
  }
  const onGfx1250 = k !== 16;
  return onGfx1250
    ? wmmaFragments(shape, bits, acc, 3, " on gfx1250")
    : [
        ...wmmaFragments(shape, bits, acc, 2, " on gfx12"),
        ...(type.endsWith("8") && type !== "iu8" ? [] : wmmaFragments(shape, bits, acc, 1, " on gfx11")),
      ];
}

const AMD_TYPES: Readonly<Record<string, string>> = byName({ i32: "i32", f64: "f64" });

/**
 * The fragments of an instruction that does several products, such as 16 of 4x4, each of other lanes: their rows of `a` below each other, their
 * columns of `b` beside each other. In results of 4x4 each lane has a column of one product; others have one product after another.
 */
function manyProducts([m, n, k]: Shape, bits: number, acc: string, products: number): readonly Fragment[] {
  if (acc === "f64") return [];
  const powers = (count: number): readonly number[] => Array.from({ length: Math.log2(count) }, (_, i) => 2 ** i);
  const linear = (register: readonly string[], lane: readonly string[]): string =>
    `#ttg.linear<{register = [${register.join(", ")}], lane = [${lane.join(", ")}], warp = [], block = []}>`;
  const down = (count: number): readonly string[] => powers(count).map((at) => `[${at}, 0]`);
  const along = (count: number): readonly string[] => powers(count).map((at) => `[0, ${at}]`);
  const many = `${products} products, `;
  const result = AMD_TYPES[acc] ?? "f32";
  const accumulator: Fragment =
    m === 4
      ? {
          title: `c and d: ${many}beside each other: 4 x 64`,
          type: `tensor<4x64x${result}, ${linear(down(4), along(64))}>`,
        }
      : {
          title: `c and d: ${many}below each other: ${products * m} x ${n}`,
          type: `tensor<${products * m}x${n}x${result}, ${mfma([m, n, k], "")}>`,
        };
  return [
    { title: `a: ${many}below each other: 64 x ${k}`, type: `tensor<64x${k}x${TYPES[bits]}, ${linear(along(k), down(64))}>` },
    { title: `b: ${many}beside each other: ${k} x 64`, type: `tensor<${k}x64x${TYPES[bits]}, ${linear(down(k), along(64))}>` },
    accumulator,
  ];
}
type Shape = readonly [number, number, number];
const mfma = (shape: Shape, more: string): string =>
  `#ttg.amd_mfma<{version = 4, warpsPerCTA = [1, 1], instrShape = [${shape.join(", ")}], isTransposed = false${more}}>`;

function mfmaFragments([m, n, k]: Shape, bits: number, acc: string, suffix: string): readonly Fragment[] {
  const perLane = (m * k) / 64;
  const wide = acc === "f64" ? ", elementBitWidth = 64" : "";
  return products([m, n, k], bits, AMD_TYPES[acc] ?? "f32", mfma([m, n, k], wide), Math.min(perLane, 128 / bits), suffix);
}
function wmmaFragments([m, n, k]: Shape, bits: number, acc: string, version: number, suffix: string): readonly Fragment[] {
  const kWidth = version === 1 ? 16 : version === 2 ? 8 : bits === 32 ? 2 : 16;
  const instrShape = k === 16 ? "" : `, instrShape = [${m}, ${n}, ${k}]`;
  const mma = `#ttg.amd_wmma<{version = ${version}, isTranspose = false, warpsPerCTA = [1, 1]${instrShape}}>`;
  return products([m, n, k], bits, AMD_TYPES[acc] ?? "f32", mma, kWidth, suffix);
}
function products([m, n, k]: Shape, bits: number, acc: string, mma: string, kWidth: number, suffix: string): readonly Fragment[] {
  const side = (index: number, rows: number, columns: number): string =>
    `tensor<${rows}x${columns}x${TYPES[bits]}, #ttg.dot_op<{opIdx = ${index}, parent = ${mma}, kWidth = ${kWidth}}>>`;
  return [
    { title: `a${suffix}: ${m} x ${k}`, type: side(0, m, k) },
    { title: `b${suffix}: ${k} x ${n}`, type: side(1, k, n) },
    { title: `c and d${suffix}: ${m} x ${n}`, type: `tensor<${m}x${n}x${acc}, ${mma}>` },
  ];
}
