/**
 * Copy atoms: one copy instruction as data. Layouts map (thread, bit) to bits; the reference layout says how the tile's
 * (thread, value) pairs are meant, source and destination where the instruction really reads and writes:
 *
 *   ldmatrix.x4   source: thread t names the row of 128 bits t;  destination: thread t gets bits 32t.. of each matrix
 *
 * Source: cute/arch/copy*.hpp, cute/atom/copy_traits*.hpp.
 */
import { parseLayout } from "../parse-term.js";
import type { Layout } from "../term.js";

/** One copy instruction. */
export interface CopyAtom {
  readonly name: string;
  readonly arch: string;
  readonly threads: Layout;
  /** (thread, bit) to bit. */
  readonly source: Layout;
  readonly destination: Layout;
  readonly reference: Layout;
  /** The PTX instruction, or what the copy compiles to. */
  readonly ptx: string;
}

const read = (text: string): Layout => parseLayout(text) as Layout;
const oneThread = read("_1:_0");
const warp = read("_32:_1");

/** A copy of `bits` bits by one thread. */
function vector(name: string, arch: string, source: number, destination: number, ptx: string): CopyAtom {
  const s = bitVector(source);
  return { name, arch, threads: oneThread, source: s, destination: bitVector(destination), reference: s, ptx };
}
const bitVector = (bits: number): Layout => (bits === 1 ? read("(_1,_1):(_0,_0)") : read(`(_1,_${bits}):(_0,_1)`));

/** ldmatrix of `count` 8x8 matrices of 16 bits: addresses come from 8*count threads. */
function ldmatrix(count: 1 | 2 | 4, transposed: boolean): { address: Layout; fragment: Layout } {
  const address = read(count === 4 ? "(_32,_128):(_128,_1)" : `((_${8 * count},_${4 / count}),_128):((_128,_0),_1)`);
  const more = count === 1 ? ["", ""] : [`,_${count}`, ",_1024"];
  const fragment = transposed
    ? read(`((_4,_8),(_16,_2${more[0]})):((_256,_16),(_1,_128${more[1]}))`)
    : read(count === 1 ? "(_32,_32):(_32,_1)" : `(_32,(_32${more[0]})):(_32,(_1${more[1]}))`);
  return { address, fragment };
}

function* matrixAtoms(): Generator<CopyAtom> {
  for (const transposed of [false, true]) {
    for (const count of [1, 2, 4] as const) {
      const { address, fragment } = ldmatrix(count, transposed);
      const shape = transposed ? `U16x${2 * count}` : `U32x${count}`;
      const end = transposed ? "T" : "N";
      const qualifiers = `.sync.aligned.x${count}${transposed ? ".trans" : ""}.m8n8.shared.b16`;
      yield {
        name: `SM75_${shape}_LDSM_${end}`,
        arch: "SM75",
        threads: warp,
        source: address,
        destination: fragment,
        reference: fragment,
        ptx: `ldmatrix${qualifiers}`,
      };
      yield {
        name: `SM90_${shape}_STSM_${end}`,
        arch: "SM90",
        threads: warp,
        source: fragment,
        destination: address,
        reference: fragment,
        ptx: `stmatrix${qualifiers}`,
      };
    }
  }
  const words = read("(_32,_32):(_32,_1)");
  yield {
    name: "SM75_U32x1_MOVM_T",
    arch: "SM75",
    threads: warp,
    source: words,
    destination: words,
    reference: words,
    ptx: "movmatrix.sync.aligned.m8n8.trans.b16",
  };
}

/** 2x2 transposes between threads by two shuffles. */
function* shuffleAtoms(): Generator<CopyAtom> {
  const source = read("(_32,_64):(_64,_1)");
  const base = { arch: "SM50", threads: warp, source, reference: source, ptx: "shfl.sync.bfly.b32" };
  yield { ...base, name: "SM50_Shuffle_U32_2x2Trans_XOR1", destination: read("((_2,_16),(_32,_2)):((_32,_128),(_1,_64))") };
  yield { ...base, name: "SM50_Shuffle_U32_2x2Trans_XOR4", destination: read("((_4,_2,_4),(_32,_2)):((_64,_32,_512),(_1,_256))") };
}

/** Every copy atom without template arguments. */
export const plainCopyAtoms: readonly CopyAtom[] = [...shuffleAtoms(), ...matrixAtoms()];

