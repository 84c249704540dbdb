/** Reads the dictionary in an encoding's angle brackets, with upstream's complaints. Source: Dialect.cpp, parseIntArrayAttr, parseCTAAttr, parseLinearLayout. */
import type { AttrParser } from "../../../ir/asm.js";
import type { Attribute } from "../../../ir/attribute.js";
import { ArrayAttr, type DictAttr, DictionaryAttr, IntegerAttr } from "../../../ir/builtin-attrs.js";
import { isInteger } from "../../../ir/builtin-types.js";
import { type Bases, LinearLayout } from "../../../layout/linear-layout.js";
import { standardOutDimNames } from "../../../layout/standard-dims.js";
import { nearestText } from "../../../support/nearest.js";

/** Basis vectors, one number for each tensor dimension. */
export type BasisVectors = readonly (readonly number[])[];

/** `{a = 1, b = [2]}` */
export function dictionary(p: AttrParser): DictAttr {
  const at = p.pos;
  const attr = p.attribute();
  return DictionaryAttr.is(attr) ? attr : p.fail("invalid kind of attribute specified", at, "parse.encoding");
}

/** `<{...}>` */
export function bracedDictionary(p: AttrParser): DictAttr {
  p.punct("<");
  const dict = dictionary(p);
  p.punct(">");
  return dict;
}

/** The entries of an encoding's dictionary by key; readers complain at the encoding's name. */
export interface Fields {
  uint(key: string, otherwise?: number): number;
  bool(key: string): boolean;
  ints(key: string): readonly number[];
  has(key: string): boolean;
  /** The `CGALayout`: bases of `block`, none for a single CTA. */
  cga(rank: number): BasisVectors;
  /** The length of its first basis, if it has one. */
  cgaRank(): number | undefined;
}

/** The kind of a key's value, and its name in messages. The caller checks a `parent`. */
export interface Key {
  readonly kind: "uint" | "bool" | "ints" | "parent";
  readonly what: string;
}
export const uint = (what: string): Key => ({ kind: "uint", what });
export const bool = (what: string): Key => ({ kind: "bool", what });
export const ints = (what: string): Key => ({ kind: "ints", what });

/** Reads `dict` entry by entry, as upstream does: other keys than `keys` are errors when `strict`, else ignored. */
export function readFields(p: AttrParser, at: number, dict: DictAttr, keys: Readonly<Record<string, Key>>, strict: boolean): Fields {
  const { names, values } = dict.params;
  const find = (key: string): Attribute | undefined => values[names.indexOf(key)];
  names.forEach((name, i) => {
    const key = keys[name];
    if (key?.kind === "ints") uintsOf(p, at, values[i]!, key.what);
    else if (key?.kind === "uint") uintOf(p, at, values[i]!, key.what);
    else if (key?.kind === "bool") boolOf(p, at, values[i]!, key.what);
    else if (strict && !key && name !== "CGALayout")
      p.fail(`unexpected key: ${name}${nearestText(name, Object.keys(keys))}`, at, "parse.encoding");
  });
  return {
    has: (key) => find(key) !== undefined,
    uint: (key, otherwise = 0) => {
      const attr = find(key);
      return attr === undefined ? otherwise : uintOf(p, at, attr, keys[key]!.what);
    },
    bool(key) {
      const attr = find(key);
      return attr !== undefined && boolOf(p, at, attr, keys[key]!.what);
    },
    ints: (key) => {
      const attr = find(key);
      return attr === undefined ? [] : uintsOf(p, at, attr, keys[key]!.what);
    },
    cgaRank() {
      const attr = find("CGALayout");
      const first = ArrayAttr.is(attr) ? attr.params.elements[0] : undefined;
      return ArrayAttr.is(first) ? first.params.elements.length : undefined;
    },
    cga(rank) {
      const attr = find("CGALayout");
      if (attr === undefined) return [];
      if (!ArrayAttr.is(attr)) return p.fail("expected array value for 'CGALayout'", at, "parse.encoding");
      const bases = attr.params.elements.map((entry) => {
        const basis = uintsOf(p, at, entry, "CGALayout entry");
        return basis.length === rank ? basis : p.fail(`'CGALayout' entry length does not match rank ${rank}`, at, "parse.encoding");
      });
      checkLayout(p, at, [["block", bases]], rank);
      return bases;
    },
  };
}

