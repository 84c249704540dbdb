/** Grids as a launch states them: numbers, or expressions of the kernel's numbers and constants: `cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), batch`. */

/** The extents of a grid for some numbers; the error names a number that is missing. */
export type GridOf = (numbers: ReadonlyMap<string, number>) => readonly number[] | { readonly error: string };

type Term = (numbers: ReadonlyMap<string, number>) => number;
class Missing extends Error {}

const FUNCTIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  cdiv: (a, b) => Math.ceil(a / b),
  min: Math.min,
  max: Math.max,
};
/** Programs along each axis that a GPU launches. Source: CUDA C++ Programming Guide, technical specifications per compute capability. */
const MOST = [2 ** 31 - 1, 65_535, 65_535] as const;

/** Reads a grid of one to three extents with + - * // % and cdiv, min, max; `triton.cdiv` is cdiv. The error is one line. */
export function readGrid(text: string): GridOf | { readonly error: string } {
  const tokens = text.replaceAll(/\b(?:triton|tl)\.(?=cdiv)/g, "").match(/\d+|[A-Za-z_]\w*|\/\/|\S/g) ?? [];
  if (tokens.length > 200) return { error: "the grid has more than 200 words" };
  let at = 0;
  let problem: string | undefined;
  const take = (token: string): boolean => tokens[at] === token && ++at > 0;
  const fail = (what: string): Term => {
    const rest = tokens.slice(at).join(" ");
    problem ??= `the grid expects ${what} at ${rest === "" ? "its end" : `'${rest}'`}`;
    return () => 0;
  };
  const sum = (): Term => {
    let left = factor();
    for (;;) {
      const a = left;
      if (take("+")) left = both(a, factor(), (x, y) => x + y);
      else if (take("-")) left = both(a, factor(), (x, y) => x - y);
      else return left;
    }
  };
  const factor = (): Term => {
    let left = single();
    for (;;) {
      const a = left;
      if (take("*")) left = both(a, single(), (x, y) => x * y);
      else if (take("//")) left = both(a, single(), (x, y) => Math.floor(x / y));
      else if (take("%")) left = both(a, single(), (x, y) => ((x % y) + y) % y);
      else return left;
    }
  };
  const single = (): Term => {
    if (take("(")) {
      const inner = sum();
      return take(")") ? inner : fail("')'");
    }
    const word = tokens[at];
    if (word === undefined || !/^\w/.test(word)) return fail("a number or a name");
    at++;
    if (/^\d/.test(word)) return () => Number(word);
    const combine = Object.hasOwn(FUNCTIONS, word) && tokens[at] === "(" ? FUNCTIONS[word] : undefined;
    if (combine) {
      at++;
      const a = sum();
      const b = take(",") ? sum() : fail("','");
      return take(")") ? both(a, b, combine) : fail("')'");
    }
    return (numbers) => {
      const value = numbers.get(word);
      if (value === undefined) throw new Missing(`the grid needs '${word}', whose value is not known`);
      return value;
    };
  };
  const axes = [sum()];
  while (problem === undefined && take(",")) axes.push(sum());
  if (problem === undefined && at < tokens.length) fail("an end");
  if (problem !== undefined) return { error: problem };
  if (axes.length > 3) return { error: `a grid has at most 3 axes, not ${axes.length}` };
  return (numbers) => {
    try {
      const grid = axes.map((axis) => axis(numbers));
      if (grid.some((n) => !Number.isInteger(n) || n < 1)) return { error: `a grid of ${grid.join("x")} has no programs` };
      const long = grid.findIndex((n, axis) => n > MOST[axis]!);
      return long < 0
        ? grid
        : { error: `a grid of ${grid.join("x")} is too large: axis ${"xyz"[long]} has at most ${MOST[long]} programs` };
    } catch (error) {
      if (error instanceof Missing) return { error: error.message };
      throw error;
    }
  };
}

const both =
  (a: Term, b: Term, combine: (x: number, y: number) => number): Term =>
  (numbers) =>
    combine(a(numbers), b(numbers));
