/**
 * Encodings as Triton before 3.6 spelled them. Their attributes keep what was written, so that they print in their own
 * era's spelling (only spaces change), and say which EncodingParams of today they mean.
 *
 *     #triton_gpu.shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1,0], hasLeadingOffset = false}>   3.0 to 3.2
 *     #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>                            the same in 3.6
 *
 * Source: lib/Dialect/TritonGPU/IR/Dialect.cpp of Triton 2.0 to 3.5.
 */
import type { AttrParser, AttrPrinter } from "../../../ir/asm.js";
import { type AttrDef, type Attribute, defineAttr } from "../../../ir/attribute.js";
import { attrText } from "../../../ir/text-hook.js";
import type { EncodingParams } from "../../../layout/encoding-params.js";
import { cgaFromSplitParams, defaultCga } from "../../../layout/encodings/cga.js";
import { isPowerOf2 } from "../../../layout/encodings/matrix-order.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import { verifyEncoding } from "../../../layout/verify-encoding.js";
import { nearestText } from "../../../support/nearest.js";
import { distributedParams, firstProblem } from "../encodings/define-encoding.js";
import { bracedDictionary, type Fields, type Key, readFields } from "../encodings/read-fields.js";

/** A value of a field as written: a number, a flag, a list of numbers, or the parent encoding. */
export type LegacyValue = number | boolean | readonly number[] | Attribute;

/** The fields as written, in the order of the era's printer. */
export interface LegacyParams {
  readonly names: readonly string[];
  readonly values: readonly LegacyValue[];
}

/** How the value of a field is read. */
export type FieldKind = "uint" | "bool" | "ints" | "parent";

export interface LegacySpec {
  /** The fields that the era knew, in the order in which it printed them; `cta` stands for the three fields of a CTA layout. */
  readonly fields: Readonly<Record<string, FieldKind | "cta">>;
  /** Those that must be there. */
  readonly required: readonly string[];
  /** The field whose length is the rank (for the CTA layout). */
  readonly rank?: string;
  readonly alias?: string;
  /** The equivalent current encoding. `elementBits`, if known, is the tensor's element width, which some old versions used. */
  toEncoding(read: LegacyReader, elementBits: number | undefined): EncodingParams;
}

/** The fields of an attribute, for `toEncoding`. */
export interface LegacyReader {
  has(name: string): boolean;
  uint(name: string, otherwise?: number): number;
  bool(name: string): boolean;
  ints(name: string): readonly number[];
  parent(): Attribute;
  cga(): LinearLayout;
}

/** An attribute kind of an older era. As `EncodingDef`, but one cannot go back to it. */
export interface LegacyDef extends AttrDef<LegacyParams> {
  readonly encodingKind: string;
  toEncoding(params: LegacyParams): EncodingParams;
  forElements(params: LegacyParams, elementBits: number): EncodingParams;
}

const CTA_FIELDS = ["CTAsPerCGA", "CTASplitNum", "CTAOrder"] as const;

/** Defines `#dialect.mnemonic<{...}>` of an older era. */
export function defineLegacy(name: string, spec: LegacySpec): LegacyDef {
  const mnemonic = name.slice(name.indexOf(".") + 1);
  const order = Object.keys(spec.fields).flatMap((field) => (spec.fields[field] === "cta" ? CTA_FIELDS : [field]));
  const kindOf = (field: string): FieldKind => (isCta(field) ? "ints" : (spec.fields[field] as FieldKind));
  const keys = Object.fromEntries(order.map((key): [string, Key] => [key, { kind: kindOf(key), what: key }]));
  const encodingOf = (params: LegacyParams, bits?: number): EncodingParams => spec.toEncoding(readerOf(params, spec), bits);
  const def = defineAttr<LegacyParams>(name, {
    summary: `${mnemonic} as spelled before 3.6`,
    alias: () => spec.alias,
    parse(p) {
      const at = p.pos - mnemonic.length;
      const dict = bracedDictionary(p);
      for (const key of dict.params.names)
        if (!order.includes(key)) p.fail(`unexpected key: ${key}${nearestText(key, order)}`, at, "parse.encoding");
      for (const key of spec.required)
        if (!dict.params.names.includes(key)) p.fail(`struct is missing required parameter: ${key}`, at, "parse.encoding");
      const fields = readFields(p, at, dict, keys, false);
      const names = order.filter((key) => fields.has(key));
      const values = names.map((key) => {
        if (kindOf(key) !== "parent") return readValue(fields, key, kindOf(key));
        return parentOf(p, at, dict.params.values[dict.params.names.indexOf(key)]!);
      });
      checkCta(p, at, names, values, spec);
      return withoutDefaultCta({ names, values });
    },
    print: (params, p) => legacyBody(params, p),
    verify(params, report) {
      const problem = firstProblem(() => {
        const encoding = encodingOf(params);
        return encoding.kind === "dot_op" || encoding.kind === "slice" ? [] : verifyEncoding(encoding);
      });
      if (problem !== undefined) report(problem);
    },
  });
  return Object.assign(def, {
    encodingKind: mnemonic,
    toEncoding: (params: LegacyParams) => encodingOf(params),
    forElements: (params: LegacyParams, bits: number) => encodingOf(params, bits),
  });
}

