/**
 * Makes steps from one-line descriptions of what a lane does. A register is a row of 32 lanes in the warp's register
 * file; a step is the loop over a row, compiled once for each description, so that V8 sees plain typed-array code.
 *
 *     lanes("I[d + l] = I[a + l] + I[b + l]")(d, a, b)      // add.s32: a step over rows d, a, b
 *
 * In a description `l` is the lane; `d`, `a`, `b`, `c`, `e` are rows (`d2`... halves of them: where rows of 64 bits start in D and B,
 * whose low words are I[a + 2 * l]); I, U, F, D, B, V are the register file as int32, uint32, f32, f64, int64 and uint64; P holds
 * predicates, 32 lanes a word; H are the values of halves; R is `runtime.ts`.
 */
import { byName } from "../../support/by-name.js";
import { functionOf } from "../../support/function-of.js";
import { halfValues } from "../numbers/half.js";
import { RUNTIME } from "./runtime.js";
import type { Warp } from "./warp.js";

/** One instruction for the lanes of `mask` (never 0). */
export type Step = (warp: Warp, mask: number) => void;
export const noStep: Step = () => {};

type Factory = (d: number, a: number, b: number, c: number, e: number, R: typeof RUNTIME, H: Float32Array) => Step;
const factories = new Map<string, Factory>();

/** A step that does `body` for every active lane. */
export function lanes(body: string, d = 0, a = 0, b = 0, c = 0, e = 0): Step {
  return make(
    `if (m === -1) { for (let l = 0; l < 32; l++) { ${body}; } } else { for (let l = 0; l < 32; l++) { if ((m >>> l) & 1) { ${body}; } } }`,
    d,
    a,
    b,
    c,
    e,
  );
}

/** A step that sets predicate `d` where `condition` holds, combined by `combine` (of `r`, 32 lanes), for active lanes. */
export function predicate(condition: string, combine: string, d: number, a = 0, b = 0, c = 0, e = 0): Step {
  return make(`let r = 0; for (let l = 0; l < 32; l++) if (${condition}) r |= 1 << l; ${combine};`, d, a, b, c, e);
}

/** A step of straight code over whole predicates: `m` is the mask. */
export const whole = (code: string, d = 0, a = 0, b = 0, c = 0, e = 0): Step => make(`${code};`, d, a, b, c, e);

const ARRAYS: readonly (readonly [name: string, field: string])[] = [
  ["I", "w.I"],
  ["U", "w.U"],
  ["F", "w.F"],
  ["D", "w.D"],
  ["B", "w.B"],
  ["V", "w.V"],
  ["P", "w.P"],
];

function make(code: string, d: number, a: number, b: number, c: number, e: number): Step {
  let factory = factories.get(code);
  if (factory === undefined) {
    const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
    const halves = ["d", "a", "b", "c", "e"].filter((row) => uses(`${row}2`)).map((row) => `const ${row}2 = ${row} >> 1;`);
    const arrays = ARRAYS.filter(([name]) => uses(name)).map(([name, field]) => `const ${name} = ${field};`);
    factory = functionOf(
      ["d", "a", "b", "c", "e", "R", "H"],
      `${halves.join(" ")} return (w, m) => { ${arrays.join(" ")} ${code} };`,
    ) as Factory;
    factories.set(code, factory);
  }
  return factory(d, a, b, c, e, RUNTIME, halfValues());
}

/** How a lane of a type is read from a row and written to one, as text. */
export interface LaneType {
  readonly bits: number;
  readonly read: (row: string) => string;
  readonly write: (row: string, value: string) => string;
}

const row = (array: string) => (name: string) => `${array}[${name} + l]`;
const narrow = (read: (row: string) => string, mask: number, bits: number): LaneType => ({
  bits,
  read,
  write: (d, v) => `I[${d} + l] = (${v}) & ${mask}`,
});
const wide = (array: string): LaneType => ({ bits: 64, read: (r) => `${array}[${r}2 + l]`, write: (d, v) => `${array}[${d}2 + l] = ${v}` });
const word = (array: string): LaneType => ({ bits: 32, read: row(array), write: (d, v) => `${array}[${d} + l] = ${v}` });

const TYPES: Readonly<Record<string, LaneType>> = byName({
  b8: narrow((r) => `(I[${r} + l] & 255)`, 255, 8),
  u8: narrow((r) => `(I[${r} + l] & 255)`, 255, 8),
  s8: narrow((r) => `(I[${r} + l] << 24 >> 24)`, 255, 8),
  b16: narrow((r) => `(I[${r} + l] & 65535)`, 65535, 16),
  u16: narrow((r) => `(I[${r} + l] & 65535)`, 65535, 16),
  s16: narrow((r) => `(I[${r} + l] << 16 >> 16)`, 65535, 16),
  b32: word("I"),
  s32: word("I"),
  u32: word("U"),
  b64: wide("B"),
  s64: wide("B"),
  u64: wide("V"),
  f64: wide("D"),
  f32: word("F"),
  "f32.ftz": { bits: 32, read: (r) => `R.flush(F[${r} + l])`, write: (d, v) => `F[${d} + l] = R.flush(Math.fround(${v}))` },
  f16: { bits: 16, read: (r) => `H[I[${r} + l] & 65535]`, write: (d, v) => `I[${d} + l] = R.toF16(${v})` },
  bf16: { bits: 16, read: (r) => `R.fromBf16(I[${r} + l])`, write: (d, v) => `I[${d} + l] = R.toBf16(${v})` },
});

/** The lane type of a PTX type; undefined for those without one of their own. */
export const laneType = (type: string, ftz = false): LaneType | undefined => (ftz && type === "f32" ? TYPES["f32.ftz"] : TYPES[type]);
