/** The instructions by which threads use sm_100's tensor cores: `tcgen05.mma`, `.cp`, and `.commit`, which reports when all is done. */
import { halfValues } from "../../numbers/half.js";
import { encode, valuesOf } from "../../numbers/small-float.js";
import { type Addresses, addressing } from "../access.js";
import { Stop } from "../findings.js";
import { type InstructionCompiler, NotModelled } from "../instruction-compiler.js";
import { type MatrixDescriptor, piecesOf, readDescriptor, readMatrix } from "../matrix-descriptor.js";
import { decoder, pieceReader } from "../matrix-elements.js";
import { ALL_GROUPS, COLUMNS, groupsOf, type TensorRange } from "../tensor-memory.js";
import type { Cta, Warp } from "../warp.js";
import { CTA_WINDOW, WINDOWS } from "../windows.js";

const addresses = new Float64Array(32);

/** The address of a lane's operand in tensor memory. */
const addressOf = (where: Addresses, warp: Warp, mask: number, lane: number): number => {
  where(warp, mask, addresses);
  return addresses[lane]!;
};

function notModelled(c: InstructionCompiler, warp: Warp, what: string): never {
  warp.cta.findings.add("not-modelled", c.site, what);
  throw new Stop("not modelled");
}

function descriptorOf(c: InstructionCompiler, warp: Warp, row: number, lane: number): MatrixDescriptor {
  const descriptor = readDescriptor(warp.I[row + 2 * lane]!, warp.I[row + 2 * lane + 1]!);
  return typeof descriptor === "string" ? notModelled(c, warp, descriptor) : descriptor;
}

// --- Products -----------------------------------------------------------------------------------

interface Kind {
  /** Elements by their number in an instruction descriptor. */
  readonly types: readonly (string | undefined)[];
  readonly k: number;
  /** Elements of fewer than 8 bits have a byte each. */
  readonly padded?: boolean;
  readonly isInteger?: boolean;
}
const FP8: Kind = { types: ["e4m3", "e5m2", undefined, "e2m3", "e3m2", "e2m1"], k: 32, padded: true };
const FP4: Kind = { types: [undefined, "e2m1"], k: 64 };
const KINDS: Readonly<Record<string, Kind>> = {
  "kind::f16": { types: ["f16", "bf16"], k: 16 },
  "kind::tf32": { types: [undefined, undefined, "tf32"], k: 8 },
  "kind::f8f6f4": FP8,
  "kind::i8": { types: ["u8", "s8"], k: 32, isInteger: true },
  "kind::mxf8f6f4": FP8,
  "kind::mxf4": FP4,
  "kind::mxf4nvf4": FP4,
};

/** The fields of a 32-bit instruction descriptor. */
interface ProductForm {
  readonly m: number;
  readonly n: number;
  readonly aType: string;
  readonly bType: string;
  readonly dType: "f16" | "f32" | "s32";
  readonly aKMajor: boolean;
  readonly bKMajor: boolean;
  readonly sign: number;
  /** Which byte of a word of scales is the first. */
  readonly aScale: number;
  readonly bScale: number;
  readonly scaleType: "f8E8M0FNU" | "f8E4M3FN";
}

function formOf(bits: number, { types, isInteger }: Kind, scaled: boolean): ProductForm | string {
  const field = (at: number, width: number) => (bits >>> at) & ((1 << width) - 1);
  if (field(2, 1)) return "sparse products";
  const [aType, bType] = [types[field(7, 3)], types[field(10, 3)]];
  if (aType === undefined || bType === undefined) return "the elements that the instruction descriptor names";
  const negated = field(13, 1) !== field(14, 1);
  return {
    m: field(24, 5) << 4,
    n: field(17, 6) << 3,
    aType,
    bType,
    dType: isInteger ? "s32" : scaled || field(4, 2) === 1 ? "f32" : "f16",
    aKMajor: field(15, 1) === 0,
    bKMajor: field(16, 1) === 0,
    sign: negated ? -1 : 1,
    aScale: field(29, 2),
    bScale: field(4, 2),
    scaleType: field(23, 1) === 1 ? "f8E8M0FNU" : "f8E4M3FN",
  };
}

/** The lane of row i of a matrix of m rows: of 64 rows, each quarter has 16. */
const laneOf = (i: number, m: number): number => (m === 64 ? (i >> 4) * 32 + (i & 15) : i);

/** A pair of CTAs with 64 rows each has the second half of the columns in the upper lanes. */
const isFolded = (pair: readonly Cta[], m: number): boolean => pair.length === 2 && m === 64;

