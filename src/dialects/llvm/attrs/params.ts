/**
 * Attributes declared by their parameters, as upstream's AttrDefs are:
 *
 *     export const DILabelAttr = structAttr("llvm.di_label", { scope: attr(), name: opt(attr()), line: opt(uint) }, { alias: true });
 *     // #llvm.di_label<scope = #di_file, name = "a", line = 3>
 */

import type { AttrParser, AttrPrinter } from "../../../ir/asm.js";
import { type AttrDef, type Attribute, defineAttr } from "../../../ir/attribute.js";
import { DWARF_KINDS, type DwarfKind, isDwarfName } from "./dwarf-names.js";

/** How one parameter is read and written. */
export interface Param<T> {
  parse(p: AttrParser): T;
  print(value: T, p: AttrPrinter): string;
  /** The value (as printed) at which the parameter is left out; `undefined` stands for absent. */
  readonly default?: { readonly value: T };
}
type ValuesOf<S> = { readonly [K in keyof S]: S[K] extends Param<infer T> ? T : never };

export interface AttrSyntax {
  /** Whether the printer gives it an alias named after its mnemonic. */
  readonly alias?: boolean;
  /** The whole body may be left out when no parameter is printed. */
  readonly optionalBody?: boolean;
}

/** `<name = value, ...>`: upstream's `struct(params)`. */
export function structAttr<S extends Readonly<Record<string, Param<unknown>>>>(
  name: string,
  spec: S,
  { alias = false, optionalBody = false }: AttrSyntax = {},
): AttrDef<ValuesOf<S>> {
  const entries = Object.entries(spec);
  return defineAttr<ValuesOf<S>>(name, {
    parse: (p) => parseStruct(p, name, entries, optionalBody) as ValuesOf<S>,
    print(params, p) {
      const values = params as Readonly<Record<string, unknown>>;
      let text = "";
      for (const [key, param] of entries) {
        const value = values[key];
        if (param.default && value === param.default.value) continue;
        text += `${text && ", "}${key} = ${param.print(value, p)}`;
      }
      return text === "" && optionalBody ? "" : `<${text}>`;
    },
    ...(alias ? { alias: () => name.slice(name.lastIndexOf(".") + 1) } : {}),
  });
}

function parseStruct(p: AttrParser, name: string, entries: readonly [string, Param<unknown>][], optionalBody: boolean) {
  const values: Record<string, unknown> = {};
  for (const [key, param] of entries) if (param.default) values[key] = param.default.value;
  const seen = new Set<string>();
  const missing = () => entries.find(([key, param]) => !param.default && !seen.has(key))?.[0];
  if (!(optionalBody && !p.atPunct("<"))) {
    p.punct("<");
    if (!p.optPunct(">")) {
      do {
        const at = p.pos;
        const key = p.anyKeyword("a parameter name");
        const param = entries.find(([k]) => k === key)?.[1];
        if (!param || seen.has(key)) return p.fail(`duplicate or unknown struct parameter name: ${key}`, at, "parse.attribute");
        seen.add(key);
        p.punct("=");
        values[key] = param.parse(p);
      } while (p.optPunct(","));
      p.punct(">");
    }
  }
  const absent = missing();
  if (absent !== undefined) p.fail(`struct is missing required parameter: ${absent} of ${name}`, undefined, "parse.attribute");
  return values;
}

/** `<keyword>`: an enum as an attribute; `bare` writes ` keyword` without brackets. */
export function enumAttr<const C extends Readonly<Record<string, number>>>(
  name: string,
  cases: C,
  options: { readonly bare?: boolean; readonly cpp?: string } = {},
): AttrDef<{ readonly value: keyof C & string }> {
  const value = keywordOf(cases, options.cpp);
  return defineAttr<{ readonly value: keyof C & string }>(name, {
    parse(p) {
      if (!options.bare) p.punct("<");
      const read = value.parse(p);
      if (!options.bare) p.punct(">");
      return { value: read };
    },
    print: ({ value: keyword }) => (options.bare ? ` ${spell(keyword)}` : `<${spell(keyword)}>`),
  });
}
/** Keywords are written bare, other case names as strings. */
const spell = (keyword: string): string => (/^[A-Za-z_][\w$.]*$/.test(keyword) ? keyword : `"${keyword}"`);

/** One of the keywords; `cpp` is upstream's class, which messages name. */
export function keywordOf<const C extends Readonly<Record<string, number>>>(cases: C, cpp?: string): Param<keyof C & string> {
  return {
    parse(p) {
      const at = p.pos;
      const keyword = p.optString() ?? p.anyKeyword("keyword");
      if (!Object.hasOwn(cases, keyword))
        return p.fail(`expected ${cpp ? `::mlir::${cpp} to be ` : ""}one of: ${Object.keys(cases).join(", ")}`, at, "parse.enum");
      return keyword as keyof C & string;
    },
    print: spell,
  };
}

/** A name of DWARF's. */
export const dwarfName = (kind: DwarfKind): Param<string> => ({
  parse(p) {
    const { pos } = p;
    const name = p.anyKeyword("DWARF name");
    return isDwarfName(kind, name) ? name : p.fail(`invalid debug info debug info ${DWARF_KINDS[kind]} name: ${name}`, pos, "parse.enum");
  },
  print: (value) => value,
});
/** Flags joined by `|`: a single one is bare, several are quoted. `cases` are in printing order. */
export function flags(cases: readonly string[]): Param<string> {
  return {
    parse(p) {
      const at = p.pos;
      const text = p.optString() ?? p.anyKeyword("flags");
      const set = text.split("|").map((f) => f.trim());
      const unknown = set.find((f) => !cases.includes(f));
      if (unknown !== undefined) p.fail(`unknown flag '${unknown}'`, at, "parse.enum");
      return cases.filter((c) => set.includes(c)).join("|");
    },
    print: (value) => (value.includes("|") ? `"${value}"` : value),
  };
}
export const uint: Param<bigint> = { parse: (p) => p.integer(), print: (value) => value.toString() };
export const bool: Param<boolean> = { parse: (p) => p.bool(), print: (value) => String(value) };
export const str: Param<string> = { parse: (p) => p.string(), print: (value, p) => p.string(value) };
/** An attribute whose type is spelt where it has one. `short` names a definition that is written without its `#dialect.mnemonic`. */
export function attr(short?: string): Param<Attribute> {
  return {
    parse(p) {
      if (short === undefined || p.atPunct("#")) return p.attribute();
      const def = p.ctx.attrDefs.get(short)!;
      const params = def.parse ? def.parse(p) : {};
      return def.get(p.ctx, params);
    },
    print: (value, p) => (short === undefined ? p.attr(value) : p.stripped(value).trimStart()),
  };
}
export function list<T>(item: Param<T>): Param<readonly T[]> {
  return {
    parse(p) {
      const items: T[] = [];
      do items.push(item.parse(p));
      while (p.optPunct(","));
      return items;
    },
    print: (values, p) => values.map((v) => item.print(v, p)).join(", "),
  };
}
/** A parameter that may be left out. */
export const opt = <T>(param: Param<T>): Param<T | undefined> => ({
  parse: (p) => param.parse(p),
  print: (value, p) => (value === undefined ? "" : param.print(value, p)),
  default: { value: undefined },
});
/** A parameter that is left out when it has this value. */
export const dflt = <T>(param: Param<T>, value: T): Param<T> => ({
  parse: (p) => param.parse(p),
  print: (v, p) => param.print(v, p),
  default: { value },
});
