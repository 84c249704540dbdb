/** The output of `cute-layout mma` and `copy`: names and values, the drawing, the tables of owners. */

import * as any from "../cute/composed-layout.js";
import { type OwnedTable, ownerPanel, type Panel } from "../cute/draw.js";
import { product } from "../cute/int-tuple.js";
import type { NumericType } from "../cute/numeric-type.js";
import { printValue } from "../cute/numeric-type.js";
import { cellsOf, copyCoordinates, type Marked, mmaCoordinates, owners } from "../cute/print-picture.js";
import { printTerm } from "../cute/print-term.js";
import {
  at,
  copyElements,
  elements,
  fill,
  identityTensor,
  makeTensor,
  memoryPointer,
  offsetOf,
  sizeOf,
  type Tensor,
} from "../cute/tensor.js";
import { get, int, type Layout, numberOf, type Term } from "../cute/term.js";
import {
  copySize,
  copyTileSize,
  endLayoutTv,
  partitionCopy,
  printTiledCopy,
  type ThrCopy,
  type TiledCopy,
  tidfrg,
} from "../cute/tiled-copy.js";
import {
  layoutTv,
  mmaSize,
  mmaSlice,
  partition,
  partitionShape,
  printThrMma,
  printTiledMma,
  type TiledMma,
  thrfrg,
  tileShape,
} from "../cute/tiled-mma.js";

/** A report: the object as CuTe prints it, then named lines. */
export interface Report {
  readonly title: string;
  readonly print: string;
  readonly lines: readonly (readonly [name: string, value: string])[];
  /** Computed where a drawing is asked for. */
  readonly panels: () => readonly Panel[];
  readonly owned: () => readonly OwnedTable[];
}

const dynamic = (n: number): Term => int(n, false);
const operands = ["A", "B", "C"] as const;

/** A TiledMMA, with its partitions of A, B and C where tensors are given. */
export function mmaReport(
  mma: TiledMma,
  tensors: Readonly<Record<"A" | "B" | "C", Layout>> | undefined,
  thread: number | undefined,
  marked?: Marked,
): Report {
  const lines: [string, string][] = [["PTX", mma.atom.ptx]];
  for (const [name, l] of Object.entries(mma.atom.extra ?? {})) lines.push([`Layout${name}_TV (atom)`, printTerm(l)]);
  for (const o of operands) lines.push([`Layout${o}_TV`, printTerm(layoutTv(mma, o))]);
  lines.push(["tile_size_mnk", printTerm(tileShape(mma))], ["size", printTerm(mmaSize(mma))], ["thr_layout_vmnk", printTerm(mma.threads)]);
  if (tensors) {
    for (const o of operands) lines.push([`${o}_tensor`, printTerm(tensors[o])]);
    for (const o of operands) lines.push([`thrfrg_${o}`, printTerm(thrfrg(mma, o, tensors[o]))]);
    for (const o of operands) lines.push([`partition_shape_${o}`, printTerm(partitionShape(mma, o, tensors[o].shape))]);
    const slice = mmaSlice(mma, dynamic(thread ?? 0));
    for (const o of operands) lines.push([`partition_${o}`, printTerm(partition(slice, o, nullTensor(tensors[o])).layout)]);
    if (thread !== undefined) {
      lines.push(["Thr VMNK", printThrMma(slice).split("\n")[1]!.replace(/.*: /, "")]);
      for (const o of operands) {
        const part = partition(slice, o, identityTensor(tensors[o].shape));
        lines.push([`part_${o}_coords_t${thread}`, `${printTerm(any.shape(part.layout))} @ ${firstCoordinates(part)}`]);
      }
    }
  } else if (thread !== undefined) {
    lines.push(["Thr VMNK", printTerm(mmaSlice(mma, dynamic(thread)).coord)]);
  }
  const [m, n, k] = [0, 1, 2].map((i) => numberOf(get(tileShape(mma), i))) as [number, number, number];
  const extents = { A: [m, k], B: [n, k], C: [m, n] } as const;
  return {
    title: mma.atom.name,
    print: printTiledMma(mma),
    lines,
    panels: () =>
      operands.map((o) =>
        ownerPanel(owners(mmaCoordinates(mma, o)), extents[o][0], extents[o][1], `${o} (${extents[o].join(" x ")})`, marked),
      ),
    owned: () => operands.map((o) => ownedTable(mmaCoordinates(mma, o), `What each thread owns of ${o}`)),
  };
}

/** The ends of a copy: where its source and destination lie. */
export interface CopyTensors {
  readonly source: Layout;
  readonly destination: Layout;
}

