/** Inline assembly: constraints say which registers its `$0` stand for. */
import type { Effect, Width } from "./graph.js";

export interface AsmOperands {
  /** Widths of the results. */
  readonly results: readonly Width[];
  /** Widths of the inputs; undefined for immediates. */
  readonly inputs: readonly (Width | undefined)[];
  readonly effect: Extract<Effect, { readonly kind: "asm" }>;
}

/** Registers of a constraint's letter. */
const LETTERS: Readonly<Record<string, Width>> = { b: 1, c: 16, h: 16, r: 32, f: 32, l: 64, d: 64 };

/**
 * `=r,=f,0,l,b`: results first; a number puts an input into that result's register beforehand. Returns an error text for bad constraints.
 */
export function asmOperands(text: string, constraints: string): AsmOperands | string {
  const results: Width[] = [];
  const tied: (number | undefined)[] = [];
  const inputs: (Width | undefined)[] = [];
  for (const constraint of constraints.split(",")) {
    if (constraint === "" || constraint.startsWith("~")) continue;
    const isResult = constraint.startsWith("=");
    // LLVM reads a blank as one more register class, of which there is none.
    const letter = constraint.replace(/^[=&+%*]+/, "").replace(/\s+/g, "");
    if (isResult) {
      const width = LETTERS[letter];
      if (width === undefined) return `unknown constraint '${constraint}'`;
      results.push(width);
    } else if (/^\d+$/.test(letter)) {
      tied.push(Number(letter));
      inputs.push(results[Number(letter)]);
    } else if (letter in LETTERS || letter === "n" || letter === "i") {
      tied.push(undefined);
      inputs.push(LETTERS[letter]);
    } else return `unknown constraint '${constraint}'`;
  }
  // One instruction reads its inputs before it writes: the input may have a register of its own, if the text names it.
  const named = new Set([...text.matchAll(/\$(\d+)|\$\{(\d+)[:}]/g)].map((m) => Number(m[1] ?? m[2])));
  const isOne = text.split(";").filter((part) => part.trim() !== "").length === 1;
  const shares = (index: number): boolean => !isOne || !named.has(results.length + index);
  return {
    results,
    inputs,
    effect: { kind: "asm", text, results, ties: tied, copied: tied.map((t, i) => t !== undefined && shares(i)) },
  };
}

/** The text with its operands put in; `$$` is a dollar. */
export function expandAsm(text: string, operands: readonly string[]): string {
  return text.replace(/\$(\$|\d+|\{(\d+)(?::\w+)?\})/g, (_, what: string, braced: string | undefined) =>
    what === "$" ? "$" : (operands[Number(braced ?? what)] ?? ""),
  );
}
