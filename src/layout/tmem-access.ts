/**
 * The register layouts that tensor memory can be read and written with: an instruction's tile, repeated over the columns and spread
 * over warps, composed with the layout of the memory. Source: TritonNvidiaGPU/IR/Dialect.cpp, getDistributedLayoutForTmemLdSt.
 */

import { divideLeft, divideRight } from "./divide.js";
import type { EncodingParams } from "./encoding-params.js";
import { defaultCga } from "./encodings/cga.js";
import { tensorMemoryPart } from "./encodings/tensor-memory.js";
import { LayoutError } from "./layout-error.js";
import { LinearLayout } from "./linear-layout.js";
import { toLinearLayout } from "./to-linear-layout.js";

/** The shapes of tcgen05.ld and tcgen05.st: rows x bits per column group. */
export type TMemAccessAtom = "32x32b" | "16x64b" | "16x128b" | "16x256b" | "16x32bx2";

const id = (size: number, inDim: string, outDim: string): LinearLayout => LinearLayout.identity1D(size, inDim, outDim);

/** register, lane (and warp) -> row, col of one instruction on 32-bit columns; `unpacked`: 16-bit data in 32-bit columns. */
export function getTileLayout(atom: TMemAccessAtom, unpacked: boolean, withWarp: boolean): LinearLayout {
  const base = LinearLayout.fromBases(
    [
      ["register", []],
      ["lane", []],
    ],
    ["row", "col"],
  );
  const tile = (unpacked ? base.multiply(LinearLayout.zeros1D(1, "register", "col", 2)) : base).multiply(atomTile(atom));
  if (!withWarp) return tile;
  const warps = [...(tile.hasInDim("warp") ? tile.getInDimBases("warp") : []), [32, 0], [64, 0]];
  return LinearLayout.fromBases(
    [...tile.getBases().filter(([dim]) => dim !== "warp"), ["warp", warps]],
    [
      ["row", 128],
      ["col", tile.getOutDimSize("col")],
    ],
    false,
  );
}

/**
 * The layout (register, lane, warp, block -> dim0, dim1) of a tensor that one kind of instruction moves to or from memory with layout
 * `memory` (row, col -> dim0, dim1), by `numWarps` (a power of two, at least 4) warps; undefined if it cannot. `cga` is how CTAs share
 * the tensor. `bitwidth` of an element.
 */
export function getDistributedLayoutForTmemLdSt(
  memory: LinearLayout,
  atom: TMemAccessAtom,
  numWarps: number,
  bitwidth: number,
  cga: LinearLayout,
): LinearLayout | undefined {
  // Memory counts the parts of all CTAs as columns, rows of the tensor first; a CTA has one of them.
  const [dim0 = "", dim1 = ""] = memory.outDimNames;
  const [sizeM = 1, sizeN = 1] = cga.getOutDimSizes();
  const part = divideRight(memory, id(sizeM, "col", dim0).multiply(id(sizeN, "col", dim1)));
  if (part === undefined) throw new LayoutError("the CTAs of the tensor do not split the tensor memory");
  return withinCta(part, atom, numWarps, bitwidth)?.multiply(cga);
}

/** Elements narrower than a column are packed, or spaced out, first. */
function withinCta(memory: LinearLayout, atom: TMemAccessAtom, numWarps: number, bitwidth: number): LinearLayout | undefined {
  if (bitwidth === 32) return ofColumns(memory, atom, numWarps);
  const dim1 = memory.outDimNames[1]!;
  let packed = 1;
  let quotient = memory;
  for (let contig = 2; bitwidth * contig <= 32; contig *= 2) {
    const next = divideLeft(memory, id(contig, "col", dim1));
    if (next === undefined) break;
    quotient = next;
    packed = contig;
  }
  if (packed > 1) {
    const rest = withinCta(quotient, atom, numWarps, bitwidth * packed);
    return rest && id(packed, "register", dim1).multiply(rest);
  }
  const gap = LinearLayout.zeros1D(32 / bitwidth, "col", dim1);
  const pairs = bitwidth === 16 ? divideLeft(memory, gap.multiply(id(2, "col", dim1))) : undefined;
  if (pairs !== undefined) {
    const rest = ofColumns(pairs, atom, numWarps);
    return rest && id(2, "register", dim1).multiply(rest);
  }
  const spaced = divideLeft(memory, gap);
  if (spaced !== undefined) return ofColumns(spaced, atom, numWarps);
  if (memory.getInDimSize("col") === 1) return ofColumns(memory, atom, numWarps);
  throw new LayoutError("tensor memory columns hold neither packed nor spaced elements");
}

