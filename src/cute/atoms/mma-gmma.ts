/**
 * Hopper's warpgroup instructions, dense and sparse, for all N, by rule. The accumulator gives each of four warps 16
 * rows; A comes from registers (RS) or, like B, from shared memory (SS), where the layout is the whole tile for every
 * thread: `(_128,(M,K)):(_0,(_1,M))`.
 * Source: cute/arch/mma_sm90_gmma*.hpp, cute/atom/mma_traits_sm90_gmma*.hpp.
 */
import { layout } from "../layout.js";
import { type Layout, lit, tuple } from "../term.js";
import { threadValue } from "./fragment.js";
import type { MmaAtom } from "./mma-atom.js";

interface GmmaKind {
  readonly tag: string;
  readonly types: readonly [d: string, a: string, b: string];
  readonly ptx: string;
  /** K of the dense instruction: 256 bits of an operand. */
  readonly k: number;
  /** Whether the name says TN: only K-major operands. */
  readonly kMajorOnly: boolean;
}

const floatKind = (d: "F16" | "F32", a: string, b: string): GmmaKind => {
  const types: Readonly<Record<string, string>> = {
    F16: "half_t",
    F32: "float",
    BF16: "bfloat16_t",
    TF32: "tfloat32_t",
    E4M3: "float_e4m3_t",
    E5M2: "float_e5m2_t",
  };
  const k = a === "TF32" ? 8 : a.startsWith("E") ? 32 : 16;
  return { tag: `${d}${a}${b}`, types: [types[d]!, types[a]!, types[b]!], ptx: [d, a, b].join(".").toLowerCase(), k, kMajorOnly: k !== 16 };
};

const integerKind = (a: "S" | "U", b: "S" | "U", saturate: boolean): GmmaKind => ({
  tag: `S32${a}8${b}8`,
  types: ["int32_t", a === "S" ? "int8_t" : "uint8_t", b === "S" ? "int8_t" : "uint8_t"],
  ptx: `s32.${a.toLowerCase()}8.${b.toLowerCase()}8${saturate ? ".satfinite" : ""}`,
  k: 32,
  kMajorOnly: true,
});

const signs = [
  ["S", "S"],
  ["S", "U"],
  ["U", "S"],
  ["U", "U"],
] as const;
const fp8 = ["E4M3", "E5M2"] as const;
const kinds: ReadonlyMap<string, GmmaKind> = new Map(
  [
    floatKind("F16", "F16", "F16"),
    floatKind("F32", "F16", "F16"),
    floatKind("F32", "BF16", "BF16"),
    floatKind("F32", "TF32", "TF32"),
    ...fp8.flatMap((a) => fp8.flatMap((b) => [floatKind("F16", a, b), floatKind("F32", a, b)])),
    ...signs.map(([a, b]) => integerKind(a, b, false)),
  ].map((kind) => [kind.tag, kind]),
);

/** The N an instruction exists for: every multiple of 8 to 256; integers skip odd multiples beyond 24. */
export function gmmaColumns(tag: string): readonly number[] {
  const all = Array.from({ length: 32 }, (_, i) => 8 * (i + 1));
  return tag.startsWith("S32") ? all.filter((n) => n <= 24 || n % 16 === 0) : all;
}

const rows = [
  [8, 1],
  [4, 16],
] as const;

/** Accumulator of 64 x n. CuTe keeps the mode of size 1 that n = 8 has. */
export const accumulator = (n: number): Layout =>
  keepLastMode(
    n,
    threadValue(
      [[4, 128], ...rows],
      [
        [2, 64],
        [2, 8],
        [n / 8, 512],
      ],
    ),
  );

/** A in registers: 64 x k with `w` neighbours a thread. */
const registerOperand = (k: number): Layout => {
  const w = k / 8;
  return threadValue(
    [[4, 64 * w], ...rows],
    [
      [w, 64],
      [2, 8],
      [2, 256 * w],
    ],
  );
};

