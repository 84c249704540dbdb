/**
 * The attributes that the core itself needs. Their syntax is in `syntax/builtin-syntax.ts`.
 * Source: mlir/include/mlir/IR/BuiltinAttributes.td.
 */
import { Bug } from "../support/assert.js";
import { type Attribute, type AttrOf, defineAttr, Type } from "./attribute.js";
import { IndexType, IntegerType, i1, i32, i64, isShaped, noneType, numElements } from "./builtin-types.js";
import type { Context } from "./context.js";
import { bitsToNumber, numberToBits } from "./float.js";

export const UnitAttr = defineAttr<Record<string, never>>("builtin.unit");
/** A string; one character is one byte (latin1), as in the source text. `type` is none unless written. */
export const StringAttr = defineAttr<{ readonly value: string; readonly type: Type | undefined }>("builtin.string");
/** An integer of `type` (integer or index). `value` is sign-extended, except for unsigned types: i1 true is -1n. */
export const IntegerAttr = defineAttr<{ readonly value: bigint; readonly type: Type }>("builtin.integer", {
  key: ({ value, type }) => `${type.id},${value}`,
});
/** A float of `type`; `bits` is its encoding, so that NaN payloads and -0 survive. */
export const FloatAttr = defineAttr<{ readonly bits: bigint; readonly type: Type }>("builtin.float");
export const TypeAttr = defineAttr<{ readonly type: Type }>("builtin.type");
export const ArrayAttr = defineAttr<{ readonly elements: readonly Attribute[] }>("builtin.array");
/** Entries sorted by name. */
export const DictionaryAttr = defineAttr<{ readonly names: readonly string[]; readonly values: readonly Attribute[] }>(
  "builtin.dictionary",
  {
    key({ names, values }) {
      let key = "";
      for (let i = 0; i < names.length; i++) key += `${values[i]!.id},${names[i]!.length},${names[i]}`;
      return key;
    },
  },
);
export const SymbolRefAttr = defineAttr<{ readonly root: string; readonly nested: readonly string[] }>("builtin.symbol_ref");
/**
 * Elements of a shaped type in row-major order; one element when all are equal (`splat`).
 * Integers are sign-extended like IntegerAttr's value, floats are their bits.
 */
export const DenseElementsAttr = defineAttr<{ readonly type: Type; readonly elements: readonly bigint[]; readonly splat: boolean }>(
  "builtin.dense_elements",
);
/** `dense<"...">` of strings. */
export const DenseStringElementsAttr = defineAttr<{ readonly type: Type; readonly elements: readonly string[] }>(
  "builtin.dense_string_elements",
);
/** `array<i32: 1, 2>`; elements as in DenseElementsAttr. */
export const DenseArrayAttr = defineAttr<{ readonly elementType: Type; readonly elements: readonly bigint[] }>("builtin.dense_array");
/** A resource: its blob stays in the file's `{-# #-}` section. */
export const DenseResourceAttr = defineAttr<{ readonly handle: string; readonly type: Type }>("builtin.dense_resource");
/** `affine_map<...>`, kept as its canonical text. Only identity-like maps occur in our dialects. */
export const AffineMapAttr = defineAttr<{ readonly text: string }>("builtin.affine_map", { alias: () => "map" });
export const IntegerSetAttr = defineAttr<{ readonly text: string }>("builtin.integer_set", { alias: () => "set" });
/** `strided<[a, b], offset: c>` */
export const StridedLayoutAttr = defineAttr<{ readonly offset: bigint; readonly strides: readonly bigint[] }>("builtin.strided");
/** `distinct[n]<attr>`: unique by `number`, which a print replaces by its own, in the order of printing. */
export const DistinctAttr = defineAttr<{ readonly number: bigint; readonly referenced: Attribute }>("builtin.distinct", {
  alias: ({ referenced }) => (UnitAttr.is(referenced) ? undefined : "distinct"),
});
/** An attribute of a dialect that is not registered: kept as its text. */
export const OpaqueAttr = defineAttr<{ readonly dialect: string; readonly data: string; readonly type: Type | undefined }>(
  "builtin.opaque",
);

