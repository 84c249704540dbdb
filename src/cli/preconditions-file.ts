/**
 * `NAME.args.json`, or `args.json`, beside an input, or in it if it is a folder: what of its arguments cannot be guessed.
 *
 *     {"scalars": {"heads": 2}, "arrays": {"lens": {"kind": "range", "low": 8, "high": 70}}, "grid": [2, 2, 1], "programs": [[0, 0, 0]]}
 */
import { dirname, join } from "node:path";
import type { InitialValues } from "../simulate/initial-values.js";
import { elementKind } from "../simulate/numbers/element.js";
import type { Preconditions } from "../simulate/tensor/arguments.js";
import { fromBytes, toBytes } from "../support/utf8.js";
import type { Io } from "./io.js";

/** The stated preconditions, and the file that states them. */
export interface StatedPreconditions {
  readonly path: string | undefined;
  readonly preconditions: Preconditions;
}

export const NOTHING_STATED: StatedPreconditions = { path: undefined, preconditions: {} };

/** The preconditions of an input; none where there is no such file. The error is one line. */
export function preconditionsBeside(input: string, io: Io): StatedPreconditions | { readonly error: string } {
  if (input === "-") return NOTHING_STATED;
  const own = `${input.replace(/(?<=[^./])\.[^./]*$/, "")}.args.json`;
  for (const path of [own, join(input, "args.json"), join(dirname(input), "args.json")]) {
    let text: string;
    try {
      text = io.readFile(path);
    } catch {
      continue;
    }
    const preconditions = readPreconditions(text);
    return "error" in preconditions ? { error: `'${path}': ${preconditions.error}` } : { path, preconditions };
  }
  return NOTHING_STATED;
}

/** The line of a report on preconditions: `preconditions of k.args.json: heads = 2, lens range low=8 high=70`. */
export function preconditionsText({ path, preconditions: { scalars, arrays, grid, programs } }: StatedPreconditions): string {
  if (path === undefined) return "";
  const stated = [
    ...Object.entries(scalars ?? {}).map(([name, value]) => `${name} = ${value}`),
    ...Object.entries(arrays ?? {}).map(([name, { kind, ...rest }]) =>
      [name, kind, ...Object.entries(rest).map(([key, value]) => `${key}=${value}`)].join(" "),
    ),
    ...(grid ? [`grid ${grid.join("x")}`] : []),
    ...(programs ? [`programs ${programs.map((p) => `(${p.join(", ")})`).join(" ")}`] : []),
  ];
  return `preconditions of ${path}: ${stated.join(", ")}\n`;
}

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const isTriple = (value: unknown, least: number): value is number[] =>
  Array.isArray(value) && value.length >= 1 && value.length <= 3 && value.every((n) => Number.isInteger(n) && n >= least);

/** The numbers that each kind of array needs. */
const KINDS: Readonly<Record<InitialValues["kind"], readonly string[]>> = {
  random: [],
  zeros: [],
  arange: [],
  range: ["low", "high"],
  special: [],
  edges: [],
  wide: [],
  permutation: ["count"],
  monotone: ["low", "step"],
  pointers: [],
};

export function readPreconditions(text: string): Preconditions | { readonly error: string } {
  let json: unknown;
  try {
    json = JSON.parse(fromBytes(text), named);
  } catch (error) {
    return { error: (error as Error).message };
  }
  if (!isRecord(json)) return { error: "an object with 'scalars', 'arrays', 'grid' or 'programs' is expected" };
  const known = ["scalars", "arrays", "grid", "programs"];
  const strange = Object.keys(json).find((key) => !known.includes(key));
  if (strange !== undefined) return { error: `'${strange}' is none of ${known.join(", ")}` };
  const { scalars = {}, arrays = {}, grid, programs } = json;
  if (!isRecord(scalars) || !Object.values(scalars).every((v) => typeof v === "number"))
    return { error: "'scalars' is an object of numbers" };
  if (!isRecord(arrays)) return { error: "'arrays' is an object of descriptions" };
  for (const [name, array] of Object.entries(arrays)) {
    const problem = problemOfArray(array);
    if (problem !== undefined) return { error: `array '${name}': ${problem}` };
  }
  if (grid !== undefined && !isTriple(grid, 1)) return { error: "'grid' is one to three positive integers" };
  if (programs !== undefined && !(Array.isArray(programs) && programs.every((p) => isTriple(p, 0))))
    return { error: "'programs' is a list of places in the grid, each one to three integers" };
  return programs === undefined ? json : { ...json, programs: programs.map(([x = 0, y = 0, z = 0]) => [x, y, z]) };
}

/** Names as bytes, as those in IR are. */
const named = (_: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, inside]) => [toBytes(name), inside])) : value;

function problemOfArray(array: unknown): string | undefined {
  const kind = isRecord(array) ? array["kind"] : undefined;
  if (!isRecord(array) || typeof kind !== "string" || !Object.hasOwn(KINDS, kind))
    return `'kind' is one of ${Object.keys(KINDS).join(", ")}`;
  const missing = KINDS[kind as InitialValues["kind"]].find((key) => typeof array[key] !== "number");
  if (missing !== undefined) return `'${missing}' is a number`;
  if (kind === "permutation" && !(Number.isInteger(array["count"]) && (array["count"] as number) > 0))
    return "'count' is a positive integer";
  if (kind === "range" && array["step"] !== undefined && !(Number(array["step"]) > 0)) return "'step' is a positive number";
  if (kind === "pointers" && elementKind(String(array["element"])) === undefined) return "'element' is a type as f32, i32";
  return undefined;
}
