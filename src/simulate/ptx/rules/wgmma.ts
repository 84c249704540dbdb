/**
 * `wgmma`: four warps multiply matrices in shared memory. Warp w of them has rows 16w to 16w+15 of the result, which it
 * computes for itself. Operands in shared memory must stay, and registers are in flight, until the group is waited for.
 */
import type { Operand } from "../../../ptx/instruction.js";
import { halfValues } from "../../numbers/half.js";
import { encode } from "../../numbers/small-float.js";
import { Stop } from "../findings.js";
import { inFlight } from "../in-flight.js";
import { type InstructionCompiler, NoInstruction, NotModelled, type Rule } from "../instruction-compiler.js";
import { piecesOf, readDescriptor, readMatrix } from "../matrix-descriptor.js";
import { decoder, pieceReader } from "../matrix-elements.js";
import { commit, wait } from "../read-groups.js";
import type { Warp } from "../warp.js";
import { wholeWarp } from "./memory.js";
import { gather } from "./mma.js";

export const wgmma: Rule = (c) => {
  if (c.has("fence")) return c.emit((warp) => inFlight(warp).fence());
  if (c.has("commit_group"))
    return c.emit((warp) => {
      inFlight(warp).commitDots();
      commit(warp.dots);
    });
  if (c.has("wait_group")) {
    const pending = c.immediate(c.operand(0));
    return c.emit((warp) => {
      inFlight(warp).waitDots(pending);
      wait(warp.dots, warp, pending);
    });
  }
  multiply(c);
};

const elements = (operand: Operand): readonly Operand[] => (operand.kind === "vector" ? operand.elements : [operand]);

/** Rows of the result that a warp has. */
const ROWS = 16;

function multiply(c: InstructionCompiler): void {
  const shape = /^m64n(\d+)k(\d+)$/.exec(c.op.modifiers.find((m) => /^m64n\d+k\d+$/.test(m)) ?? "");
  if (shape === null || c.has("sp") || c.types.includes("b1")) throw new NotModelled("sparse products, and those of single bits");
  const [n, k] = [Number(shape[1]), Number(shape[2])];
  const [dType = "f32", aType = "f16", bType = "f16"] = c.types;
  const results = elements(c.operand(0)).map((o) => c.dest(o, 32));
  const aRows = c.operand(1).kind === "vector" ? elements(c.operand(1)).map((o) => c.source(o, 32)) : undefined;
  const aDescriptor = aRows ? -1 : c.source(c.operand(1), 64);
  const bDescriptor = c.source(c.operand(2), 64);
  const accumulate = c.predicateSource(c.operand(3));
  const flags = c.op.operands.slice(4).map((o) => c.immediate(o));
  const isFloat = dType !== "s32";
  const [aSign = 1, bSign = 1] = isFloat ? flags : [];
  const transposed = isFloat ? flags.slice(2) : [];
  // The bits that say so stand for both operands, or for B where A is in registers.
  const bKMajor = transposed.at(-1) !== 1;
  const aKMajor = aRows !== undefined || transposed[0] !== 1;
  const left = decoder(aType);
  if (n % 8 !== 0 || n > 256 || k * left.bits !== 256 || results.length !== (dType === "f16" ? n / 4 : n / 2))
    throw new NoInstruction(`shape m64n${n}k${k} with ${results.length} registers`);
  const [aPieces, bPieces] = [pieceReader(aType), pieceReader(bType)];
  const A = new Float64Array(ROWS * k);
  const D = new Float64Array(ROWS * n);
  const readB = cached(n, k, bKMajor, bPieces);
  const { site } = c;
  c.emit((warp, mask) => {
    wholeWarp(warp, mask, c);
    const { I, cta } = warp;
    const { shared } = cta;
    if (!inFlight(warp).dot(results, aRows ?? [], site))
      cta.findings.add("missing-fence", site, `warp ${warp.index} touched registers of it with no wgmma.fence after that`);
    const matrix = (row: number) => {
      const descriptor = readDescriptor(I[row]!, I[row + 1]!);
      if (typeof descriptor !== "string") return descriptor;
      cta.findings.add("not-modelled", site, descriptor);
      throw new Stop("not modelled");
    };
    if (aRows) gather(I, aRows, left.value, 32 / left.bits, 2, k, A);
    else {
      const pieces = piecesOf(matrix(aDescriptor), aKMajor, ROWS, k, aPieces.count, ROWS * (warp.indexInCta & 3));
      warp.dots.open.push(shared.beginRead(pieces, 16, warp, 0, site));
      readMatrix(shared.i32, pieces, aKMajor, ROWS, k, aPieces, A);
    }
    const { pieces, values: B } = readB(warp, I[bDescriptor]!, I[bDescriptor + 1]!, () =>
      piecesOf(matrix(bDescriptor), bKMajor, n, k, bPieces.count),
    );
    warp.dots.open.push(shared.beginRead(pieces, 16, warp, 0, site));
    product(A, B, D, n, k, aSign * bSign);
    const on = accumulate & 1 ? ~warp.P[accumulate >> 1]! : warp.P[accumulate >> 1]!;
    store(warp, results, D, n, dType, (on & mask) !== 0, c.has("satfinite"));
  });
}

