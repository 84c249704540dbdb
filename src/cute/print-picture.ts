/**
 * CUTLASS's own pictures: LaTeX of layouts, TiledMMA and TiledCopy, SVG of a TiledMMA. Every cell says which thread
 * holds it as which value; where several do, the first in order of thread and value.
 * Source: cute/util/print_latex.hpp, cute/util/print_svg.hpp.
 */
import { within } from "../support/limits.js";
import * as any from "./composed-layout.js";
import { product, productEach } from "./int-tuple.js";
import * as plain from "./layout.js";
import { printTerm } from "./print-term.js";
import { at, identityTensor, printTensorLine, sliceTensor, type Tensor, withLayout } from "./tensor.js";
import { type AnyLayout, CuteError, dyn, get, numberOf, one, tuple, underscore, zero } from "./term.js";
import { type TiledCopy, tidfrg } from "./tiled-copy.js";
import { layoutTv, type Operand, type TiledMma, tileShape } from "./tiled-mma.js";

/** One cell of a tile: who holds it. */
export interface Owner {
  readonly row: number;
  readonly column: number;
  readonly thread: number;
  readonly value: number;
}

/** The threads that a picture points out. */
export type Marked = (thread: number) => boolean;

type Cell = readonly [row: number, column: number];

/** A tensor of coordinates (thread, value) -> (row, column), ready to be asked for all of them. */
export interface Cells {
  readonly threads: number;
  readonly values: number;
  readonly at: (thread: number, value: number) => Cell;
}
/** The cells of such a tensor; an error where there are too many to draw. */
export function cellsOf(tv: Tensor): Cells {
  const shape = any.shape(tv.layout);
  const [threads, values] = [numberOf(product(get(shape, 0))), numberOf(product(get(shape, 1)))];
  within("drawn-cells", threads * values);
  const cell = (thread: number, value: number): Cell => {
    const coord = at(tv, tuple(dyn(thread), dyn(value)));
    if (coord.kind !== "tuple") throw new CuteError("expected a tensor of coordinates");
    return [numberOf(get(coord, 0)), numberOf(get(coord, 1))];
  };
  if (tv.layout.kind !== "layout") return { threads, values, at: cell };
  // A layout is linear in its modes: what the thread adds and what the value adds is computed once for each.
  const ofThread = count(threads).map((thread) => cell(thread, 0));
  const [row0, column0] = ofThread[0]!;
  const ofValue = count(values).map((value): Cell => {
    const [row, column] = cell(0, value);
    return [row - row0, column - column0];
  });
  return {
    threads,
    values,
    at: (thread, value) => [ofThread[thread]![0] + ofValue[value]![0], ofThread[thread]![1] + ofValue[value]![1]],
  };
}

/** The first owner of every cell, by thread and value. */
export function owners(tv: Tensor): readonly Owner[] {
  const cells = cellsOf(tv);
  // By row, then column: numbers are found sooner than texts of both.
  const seen = new Map<number, Set<number>>();
  const out: Owner[] = [];
  for (let thread = 0; thread < cells.threads; thread++) {
    for (let value = 0; value < cells.values; value++) {
      const [row, column] = cells.at(thread, value);
      let columns = seen.get(row);
      if (!columns) seen.set(row, (columns = new Set()));
      if (columns.has(column)) continue;
      columns.add(column);
      out.push({ row, column, thread, value });
    }
  }
  return out;
}

/** (thread, value) to coordinates of one operand of a TiledMMA. */
export function mmaCoordinates(mma: TiledMma, operand: Operand): Tensor {
  const axes = { A: [0, 2], B: [1, 2], C: [0, 1] } as const;
  const [x, y] = axes[operand];
  const shape = tileShape(mma);
  const reference = identityTensor(tuple(get(shape, x), get(shape, y)));
  return withLayout(reference, (l) => any.composition(l, layoutTv(mma, operand)));
}

/** (thread, value) to coordinates of source or destination of a TiledCopy, and the extents of the tile. */
export function copyCoordinates(copy: TiledCopy, end: "S" | "D"): { tensor: Tensor; rows: number; columns: number } {
  const tile = productEach(any.shape(any.logicalDivide(plain.compactLayout(tuple(one, one)), copy.tiler)));
  const cut = withLayout(identityTensor(tile), (l) => tidfrg(copy, end, l));
  return {
    tensor: sliceTensor(cut, tuple(underscore, underscore, zero)),
    rows: numberOf(get(tile, 0)),
    columns: numberOf(get(tile, 1)),
  };
}

