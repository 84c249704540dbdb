/**
 * The text of attributes and types. Source: mlir/lib/IR/AsmPrinter.cpp, AsmPrinter::Impl.
 */

import type { AttrPrinter } from "../ir/asm.js";
import { Attribute, type AttrOf, Type } from "../ir/attribute.js";
import {
  AffineMapAttr,
  ArrayAttr,
  DenseArrayAttr,
  DenseElementsAttr,
  DenseResourceAttr,
  DenseStringElementsAttr,
  DictionaryAttr,
  DistinctAttr,
  FloatAttr,
  IntegerAttr,
  IntegerSetAttr,
  OpaqueAttr,
  ownType,
  StridedLayoutAttr,
  StringAttr,
  SymbolRefAttr,
  TypeAttr,
  UnitAttr,
} from "../ir/builtin-attrs.js";
import {
  ComplexType,
  FloatType,
  FunctionType,
  floatType,
  IndexType,
  IntegerType,
  intType,
  MemRefType,
  NoneType,
  OpaqueType,
  RankedTensorType,
  shapedParams,
  TupleType,
  UnrankedTensorType,
  VectorType,
} from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";
import { formatOf } from "../ir/float.js";
import { CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc, UnknownLoc } from "../ir/location.js";
import { textHook } from "../ir/text-hook.js";
import { Bug } from "../support/assert.js";
import { within } from "../support/limits.js";
import { floatText } from "./float-text.js";