/** An operand in shared memory: every thread sees all of it. */
export const sharedOperand = (m: number, k: number): Layout =>
  layout(tuple(lit(128), tuple(lit(m), lit(k))), tuple(lit(0), tuple(lit(1), lit(m))));

function keepLastMode(n: number, l: Layout): Layout {
  if (n !== 8) return l;
  return layout(
    tuple(tuple(lit(4), lit(8), lit(4)), tuple(lit(2), lit(2), lit(1))),
    tuple(tuple(lit(128), lit(1), lit(16)), tuple(lit(64), lit(8), lit(512))),
  );
}

/** Which values the sparsity metadata of A holds where: 2 of 4 (tf32: 1 of 2) neighbours are stored. */
function metadata(k: number): Layout {
  const shape = (...t: readonly number[]) => tuple(...t.map(lit));
  if (k === 64) return layout(tuple(shape(2, 2, 8, 4), shape(32)), tuple(shape(8, 2048, 1, 16), shape(64)));
  return layout(tuple(shape(2, 2, 8, 4), shape(k / 2, 2)), tuple(shape(k * 32, 0, 1, 16), shape(64, 8)));
}

const namePattern = /^(?:SM90_|MMA_|SM90_SPARSE_|GMMA_)?64x(\d+)x(\d+)_([A-Z0-9]+)_(SS|RS)(_TN)?(_SATURATE)?$/;

/**
 * The atom of a name like `SM90_64x128x16_F32F16F16_SS`, `MMA_64x8x32_S32S8U8_RS_TN_SATURATE` or, sparse,
 * `GMMA_64x64x32_F16F16F16_SS`; undefined when no such instruction exists.
 */
export function gmmaAtom(name: string): MmaAtom | undefined {
  const match = namePattern.exec(name);
  if (!match) return undefined;
  const [n, k] = [Number(match[1]), Number(match[2])];
  const kind = kinds.get(match[3]!);
  const sparse = name.startsWith("GMMA_") || name.startsWith("SM90_SPARSE_");
  const saturate = match[6] !== undefined;
  if (!kind || k !== kind.k * (sparse ? 2 : 1) || !gmmaColumns(kind.tag).includes(n)) return undefined;
  if ((match[5] !== undefined) !== kind.kMajorOnly || (saturate && kind.types[0] !== "int32_t")) return undefined;
  const fromRegisters = match[4] === "RS";
  const [d, a, b] = kind.types;
  return {
    name,
    arch: "SM90",
    shape: [64, n, k],
    threads: layout(lit(128), lit(1)),
    a: fromRegisters ? registerOperand(k) : sharedOperand(64, k),
    b: sharedOperand(n, k),
    c: accumulator(n),
    types: { d, a: sparse ? `sparse_elem<2,${a}>` : a, b, c: d },
    ptx: `wgmma.mma_async${sparse ? ".sp" : ""}.sync.aligned.m64n${n}k${k}.${kind.ptx}${saturate ? ".satfinite" : ""}`,
    descriptors: { a: !fromRegisters, b: true },
    ...(sparse ? { extra: { E: metadata(k) } } : {}),
  };
}

/** Every dense and sparse name, for lists and nearest-name suggestions. */
export function gmmaNames(): readonly string[] {
  const out: string[] = [];
  for (const kind of kinds.values()) {
    const suffixes = kind.kMajorOnly ? (kind.types[0] === "int32_t" ? ["_TN", "_TN_SATURATE"] : ["_TN"]) : [""];
    for (const n of gmmaColumns(kind.tag))
      for (const source of ["SS", "RS"])
        for (const suffix of suffixes) {
          out.push(`SM90_64x${n}x${kind.k}_${kind.tag}_${source}${suffix}`);
          out.push(`GMMA_64x${n}x${2 * kind.k}_${kind.tag}_${source}${suffix}`);
        }
  }
  return out;
}
