/**
 * The part of the parser that reads what dialects' attributes and types are made of: tokens, attributes, types, locations, and their aliases.
 * Source: mlir/lib/AsmParser/Parser.cpp, AttributeParser.cpp, TypeParser.cpp, LocationParser.cpp.
 */

import type { SourceBuffer } from "../diagnostics/source.js";
import type { AttrParser } from "../ir/asm.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { OpaqueAttr } from "../ir/builtin-attrs.js";
import { DYNAMIC, OpaqueType, type TensorType } from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";
import type { LocationRef } from "../ir/location.js";
import { typeText } from "../ir/text-hook.js";
import { LayoutError } from "../layout/layout-error.js";
import { LIMITS, limitMessage } from "../support/limits.js";
import { nearestText } from "../support/nearest.js";
import { Cursor, ParseFailure } from "./cursor.js";
import { parseOptionalAttribute } from "./parse-attribute.js";
import { type PendingLocation, parseLocationInParens } from "./parse-location.js";
import { parseOptionalType } from "./parse-type.js";

/** The attributes of a dialect that are called nearly so. */
function nearMnemonic(name: string, dialect: string, known: Iterable<string>): string {
  const mnemonics = [...known].flatMap((other) => (other.startsWith(`${dialect}.`) ? [other.slice(dialect.length + 1)] : []));
  return nearestText(name.slice(dialect.length + 1), mnemonics);
}

/** Regions, attributes and types nested deeper than this are refused: the program's own stack is finite. */
const MAX_NESTING = 256;

/** Reads attributes, types and locations; what a dialect's own parser is given. */
export abstract class EntityParser implements AttrParser {
  readonly cursor: Cursor;
  readonly attrAliases = new Map<string, Attribute>();
  readonly typeAliases = new Map<string, Type>();
  /** Owned by the reader of locations. */
  readonly pendingLocations: PendingLocation[] = [];
  /** Set by a dialect hook to check tensor types as they are read. */
  checkTensor: ((type: TensorType, pos: number) => void) | undefined = undefined;
  /** How messages begin while an op's own syntax reads an attribute: `custom op 'x' `. */
  complaint = "";
  #depth = 0;
  /** Types with their texts, and the last of them: most types repeat. */
  readonly #typesByText = new Map<string, Type>();
  readonly #recentText = ["", "", "", ""];
  readonly #recentType: (Type | undefined)[] = [undefined, undefined, undefined, undefined];
  #recentNext = 0;

  constructor(
    readonly ctx: Context,
    readonly source: SourceBuffer,
  ) {
    this.cursor = new Cursor(source.text, (message, pos, code) => {
      ctx.emit({ severity: "error", code, message, position: source.position(Math.min(pos, source.text.length)), notes: [] });
      throw new ParseFailure(message);
    });
  }

  /** `#name = ATTRIBUTE` */
  protected attributeAlias(): void {
    const at = this.pos;
    const end = this.cursor.suffixEnd(at + 1);
    const name = this.cursor.text.slice(at + 1, end);
    this.cursor.pos = end;
    if (name === "" || name.includes("."))
      this.fail("attribute names with a '.' are reserved for dialect-defined names", at, "parse.alias");
    if (this.attrAliases.has(name)) this.fail(`redefinition of attribute alias id '${name}'`, at, "parse.alias");
    this.punct("=");
    this.#deepest = 0;
    this.attrAliases.set(name, this.attribute());
    this.#aliasDepths.set(`#${name}`, this.#deepest);
  }
  /** `!name = TYPE` */
  protected typeAlias(): void {
    const at = this.pos;
    const end = this.cursor.suffixEnd(at + 1);
    const name = this.cursor.text.slice(at + 1, end);
    this.cursor.pos = end;
    if (name === "" || name.includes(".")) this.fail("type names with a '.' are reserved for dialect-defined names", at, "parse.alias");
    if (this.typeAliases.has(name)) this.fail(`redefinition of type alias id '${name}'`, at, "parse.alias");
    this.punct("=");
    this.#deepest = 0;
    this.typeAliases.set(name, this.type());
    this.#aliasDepths.set(`!${name}`, this.#deepest);
  }

  // --- tokens (AttrParser) ------------------------------------------------------------------