const tmaInstructions: Readonly<Record<string, string>> = {
  SM90_TMA_LOAD: "cp.async.bulk.tensor.shared::cluster.global.mbarrier::complete_tx::bytes",
  SM90_TMA_LOAD_IM2COL: "cp.async.bulk.tensor.im2col.shared::cluster.global.mbarrier::complete_tx::bytes",
  SM90_TMA_LOAD_MULTICAST: "cp.async.bulk.tensor.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
  SM90_TMA_LOAD_IM2COL_MULTICAST: "cp.async.bulk.tensor.im2col.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
  SM90_TMA_STORE: "cp.async.bulk.tensor.global.shared::cta.bulk_group",
  SM90_TMA_STORE_IM2COL: "cp.async.bulk.tensor.im2col_no_offs.global.shared::cta.bulk_group",
  SM90_TMA_REDUCE_ADD: "cp.reduce.async.bulk.tensor.global.shared::cta.add.bulk_group",
  SM90_BULK_COPY_G2S: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
  SM90_BULK_COPY_S2G: "cp.async.bulk.global.shared::cta.bulk_group",
};

const cpAsync: Readonly<Record<string, string>> = {
  SM80_CP_ASYNC_CACHEALWAYS: "cp.async.ca.shared.global.L2::128B",
  SM80_CP_ASYNC_CACHEGLOBAL: "cp.async.cg.shared.global.L2::128B",
  SM80_CP_ASYNC_CACHEALWAYS_ZFILL: "cp.async.ca.shared.global.L2::128B",
  SM80_CP_ASYNC_CACHEGLOBAL_ZFILL: "cp.async.cg.shared.global.L2::128B",
};

/** Names that need template arguments: element types (their widths in bits), or a number of bits. */
export const copyFamilyNames: readonly string[] = [
  "UniversalCopy",
  "AutoVectorizingCopyWithAssumedAlignment",
  "AutoVectorizingCopy",
  "DefaultCopy",
  "SM90_BULK_COPY_AUTO",
  ...Object.keys(cpAsync),
  ...Object.keys(tmaInstructions),
];

/**
 * A copy atom of a template; `bits` are the widths of its type arguments or its number, `text` the arguments as written.
 * A string says what is wrong.
 */
export function copyFamily(name: string, bits: readonly number[], text: readonly string[]): CopyAtom | string {
  const full = text.length > 0 ? `${name}<${text.join(",")}>` : name;
  if (name === "DefaultCopy") return autoVectorizing("DefaultCopy", 8);
  if (name === "AutoVectorizingCopy") return autoVectorizing("AutoVectorizingCopy", 128);
  if (name === "AutoVectorizingCopyWithAssumedAlignment") {
    const limit = bits[0] ?? 128;
    if (![8, 16, 32, 64, 128].includes(limit)) return `${name}: ${limit} is not 8, 16, 32, 64 or 128 bits`;
    return autoVectorizing(full, limit);
  }
  if (name === "SM90_BULK_COPY_AUTO") return { ...autoVectorizing(name, 128), arch: "SM90", ptx: "cp.async.bulk" };
  const source = bits[0];
  if (source === undefined) return `${name} needs ${name in tmaInstructions ? "a number of bits" : "an element type"} as template argument`;
  if (name === "UniversalCopy") {
    const destination = bits[1] ?? source;
    if (source < 8 || destination < 8) return "UniversalCopy needs types of at least 8 bits";
    return vector(full, "SM50", source, destination, registerMove(source));
  }
  const async = cpAsync[name];
  if (async) {
    const sizes = name.includes("CACHEGLOBAL") ? [16] : [4, 8, 16];
    if (!sizes.includes(source / 8)) return `${name}: cp.async copies ${sizes.join(", ")} bytes, not ${source / 8}`;
    return vector(full, "SM80", source, bits[1] ?? source, `${async} ${source / 8}`);
  }
  const tma = tmaInstructions[name];
  if (!tma) return `unknown copy operation '${name}'`;
  return vector(full, "SM90", source, source, tma);
}

function autoVectorizing(name: string, limit: number): CopyAtom {
  const unit = read("(_1,_1):(_0,_0)");
  const widest = registerMove(limit);
  return {
    name,
    arch: "SM50",
    threads: oneThread,
    source: unit,
    destination: unit,
    reference: unit,
    ptx: `up to ${widest}${limit < 32 ? ` (the argument counts bits: ${limit} bits; 16 bytes are <128>)` : ""}`,
  };
}

/** Load and store of `bits` bits by one thread. */
function registerMove(bits: number): string {
  const type = bits > 32 ? (bits === 64 ? "v2.u32" : bits === 128 ? "v4.u32" : `${bits / 32} x u32`) : `u${bits}`;
  return `ld.${type}, st.${type}`;
}