/** With columns of 32 bits: extends the instruction's tile to all rows and columns and composes it with the memory. */
function ofColumns(memory: LinearLayout, atom: TMemAccessAtom, numWarps: number): LinearLayout | undefined {
  let tile = getTileLayout(atom, false, false);
  let missing = Math.trunc(memory.getInDimSize("col") / tile.getOutDimSize("col"));
  if (missing === 0) return undefined;
  const reads32Rows = atom === "32x32b";
  const has16Rows = memory.getBasis("row", 4).every((c) => c === 0);

  // The lowering inverts the memory, so an instruction must not touch rows or columns that hold nothing.
  let touched = tile.compose(memory).sublayout(["register", "lane"], memory.outDimNames);
  if (reads32Rows) touched = touched.resizeInDim("lane", touched.getInDimSize("lane") / 2);
  if (!touched.isInjective()) return undefined;

  // Where the instruction reads 16 of 32 rows, more warps or else registers cover the others.
  const row16 = reads32Rows || has16Rows ? undefined : numWarps > 4 ? "warp" : "register";
  let warpsToTile = Math.trunc(numWarps / (row16 === "warp" ? 8 : 4));
  const broadcast = Math.trunc(warpsToTile / Math.min(missing, warpsToTile));
  warpsToTile = Math.trunc(warpsToTile / broadcast);
  missing = Math.trunc(missing / warpsToTile);
  if (missing > 1) {
    if (reads32Rows && has16Rows) {
      // Instead of reading rows that repeat others, the upper 16 lanes read the second half of the columns (16x32bx2).
      const half = divideLeft(tile, id(2, "lane", "row"));
      if (half === undefined) throw new LayoutError("a 32x32b tile has 32 lanes along the rows");
      tile = half.multiply(id(missing / 2, "register", "col")).multiply(id(2, "lane", "col"));
    } else tile = tile.multiply(id(missing, "register", "col"));
  }

  const extra = (dim: string): number[][] => [
    ...(tile.hasInDim(dim) ? tile.getInDimBases(dim) : []),
    ...(dim === "warp"
      ? [
          [32, 0],
          [64, 0],
        ]
      : []),
    ...(dim === row16 ? [[16, 0]] : []),
  ];
  const inDims = tile.hasInDim("warp") ? tile.inDimNames : [...tile.inDimNames, "warp"];
  const whole = LinearLayout.fromBases(
    inDims.map((dim) => [dim, extra(dim)] as const),
    [
      ["row", 128],
      ["col", tile.getOutDimSize("col")],
    ],
    false,
  )
    .multiply(id(warpsToTile, "warp", "col"))
    .multiply(LinearLayout.zeros1D(broadcast, "warp", "col"));
  return whole.compose(memory);
}

function atomTile(atom: TMemAccessAtom): LinearLayout {
  switch (atom) {
    case "32x32b":
      return id(32, "lane", "row");
    case "16x32bx2":
      return id(16, "lane", "row");
    case "16x64b":
      return LinearLayout.fromBases(
        [
          [
            "lane",
            [
              [8, 0],
              [0, 1],
              [1, 0],
              [2, 0],
              [4, 0],
            ],
          ],
        ],
        ["row", "col"],
      );
    case "16x128b":
      return id(4, "lane", "col")
        .multiply(id(8, "lane", "row"))
        .multiply(id(2, "register", "row"));
    case "16x256b":
      return id(2, "register", "col")
        .multiply(id(4, "lane", "col"))
        .multiply(id(8, "lane", "row"))
        .multiply(id(2, "register", "row"));
  }
}

/** As above for an encoding, which since 3.8 says how CTAs share the buffer; before, they share it as the tensor, by `cga`. */
export function registersForTmem(
  shape: readonly number[],
  encoding: EncodingParams,
  atom: TMemAccessAtom,
  numWarps: number,
  bitwidth: number,
  cga: LinearLayout,
): LinearLayout | undefined {
  const isTmem = encoding.kind === "tensor_memory_encoding" || encoding.kind === "tensor_memory_scales_encoding";
  if (!isTmem || !encoding.cga) return getDistributedLayoutForTmemLdSt(toLinearLayout(shape, encoding), atom, numWarps, bitwidth, cga);
  const part = getDistributedLayoutForTmemLdSt(tensorMemoryPart(shape, encoding), atom, numWarps, bitwidth, defaultCga(2));
  return part?.multiply(encoding.cga);
}