interface Operands {
  readonly pieces: Int32Array;
  readonly values: Float64Array;
}

/** All four warps read the same B: it is decoded once, while nothing is written. */
function cached(n: number, k: number, isKMajor: boolean, reader: ReturnType<typeof pieceReader>) {
  let last: (Operands & { readonly shared: unknown; readonly version: number; readonly low: number; readonly high: number }) | undefined;
  return ({ cta: { shared } }: Warp, low: number, high: number, pieces: () => Int32Array): Operands => {
    if (last === undefined || last.shared !== shared || last.version !== shared.version || last.low !== low || last.high !== high) {
      last = { shared, version: shared.version, low, high, pieces: pieces(), values: last?.values ?? new Float64Array(n * k) };
      readMatrix(shared.i32, last.pieces, isKMajor, n, k, reader, last.values);
    }
    return last;
  };
}

/** D = A * B, B by columns. */
function product(A: Float64Array, B: Float64Array, D: Float64Array, n: number, k: number, sign: number): void {
  for (let i = 0; i < ROWS; i++)
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let x = i * k, y = j * k, end = x + k; x < end; x++, y++) sum += A[x]! * B[y]!;
      D[i * n + j] = sign * sum;
    }
}

/** Adds the accumulators and rounds: register 4j+i of a lane holds row lane/4 + 8(i/2) and column 8j + 2(lane%4) + i%2. */
function store(
  warp: Warp,
  results: readonly number[],
  D: Float64Array,
  n: number,
  type: string,
  accumulate: boolean,
  saturate: boolean,
): void {
  const { I, F } = warp;
  const halves = halfValues();
  const at = (l: number, i: number) => ((l >> 2) + 8 * ((i >> 1) & 1)) * n + 8 * (i >> 2) + (l & 3) * 2 + (i & 1);
  if (type === "f16")
    for (let r = 0; r < results.length; r++) {
      const row = results[r]!;
      for (let l = 0; l < 32; l++) {
        const word = accumulate ? I[row + l]! : 0;
        const low = encode("f16", D[at(l, 2 * r)]! + halves[word & 0xffff]!);
        I[row + l] = low | (encode("f16", D[at(l, 2 * r + 1)]! + halves[word >>> 16]!) << 16);
      }
    }
  else
    for (let r = 0; r < results.length; r++) {
      const row = results[r]!;
      for (let l = 0; l < 32; l++) {
        const value = D[at(l, r)]!;
        if (type === "f32") F[row + l] = accumulate ? value + F[row + l]! : value;
        else {
          const sum = accumulate ? value + I[row + l]! : value;
          I[row + l] = saturate ? Math.min(Math.max(sum, -(2 ** 31)), 2 ** 31 - 1) : sum;
        }
      }
    }
}