/** A string literal with MLIR's escapes. */
export function quoted(text: string): string {
  return `"${escaped(text)}"`;
}
function escaped(text: string): string {
  if (!/[^\x20-\x7e]|["\\]/.test(text)) return text;
  return text.replace(/[^\x20-\x7e]|["\\]/g, (c) =>
    c === "\\" ? "\\\\" : `\\${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
/** `name` or `"na me"`: attribute names and symbols that are no identifiers are quoted. */
export function keywordOrString(text: string): string {
  let known = spelt.get(text);
  if (known === undefined) {
    known = /^[A-Za-z_][\w$.]*$/.test(text) ? text : quoted(text);
    if (spelt.size < 1024) spelt.set(text, known);
  }
  return known;
}
/** Names seen before: attribute names repeat. */
const spelt = new Map<string, string>();
export function symbolText(name: string): string {
  return /^[A-Za-z_][\w$.]*$/.test(name) ? `@${name}` : `@${quoted(name)}`;
}

/**
 * Writes attributes and types. `alias` returns the alias of those that have one in this print; texts without aliases
 * in them are kept on the attribute or type itself.
 */
export class AttributeText implements AttrPrinter {
  constructor(readonly alias: (entity: Attribute | Type) => string | undefined) {}

  attr(attr: Attribute): string {
    if (!(attr.mayAlias ?? mayAlias(attr))) return this.#counted(attr.text!);
    return this.#counted(this.alias(attr) ?? this.#body(attr));
  }
  attrWithoutType(attr: Attribute): string {
    return this.alias(attr) ?? this.attrBody(attr, false);
  }
  type(type: Type): string {
    if (!(type.mayAlias ?? mayAlias(type))) return this.#counted(type.text!);
    return this.#counted(this.alias(type) ?? this.#body(type));
  }
  /** The text of what may contain aliases but has none here, made once: attributes share their parts, and a walk along each way takes forever. */
  #body(entity: Attribute | Type): string {
    let text = this.#bodies.get(entity);
    if (text === undefined) this.#bodies.set(entity, (text = this.define(entity)));
    return text;
  }
  readonly #bodies = new WeakMap<Attribute | Type, string>();
  /** The text of an entity with none but its parts replaced by aliases. */
  define(entity: Attribute | Type): string {
    return this.#scoped(() => (entity instanceof Type ? this.typeBody(entity) : this.attrBody(entity, true)));
  }
  #scoped(write: () => string): string {
    const outer = this.#length;
    this.#length = 0;
    try {
      return write();
    } finally {
      this.#length = outer;
    }
  }
  /** Characters of the parts of the attribute or type that is being written; -1 outside of any. */
  #length = -1;
  #counted(text: string): string {
    if (this.#length >= 0) within("attribute-text", (this.#length += text.length));
    return text;
  }
  string(text: string): string {
    return quoted(text);
  }
  symbol(name: string): string {
    return symbolText(name);
  }
  stripped(entity: Attribute | Type): string {
    if (entity.strippedText !== undefined) return this.#counted(entity.strippedText);
    const alias = this.alias(entity);
    if (alias) return alias;
    const text = this.#scoped(() => this.strippedBody(entity));
    if (!mayAlias(entity)) entity.strippedText = text;
    return this.#counted(text);
  }
  private strippedBody(entity: Attribute | Type): string {
    if (DenseArrayAttr.is(entity as Attribute)) {
      const { elements, elementType } = (entity as Attribute<{ elements: readonly bigint[]; elementType: Type }>).params;
      return `[${elements.map((e) => arrayElementText(e, elementType)).join(", ")}]`;
    }
    if (!entity.def.print) return entity instanceof Type ? this.type(entity) : this.attr(entity);
    const text = (entity.def.print as (params: object, p: AttrPrinter, ctx: Context) => string)(entity.params, this, entity.ctx);
    return entity.ctx.triton.setsEnumsApart ? text : text.trimStart();
  }
  loc(loc: Attribute): string {
    return `loc(${this.alias(loc) ?? this.locationBody(loc)})`;
  }

  /** The text without the entity's own alias. */
  attrBody(attr: Attribute, withType: boolean): string {
    if (!attr.def.name.startsWith("builtin.")) {
      const body = attr.def.print ? attr.def.print(attr.params, this, attr.ctx) : "";
      // `#gpu<dim x>`: only text in angle brackets may follow a mnemonic.
      return body.startsWith(" ") ? `#${attr.def.name.replace(".", "<")}${body}>` : `#${attr.def.name}${body}`;
    }
    if (UnitAttr.is(attr)) return "unit";
    if (StringAttr.is(attr)) {
      const { value, type } = attr.params;
      return quoted(value) + (withType && type ? ` : ${this.type(type)}` : "");
    }
    if (IntegerAttr.is(attr)) return this.integer(attr.params.value, attr.params.type, withType);
    if (FloatAttr.is(attr)) {
      const { bits, type } = attr.params;
      const text = floatText(bits, formatOf(type));
      return withType ? `${text} : ${this.type(type)}` : text;
    }
    if (TypeAttr.is(attr)) return this.type(attr.params.type);
    if (ArrayAttr.is(attr)) return `[${attr.params.elements.map((e) => this.arrayElement(e)).join(", ")}]`;
    if (DictionaryAttr.is(attr)) return `{${this.entries(attr.params.names, attr.params.values)}}`;
    if (SymbolRefAttr.is(attr)) return [attr.params.root, ...attr.params.nested].map(symbolText).join("::");
    if (DenseElementsAttr.is(attr)) {
      const { type, elements, splat } = attr.params;
      return `dense<${this.denseBody(type, elements, splat)}>${withType ? ` : ${this.type(type)}` : ""}`;
    }
    if (DenseStringElementsAttr.is(attr))
      return `dense<${quoted(attr.params.elements[0] ?? "")}>${withType ? ` : ${this.type(attr.params.type)}` : ""}`;
    if (DenseArrayAttr.is(attr)) {
      const { elementType, elements } = attr.params;
      const list = elements.map((e) => arrayElementText(e, elementType)).join(", ");
      return `array<${this.type(elementType)}${list && `: ${list}`}>`;
    }
    if (DenseResourceAttr.is(attr))
      return `dense_resource<${keywordOrString(attr.params.handle)}>${withType ? ` : ${this.type(attr.params.type)}` : ""}`;
    if (AffineMapAttr.is(attr)) return `affine_map<${attr.params.text}>`;
    if (IntegerSetAttr.is(attr)) return `affine_set<${attr.params.text}>`;
    if (StridedLayoutAttr.is(attr)) {
      const entry = (v: bigint) => (v === -(2n ** 63n) ? "?" : v.toString());
      const { offset, strides } = attr.params;
      return `strided<[${strides.map(entry).join(", ")}]${offset === 0n ? "" : `, offset: ${entry(offset)}`}>`;
    }
    if (DistinctAttr.is(attr))
      return `distinct[${this.numberOf(attr)}]<${UnitAttr.is(attr.params.referenced) ? "" : this.attr(attr.params.referenced)}>`;
    if (OpaqueAttr.is(attr)) {
      const { dialect, data, type } = attr.params;
      return `${dialectSymbol("#", dialect, data)}${type && withType ? ` : ${this.type(type)}` : ""}`;
    }
    return `loc(${this.locationBody(attr)})`;
  }

  /** Distinct attributes are numbered as they are printed. */
  private numberOf(attr: AttrOf<typeof DistinctAttr>): number | bigint {
    if (this === plain) return attr.params.number;
    let number = this.#distinct.get(attr);
    if (number === undefined) this.#distinct.set(attr, (number = this.#distinct.size));
    return number;
  }
  readonly #distinct = new Map<Attribute, number>();

  /** `a = 1 : i32, b`: the entries of a dictionary. */
  entries(names: readonly string[], values: readonly Attribute[]): string {
    let text = "";
    for (let i = 0; i < names.length; i++) {
      if (i > 0) text += ", ";
      text += keywordOrString(names[i]!);
      const value = values[i]!;
      if (!UnitAttr.is(value)) text += ` = ${this.attr(value)}`;
    }
    return text;
  }

  /** In an array the types that a literal has by default, i64 and f64, go without saying. */
  private arrayElement(attr: Attribute): string {
    const type = ownType(attr);
    const implied = IntegerAttr.is(attr) ? type === intType(attr.ctx, 64) : FloatAttr.is(attr) && type === floatType(attr.ctx, "f64");
    return implied ? this.attrWithoutType(attr) : this.attr(attr);
  }

  private integer(value: bigint, type: Type, withType: boolean): string {
    if (IntegerType.is(type) && type.params.width === 1 && type.params.signedness === "signless") return value ? "true" : "false";
    return withType ? `${value} : ${this.type(type)}` : value.toString();
  }

  private denseBody(type: Type, elements: readonly bigint[], splat: boolean): string {
    const { shape, elementType } = shapedParams(type);
    if (elements.length === 0) return "";
    const text = (e: bigint) => denseElementText(e, elementType);
    if (splat) return text(elements[0]!);
    // Long integer and float data is printed as bytes.
    if (elements.length > 100) return quoted(`0x${hexBytes(elements, elementType)}`);
    const nest = (dim: number, start: number, size: number): string => {
      if (dim === shape.length) return text(elements[start]!);
      const inner = size / shape[dim]!;
      return `[${Array.from({ length: shape[dim]! }, (_, i) => nest(dim + 1, start + i * inner, inner)).join(", ")}]`;
    };
    return nest(0, 0, elements.length);
  }

  typeBody(type: Type): string {
    if (!type.def.name.startsWith("builtin.")) {
      const body = type.def.print ? type.def.print(type.params, this, type.ctx) : "";
      return `!${type.def.name}${body}`;
    }
    if (IntegerType.is(type)) return `${{ signless: "i", signed: "si", unsigned: "ui" }[type.params.signedness]}${type.params.width}`;
    if (FloatType.is(type)) return type.params.kind;
    if (IndexType.is(type)) return "index";
    if (NoneType.is(type)) return "none";
    if (RankedTensorType.is(type)) {
      const { shape, elementType, encoding } = type.params;
      return `tensor<${dims(shape)}${this.type(elementType)}${encoding ? `, ${this.attr(encoding)}` : ""}>`;
    }
    if (UnrankedTensorType.is(type)) return `tensor<*x${this.type(type.params.elementType)}>`;
    if (VectorType.is(type)) {
      const { shape, scalable, elementType } = type.params;
      return `vector<${shape.map((d, i) => (scalable?.[i] ? `[${d}]x` : `${d}x`)).join("")}${this.type(elementType)}>`;
    }
    if (MemRefType.is(type)) {
      const { shape, elementType, layout, memorySpace } = type.params;
      return `memref<${dims(shape)}${this.type(elementType)}${layout ? `, ${this.attr(layout)}` : ""}${memorySpace ? `, ${this.attr(memorySpace)}` : ""}>`;
    }
    if (FunctionType.is(type)) return functionTypeText(this, type.params.inputs, type.params.results);
    if (ComplexType.is(type)) return `complex<${this.type(type.params.elementType)}>`;
    if (TupleType.is(type)) return `tuple<${type.params.types.map((t) => this.type(t)).join(", ")}>`;
    if (OpaqueType.is(type)) return dialectSymbol("!", type.params.dialect, type.params.data);
    throw new Bug(`no syntax for type ${type.def.name}`);
  }

  /** A location without `loc( )` around it. */
  locationBody(loc: Attribute): string {
    const nested = (inner: Attribute) => this.#counted(this.alias(inner) ?? this.#body(inner).slice("loc(".length, -1));
    if (UnknownLoc.is(loc)) return "unknown";
    if (FileLineColLoc.is(loc)) {
      const { file, line, column, endLine, endColumn } = loc.params;
      const start = `${quoted(file)}:${line}:${column}`;
      if (line === endLine && column === endColumn) return start;
      return line === endLine ? `${start} to :${endColumn}` : `${start} to ${endLine}:${endColumn}`;
    }
    if (NameLoc.is(loc)) {
      const { name, child } = loc.params;
      return UnknownLoc.is(child) ? quoted(name) : `${quoted(name)}(${nested(child)})`;
    }
    if (CallSiteLoc.is(loc)) return `callsite(${nested(loc.params.callee)} at ${nested(loc.params.caller)})`;
    if (FusedLoc.is(loc)) {
      const { locations, metadata } = loc.params;
      return `fused${metadata ? `<${this.attr(metadata)}>` : ""}[${locations.map(nested).join(", ")}]`;
    }
    throw new Bug(`${loc.def.name} is no location`);
  }
}

export function functionTypeText(p: AttrPrinter, inputs: readonly Type[], results: readonly Type[]): string {
  const list = (types: readonly Type[]) => `(${types.map((t) => p.type(t)).join(", ")})`;
  const bare = results.length === 1 && !FunctionType.is(results[0]!);
  return `${list(inputs)} -> ${bare ? p.type(results[0]!) : list(results)}`;
}

function dims(shape: readonly number[]): string {
  let text = "";
  for (const d of shape) text += d < 0 ? "?x" : `${d}x`;
  return text;
}
/** `#dialect.body<...>` where the body reads back as such, else `#dialect<"body">`. */
function dialectSymbol(sigil: string, dialect: string, data: string): string {
  return /^[A-Za-z_][\w$.]*(<.*>)?$/s.test(data) ? `${sigil}${dialect}.${data}` : `${sigil}${dialect}<${data}>`;
}
function arrayElementText(element: bigint, type: Type): string {
  return denseElementText(element, type);
}
function denseElementText(element: bigint, type: Type): string {
  if (FloatType.is(type)) return floatText(element, formatOf(type));
  if (IntegerType.is(type) && type.params.width === 1) return element ? "true" : "false";
  return element.toString();
}
function hexBytes(elements: readonly bigint[], type: Type): string {
  const width = FloatType.is(type) ? formatOf(type).width : IntegerType.is(type) ? type.params.width : 64;
  const bytes = Math.max(1, Math.ceil(width / 8));
  return elements
    .map((element) => {
      const digits = BigInt.asUintN(bytes * 8, element)
        .toString(16)
        .padStart(bytes * 2, "0")
        .toUpperCase();
      return digits.match(/../g)!.reverse().join("");
    })
    .join("");
}

/** Writes without aliases, and keeps the texts. */
export const plain = new AttributeText(() => undefined);
textHook.type = (type) => (type.text ??= plain.define(type));
textHook.attr = (attr) => (attr.text ??= plain.define(attr));

/** Whether the text of an attribute or type may contain an alias; where it cannot, fills in the text. */
export function mayAlias(entity: Attribute | Type): boolean {
  if (entity.mayAlias === undefined) {
    entity.mayAlias = entity.def.alias !== undefined || nestedMayAlias(entity.params);
    if (!entity.mayAlias) entity.text ??= plain.define(entity);
  }
  return entity.mayAlias;
}
function nestedMayAlias(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (value instanceof Attribute || value instanceof Type) return mayAlias(value);
  for (const item of Array.isArray(value) ? value : Object.values(value)) if (nestedMayAlias(item)) return true;
  return false;
}