/** `tcgen05.mma.cta_group::G.kind::K [d], a, b, descriptor, {[scaleA], [scaleB],} accumulate` */
export function product(c: InstructionCompiler): void {
  const name = Object.keys(KINDS).find((k) => c.has(k));
  if (name === undefined || c.has("sp") || c.has("ws")) throw new NotModelled("the kind of product");
  const kind = KINDS[name]!;
  const scaled = c.has("block_scale");
  const perProduct = scaled ? scalesPerProduct(c) : 0;
  const where = addressing(c, c.operand(0), false);
  const a = c.operand(1);
  const aWhere = a.kind === "address" ? addressing(c, a, false) : undefined;
  const aRow = aWhere ? -1 : c.source(a, 64);
  const bRow = c.source(c.operand(2), 64);
  const form = c.addressSource(c.operand(3), 32);
  c.cost = (warp, mask) => {
    const f = formOf(warp.I[form + 31 - Math.clz32(mask & -mask)]!, kind, scaled);
    if (typeof f !== "string") c.site.product = { m: f.m, n: f.n, k: kind.k, type: f.aType };
  };
  const scales = scaled ? [addressing(c, c.operand(4), false), addressing(c, c.operand(5), false)] : [];
  const rest = c.op.operands.slice(scaled ? 6 : 4);
  if (rest.length !== 1) throw new NotModelled("masks of lanes, and scaled accumulators");
  const accumulate = c.predicateSource(rest[0]!);
  const numCtas = c.has("cta_group::2") ? 2 : 1;
  c.emit((warp, mask) => {
    for (let l = 0; l < 32; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const f = formOf(warp.I[form + l]!, kind, scaled);
      if (typeof f === "string") notModelled(c, warp, f);
      if (aWhere && kind.padded && !f.aType.startsWith("e4m") && f.aType !== "e5m2") notModelled(c, warp, `.${f.aType} in tensor memory`);
      const on = ((accumulate & 1 ? ~warp.P[accumulate >> 1]! : warp.P[accumulate >> 1]!) >>> l) & 1;
      const [m, n] = [f.m / numCtas, f.n];
      if ((m !== 64 && m !== 128) || n < 8 || n > 256) {
        warp.cta.findings.add("bad-descriptor", c.site, `the instruction descriptor names a product of ${f.m} x ${n}`);
        continue;
      }
      const pair = warp.cta.cluster.slice(warp.cta.rank & ~(numCtas - 1)).slice(0, numCtas);
      if (pair.length !== numCtas) notModelled(c, warp, "a pair of CTAs in a cluster of one");
      issue(c, warp, l, pair, f, kind, {
        d: addressOf(where, warp, mask, l),
        a: aWhere ? addressOf(aWhere, warp, mask, l) : descriptorOf(c, warp, aRow, l),
        b: descriptorOf(c, warp, bRow, l),
        scales: scales.map((s) => addressOf(s, warp, mask, l)),
        perProduct,
        accumulates: on === 1,
      });
    }
  });
}

function scalesPerProduct(c: InstructionCompiler): number {
  const size = c.op.modifiers.map((m) => /^scale_vec::(\d)X$/.exec(m)?.[1]).find((n) => n !== undefined);
  if (size !== undefined) return Number(size);
  const block = c.op.modifiers.map((m) => /^block(\d+)$/.exec(m)?.[1]).find((n) => n !== undefined);
  if (c.has("kind::mxf8f6f4")) return 1;
  return block === "16" ? 4 : 2;
}

interface ProductOperands {
  readonly d: number;
  /** An address in tensor memory, or a matrix in shared memory. */
  readonly a: number | MatrixDescriptor;
  readonly b: MatrixDescriptor;
  readonly scales: readonly number[];
  readonly perProduct: number;
  readonly accumulates: boolean;
}

/**
 * One product. Each CTA of a pair has half of the rows of A and D, at the same addresses, and half of the columns of B.
 */
