/**
 * `#ttng.tensor_memory_encoding` and `#ttng.tensor_memory_scales_encoding`: tensor memory of Blackwell, 128 rows by columns.
 *
 * A basis 0 at rows 32 and 64 says that blocks of rows repeat the tensor; elsewhere that those rows or columns hold nothing.
 * Packed and unpacked 16-bit data have the same layout: rows and columns count elements.
 * Source: LinearLayoutConversions.cpp; the verifier in TritonNvidiaGPU/IR/Dialect.cpp.
 */

import type { TensorMemoryParams, TensorMemoryScalesParams } from "../encoding-params.js";
import { ensureLayoutNotLargerThan } from "../ensure-shape.js";
import { LayoutError } from "../layout-error.js";
import { LinearLayout } from "../linear-layout.js";
import { getCTASplitNum, getShapePerCTA } from "./cga.js";
import { bool, cgaText, type Encoding, int } from "./encoding.js";
import { isPowerOf2 } from "./matrix-order.js";

const row = (size: number): LinearLayout => LinearLayout.identity1D(size, "row", "dim0");
const col = (size: number, outDim: "dim0" | "dim1"): LinearLayout => LinearLayout.identity1D(size, "col", outDim);

/** row, col -> dim0, dim1 within one of the CTAs that share it by a `cga`. */
export function tensorMemoryPart(shape: readonly number[], params: TensorMemoryParams | TensorMemoryScalesParams): LinearLayout {
  const part = getShapePerCTA(getCTASplitNum(params.cga!), shape);
  const own = { ...params, cga: undefined, CTASplitM: 1, CTASplitN: 1 };
  if (own.kind === "tensor_memory_scales_encoding") return tensorMemoryScalesToLinearLayout(part, own);
  const [m, n] = matrixShape(part);
  return own.twoCTAs && own.blockM === 64 ? repeated(m, n, lastColumnToRows(fullTile(n, own))) : tensorMemoryToLinearLayout(part, own);
}

/** row, col (and block, where a `cga` says how CTAs share it) -> dim0, dim1. */
export function tensorMemoryToLinearLayout(shape: readonly number[], params: TensorMemoryParams): LinearLayout {
  const [m, n] = matrixShape(shape);
  if (params.cga) return tensorMemoryPart(shape, params).multiply(params.cga);
  // CTAs split rows before columns, so columns are peeled off first.
  if (params.CTASplitN > 1) {
    const part = tensorMemoryToLinearLayout([m, n / params.CTASplitN], { ...params, CTASplitN: 1 });
    return part.multiply(col(params.CTASplitN, "dim1"));
  }
  if (params.CTASplitM > 1) return splitRows(m, n, params);

  return repeated(m, n, params.blockM === 64 ? halfTile(m, n, params) : fullTile(n, params));
}
const spacing = (params: TensorMemoryParams): LinearLayout => LinearLayout.zeros1D(params.colStride, "col", "dim1");
const columns = (n: number, params: TensorMemoryParams): LinearLayout =>
  LinearLayout.zeros1D(params.fp4Padded ? 2 : 1, "col", "dim1").multiply(col(Math.min(params.blockN, n), "dim1"));
const fullTile = (n: number, params: TensorMemoryParams): LinearLayout =>
  spacing(params).multiply(row(params.blockM).multiply(columns(n, params)));
function repeated(m: number, n: number, tile: LinearLayout): LinearLayout {
  const repsM = m / tile.getOutDimSize("dim0");
  const repsN = n / tile.getOutDimSize("dim1");
  if (repsM < 1 || repsN < 1) throw new LayoutError(`a ${m}x${n} tensor is smaller than the tensor memory block`);
  return tile.multiply(col(repsM, "dim0")).multiply(col(repsN, "dim1"));
}

/** row, col -> dim0, dim1: 32 rows, repeated for the four warps. */
export function tensorMemoryScalesToLinearLayout(shape: readonly number[], params: TensorMemoryScalesParams): LinearLayout {
  const [m, n] = matrixShape(shape);
  if (params.cga) return tensorMemoryPart(shape, params).multiply(params.cga);
  if (params.CTASplitN > 1) {
    const part = tensorMemoryScalesToLinearLayout([m, n / params.CTASplitN], { ...params, CTASplitN: 1 });
    return part.multiply(col(params.CTASplitN, "dim1"));
  }
  if (params.CTASplitM > 1) {
    const part = tensorMemoryScalesToLinearLayout([m / params.CTASplitM, n], { ...params, CTASplitM: 1 });
    return part.multiply(col(params.CTASplitM, "dim0"));
  }
  const tile = row(32)
    .multiply(LinearLayout.zeros1D(4, "row", "dim0"))
    .multiply(col(4, "dim1"))
    .multiply(col(2, "dim0"));
  const whole = tile
    .multiply(col(Math.ceil(m / tile.getOutDimSize("dim0")), "dim0"))
    .multiply(col(Math.ceil(n / tile.getOutDimSize("dim1")), "dim1"));
  return ensureLayoutNotLargerThan(whole, { dim0: m, dim1: n });
}

/** Real Triton aborts where there is no block at all. */
export const FIRST_BLOCK_OF_PAIRS = "twoCTAs layout requires the first CGALayout block basis to be [1, 0]";

