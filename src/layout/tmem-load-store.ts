/**
 * How a tensor in registers is read from or written to tensor memory: which instruction, how often, with which registers. Undefined
 * where no instruction fits. Source: TritonNvidiaGPU/IR/TensorMemoryUtils.cpp, computeTMemLdStEncodingInfo and lowerTMemLdSt.
 */
import { actionRemoveBroadcastedRegs, type ColumnAction, regPermForDivide } from "./column-action.js";
import { divideLeft, getReps } from "./divide.js";
import { LinearLayout } from "./linear-layout.js";
import { getTileLayout, type TMemAccessAtom } from "./tmem-access.js";

/** A thread has at most that many registers; half of them are given to one message. */
const MAX_REGISTERS = 256;

export interface TMemLdStInfo {
  readonly atom: TMemAccessAtom;
  /** Where the messages are: registers, lanes and warps beyond one message -> row, col. */
  readonly reps: LinearLayout;
  /** The order in which registers go into messages. */
  readonly perm: ColumnAction;
  readonly numRegsPerMessage: number;
  /** For 16x32bx2: where its second half lies, row in the upper 16 bits. */
  readonly secondHalfOffset: number | undefined;
  /** Drops registers that hold copies. */
  readonly broadcast: ColumnAction | undefined;
  /** 16-bit elements in 32-bit columns. */
  readonly unpacked: boolean;
  /** How many elements share a 32-bit register. */
  readonly vec: number;
  /** Elements are padded to 32 bits in software. */
  readonly padding: boolean;
}

/**
 * `registers` and `memory` are the layouts of the tensor and of the buffer; `bitwidth` of an element. `sameHalf` is the offset written
 * where both halves of a message lie at the same place; undefined if that cannot be.
 */
export function computeTMemLdStEncodingInfo(
  registers: LinearLayout,
  memory: LinearLayout,
  bitwidth: number,
  sameHalf: number | undefined,
  maxnreg: number,
): TMemLdStInfo | undefined {
  const composed = registers.invertAndCompose(memory);
  // A CTA has the same part in registers and in memory.
  if (composed.hasOutDim("block") && !composed.isTrivialOver(["block"])) return undefined;
  const cvt = composed.hasOutDim("block") ? composed.sublayout(composed.inDimNames, ["row", "col"]) : composed;
  // The first two warp bases are rows 32 and 64, whether they broadcast or not.
  const same = (warp: number, row: number) => {
    const a = registers.getInDimBases("warp")[warp];
    const b = memory.getInDimBases("row")[row];
    return a !== undefined && b !== undefined && a.length === b.length && a.every((x, i) => x === b[i]);
  };
  if (!same(0, 5) || !same(1, 6)) return undefined;
  const bases = cvt
    .getBases()
    .map(([dim, list]): [string, number[][]] => [dim, dim === "warp" ? [[32, 0], [64, 0], ...list.slice(2)] : list]);
  return lowerTMemLdSt(LinearLayout.fromBases(bases, cvt.getOutDims(), cvt.isSurjective()), maxnreg, bitwidth, sameHalf, false);
}

function lowerTMemLdSt(
  cvt: LinearLayout,
  maxnreg: number,
  bitwidth: number,
  sameHalf: number | undefined,
  unpacked: boolean,
): TMemLdStInfo | undefined {
  const broadcast = actionRemoveBroadcastedRegs(cvt);
  if (!broadcast.isIdentity) {
    const info = lowerTMemLdSt(broadcast.apply(cvt), maxnreg, bitwidth, sameHalf, unpacked);
    return info && { ...info, broadcast };
  }
  return bitwidth < 32 ? lowerNarrow(cvt, maxnreg, bitwidth, sameHalf) : lower32(cvt, maxnreg, sameHalf, unpacked);
}

/** Elements of less than 32 bits: packed, unpacked or padded into 32. */
function lowerNarrow(cvt: LinearLayout, maxnreg: number, bitwidth: number, sameHalf: number | undefined): TMemLdStInfo | undefined {
  let quotient: LinearLayout | undefined;
  let contiguous = 1;
  for (let n = 1; bitwidth * n <= 32; n *= 2) {
    const divided = divideLeft(cvt, LinearLayout.identity1D(n, "register", "col"));
    if (!divided) break;
    quotient = divided;
    contiguous = n;
  }
  const columns = 32 / bitwidth;
  const gap = LinearLayout.zeros1D(1, "register", "col", columns);
  let unpacked = false;
  let padding = false;
  let width = bitwidth * contiguous;
  if (contiguous === 1) {
    width = 32;
    const apart = bitwidth === 16 ? divideLeft(cvt, gap.multiply(LinearLayout.identity1D(2, "register", "col"))) : undefined;
    const padded = apart ?? divideLeft(cvt, gap);
    if (!padded) return undefined;
    unpacked = bitwidth === 16;
    padding = apart === undefined;
    quotient = padded;
  }
  if (unpacked) quotient = gap.multiply(quotient!);
  const info = lowerTMemLdSt(quotient!, maxnreg, width, sameHalf, unpacked);
  if (!info) return undefined;
  return { ...info, vec: contiguous > 1 ? contiguous : info.vec, unpacked: unpacked || info.unpacked, padding: padding || info.padding };
}

function lower32(cvt: LinearLayout, maxnreg: number, sameHalf: number | undefined, unpacked: boolean): TMemLdStInfo | undefined {
  const rest = { broadcast: undefined, unpacked: false, vec: 1, padding: false };
  for (const atom of ["32x32b", "16x256b", "16x64b", "16x128b"] as const) {
    const found = vectorize(cvt, getTileLayout(atom, unpacked, true), maxnreg);
    if (found) return { atom, ...found, secondHalfOffset: undefined, ...rest };
  }
  const halves = vectorize(cvt, getTileLayout("16x32bx2", unpacked, true), maxnreg);
  if (!halves) return undefined;
  // The last lane basis says where the second half of the message lies.
  const [row = 0, col = 0] = halves.reps.getInDimBases("lane")[4] ?? [];
  const secondHalfOffset = (row << 16) | col || sameHalf;
  if (secondHalfOffset === undefined) return undefined;
  const bases = halves.reps
    .getBases()
    .map(([dim, list]): [string, number[][]] => [dim, dim === "lane" ? list.map((b, i) => (i === 4 ? [0, 0] : b)) : list]);
  const reps = LinearLayout.fromBases(bases, halves.reps.getOutDims(), false);
  return { atom: "16x32bx2", ...halves, reps, secondHalfOffset, ...rest };
}

/** The widest message of that tile that divides `cvt`. */
function vectorize(
  cvt: LinearLayout,
  tile: LinearLayout,
  maxnreg: number,
): { readonly reps: LinearLayout; readonly perm: ColumnAction; readonly numRegsPerMessage: number } | undefined {
  let maxReg = Math.trunc(maxnreg / 2);
  // With all registers available several messages schedule better when they are not the largest.
  if (maxnreg === MAX_REGISTERS && cvt.getInDimSize("register") > maxReg) maxReg /= 2;
  const tileRegisters = tile.getInDimSize("register");
  let best: ReturnType<typeof vectorize>;
  for (let i = 1; i <= Math.trunc(maxReg / tileRegisters); i *= 2) {
    const vecTile = tile.multiply(LinearLayout.identity1D(i, "register", "col"));
    const perm = regPermForDivide(cvt, vecTile, true);
    const reps = perm && getReps(perm.apply(cvt), vecTile);
    if (!perm || !reps) break;
    best = { reps, perm, numRegsPerMessage: i * tileRegisters };
  }
  return best;
}
