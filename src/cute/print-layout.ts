/**
 * Tables on the console: `print_layout` of a two-mode layout, `print_tensor` of one to four modes.
 * Source: cute/util/print_tensor.hpp.
 */
import { within } from "../support/limits.js";
import * as any from "./composed-layout.js";
import { product } from "./int-tuple.js";
import { prettyValue } from "./numeric-type.js";
import { printTerm } from "./print-term.js";
import { at, type Element, printTensorLine, type Tensor } from "./tensor.js";
import { type AnyLayout, CuteError, dyn, get, numberOf, rankOf, type Term, tuple, underscore } from "./term.js";

const extent = (l: AnyLayout, i: number): number => numberOf(product(get(any.shape(l), i)));

/** The layout and a table of its offsets, first mode down, second across; `heading` is shown in place of `l`. */
export function printLayout(l: AnyLayout, heading?: AnyLayout): string {
  const shown = any.positionIndependent(l);
  if (any.rank(shown) !== 2) throw new CuteError(`print_layout: the layout has ${any.rank(shown)} modes, a table needs 2`);
  const [rows, columns] = [extent(shown, 0), extent(shown, 1)];
  within("drawn-cells", rows * columns);
  const width = String(numberOf(any.cosize(shown))).length;
  const rule = `    ${`+${"-".repeat(width + 2)}`.repeat(columns)}+\n`;
  const across = (cell: (n: number) => string) => Array.from({ length: columns }, (_, n) => cell(n)).join("");
  let out = `${printTerm(heading ?? shown)}\n    ${across((n) => `  ${String(n).padStart(width)} `)}\n`;
  for (let m = 0; m < rows; m++) {
    const value = (n: number) => String(numberOf(any.apply(shown, tuple(dyn(m), dyn(n))))).padStart(width);
    out += `${rule}${String(m).padStart(2)}  ${across((n) => `| ${value(n)} `)}|\n`;
  }
  return out + rule;
}

/** A tensor's line and its elements, further modes one block after the other. */
export function printTensor(t: Tensor, withType = true): string {
  within("drawn-cells", numberOf(any.size(t.layout)));
  return (withType ? `${printTensorLine(t)}:\n` : "") + printBlock(t);
}

function printBlock(t: Tensor): string {
  const rank = any.rank(t.layout);
  if (rank === 1) return Array.from({ length: numberOf(any.size(t.layout)) }, (_, m) => `${pretty(element(t, dyn(m)))}\n`).join("");
  const [rows, columns] = [extent(t.layout, 0), extent(t.layout, 1)];
  if (rank === 2) {
    const row = (m: number) => Array.from({ length: columns }, (_, n) => pretty(element(t, tuple(dyn(m), dyn(n))))).join("");
    return Array.from({ length: rows }, (_, m) => `${row(m)}\n`).join("");
  }
  if (rank > 4) return "";
  const fixed = Array.from({ length: rank - 1 }, () => underscore);
  const blocks = Array.from({ length: extent(t.layout, rank - 1) }, (_, i) => printBlock(at(t, tuple(...fixed, dyn(i))) as Tensor));
  return blocks.join(`${(rank === 3 ? "-" : "=").repeat(5 * columns)}\n`);
}

function element(t: Tensor, coord: Term): Element {
  const e = at(t, coord);
  if (e.kind === "tensor") throw new CuteError("print_tensor: expected an element");
  return e;
}

function pretty(e: Element): string {
  if (e.kind === "number") return prettyValue(e.type, e.value);
  return e.kind === "int" && !e.isStatic && rankOf(e) === 1 ? String(e.value).padStart(5) : `  ${printTerm(e)}`;
}
