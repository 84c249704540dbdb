/**
 * Elementwise loops from expressions. `loop(F16, [F16, F16], "a + b")` is a function that adds two arrays of halves:
 * operands are named a, b, c, are decoded where elements are bits, and the result is rounded or wrapped to its element.
 * Each combination is compiled once by V8 and sees one kind of array only: a shared loop over any kind is ten times slower.
 */

import { functionOf } from "../../support/function-of.js";
import { ELEMENTARY } from "./elementary.js";
import type { Data, Element } from "./elements.js";

/** Fills `out[0..n)`. */
export type Loop = (n: number, out: Data, ...ins: readonly Data[]) => void;

const compiled = new Map<string, Loop>();
const NAMES = ["a", "b", "c", "d"];

/**
 * The loop that sets each `out[i]` to `expression`, a JavaScript expression of the operands `a`, `b`, ... and of the
 * functions in ELEMENTARY, as `H.erf(a)`. Integers of up to 32 bits are numbers, wider ones bigints.
 */
export function loop(out: Element, ins: readonly Element[], expression: string): Loop {
  const key = `${out.name}=${ins.map((e) => e.name).join()}:${expression}`;
  let found = compiled.get(key);
  if (!found) compiled.set(key, (found = compile(out, ins, expression)));
  return found;
}

function compile(out: Element, ins: readonly Element[], expression: string): Loop {
  const names = NAMES.slice(0, ins.length);
  const arrays = names.map((name) => name.toUpperCase());
  const reads = names.map((name, k) => {
    const raw = `${arrays[k]}[i]`;
    return `const ${name} = ${ins[k]!.decode ? `T${k}[${raw}]` : raw};`;
  });
  const body = `for (let i = 0; i < n; i++) { ${reads.join(" ")} O[i] = ${written(out, expression)}; }`;
  const make = functionOf(
    ["H", "E", ...names.map((_, k) => `T${k}`)],
    `return (n, O${arrays.map((a) => `, ${a}`).join("")}) => { ${body} };`,
  );
  return make(ELEMENTARY, out.encode, ...ins.map((e) => e.decode)) as Loop;
}

/** Typed arrays of 8, 16, 32 and 64 bits wrap by themselves. */
function written(out: Element, expression: string): string {
  if (out.encode) return `E(${expression})`;
  if (out.family !== "int") return expression;
  if (out.big) return out.width === 64 ? expression : `BigInt.asIntN(${out.width}, ${expression})`;
  const unused = 32 - out.width;
  return unused === 0 || out.width === 8 || out.width === 16 ? expression : `((${expression}) << ${unused}) >> ${unused}`;
}
