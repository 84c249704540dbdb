/** The fragments of matrix instructions as types with layouts, so that who holds what is computed and not written down. */

interface Fragment {
  readonly title: string;
  /** A tensor type with the layout of the fragment. */
  readonly type: string;
}

const BITS: Readonly<Record<string, number>> = { f64: 64, f32: 32, tf32: 32, s32: 32, f16: 16, bf16: 16, e4m3: 8, e5m2: 8, s8: 8, u8: 8 };
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