/** Upstream's complaints about the parameters. */
export function verifyTensorMemory({
  blockM,
  blockN,
  colStride,
  CTASplitM,
  CTASplitN,
  cga,
  twoCTAs,
  fp4Padded,
}: TensorMemoryParams): string[] {
  if (cga && twoCTAs && cga.getBasis("block", 0).join() !== "1,0") return [FIRST_BLOCK_OF_PAIRS];
  if (!isPowerOf2(CTASplitM) || !isPowerOf2(CTASplitN)) return ["CTASplitM and CTASplitN must be greater than 0 and a power of 2"];
  if (blockM !== 64 && blockM !== 128) return [`blockM must be 64 or 128 but got ${blockM}`];
  if (!isPowerOf2(blockN)) return [`blockN must be a power of 2 but got ${blockN}`];
  if (blockN > 512) return [`blockN must be less than or equal to 512 but got ${blockN}`];
  // Upstream says "but got" twice.
  if (![1, 2, 4].includes(colStride)) return [`colStride must be 1, 2, or 4 but got but got ${colStride}`];
  if (fp4Padded && colStride !== 1) return [`fp4Padded tensor memory layout requires colStride 1 but got ${colStride}`];
  return [];
}

function splitRows(m: number, n: number, params: TensorMemoryParams): LinearLayout {
  // Two CTAs with 64 rows each are laid out as one of 128 rows with the last row and column bits swapped.
  const paired = params.blockM === 64 && params.twoCTAs;
  const blockM = paired ? params.blockM * 2 : params.blockM;
  const splitM = paired ? params.CTASplitM / 2 : params.CTASplitM;
  const whole = tensorMemoryToLinearLayout([m / splitM, n], { ...params, blockM, CTASplitM: 1 }).multiply(col(splitM, "dim0"));
  if (!paired) return whole;
  const rows = [...whole.getPackedBases("row")];
  const cols = [...whole.getPackedBases("col")];
  const lastRow = rows.pop()!;
  const lastCol = cols.pop()!;
  const swapped = new Map([
    ["row", [...rows, lastCol]],
    ["col", [...cols, lastRow]],
  ]);
  return whole.withBases(whole.inDimNames.map((dim) => [dim, swapped.get(dim)!]));
}

/** Blocks of 64 rows use 16 of each 32 rows; the other 16 hold a second block along m or n, or nothing. */
function halfTile(m: number, n: number, params: TensorMemoryParams): LinearLayout {
  const blockN = Math.min(params.blockN, n);
  const tile = spacing(params).multiply(row(16).multiply(columns(n, params)));
  const second = m > 64 ? [64, 0] : n > blockN ? [0, blockN] : [0, 0];
  const bases = tile.getBases();
  const widened = bases.map(([dim, vectors]) => [dim, dim === "row" ? [...vectors, second, [16, 0], [32, 0]] : vectors] as const);
  return LinearLayout.fromBases(widened, ["dim0", "dim1"]);
}

/** Two CTAs with 64 rows each: the second half of the columns is in the other rows. */
function lastColumnToRows(tile: LinearLayout): LinearLayout {
  const rows = tile.getInDimBases("row");
  const columns = tile.getInDimBases("col");
  const bases = tile.getBases().map(([dim]) => [dim, dim === "row" ? [...rows, columns.at(-1)!] : columns.slice(0, -1)] as const);
  return LinearLayout.fromBases(bases, tile.getOutDims(), tile.isSurjective());
}

function matrixShape(shape: readonly number[]): [m: number, n: number] {
  if (shape.length !== 2) throw new LayoutError(`tensor memory holds matrices, not tensors of rank ${shape.length}`);
  return [shape[0]!, shape[1]!];
}

const SPLIT = [int("CTASplitM", "CTAs that split the rows", "1"), int("CTASplitN", "CTAs that split the columns", "1")];
const splitText = ({ CTASplitM, CTASplitN, cga }: TensorMemoryScalesParams | TensorMemoryParams): string[] =>
  cga ? [cgaText(cga).slice(2)] : splitNumbers(CTASplitM, CTASplitN);
const splitNumbers = (CTASplitM: number, CTASplitN: number): string[] => [
  ...(CTASplitM === 1 ? [] : [`CTASplitM = ${CTASplitM}`]),
  ...(CTASplitN === 1 ? [] : [`CTASplitN = ${CTASplitN}`]),
];

export const TENSOR_MEMORY: Encoding<TensorMemoryParams> = {
  kind: "tensor_memory_encoding",
  dialect: "ttng",
  group: "tensor memory",
  what: "blocks, first along rows",
  fields: [
    int("blockM", "64 or 128"),
    int("blockN", "columns of a block"),
    int("colStride", "1, 2 or 4 elements from column to column"),
    ...SPLIT,
    bool("twoCTAs", "two CTAs work on one block", "false"),
    bool("fp4Padded", "a byte of two fp4 has two columns", "false"),
  ],
  text(params) {
    const block = `blockM = ${params.blockM}, blockN = ${params.blockN}, colStride = ${params.colStride}`;
    return [
      block,
      ...splitText(params),
      ...(params.twoCTAs ? ["twoCTAs = true"] : []),
      ...(params.fp4Padded ? ["fp4Padded = true"] : []),
    ].join(", ");
  },
  verify: verifyTensorMemory,
  toLinearLayout: tensorMemoryToLinearLayout,
  cga: ({ cga }) => cga,
  rank: () => 2,
};

export const TENSOR_MEMORY_SCALES: Encoding<TensorMemoryScalesParams> = {
  kind: "tensor_memory_scales_encoding",
  dialect: "ttng",
  group: "tensor memory",
  what: "block scales, repeated for four warps",
  fields: SPLIT,
  text: (params) => splitText(params).join(", "),
  toLinearLayout: tensorMemoryScalesToLinearLayout,
  cga: ({ cga }) => cga,
  rank: () => 2,
};