function isCta(field: string): boolean {
  return (CTA_FIELDS as readonly string[]).includes(field);
}
function readValue(fields: Fields, key: string, kind: FieldKind): LegacyValue {
  if (kind === "uint") return fields.uint(key);
  return kind === "bool" ? fields.bool(key) : fields.ints(key);
}
function parentOf(p: AttrParser, at: number, parent: Attribute): Attribute {
  return distributedParams(parent) ? parent : p.fail(`unexpected parent layout: ${attrText(parent)}`, at, "parse.encoding");
}

function checkCta(p: AttrParser, at: number, names: readonly string[], values: readonly LegacyValue[], spec: LegacySpec): void {
  const given = CTA_FIELDS.filter((field) => names.includes(field));
  if (given.length === 0) return;
  if (given.length < CTA_FIELDS.length)
    p.fail("CTAsPerCGA, CTASplitNum, and CTAOrder must all be present or all be absent", at, "parse.encoding");
  const list = (field: string): readonly number[] => values[names.indexOf(field)] as readonly number[];
  const [perCGA = [], split = [], order = []] = CTA_FIELDS.map(list);
  const rank = spec.rank === undefined ? order.length : list(spec.rank).length;
  if ([perCGA, split, order].some((sizes) => sizes.length !== rank))
    p.fail("CTAsPerCGA, CTASplitNum, and CTAOrder must all have the same rank as the encoding", at, "parse.encoding");
  if (!perCGA.every((size, d) => isPowerOf2(size) && isPowerOf2(split[d]!) && size % split[d]! === 0))
    p.fail("CTAsPerCGA must be powers of two that CTASplitNum divides", at, "parse.encoding");
  if ([...order].sort((a, b) => a - b).some((dim, i) => dim !== i))
    p.fail(`CTAOrder must be a permutation of 0..(rank-1), but was [${order.join(", ")}]`, at, "parse.encoding");
}

/** A single CTA is not printed. */
function withoutDefaultCta(params: LegacyParams): LegacyParams {
  const at = params.names.indexOf("CTAsPerCGA");
  if (at < 0) return params;
  const [perCGA, split, order] = params.values.slice(at, at + 3) as readonly (readonly number[])[];
  const isDefault =
    perCGA!.every((size) => size === 1) && split!.every((size) => size === 1) && order!.every((dim, i) => dim === order!.length - 1 - i);
  if (!isDefault) return params;
  const kept = (_: unknown, i: number): boolean => i < at || i >= at + 3;
  return { names: params.names.filter(kept), values: params.values.filter(kept) };
}

function legacyBody({ names, values }: LegacyParams, p: AttrPrinter): string {
  const text = (value: LegacyValue): string => {
    if (Array.isArray(value)) return `[${value.join(", ")}]`;
    return typeof value === "object" ? p.attr(value as Attribute) : String(value);
  };
  return `<{${names.map((name, i) => `${name} = ${text(values[i]!)}`).join(", ")}}>`;
}

function readerOf({ names, values }: LegacyParams, spec: LegacySpec): LegacyReader {
  const find = (name: string): LegacyValue | undefined => values[names.indexOf(name)];
  const ints = (name: string): readonly number[] => (find(name) as readonly number[] | undefined) ?? [];
  return {
    has: (name) => names.includes(name),
    uint: (name, otherwise = 0) => (find(name) as number | undefined) ?? otherwise,
    bool: (name) => find(name) === true,
    ints,
    parent: () => find("parent") as Attribute,
    cga() {
      const [perCGA = [], split = [], order = []] = CTA_FIELDS.map(ints);
      return order.length === 0
        ? defaultCga(spec.rank === undefined ? 0 : ints(spec.rank).length)
        : cgaFromSplitParams(perCGA, split, order);
    },
  };
}
