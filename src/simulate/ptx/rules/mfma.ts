/** `wave.mfma`: products of matrices by the lanes of a wave of 64. Source: AMD's "CDNA3" and "CDNA4" ISA documents. */
import type { Operand } from "../../../ptx/instruction.js";
import { type InstructionCompiler, NotModelled } from "../instruction-compiler.js";
import type { Warp } from "../warp.js";
import { elementsOf, LANES, type Maker, parts, type Scale, scaleOf } from "./wave-registers.js";

/** Reads an operand: M (or N) rows of K elements for each block. Lanes hold neighbouring elements along K. */
interface Matrix {
  read(low: Warp, high: Warp): Float64Array;
}
function matrix(c: InstructionCompiler, operand: Operand, type: string, rows: number, k: number, blocks: number, scale?: Scale): Matrix {
  const isDouble = type === "f64";
  const registers = parts(operand).map((o) => c.source(o, isDouble ? 64 : 32));
  const { bits, value } = isDouble ? { bits: 64, value: () => 0 } : elementsOf(type);
  const perLane = (rows * k * blocks) / LANES;
  const perWord = isDouble ? 1 : 32 / bits;
  if (registers.length < perLane / perWord) throw new NotModelled(`${registers.length} registers of .${type} for ${rows}x${k}`);
  const groups = LANES / rows;
  // Where a lane has more than 16 bytes, it has 16 of each part of K.
  const piece = Math.min(perLane, 128 / bits);
  const out = new Float64Array(blocks * rows * k);
  return {
    read(low, high) {
      for (let l = 0; l < LANES; l++) {
        const warp = l < 32 ? low : high;
        const group = Math.floor(l / rows);
        const first = (blocks > 1 ? group * rows + (l % rows) : l % rows) * k;
        for (let e = 0; e < perLane; e++) {
          const row = registers[Math.floor(e / perWord)]!;
          const element = isDouble ? warp.D[row / 2 + (l & 31)]! : value(warp.I[row + (l & 31)]!, e % perWord);
          const at = blocks > 1 ? e : (Math.floor(e / piece) * groups + group) * piece + (e % piece);
          // A lane of the row has the scale of each 32 elements.
          const owner = (l % rows) + rows * Math.floor(at / 32);
          out[first + at] = scale ? element * scale(owner < 32 ? low : high, owner & 31) : element;
        }
      }
      return out;
    },
  };
}
/** `wave.mfma.MxNxKxBLOCKS.D.A.B d, a, b, c, cbsz, abid{, scales}`: the first operand's blocks may be repeated. */
export const mfma: Maker = (c) => {
  const [shape = "", dType = "", aType = "", bType = ""] = c.op.modifiers.slice(1);
  const [m, n, k, blocks] = shape.split("x").map(Number) as [number, number, number, number];
  const isScaled = c.op.operands.length > 6;
  const isDouble = dType === "f64";
  const scales = isScaled ? [scaleOf(c, c.operand(6), c.operand(7)), scaleOf(c, c.operand(8), c.operand(9))] : [];
  const a = matrix(c, c.operand(1), aType, m, k, blocks, scales[0]);
  const b = matrix(c, c.operand(2), bType, n, k, blocks, scales[1]);
  const [repeat, of] = [c.immediate(c.operand(4)), c.immediate(c.operand(5))];
  const sums = parts(c.operand(3)).map((o) => c.source(o, isDouble ? 64 : 32));
  const results = parts(c.operand(0)).map((o) => c.dest(o, isDouble ? 64 : 32));
  if (results.length !== (m * n * blocks) / LANES) throw new NotModelled(`${results.length} results of ${shape}`);
  const perGroup = 4 * (LANES / n);
  return (low, high) => {
    const [left, right] = [a.read(low, high), b.read(low, high)];
    for (let l = 0; l < LANES; l++) {
      const warp = l < 32 ? low : high;
      const lane = l & 31;
      const group = Math.floor(l / n);
      const block = blocks > 1 ? group : 0;
      const from = repeat > 0 ? (block & -(1 << repeat)) + of : block;
      for (let r = 0; r < results.length; r++) {
        const row = blocks > 1 ? r : isDouble ? 4 * r + group : (r & 3) + 4 * group + perGroup * (r >> 2);
        let sum = 0;
        const [x, y] = [(from * m + row) * k, (block * n + (l % n)) * k];
        for (let i = 0; i < k; i++) sum += left[x + i]! * right[y + i]!;
        if (isDouble) warp.D[results[r]! / 2 + lane] = warp.D[sums[r]! / 2 + lane]! + sum;
        else if (dType === "s32") warp.I[results[r]! + lane] = warp.I[sums[r]! + lane]! + sum;
        else warp.F[results[r]! + lane] = warp.F[sums[r]! + lane]! + sum;
      }
    }
  };
};