const latexHead = String.raw`\documentclass[convert]{standalone}
\usepackage{tikz}

\begin{document}
\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)},every node/.style={minimum size=1cm, outer sep=0pt}]

`;
const latexFoot = "\\end{tikzpicture}\n\\end{document}\n";
const shades = ["black!00", "black!40", "black!20", "black!60", "black!10", "black!50", "black!30", "black!70"];
/** The eight colours of threads. */
export const threadColours: readonly (readonly [number, number, number])[] = [
  [175, 175, 255],
  [175, 255, 175],
  [255, 255, 175],
  [255, 175, 175],
  [210, 210, 255],
  [210, 255, 210],
  [255, 255, 210],
  [255, 210, 210],
];
const latexColour = (thread: number): string => {
  const [r, g, b] = threadColours[thread % 8]!;
  return `{rgb,255:red,${r};green,${g};blue,${b}}`;
};
const label = (row: number, column: number, n: number) => `\\node at (${row},${column}) {\\Large{\\texttt{${n}}}};\n`;
const ownerNode = (row: number, column: number, o: Owner, marked?: Marked) =>
  `\\node[fill=${latexColour(o.thread)}${marked?.(o.thread) ? ", draw=red, line width=3pt" : ""}] at (${row},${column}) {\\shortstack{T${o.thread} \\\\ V${o.value}}};\n`;
const grid = (r0: number, c0: number, r1: number, c1: number) =>
  `\\draw[color=black,thick,shift={(-0.5,-0.5)}] (${r0},${c0}) grid (${r1},${c1});\n\n`;
const count = (n: number) => Array.from({ length: n }, (_, i) => i);

/** LaTeX of a layout of one or two modes: its offsets in shades of grey. */
export function latexOfLayout(l: AnyLayout): string {
  const shown = any.positionIndependent(l);
  if (any.rank(shown) > 2) throw new CuteError(`print_latex: the layout has ${any.rank(shown)} modes, a picture needs 2`);
  const two = any.appendMode(shown, plain.trivial, 2);
  const shape = productEach(any.shape(two));
  const [rows, columns] = [numberOf(get(shape, 0)), numberOf(get(shape, 1))];
  let out = `% Layout: ${printTerm(two)}\n${latexHead}`;
  for (const m of count(rows))
    for (const n of count(columns)) {
      const index = numberOf(any.apply(two, tuple(dyn(m), dyn(n))));
      out += `\\node[fill=${shades[((index % 8) + 8) % 8]}] at (${m},${n}) {${index}};\n`;
    }
  out += grid(0, 0, rows, columns);
  for (const m of count(rows)) out += label(m, -1, m);
  for (const n of count(columns)) out += label(-1, n, n);
  return out + latexFoot;
}

/** LaTeX of a (thread, value) layout of coordinates over a tile. */
export function latexOfTv(tv: Tensor | AnyLayout, rows: number, columns: number): string {
  const tensor: Tensor = tv.kind === "tensor" ? tv : coordinates(tv);
  let out = `% Layout TV: ${tv.kind === "tensor" ? printTensorLine(tv) : printTerm(tv)}\n${latexHead}`;
  for (const o of owners(tensor)) out += ownerNode(o.row, o.column, o);
  out += grid(0, 0, rows, columns);
  for (const m of count(rows)) out += label(m, -1, m);
  for (const n of count(columns)) out += label(-1, n, n);
  return out + latexFoot;
}

function coordinates(l: AnyLayout): Tensor {
  if (l.kind !== "layout") throw new CuteError("print_latex_tv: expected a layout of coordinates");
  return { kind: "tensor", data: { kind: "coordinates", at: tuple(zero, zero) }, layout: l };
}

/** LaTeX of a TiledMMA: C, with A to its left and B above. */
export function latexOfMma(mma: TiledMma, marked?: Marked): string {
  const [c, a, b] = [mmaCoordinates(mma, "C"), mmaCoordinates(mma, "A"), mmaCoordinates(mma, "B")];
  const [m, n, k] = extents(mma);
  let out = `% LayoutC: ${printTensorLine(c)}\n% LayoutA: ${printTensorLine(a)}\n% LayoutB: ${printTensorLine(b)}\n${latexHead}`;
  for (const o of owners(c)) out += ownerNode(o.row, o.column, o, marked);
  out += grid(0, 0, m, n);
  for (const o of owners(a)) out += ownerNode(o.row, o.column - k - 1, o, marked);
  out += grid(0, -k - 1, m, -1);
  for (const i of count(m)) out += label(i, -k - 2, i);
  for (const i of count(k)) out += label(-1, i - k - 1, i);
  for (const o of owners(b)) out += ownerNode(o.column - k - 1, o.row, o, marked);
  out += grid(-k - 1, 0, -1, n);
  for (const i of count(n)) out += label(-k - 2, i, i);
  for (const i of count(k)) out += label(i - k - 1, -1, i);
  return out + latexFoot;
}