export type DictAttr = AttrOf<typeof DictionaryAttr>;
export type IntAttr = AttrOf<typeof IntegerAttr>;
export type DenseAttr = AttrOf<typeof DenseElementsAttr>;

export const BUILTIN_ATTRS = [
  UnitAttr,
  StringAttr,
  IntegerAttr,
  FloatAttr,
  TypeAttr,
  ArrayAttr,
  DictionaryAttr,
  SymbolRefAttr,
  DenseElementsAttr,
  DenseStringElementsAttr,
  DenseArrayAttr,
  DenseResourceAttr,
  AffineMapAttr,
  IntegerSetAttr,
  StridedLayoutAttr,
  DistinctAttr,
  OpaqueAttr,
] as const;

/** The width in bits in which an integer or index value is kept. */
export function storageWidth(type: Type): number {
  if (IntegerType.is(type)) return type.params.width;
  if (IndexType.is(type)) return 64;
  throw new Bug(`no integer storage for ${type.def.name}`);
}

/** `value` wrapped to the width of `type`, in the canonical form of IntegerAttr. */
export function wrapInt(value: bigint, type: Type): bigint {
  const width = storageWidth(type);
  const unsigned = IntegerType.is(type) && type.params.signedness === "unsigned";
  return unsigned ? BigInt.asUintN(width, value) : BigInt.asIntN(width, value);
}

/** An integer attribute; the value is wrapped to the width of its type. */
export function intAttr(type: Type, value: bigint | number): IntAttr {
  return IntegerAttr.get(type.ctx, { value: wrapInt(BigInt(value), type), type });
}
export const i32Attr = (ctx: Context, value: number | bigint): IntAttr => intAttr(i32(ctx), value);
export const i64Attr = (ctx: Context, value: number | bigint): IntAttr => intAttr(i64(ctx), value);
export const boolAttr = (ctx: Context, value: boolean): IntAttr => intAttr(i1(ctx), value ? 1 : 0);
export const unitAttr = (ctx: Context): AttrOf<typeof UnitAttr> => ctx.memo("unit", () => UnitAttr.get(ctx, {}));
export function stringAttr(ctx: Context, value: string): AttrOf<typeof StringAttr> {
  return StringAttr.get(ctx, { value, type: undefined });
}
export const typeAttr = (type: Type): AttrOf<typeof TypeAttr> => TypeAttr.get(type.ctx, { type });
export function arrayAttr(ctx: Context, elements: readonly Attribute[]): AttrOf<typeof ArrayAttr> {
  return ArrayAttr.get(ctx, { elements });
}
export function symbolRef(ctx: Context, root: string, nested: readonly string[] = []): AttrOf<typeof SymbolRefAttr> {
  return SymbolRefAttr.get(ctx, { root, nested });
}
export function denseArray(elementType: Type, elements: readonly (number | bigint)[]): AttrOf<typeof DenseArrayAttr> {
  return DenseArrayAttr.get(elementType.ctx, { elementType, elements: elements.map((e) => wrapInt(BigInt(e), elementType)) });
}
export const i32ArrayAttr = (ctx: Context, elements: readonly number[]): AttrOf<typeof DenseArrayAttr> => denseArray(i32(ctx), elements);
export const i64ArrayAttr = (ctx: Context, elements: readonly (number | bigint)[]): AttrOf<typeof DenseArrayAttr> =>
  denseArray(i64(ctx), elements);

/** A float attribute from a number, rounded to `type` (nearest, ties to even). */
export function floatAttr(type: Type, value: number): AttrOf<typeof FloatAttr> {
  return FloatAttr.get(type.ctx, { bits: numberToBits(value, type), type });
}
/** The value of a float attribute. */
export function floatValue(attr: AttrOf<typeof FloatAttr>): number {
  return bitsToNumber(attr.params.bits, attr.params.type);
}