function uintOf(p: AttrParser, at: number, attr: Attribute, what: string): number {
  if (!IntegerAttr.is(attr)) return p.fail(`expected an integer type in ${what}`, at, "parse.encoding");
  if (attr.params.value < 0n) p.fail(`expected an unsigned integer value in ${what}`, at, "parse.encoding");
  return Number(BigInt.asUintN(32, attr.params.value));
}
function boolOf(p: AttrParser, at: number, attr: Attribute, what: string): boolean {
  if (!IntegerAttr.is(attr) || !isInteger(attr.params.type, 1)) return p.fail(`expected a bool type in ${what}`, at, "parse.encoding");
  return attr.params.value !== 0n;
}
function uintsOf(p: AttrParser, at: number, attr: Attribute, what: string): number[] {
  if (!ArrayAttr.is(attr)) return p.fail(`expected an array for ${what}`, at, "parse.encoding");
  return attr.params.elements.map((element) => uintOf(p, at, element, what));
}

/** The bases of each in dim of a linear layout, and the number of tensor dimensions. */
export interface LinearFields {
  readonly bases: readonly BasisVectors[];
  readonly rank: number;
}

/** Reads the bases of `inDims` from a dictionary. Errors point after it, where upstream's parser is then. */
export function readLinearLayout(p: AttrParser, dict: DictAttr, inDims: readonly string[]): LinearFields {
  const fail = (message: string): never => p.fail(message, undefined, "parse.linear-layout");
  const bases = inDims.map((inDim) => readBases(p, dict, inDim));
  const rank = bases.find((vectors) => vectors.length > 0)?.[0]?.length ?? 0;
  if (rank === 0) fail("Empty Layout not supported");
  checkLayout(
    p,
    p.pos,
    inDims.map((inDim, i) => [inDim, bases[i]!] as const),
    rank,
  );
  return { bases, rank };
}

/** The bases of an in dim. */
export function readBases(p: AttrParser, dict: DictAttr, inDim: string): BasisVectors {
  const fail = (message: string): never => p.fail(message, undefined, "parse.linear-layout");
  const { names, values } = dict.params;
  const attr = values[names.indexOf(inDim)];
  if (attr === undefined) return fail(`Expected basis of '${inDim}' not found`);
  if (!ArrayAttr.is(attr)) return fail(`Expected array of arrays for basis of '${inDim}'`);
  return attr.params.elements.map((basis) => {
    if (!ArrayAttr.is(basis)) return fail(`Expected array of integers in basis for '${inDim}'`);
    return basis.params.elements.map((n) =>
      IntegerAttr.is(n) ? Number(BigInt.asIntN(32, n.params.value)) : fail(`Expected integer in basis for '${inDim}'`),
    );
  });
}

/** Upstream aborts on bases that make no layout; here they are an error. */
export function checkLayout(p: AttrParser, at: number, bases: Bases, rank: number): void {
  for (const [inDim, vectors] of bases)
    for (const vector of vectors) {
      if (vector.length !== rank) p.fail(`bases of '${inDim}' differ in length`, at, "parse.linear-layout");
      if (vector.some((c) => c < 0 || c >= 1 << 30))
        p.fail(`bases of '${inDim}' must not be negative or too large`, at, "parse.linear-layout");
    }
  const layout = LinearLayout.tryFromBases(bases, standardOutDimNames(rank));
  if (typeof layout === "string") p.fail(layout, at, "parse.linear-layout");
}