const extents = (mma: TiledMma): readonly [number, number, number] => {
  const shape = tileShape(mma);
  return [numberOf(get(shape, 0)), numberOf(get(shape, 1)), numberOf(get(shape, 2))];
};

/** LaTeX of a TiledCopy: the source's tile, and the destination's to its right. */
export function latexOfCopy(copy: TiledCopy, marked?: Marked): string {
  const [s, d] = [copyCoordinates(copy, "S"), copyCoordinates(copy, "D")];
  const { rows, columns } = s;
  let out = `% Layout S TV: ${printTensorLine(s.tensor)}\n% Layout D TV: ${printTensorLine(d.tensor)}\n${latexHead}`;
  for (const o of owners(s.tensor)) out += ownerNode(o.row, o.column, o, marked);
  out += grid(0, 0, rows, columns);
  for (const m of count(rows)) out += label(m, -1, m);
  for (const n of count(columns)) out += label(-1, n, n);
  for (const o of owners(d.tensor)) out += ownerNode(o.row, o.column + columns + 3, o, marked);
  out += grid(0, columns + 3, rows, 2 * columns + 3);
  for (const m of count(rows)) out += label(m, 2 * columns + 3, m);
  for (const n of count(columns)) out += label(-1, n + columns + 3, n);
  return out + latexFoot;
}

const cell = 20;
const text = (x: number, y: number, size: number, content: string) =>
  `<text x="${x}" y="${y}" text-anchor="middle" alignment-baseline="central" font-size="${size}">${content}</text>\n`;

function svgOwner(x: number, y: number, o: Owner, close: string, marked?: Marked): string {
  const [r, g, b] = threadColours[o.thread % 8]!;
  const stroke = marked?.(o.thread) ? `stroke="red" stroke-width="2"` : `stroke="black"`;
  return (
    `<rect x="${x}" y="${y}" width="${cell}" height="${cell}" fill="rgb(${r},${g},${b})" ${stroke}${close}\n` +
    text(x + cell / 2, y + cell / 4, 8, `T${o.thread}`) +
    text(x + cell / 2, y + (3 * cell) / 4, 8, `V${o.value}`)
  );
}

/** SVG of a TiledMMA, as CUTLASS draws it. */
export function svgOfMma(mma: TiledMma, marked?: Marked): string {
  const [c, a, b] = [mmaCoordinates(mma, "C"), mmaCoordinates(mma, "A"), mmaCoordinates(mma, "B")];
  const [m, n, k] = extents(mma);
  let out = `<!--  Tile: ${printTerm(tileShape(mma))}  -->\n`;
  for (const [name, t] of [
    ["A", a],
    ["B", b],
    ["C", c],
  ] as const)
    out += `<!--     ${name}: ${printTensorLine(t)}  -->\n`;
  out += `<svg width="100%" height="100%" viewBox="0 0 ${(k + n + 2) * cell} ${(k + m + 2) * cell}" preserveAspectRatio="xMidYMid meet" xmlns="http://www.w3.org/2000/svg">\n`;
  const mark = (row: number, column: number, i: number) => text(column * cell + cell / 2, row * cell + cell / 2, 12, String(i));
  for (const o of owners(c)) out += svgOwner((o.column + k + 2) * cell, (o.row + k + 2) * cell, o, "/>", marked);
  for (const o of owners(a)) out += svgOwner((o.column + 1) * cell, (o.row + k + 2) * cell, o, " />", marked);
  for (const i of count(m)) out += mark(i + k + 2, 0, i);
  for (const i of count(k)) out += mark(k + 1, i + 1, i);
  for (const o of owners(b)) out += svgOwner((o.row + k + 2) * cell, (o.column + 1) * cell, o, " />", marked);
  for (const i of count(n)) out += mark(0, i + k + 2, i);
  for (const i of count(k)) out += mark(i + 1, k + 1, i);
  return `${out}</svg>\n`;
}