/** The type that an attribute is written with: of an integer or float, of elements; undefined for one without. */
export function ownType(attr: Attribute | undefined): Type | undefined {
  const type = attr && "type" in attr.params ? attr.params.type : undefined;
  return type instanceof Type ? type : undefined;
}
/** `ownType`, and none for an attribute without. */
export const typeOfAttr = (attr: Attribute): Type => ownType(attr) ?? noneType(attr.ctx);

/** Dense elements of a shaped type; equal elements become a splat. */
export function denseElements(type: Type, elements: readonly bigint[]): DenseAttr {
  const first = elements[0];
  const splat = first !== undefined && elements.every((e) => e === first);
  if (isShaped(type) && !splat && elements.length !== numElements(type.params.shape)) throw new Bug("wrong number of dense elements");
  return DenseElementsAttr.get(type.ctx, { type, elements: splat ? [first] : elements, splat });
}
/** All elements of a shaped type equal to the value of an integer or float attribute. */
export function splatOf(type: Type, value: Attribute): DenseAttr {
  if (IntegerAttr.is(value)) return denseElements(type, [value.params.value]);
  if (FloatAttr.is(value)) return denseElements(type, [value.params.bits]);
  throw new Bug(`no splat of ${value.def.name}`);
}

const EMPTY: readonly never[] = [];
export function emptyDict(ctx: Context): DictAttr {
  return ctx.memo("{}", () => DictionaryAttr.get(ctx, { names: EMPTY, values: EMPTY }));
}
/** A dictionary of entries in any order; a later entry of the same name wins. */
export function dictAttr(ctx: Context, entries: Iterable<readonly [string, Attribute]>): DictAttr {
  const map = new Map(entries);
  if (map.size === 0) return emptyDict(ctx);
  const names = [...map.keys()].sort(compareNames);
  return DictionaryAttr.get(ctx, { names, values: names.map((name) => map.get(name)!) });
}
/** The order of dictionary entries: by bytes. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
/** The attribute of that name; undefined where the dictionary has none. */
export function dictGet(dict: DictAttr, name: string): Attribute | undefined {
  const { names, values } = dict.params;
  for (let i = 0; i < names.length; i++) if (names[i] === name) return values[i];
  return undefined;
}
/** The dictionary with `name` set, or removed when `value` is undefined. */
export function dictWith(dict: DictAttr, name: string, value: Attribute | undefined): DictAttr {
  const { names, values } = dict.params;
  const at = names.indexOf(name);
  if (at >= 0 && values[at] === value) return dict;
  if (at < 0 && value === undefined) return dict;
  const entries: [string, Attribute][] = [];
  for (let i = 0; i < names.length; i++) if (i !== at) entries.push([names[i]!, values[i]!]);
  if (value !== undefined) entries.push([name, value]);
  return dictAttr(dict.ctx, entries);
}
/** The entries of a dictionary, by name. */
export function dictEntries(dict: DictAttr): [string, Attribute][] {
  return dict.params.names.map((name, i) => [name, dict.params.values[i]!]);
}

/** The value of an integer attribute as a number; for enums, indices and sizes. */
export function intOf(attr: Attribute | undefined): number | undefined {
  return IntegerAttr.is(attr) ? Number(attr.params.value) : undefined;
}
/** The value of a string attribute. */
export function stringOf(attr: Attribute | undefined): string | undefined {
  return StringAttr.is(attr) ? attr.params.value : undefined;
}
/** The keyword of an attribute that has one: a string, or an enum of a dialect. */
export function keywordOf(attr: Attribute | undefined): string | undefined {
  const value = attr && "value" in attr.params ? attr.params.value : undefined;
  return typeof value === "string" ? value : undefined;
}
/** The elements of a dense integer array as numbers. */
export function intsOf(attr: Attribute | undefined): readonly number[] | undefined {
  if (!DenseArrayAttr.is(attr)) return undefined;
  let known = numbers.get(attr);
  if (!known) numbers.set(attr, (known = attr.params.elements.map(Number)));
  return known;
}
const numbers = new WeakMap<Attribute, readonly number[]>();