function issue(
  c: InstructionCompiler,
  warp: Warp,
  lane: number,
  pair: readonly Cta[],
  f: ProductForm,
  kind: Kind,
  o: ProductOperands,
): void {
  const { site } = c;
  const { k } = kind;
  const m = f.m / pair.length;
  const nOfOne = f.n / pair.length;
  const [aPieces, bPieces] = [pieceReader(f.aType, kind.padded), pieceReader(f.bType, kind.padded)];
  const inTensorMemory = typeof o.a === "number";
  const aAt = typeof o.a === "number" ? new Int32Array() : piecesOf(o.a, f.aKMajor, m, k, aPieces.count);
  const bAt = piecesOf(o.b, f.bKMajor, nOfOne, k, bPieces.count);
  const aBits = kind.padded ? 8 : decoder(f.aType).bits;
  const folded = isFolded(pair, m);
  const rowsAt = (address: number) => groupsOf(Array.from({ length: m / 16 }, (_, i) => (address >>> 16) + laneOf(16 * i, m)));
  const dRange: TensorRange = { groups: folded ? ALL_GROUPS : rowsAt(o.d), column: o.d & 0xffff, count: folded ? f.n / 2 : f.n };
  const aRange: TensorRange = { groups: rowsAt(o.a as number), column: (o.a as number) & 0xffff, count: (k * aBits) / 32 };
  const scaleRanges = o.scales.map((at, i) => ({ groups: ALL_GROUPS, column: at & 0xffff, count: Math.ceil((i === 0 ? m : f.n) / 32) }));
  const reads = [...(inTensorMemory ? [aRange] : []), ...scaleRanges, ...(o.accumulates ? [dRange] : [])];
  for (const range of [dRange, ...reads]) if (!warp.cta.tensorMemory.allows(range, site)) return;
  const begun = ({ shared }: Cta, at: Int32Array, bytes: number) => ({
    memory: shared,
    read: shared.beginRead(at, bytes, warp, lane, site),
  });
  warp.cta.tensorMemory.issue(
    {
      site,
      memories: pair.map(({ tensorMemory }) => tensorMemory),
      shared: pair.flatMap((cta) => [...(inTensorMemory ? [] : [begun(cta, aAt, aPieces.bytes)]), begun(cta, bAt, bPieces.bytes)]),
      reads,
      writes: [dRange],
      effect: () => compute(pair, f, kind, o, m, aAt, bAt),
    },
    warp,
  );
}

function compute(pair: readonly Cta[], f: ProductForm, kind: Kind, o: ProductOperands, m: number, aAt: Int32Array, bAt: Int32Array): void {
  const { k } = kind;
  const nOfOne = f.n / pair.length;
  const B = new Float64Array(f.n * k);
  pair.forEach(({ shared }, i) =>
    readMatrix(shared.i32, bAt, f.bKMajor, nOfOne, k, pieceReader(f.bType, kind.padded), B.subarray(i * nOfOne * k, (i + 1) * nOfOne * k)),
  );
  const A = new Float64Array(m * k);
  for (const cta of pair) {
    const { words } = cta.tensorMemory;
    if (typeof o.a === "number") rowsOfTensorMemory(words, o.a, m, k, f.aType, A);
    else readMatrix(cta.shared.i32, aAt, f.aKMajor, m, k, pieceReader(f.aType, kind.padded), A);
    const [aScales, bScales] = o.scales;
    const [left, right] =
      aScales === undefined || bScales === undefined
        ? [A, B]
        : [
            multiplied(A, scalesAt(words, aScales, m, f.aScale, o.perProduct, f.scaleType), m, k, o.perProduct),
            multiplied(B, scalesAt(words, bScales, f.n, f.bScale, o.perProduct, f.scaleType), f.n, k, o.perProduct),
          ];
    accumulate(words, o.d, left, right, m, k, f, isFolded(pair, m), o.accumulates);
  }
}

/** A of tensor memory: rows are lanes, elements along K are packed into columns. */
function rowsOfTensorMemory(words: Int32Array, address: number, m: number, k: number, type: string, out: Float64Array): void {
  const { bits, value } = decoder(type);
  const perWord = 32 / bits;
  for (let i = 0; i < m; i++) {
    const at = ((address >>> 16) + laneOf(i, m)) * COLUMNS + (address & 0xffff);
    for (let x = 0; x < k; x++) out[i * k + x] = value(words[at + Math.floor(x / perWord)]!, x % perWord);
  }
}

/** The scales of rows: row i has its own in lane i % 32 of column i / 32, from byte `first` on; every quarter holds them all. */
function scalesAt(
  words: Int32Array,
  address: number,
  rows: number,
  first: number,
  count: number,
  type: ProductForm["scaleType"],
): Float64Array {
  const values = valuesOf(type);
  const out = new Float64Array(rows * count);
  for (let i = 0; i < rows; i++) {
    const word = words[((i & 31) + (i & 96)) * COLUMNS + (address & 0xffff) + (i >> 5)]!;
    for (let s = 0; s < count; s++) out[i * count + s] = values[(word >>> (8 * (first + s))) & 255]!;
  }
  return out;
}

function multiplied(matrix: Float64Array, scales: Float64Array, rows: number, k: number, count: number): Float64Array {
  const block = k / count;
  for (let i = 0; i < rows; i++) for (let x = 0; x < k; x++) matrix[i * k + x]! *= scales[i * count + Math.floor(x / block)]!;
  return matrix;
}