/** A TiledCopy, with partitions, and with the copy carried out where values are asked for. */
export function copyReport(
  copy: TiledCopy,
  tensors: CopyTensors | undefined,
  thread: number | undefined,
  values: { readonly type: NumericType; readonly name: string } | undefined,
  marked?: Marked,
): Report {
  const lines: [string, string][] = [
    ["PTX", copy.atom.op.ptx],
    ["LayoutS_TV", printTerm(endLayoutTv(copy, "S"))],
    ["LayoutD_TV", printTerm(endLayoutTv(copy, "D"))],
    ["size", printTerm(copySize(copy))],
    ["tile_size", printTerm(copyTileSize(copy))],
  ];
  const ends =
    tensors &&
    ([
      ["S", tensors.source],
      ["D", tensors.destination],
    ] as const);
  if (ends) {
    const slice: ThrCopy = { kind: "thr-copy", copy, thread: dynamic(thread ?? 0) };
    for (const [end, l] of ends) lines.push([`${end}_tensor`, printTerm(l)]);
    for (const [end, l] of ends) lines.push([`tidfrg_${end}`, printTerm(tidfrg(copy, end, l))]);
    for (const [end, l] of ends) lines.push([`partition_${end}`, printTerm(partitionCopy(slice, end, nullTensor(l)).layout)]);
    if (thread !== undefined)
      for (const [end, l] of ends) {
        const counting: Tensor = { kind: "tensor", data: { kind: "counting", at: 0 }, layout: l };
        lines.push([`${end}_offset_t${thread}`, printTerm(offsetOf(partitionCopy(slice, end, counting)))]);
        lines.push([`${end}_coords_t${thread}`, firstCoordinates(partitionCopy(slice, end, identityTensor(l.shape)))]);
      }
  }
  const print = printTiledCopy(copy) + (tensors && values ? `\n${carriedOut(copy, tensors, thread ?? 0, values)}` : "");
  const [s, d] = [copyCoordinates(copy, "S"), copyCoordinates(copy, "D")];
  const matrix = copy.atom.op.ptx.startsWith("ldmatrix")
    ? ["which lane supplies the address of which row", "which lane receives which fragment"]
    : ["source", "destination"];
  return {
    title: `${copy.atom.op.name} of ${copy.atom.valueType.name}`,
    print,
    lines,
    panels: () => [
      ownerPanel(owners(s.tensor), s.rows, s.columns, `S: ${matrix[0]}`, marked),
      ownerPanel(owners(d.tensor), d.rows, d.columns, `D: ${matrix[1]}`, marked),
    ],
    owned: () => [ownedTable(s.tensor, "What each thread reads (S)"), ownedTable(d.tensor, "What each thread writes (D)")],
  };
}

/** Copies 0, 1, 2, .. with all threads and prints what one thread's part of the destination holds. */
function carriedOut(
  copy: TiledCopy,
  tensors: CopyTensors,
  thread: number,
  values: { readonly type: NumericType; readonly name: string },
): string {
  const source = makeTensor(memoryPointer(values.type, "gmem"), tensors.source);
  const destination = makeTensor(memoryPointer(values.type, "smem"), tensors.destination);
  // The source counts by offset, as an array in memory does; elements the layout skips keep their place.
  const offsets = [...elements({ ...source, data: { kind: "counting", at: 0 } })];
  fill(source, (i) => {
    const offset = offsets[i]!;
    return offset.kind === "int" ? offset.value : i;
  });
  const threads = numberOf(copySize(copy));
  for (let t = 0; t < threads; t++) {
    const slice: ThrCopy = { kind: "thr-copy", copy, thread: dynamic(t) };
    const [from, to] = [partitionCopy(slice, "S", source), partitionCopy(slice, "D", destination)];
    if (sizeOf(from) === sizeOf(to)) copyElements(from, to);
  }
  const mine = partitionCopy({ kind: "thr-copy", copy, thread: dynamic(thread) }, "D", destination);
  const group = numberOf(product(get(any.shape(mine.layout), 0)));
  const out: string[] = [];
  let i = 0;
  for (const e of elements(mine)) {
    if (i > 0 && i % group === 0) out.push("-".repeat(40));
    out.push(`${values.name}(${i++}): ${e.kind === "number" ? printValue(e.type, e.value) : "?"}`);
  }
  return `${out.join("\n")}\n`;
}

const nullTensor = (l: Layout): Tensor => ({ kind: "tensor", data: { kind: "counting", at: 0 }, layout: l });

/** The first 16 coordinates of a part of an identity tensor. */
function firstCoordinates(t: Tensor): string {
  const n = Math.min(16, sizeOf(t));
  const out: string[] = [];
  for (let i = 0; i < n; i++) {
    const e = at(t, dynamic(i));
    out.push(e.kind === "tensor" || e.kind === "number" ? "?" : printTerm(e));
  }
  return out.join(" ");
}

function ownedTable(tv: Tensor, caption: string): OwnedTable {
  const { threads, values, at } = cellsOf(tv);
  return {
    caption,
    threads: Array.from({ length: threads }, (_, t) => Array.from({ length: values }, (_, v) => `(${at(t, v).join(",")})`)),
  };
}

/** The report as text: what CuTe prints, then `name: value` lines. */
export const reportText = (r: Report): string => `${r.print}${r.lines.map(([n, v]) => `${n}: ${v}\n`).join("")}`;
/** The report as JSON, the same names. */
export const reportJson = (r: Report): string => `${JSON.stringify({ print: r.print, ...Object.fromEntries(r.lines) }, null, 2)}\n`;
