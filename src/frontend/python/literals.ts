/** Values of Python's number and string literals. */
import type { Literal } from "./ast.js";

/** The value of a number as it is written: underscores, radix, exponent, `j`. */
export function numberValue(text: string): Literal {
  const plain = text.replaceAll("_", "");
  if (/[jJ]$/.test(plain)) return { kind: "complex", imag: Number(plain.slice(0, -1)) };
  return /^0[xXoObB]/.test(plain) || !/[.eE]/.test(plain) ? BigInt(plain) : Number(plain);
}

const SIMPLE: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Resolves the escapes of a string's inside; unknown ones stay as they are written, as CPython leaves them. */
export function unescape(inside: string): string {
  if (!inside.includes("\\")) return inside;
  return inside.replaceAll(
    /\\(?:(\r?\n)|([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (whole, newline, octal, hex, short, long, other) => {
      if (newline !== undefined) return "";
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      const code = hex ?? short ?? long;
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
      return SIMPLE[other] ?? whole;
    },
  );
}