/** D = A * B (+ D), each sum rounded once. Halves have a column each. */
function accumulate(
  words: Int32Array,
  address: number,
  A: Float64Array,
  B: Float64Array,
  m: number,
  k: number,
  { n, dType, sign }: ProductForm,
  folded: boolean,
  adds: boolean,
): void {
  const floats = new Float32Array(words.buffer);
  const halves = halfValues();
  for (let i = 0; i < m; i++) {
    const row = ((address >>> 16) + (folded ? i : laneOf(i, m))) * COLUMNS + (address & 0xffff);
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let x = i * k, y = j * k, end = x + k; x < end; x++, y++) sum += A[x]! * B[y]!;
      sum *= sign;
      const at = folded && j >= n / 2 ? row + 64 * COLUMNS + j - n / 2 : row + j;
      if (dType === "f32") floats[at] = adds ? sum + floats[at]! : sum;
      else if (dType === "s32") words[at] = adds ? sum + words[at]! : sum;
      else words[at] = encode("f16", adds ? sum + halves[words[at]! & 0xffff]! : sum);
    }
  }
}

// --- Copies -------------------------------------------------------------------------------------

/** Rows and bits of a copy's shape, and the first lanes of the places to which it puts 32 rows. */
const COPIES: Readonly<Record<string, { readonly rows: number; readonly bytes: number }>> = {
  "128x256b": { rows: 128, bytes: 32 },
  "128x128b": { rows: 128, bytes: 16 },
  "64x128b": { rows: 64, bytes: 16 },
  "32x128b": { rows: 32, bytes: 16 },
};

/** `tcgen05.cp.cta_group::1{.MULTICAST}.SHAPE [to], matrix`: rows of shared memory to lanes. */
export function copyToTensorMemory(c: InstructionCompiler): void {
  const name = Object.keys(COPIES).find((s) => c.has(s));
  if (name === undefined || c.has("cta_group::2") || c.op.modifiers.some((m) => m.startsWith("b8x16")))
    throw new NotModelled("this form of a copy");
  const { rows, bytes } = COPIES[name]!;
  const lanes = (row: number): readonly number[] => {
    if (c.has("warpx4")) return [0, 32, 64, 96].map((first) => first + row);
    if (c.has("warpx2::02_13")) return [row, row + 64];
    if (c.has("warpx2::01_23")) return [0, 32].map((first) => first + (row & 31) + 64 * (row >> 5));
    return [row];
  };
  const where = addressing(c, c.operand(0));
  const matrix = c.source(c.operand(1), 64);
  c.emit((warp, mask) => {
    for (let l = 0; l < 32; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const { shared, tensorMemory } = warp.cta;
      const address = addressOf(where, warp, mask, l);
      const pieces = piecesOf(descriptorOf(c, warp, matrix, l), true, rows, bytes, 16);
      const range: TensorRange = { groups: ALL_GROUPS, column: address & 0xffff, count: bytes / 4 };
      if (!tensorMemory.allows(range, c.site)) continue;
      const effect = () =>
        pieces.forEach((piece, i) => {
          const [row, part] = [Math.floor(i / (bytes / 16)), i % (bytes / 16)];
          for (const lane of lanes(row))
            for (let w = 0; w < 4; w++)
              tensorMemory.words[((address >>> 16) + lane) * COLUMNS + (address & 0xffff) + 4 * part + w] = shared.i32[(piece >> 2) + w]!;
        });
      const read = { memory: shared, read: shared.beginRead(pieces, 16, warp, l, c.site) };
      tensorMemory.issue({ site: c.site, memories: [tensorMemory], shared: [read], reads: [], writes: [range], effect }, warp);
    }
  });
}

/** `tcgen05.commit.cta_group::G.mbarrier::arrive::one{.multicast::cluster}.b64 [mbarrier]{, mask}` */
export function commit(c: InstructionCompiler): void {
  const where = addressing(c, c.operand(0));
  const ctas = c.has("multicast::cluster") ? c.source(c.operand(1), 32) : -1;
  c.emit((warp, mask) => {
    for (let l = 0; l < 32; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const address = addressOf(where, warp, mask, l);
      const at = (address >= WINDOWS["shared"]! ? address - WINDOWS["shared"]! : address) % CTA_WINDOW;
      const { cta } = warp;
      const into = ctas < 0 ? [cta] : cta.cluster.filter(({ rank }) => (warp.I[ctas + l]! >>> rank) & 1);
      if (!cta.shared.allows(at, 8, warp, l, c.site)) continue;
      cta.tensorMemory.commit(
        at,
        into.map(({ shared }) => shared),
        warp,
        c.site,
      );
    }
  });
}
