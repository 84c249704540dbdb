/** `print` and its relatives, and C's `printf`. */

import { productEach } from "../../int-tuple.js";
import { printValue } from "../../numeric-type.js";
import { printLayout, printTensor } from "../../print-layout.js";
import { latexOfCopy, latexOfLayout, latexOfMma, latexOfTv, svgOfMma } from "../../print-picture.js";
import { printTerm } from "../../print-term.js";
import { printPointer, printTensorLine } from "../../tensor.js";
import { CuteError, get, numberOf, type Term } from "../../term.js";
import { printCopyAtom, printThrCopy, printTiledCopy } from "../../tiled-copy.js";
import { makeTiledMma, printMmaAtom, printThrMma, printTiledMma, type TiledMma } from "../../tiled-mma.js";
import { isTerm, layoutOf, nameOfKind, numberOfValue, type Value } from "../value.js";
import { arg, type Library, layoutArg, shapeOf, tensorArg } from "./define.js";

/** A value as CuTe's `print` writes it. */
export function printed(v: Value): string {
  if (isTerm(v)) return printTerm(v);
  switch (v.kind) {
    case "tensor":
      return printTensorLine(v);
    case "pointer":
      return printPointer(v.pointer);
    case "number":
      return printValue(v.type, v.value);
    case "tiled-mma":
      return printTiledMma(v);
    case "thr-mma":
      return printThrMma(v);
    case "mma-atom":
      return printMmaAtom(v.atom);
    case "copy-atom":
      return printCopyAtom(v);
    case "tiled-copy":
      return printTiledCopy(v);
    case "thr-copy":
      return printThrCopy(v);
    case "string":
      return v.value;
    case "pack":
      return `(${v.items.map(printed).join(",")})`;
    case "type":
      if (v.type.of === "value") return printed(v.type.value);
      if (v.type.of === "mma-op") return printMmaAtom(v.type.atom);
      if (v.type.of === "numeric") return v.type.type.name;
      return v.type.of === "copy-op" ? v.type.atom.name : "pointer";
    case "major":
      return v.major === "left" ? "LayoutLeft" : "LayoutRight";
    case "enum":
      return v.name;
    default:
      throw new CuteError(`cannot print ${nameOfKind(v)}`);
  }
}

/** C's printf for the conversions that CuTe code uses. */
export function format(text: string, args: readonly Value[]): string {
  let next = 0;
  const take = (): Value => {
    const v = args[next++];
    if (!v) throw new CuteError("printf: fewer arguments than conversions");
    return v;
  };
  return text.replace(
    /%([-+ 0#]*)(\*|\d+)?(?:\.(\*|\d+))?(?:hh|h|ll|l|z|t|j)?([diuxXoeEfFgGcsp%])/g,
    (_, flags: string, w?: string, p?: string, conversion = "d") => {
      if (conversion === "%") return "%";
      const width = w === "*" ? numberOfValue(take()) : Number(w ?? 0);
      const precision = p === "*" ? numberOfValue(take()) : p === undefined ? undefined : Number(p);
      const body = convert(conversion, take(), precision);
      const signed = flags.includes("+") && /[difFeEgG]/.test(conversion) && !body.startsWith("-") ? `+${body}` : body;
      if (flags.includes("-") || width < 0) return signed.padEnd(Math.abs(width));
      return flags.includes("0") ? signed.padStart(width, "0") : signed.padStart(width);
    },
  );
}

function convert(conversion: string, v: Value, precision: number | undefined): string {
  if (conversion === "s") return v.kind === "string" ? v.value : printed(v);
  if (conversion === "p")
    return v.kind === "pointer" ? printPointer(v.pointer).replace(/^.*\(|\)$/g, "") : `0x${numberOfValue(v).toString(16)}`;
  if (conversion === "c") return v.kind === "string" ? v.value : String.fromCharCode(numberOfValue(v));
  const x = numberOfValue(v);
  switch (conversion) {
    case "f":
    case "F":
      return Number.isFinite(x) ? x.toFixed(precision ?? 6) : Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
    case "e":
    case "E":
      return x.toExponential(precision ?? 6).replace(/e([+-])(\d)$/, "e$10$2");
    case "g":
    case "G":
      return String(Number(x.toPrecision(precision ?? 6)));
    case "x":
      return (x >>> 0).toString(16);
    case "X":
      return (x >>> 0).toString(16).toUpperCase();
    case "o":
      return (x >>> 0).toString(8);
    default:
      return String(Math.trunc(x)).padStart(precision ?? 0, "0");
  }
}

const nothing: Value = { kind: "void" };

const staticAssert: Library[string] = (c) => {
  if (numberOfValue(arg(c, 0)) === 0)
    throw new CuteError(c.args[1] ? `static assertion failed: ${printed(c.args[1])}` : "static assertion failed");
  return nothing;
};

function mmaOf(v: Value): TiledMma | undefined {
  if (v.kind === "tiled-mma") return v;
  if (v.kind === "mma-atom") return makeTiledMma(v.atom);
  if (v.kind === "thr-mma") return v.mma;
  if (v.kind === "type" && v.type.of === "value") return mmaOf(v.type.value);
  return v.kind === "type" && v.type.of === "mma-op" ? makeTiledMma(v.type.atom) : undefined;
}

const extentsOf = (t: Term): [number, number] => {
  const each = productEach(t);
  return [numberOf(get(each, 0)), numberOf(get(each, 1))];
};

/** Functions that write. */
export const printLibrary: Library = {
  print: (c) => {
    const v = arg(c, 0);
    c.write(v.kind === "string" && c.args.length > 1 ? format(v.value, c.args.slice(1)) : printed(v));
    return nothing;
  },
  printf: (c) => {
    const v = arg(c, 0);
    if (v.kind !== "string") throw new CuteError("printf needs a format string");
    c.write(format(v.value, c.args.slice(1)));
    return nothing;
  },
  print_layout: (c) => {
    c.write(printLayout(layoutArg(c, 0)));
    return nothing;
  },
  print_tensor: (c) => {
    c.write(printTensor(tensorArg(c, 0), c.args[1] ? numberOfValue(c.args[1]) !== 0 : true));
    return nothing;
  },
  pretty_print: (c) => {
    c.write(`  ${printed(arg(c, 0))}`);
    return nothing;
  },
  print_latex: (c) => {
    const v = arg(c, 0);
    const mma = mmaOf(v);
    c.write(mma ? latexOfMma(mma) : v.kind === "tiled-copy" ? latexOfCopy(v) : latexOfLayout(layoutOf(v)));
    return nothing;
  },
  print_latex_tv: (c) => {
    const v = arg(c, 0);
    const [rows, columns] = extentsOf(shapeOf(arg(c, 1)));
    c.write(latexOfTv(v.kind === "tensor" ? v : layoutOf(v), rows, columns));
    return nothing;
  },
  print_svg: (c) => {
    const mma = mmaOf(arg(c, 0));
    if (!mma) throw new CuteError(`print_svg draws a TiledMMA or an MMA_Atom, not ${nameOfKind(arg(c, 0))}`);
    c.write(svgOfMma(mma));
    return nothing;
  },
  ...Object.fromEntries(
    ["static_assert", "CUTE_STATIC_ASSERT", "CUTE_STATIC_ASSERT_V"].map((name): [string, Library[string]] => [name, staticAssert]),
  ),
  assert: (c) => {
    if (numberOfValue(arg(c, 0)) === 0) throw new CuteError("assertion failed");
    return nothing;
  },
};