  get pos(): number {
    return this.cursor.here();
  }
  locAt(pos: number): LocationRef {
    return this.source.base + pos;
  }
  fail(message: string, pos?: number, code?: string): never {
    return this.cursor.fail(this.complaint + message, pos, code);
  }
  punct(text: string): void {
    this.cursor.punct(text);
  }
  optPunct(text: string): boolean {
    return this.cursor.optPunct(text);
  }
  atPunct(text: string): boolean {
    return this.cursor.at(text);
  }
  keyword(text: string, joined = false): void {
    // In `tensor<*xf32>` the x is joined to what follows.
    if (joined) this.cursor.char(text.charCodeAt(0));
    else this.cursor.keyword(text);
  }
  optKeyword(text: string): boolean {
    return this.cursor.optKeyword(text);
  }
  anyKeyword(what = "valid keyword"): string {
    return this.cursor.ident(what);
  }
  optAnyKeyword(): string | undefined {
    return this.cursor.optIdent();
  }
  string(): string {
    return this.cursor.string();
  }
  optString(): string | undefined {
    return this.cursor.optString();
  }
  integer(bits?: number): bigint {
    return this.cursor.integer(bits);
  }
  optInteger(bits?: number): bigint | undefined {
    return this.cursor.optInteger(bits);
  }
  int(): number {
    return Number(this.cursor.integer(32));
  }
  float(): number {
    const negative = this.optPunct("-");
    const text = this.cursor.optNumber() ?? this.fail("expected floating point literal");
    return negative ? -Number(text) : Number(text);
  }
  bool(): boolean {
    if (this.optKeyword("true")) return true;
    this.keyword("false");
    return false;
  }
  intArray(): number[] {
    return this.list("[", "]", () => this.int());
  }
  list<T>(open: string, close: string, item: () => T): T[] {
    return this.cursor.list(open, close, item);
  }
  symbolName(): string {
    return this.cursor.optSymbolName() ?? this.fail("expected valid '@'-identifier for symbol name", undefined, "parse.symbol");
  }
  optSymbolName(): string | undefined {
    return this.cursor.optSymbolName();
  }
  /** The `x` after an extent, which may be followed at once by a type or another extent. */
  dimensionX(): void {
    if (!this.cursor.optChar(120)) this.fail("expected 'x' in dimension list", this.cursor.pos, "parse.dimension");
  }
  dimensionList(options: { allowDynamic?: boolean; trailingX?: boolean } = {}): number[] {
    const shape: number[] = [];
    for (;;) {
      if (options.allowDynamic !== false && this.optPunct("?")) shape.push(DYNAMIC);
      else {
        const extent = this.cursor.optDecimal();
        if (extent === undefined) return shape;
        shape.push(extent);
      }
      if (options.trailingX === false) {
        if (!this.cursor.optChar(120)) return shape;
      } else this.dimensionX();
    }
  }
  /** The text of a balanced `<...>`, brackets left out; the cursor is before it. */
  balanced(): string {
    const start = this.cursor.here();
    const { text } = this.cursor;
    let depth = 0;
    for (let at = start; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === 0) break;
      if (c === 34) {
        this.cursor.pos = at;
        this.cursor.string();
        at = this.cursor.pos - 1;
      } else if (c === 60 || c === 40 || c === 91 || c === 123) depth++;
      else if (c === 45 && text.charCodeAt(at + 1) === 62) at++;
      else if (c === 62 || c === 41 || c === 93 || c === 125) {
        if (--depth === 0) {
          this.cursor.pos = at + 1;
          return text.slice(start + 1, at);
        }
      }
    }
    return this.fail("unbalanced '<' in pretty dialect name", start, "parse.dialect");
  }

  // --- attributes and types -----------------------------------------------------------------

  /** How deep each alias is when those that it is made of are written out. */
  readonly #aliasDepths = new Map<string, number>();
  /** The deepest alias used since a definition began, with what surrounds it. */
  #deepest = 0;
  /** An alias (`#name`, `!name`) is used here. */
  enterAlias(alias: string, at: number): void {
    const depth = this.#depth + (this.#aliasDepths.get(alias) ?? 0);
    if (depth > LIMITS["alias-nesting"].most) this.fail(limitMessage("alias-nesting"), at, "limit.alias-nesting");
    if (depth > this.#deepest) this.#deepest = depth;
  }

  /** Goes one level deeper; `leave` comes back. */
  enter(): void {
    if (++this.#depth > MAX_NESTING) this.fail(`nested more than ${MAX_NESTING} levels deep`, undefined, "parse.nesting");
  }

  leave(): void {
    this.#depth--;
  }

  attribute(type?: Type): Attribute {
    return this.optAttribute(type) ?? this.cursor.wrongToken("expected attribute value", "parse.attribute");
  }
  optAttribute(type?: Type): Attribute | undefined {
    this.enter();
    const attr = parseOptionalAttribute(this, type);
    this.leave();
    return attr;
  }
  type(): Type {
    return this.optType() ?? this.cursor.wrongToken(`expected non-function type${this.nearType()}`, "parse.type");
  }
  /** The type that is meant by a name of Python's: `f16` by `fp16`. */
  private nearType(): string {
    const word = this.cursor.peekIdent() ?? "";
    const [, bits] = /^(?:fp|float)(16|32|64)$/.exec(word) ?? [];
    const [, width] = /^u?int(1|8|16|32|64)$/.exec(word) ?? [];
    const meant = bits ? `f${bits}` : width ? `i${width}` : word === "bfloat16" ? "bf16" : undefined;
    return meant === undefined ? "" : `; did you mean '${meant}'?`;
  }
  optType(): Type | undefined {
    const { cursor } = this;
    const first = cursor.skip();
    const start = cursor.pos;
    const { text } = cursor;
    const recentText = this.#recentText;
    for (let i = 0; i < 4; i++) {
      const recent = recentText[i]!;
      if (recent.charCodeAt(0) !== first) continue;
      // Remembered texts end in `>`, so no longer name can begin with one.
      const end = start + recent.length;
      if (text.charCodeAt(end - 1) === 62 && text.slice(start, end) === recent) {
        cursor.pos = end;
        return this.#recentType[i];
      }
    }
    // Names that are whole types (i32, !llvm.ptr), and what ends at the first `>` (!llvm.struct<(f32, f32)>).
    const nameEnd = first === 33 ? cursor.suffixEnd(start + 1) : cursor.identEnd(start);
    const end = nameEnd > start && text.charCodeAt(nameEnd) === 60 ? text.indexOf(">", nameEnd) + 1 : nameEnd;
    const key = end > start ? text.slice(start, end) : "";
    let type = key === "" ? undefined : this.#typesByText.get(key);
    if (type) cursor.pos = end;
    else {
      this.enter();
      type = parseOptionalType(this);
      this.leave();
      if (type && cursor.pos === end) this.#typesByText.set(key, type);
    }
    if (type && text.charCodeAt(cursor.pos - 1) === 62 && text.charCodeAt(cursor.pos - 2) !== 45) {
      const slot = this.#recentNext++ & 3;
      this.#recentText[slot] = text.slice(start, cursor.pos);
      this.#recentType[slot] = type;
    }
    return type;
  }
  /** The array of numbers that comes next, read by `read` unless the same text was read before. */
  arrayByText(elementType: Type, read: () => Attribute): Attribute {
    const { cursor } = this;
    const end = cursor.text.indexOf("]", cursor.pos) + 1;
    if (end === 0 || end - cursor.pos > 64) return read();
    const known = this.attrsByText(elementType);
    const text = cursor.text.slice(cursor.pos, end);
    const seen = known.get(text);
    if (seen) {
      cursor.pos = end;
      return seen;
    }
    const attr = read();
    if (cursor.pos === end) known.set(text, attr);
    return attr;
  }
  /** Numbers of a type, and arrays of such, by their text: most come again. */
  attrsByText(type: Type): Map<string, Attribute> {
    let known = this.#byText.get(type);
    if (!known) this.#byText.set(type, (known = new Map()));
    return known;
  }
  readonly #byText = new Map<Type, Map<string, Attribute>>();
  typeText(type: Type): string {
    return typeText(type);
  }
  /** `T` or `(T, T)`: what may follow an arrow. */
  typeOrTypes(): Type[] {
    if (!this.atPunct("(")) return [this.type()];
    // `((T) -> T)` and `() -> T` are ambiguous with a function type; as in MLIR a list wins.
    return this.list("(", ")", () => this.type());
  }
  /** Parameters follow the mnemonic directly: after a space `<` begins something else. */
  paramsFollow(): void {
    const { text, pos } = this.cursor;
    if (text.charCodeAt(pos) !== 60 && this.atPunct("<")) this.fail("expected '<' right after the name", pos, "parse.expected");
  }
  /** Between tokens a NUL is white space, but not inside of `#name<...>` and `!name<...>`, whose end MLIR looks for first. */
  withoutNul<T>(value: T, start: number): T {
    const at = this.cursor.hasNul ? this.cursor.text.slice(start, this.cursor.pos).indexOf("\0") : -1;
    if (at >= 0) this.fail("unbalanced '<' character in pretty dialect name", start + at, "parse.dialect");
    return value;
  }
  dialectAttr(name: string, at: number, _type?: Type): Attribute {
    const def = this.ctx.attrDefs.get(name);
    if (!def) {
      const dialect = name.slice(0, name.indexOf("."));
      if (this.ctx.dialects.has(dialect))
        return this.fail(
          `unknown attribute \`${name.slice(dialect.length + 1)}\` in dialect \`${dialect}\`${nearMnemonic(name, dialect, this.ctx.attrDefs.keys())}`,
          at + dialect.length + 2,
          "parse.attribute",
        );
      return this.opaqueAttr(name, at);
    }
    const namePos = Math.max(at, this.cursor.pos - mnemonicLength(name));
    const report = (message: string) => this.fail(message, namePos, "parse.attribute-params");
    try {
      const params = def.parse ? def.parse(this) : {};
      def.verify?.(params, report, this.ctx);
      return def.get(this.ctx, params);
    } catch (error) {
      if (!(error instanceof LayoutError)) throw error;
      // Parameters that are each right, and of which no layout can be made.
      return report(error.message);
    }
  }
  dialectType(name: string, at: number): Type {
    const def = this.ctx.typeDefs.get(name);
    if (!def) {
      const dialect = name.slice(0, name.indexOf("."));
      if (this.ctx.dialects.has(dialect))
        // Two spaces: upstream's message has them.
        return this.fail(
          `unknown  type \`${name.slice(dialect.length + 1)}\` in dialect \`${dialect}\``,
          at + dialect.length + 2,
          "parse.type",
        );
      return this.opaqueType(name, at);
    }
    const namePos = Math.max(at, this.cursor.pos - mnemonicLength(name));
    const params = def.parse ? def.parse(this) : {};
    def.verify?.(params, (message) => this.fail(message, namePos, "parse.type-params"), this.ctx);
    return def.get(this.ctx, params);
  }
  private opaqueAttr(name: string, at: number): Attribute {
    const dot = name.indexOf(".");
    const body = this.cursor.text.charCodeAt(this.cursor.pos) === 60 ? `<${this.balanced()}>` : "";
    const params = { dialect: name.slice(0, dot), data: name.slice(dot + 1) + body, type: undefined };
    this.checkUnregistered("attribute", params, at + dot + 2);
    return OpaqueAttr.get(this.ctx, params);
  }
  private opaqueType(name: string, at: number): Type {
    const dot = name.indexOf(".");
    const body = this.cursor.text.charCodeAt(this.cursor.pos) === 60 ? `<${this.balanced()}>` : "";
    const params = { dialect: name.slice(0, dot), data: name.slice(dot + 1) + body };
    this.checkUnregistered("type", params, at + dot + 2);
    return OpaqueType.get(this.ctx, params);
  }
  /** Fails where attributes and types of dialects that are not registered are not wanted. */
  checkUnregistered(what: "attribute" | "type", { dialect, data }: { readonly dialect: string; readonly data: string }, at: number): void {
    if (this.ctx.allowUnregisteredDialects) return;
    const text = what === "type" ? `\`!"${dialect}"<"${data}">\` type` : `#"${dialect}"<"${data}"> : 'none' attribute`;
    this.fail(
      `${text} created with unregistered dialect. If this is intended, please call allowUnregisteredDialects() on the MLIRContext, or use -allow-unregistered-dialect with the MLIR opt tool used`,
      at,
      "parse.unregistered",
    );
  }

  // --- locations ----------------------------------------------------------------------------

  location(): Attribute {
    this.keyword("loc");
    return parseLocationInParens(this);
  }
  optTrailingLocation(): LocationRef | undefined {
    return this.optKeyword("loc") ? parseLocationInParens(this) : undefined;
  }
}

/** The length of what follows the dialect's name; upstream points there when parameters are wrong. */
function mnemonicLength(name: string): number {
  return name.length - name.indexOf(".") - 1;
}
