/**
 * The parser of MLIR text: modules, operations in custom and generic form, regions, locations, aliases.
 * It stops at the first error of a source, reports it and returns undefined.
 * Source: mlir/lib/AsmParser/Parser.cpp. Above 400 lines: one class with the state of one parse.
 */

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourceBuffer } from "../diagnostics/source.js";
import type { OperationState, OpParser, ParsedArgument, ParsedOperand } from "../ir/asm.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { Block } from "../ir/block.js";
import { type DictAttr, DictionaryAttr, OpaqueAttr } from "../ir/builtin-attrs.js";
import { DYNAMIC, FunctionType, OpaqueType, type TensorType } from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";
import { type OpDef, unregisteredOp } from "../ir/define-op.js";
import type { LocationRef } from "../ir/location.js";
import { Operation } from "../ir/operation.js";
import { Region } from "../ir/region.js";
import { typeText } from "../ir/text-hook.js";
import type { Value } from "../ir/value.js";
import { LayoutError } from "../layout/layout-error.js";
import { LIMITS, LimitError, limitMessage } from "../support/limits.js";
import { nearestText } from "../support/nearest.js";
import { locateArguments } from "./argument-locations.js";
import { Cursor, ParseFailure } from "./cursor.js";
import { DictionaryCache } from "./dictionary-cache.js";
import type { FormatParts } from "./format-parts.js";
import { bareFuncOp, definitionThatFits, parseToday, readForm, readInOlderForm } from "./older-forms.js";
import { parseDictionary, parseDictionaryEntries, parseOptionalAttribute } from "./parse-attribute.js";
import { type PendingLocation, parseLocationInParens, parseTrailingLocation, resolvePending } from "./parse-location.js";
import { parseFunctionType, parseOptionalType } from "./parse-type.js";
import { ValueScopes } from "./value-scopes.js";

/** The attributes of a dialect that are called nearly so. */
function nearMnemonic(name: string, dialect: string, known: Iterable<string>): string {
  const mnemonics = [...known].flatMap((other) => (other.startsWith(`${dialect}.`) ? [other.slice(dialect.length + 1)] : []));
  return nearestText(name.slice(dialect.length + 1), mnemonics);
}

/** Regions, attributes and types nested deeper than this are refused: the program's own stack is finite. */
export const MAX_NESTING = 256;

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** The parser may put other lists in the place of those that hooks add to. */
type State = Writable<OperationState>;

/** A name on the left of `=`: the name of `count` results. */
interface ResultName {
  readonly name: string;
  readonly count: number;
  readonly pos: number;
}

interface BlockScope {
  readonly blocks: Map<string, { readonly block: Block; defined: boolean; readonly pos: number }>;
}

export interface ParsedSource {
  /** Top-level operations, detached, in order. */
  readonly ops: readonly Operation[];
  /** The `{-# ... #-}` section's text, if there is one. */
  readonly metadata: string | undefined;
}

export class Parser implements OpParser {
  readonly cursor: Cursor;
  readonly attrAliases = new Map<string, Attribute>();
  readonly typeAliases = new Map<string, Type>();
  readonly values: ValueScopes;
  /** Owned by the reader of locations. */
  readonly pendingLocations: PendingLocation[] = [];
  /** Set by a dialect hook to check tensor types as they are read. */
  checkTensor: ((type: TensorType, pos: number) => void) | undefined = undefined;
  /** How messages begin while an op's own syntax reads an attribute: `custom op 'x' `. */
  complaint = "";

  // The operation under construction; saved around nested ones.
  state: State = newState();
  opName = "";
  opLoc: LocationRef = 0;
  numNamedResults = 0;

  #blocks: BlockScope | undefined;
  #depth = 0;
  readonly #dictionaries: DictionaryCache;
  readonly #spareStates: State[] = [];
  /** Owned by the reader of formats: what it used for earlier ops. */
  readonly spareParts: FormatParts[] = [];
  #defaultDialect = "builtin";
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
    this.values = new ValueScopes(ctx, source, this.cursor);
    this.#dictionaries = new DictionaryCache(ctx);
  }

  // --- sources ------------------------------------------------------------------------------

  /** Reads the whole source; undefined after an error, which was reported. */
  parseSource(): ParsedSource | undefined {
    try {
      const ops: Operation[] = [];
      let metadata: string | undefined;
      const region = new Region(this.ctx, null, 0);
      const block = region.addBlock();
      while (!this.cursor.atEnd) {
        const c = this.cursor.skip();
        if (c === 35) this.attributeAlias();
        else if (c === 33) this.typeAlias();
        else if (c === 123 && this.cursor.at("{-#")) metadata = this.metadataSection();
        else block.append(this.operation());
      }
      this.values.checkForwardReferences();
      resolvePending(this);
      locateArguments(this, this.#withArguments);
      for (const op of block.ops()) {
        block.unlink(op);
        ops.push(op);
      }
      return { ops, metadata };
    } catch (error) {
      if (error instanceof ParseFailure) {
        this.blameUndeclared();
        return undefined;
      }
      const known =
        error instanceof LimitError
          ? error
          : error instanceof RangeError && /call stack/.test(error.message)
            ? { code: "parse.nesting", message: "input is nested too deeply" }
            : undefined;
      if (!known) throw error;
      const position = this.source.position(Math.min(this.cursor.pos, this.source.text.length));
      this.ctx.emit({ severity: "error", code: known.code, message: known.message, position, notes: [] });
      return undefined;
    }
  }

  /** Reads one attribute or type that makes up the whole source. */
  parseWhole<T>(read: (p: this) => T): T | undefined {
    try {
      const result = read(this);
      if (!this.cursor.atEnd) this.fail("found trailing characters");
      return result;
    } catch (error) {
      if (error instanceof ParseFailure) return undefined;
      throw error;
    }
  }

  private attributeAlias(): void {
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
  private typeAlias(): void {
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
  private metadataSection(): string {
    const start = this.cursor.pos;
    const end = this.cursor.text.indexOf("#-}", start);
    if (end < 0) this.fail("expected '#-}' to end the file metadata section", start, "parse.metadata");
    this.cursor.pos = end + 3;
    return this.cursor.text.slice(start + 3, end);
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
    if (this.cursor.text.charCodeAt(this.cursor.pos) !== 120)
      this.fail("expected 'x' in dimension list", this.cursor.pos, "parse.dimension");
    this.cursor.pos++;
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
        if (this.cursor.text.charCodeAt(this.cursor.pos) !== 120) return shape;
        this.cursor.pos++;
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

  // --- values -------------------------------------------------------------------------------

  /** Reads `%name` or `%name#2`. A name not yet defined becomes a stand-in until it is. */
  operandValue(): Value {
    return this.values.optOperand() ?? this.cursor.wrongToken("expected SSA operand", "parse.operand");
  }
  operand(): ParsedOperand {
    const value = this.operandValue();
    return { value, pos: this.values.operandPos };
  }
  optOperand(): ParsedOperand | undefined {
    return this.atPunct("%") ? this.operand() : undefined;
  }
  operands(): ParsedOperand[] {
    return this.atPunct("%") ? this.list("", "", () => this.operand()) : [];
  }
  resolve(operand: ParsedOperand, type: Type): Value {
    return this.values.resolve(operand.value, type, operand.pos);
  }
  resolveAll(operands: readonly ParsedOperand[], types: readonly Type[], pos = this.pos): Value[] {
    if (operands.length !== types.length)
      this.fail(
        `number of operands and types do not match: got ${operands.length} operands and ${types.length} types`,
        pos,
        "parse.operand-count",
      );
    return operands.map((operand, i) => this.resolve(operand, types[i]!));
  }
  colonType(): Type {
    this.punct(":");
    return this.type();
  }
  colonTypes(): Type[] {
    this.punct(":");
    return this.types();
  }
  types(): Type[] {
    return this.list("", "", () => this.type());
  }
  optArrowTypes(): Type[] {
    return this.optPunct("->") ? this.typeOrTypes() : [];
  }
  functionType(): { inputs: Type[]; results: Type[] } {
    const inputs = this.list("(", ")", () => this.type());
    this.punct("->");
    return { inputs, results: this.typeOrTypes() };
  }
  optAttrDict(): void {
    if (!this.cursor.atChar(123)) return;
    this.state.attrs.push(...parseDictionaryEntries(this));
  }
  optAttrDictWithKeyword(): void {
    if (this.optKeyword("attributes")) this.state.attrs.push(...parseDictionaryEntries(this));
  }
  setAttr(name: string, value: Attribute): void {
    // A list that begins with what is in it takes a third of the memory of one that was empty before.
    if (this.state.attrs.length === 0) this.state.attrs = [[name, value]];
    else this.state.attrs.push([name, value]);
  }

  argument(options: { type?: boolean; attrs?: boolean } = {}): ParsedArgument {
    return this.optArgument(options) ?? this.fail("expected SSA operand", undefined, "parse.operand");
  }
  optArgument(options: { type?: boolean; attrs?: boolean } = {}): ParsedArgument | undefined {
    if (!this.atPunct("%")) return undefined;
    const pos = this.pos;
    const end = this.cursor.suffixEnd(pos + 1);
    if (end === pos + 1) this.fail("invalid SSA name", pos, "parse.value");
    const name = this.cursor.text.slice(pos + 1, end);
    this.cursor.pos = end;
    const type = options.type ? this.colonType() : undefined;
    const attrs: DictAttr | undefined = options.attrs && this.atPunct("{") ? parseDictionary(this) : undefined;
    const argument = { name, pos, type, attrs, loc: undefined as LocationRef | undefined };
    if (options.type || options.attrs) {
      const box = argument;
      parseTrailingLocation(this, (loc) => {
        box.loc = loc;
        this.#lateArguments.get(box)?.forEach((value) => (value.argLoc = loc));
      });
    }
    return argument;
  }
  readonly #lateArguments = new Map<ParsedArgument, Value[]>();

  // --- regions ------------------------------------------------------------------------------

  optRegion(args?: readonly ParsedArgument[]): Region | undefined {
    return this.atPunct("{") ? this.region(args) : undefined;
  }
  region(args: readonly ParsedArgument[] = [], options: { add?: boolean } = {}): Region {
    this.enter();
    this.punct("{");
    const region = new Region(this.ctx, null, 0);
    const savedBlocks = this.#blocks;
    const savedState = this.state;
    const savedName = this.opName;
    const savedLoc = this.opLoc;
    const savedNamed = this.numNamedResults;
    const outer = this.values.enter();
    this.#blocks = { blocks: new Map() };

    const begin = this.cursor.pos - 1;
    try {
      if (args.length > 0 || !this.atPunct("}")) this.regionBody(region, args);
      this.punct("}");
    } catch (failure) {
      if (this.cursor.atEnd) this.noteUnclosed(begin);
      throw failure;
    }
    for (const { defined, pos } of this.#blocks.blocks.values())
      if (!defined) this.fail("reference to an undefined block", pos, "parse.block");
    this.values.leave(outer);
    this.#blocks = savedBlocks;
    this.state = savedState;
    this.opName = savedName;
    this.opLoc = savedLoc;
    this.numNamedResults = savedNamed;
    this.leave();
    if (options.add !== false) this.state.regions.push(region);
    return region;
  }
  /** Adds to the complaint about the end of the text where the region that it ends in begins. */
  private noteUnclosed(begin: number): void {
    const complaint = this.ctx.diagnostics.pop();
    if (!complaint) return;
    const position = this.source.position(begin);
    const note = { severity: "note", code: "", message: "the '{' here is not closed", position, notes: [] } as const;
    this.ctx.diagnostics.push(complaint.notes.length > 0 ? complaint : { ...complaint, notes: [note] });
  }
  private regionBody(region: Region, args: readonly ParsedArgument[]): void {
    let block: Block;
    if (args.length > 0 || !this.atPunct("^")) {
      block = region.addBlock();
      for (const arg of args) {
        if (this.values.isKnown(arg.name))
          this.fail(`region entry argument '%${arg.name}' is already in use`, arg.pos, "parse.redefinition");
        const value = block.addArgument(
          arg.type ?? this.fail("expected type for a region argument", arg.pos),
          arg.loc ?? source(this, arg.pos),
        );
        const late = this.#lateArguments.get(arg);
        if (late) late.push(value);
        else if (arg.loc === undefined) this.#lateArguments.set(arg, [value]);
        this.values.define(arg.name, value, arg.pos);
      }
      if (args.length > 0 && this.atPunct("^")) {
        // A labelled entry block would be a second set of arguments.
        const label = this.pos;
        const end = this.cursor.suffixEnd(label + 1);
        if (this.cursor.text.charCodeAt(end) === 40) this.fail("invalid block name in region with named arguments", label, "parse.block");
      }
      this.blockOps(block);
    }
    while (this.atPunct("^")) this.labelledBlock(region);
  }
  private labelledBlock(region: Region): void {
    const pos = this.pos;
    const block = this.blockNamed(this.blockName(), pos, true);
    region.insertBlock(block);
    if (this.optPunct("(")) {
      if (!this.optPunct(")")) {
        do {
          const at = this.pos;
          const end = this.cursor.suffixEnd(at + 1);
          if (!this.atPunct("%")) this.fail("expected SSA operand", at, "parse.operand");
          const name = this.cursor.text.slice(at + 1, end);
          this.cursor.pos = end;
          const type = this.colonType();
          const value = block.addArgument(type, source(this, at));
          parseTrailingLocation(this, (loc) => {
            value.argLoc = loc;
          });
          this.values.define(name, value, at);
        } while (this.optPunct(","));
        this.punct(")");
      }
    }
    this.punct(":");
    this.blockOps(block);
  }
  private blockOps(block: Block): void {
    for (;;) {
      const c = this.cursor.skip();
      if (c === 125 || c === 94) return;
      if (Number.isNaN(c)) this.cursor.wrongToken("expected operation name in quotes", "parse.operation");
      block.append(this.operation());
    }
  }
  private blockName(): string {
    const at = this.pos;
    if (!this.atPunct("^")) this.fail("expected block name", at, "parse.block");
    const end = this.cursor.suffixEnd(at + 1);
    if (end === at + 1) this.fail("invalid block name", at, "parse.block");
    this.cursor.pos = end;
    return this.cursor.text.slice(at, end);
  }
  private blockNamed(name: string, pos: number, define: boolean): Block {
    const blocks = this.#blocks?.blocks ?? this.fail("block reference outside a region", pos, "parse.block");
    let entry = blocks.get(name);
    if (!entry) blocks.set(name, (entry = { block: new Block(this.ctx), defined: false, pos }));
    if (define) {
      if (entry.defined) this.fail(`redefinition of block '${name}'`, pos, "parse.block");
      entry.defined = true;
    }
    return entry.block;
  }
  successor(): Block {
    const pos = this.pos;
    return this.blockNamed(this.blockName(), pos, false);
  }
  optSuccessor(): Block | undefined {
    return this.atPunct("^") ? this.successor() : undefined;
  }
  successorWithOperands(): { block: Block; operands: Value[] } {
    const block = this.successor();
    if (!this.optPunct("(")) return { block, operands: [] };
    const operands = this.operands();
    const types = operands.length > 0 ? this.colonTypes() : [];
    this.punct(")");
    return { block, operands: this.resolveAll(operands, types) };
  }

  // --- operations ---------------------------------------------------------------------------

  /** Reads one operation, detached. */
  operation(): Operation {
    const { cursor } = this;
    // Most ops have one result, whose name is a number: that needs no list of names.
    let number = -1;
    let names: ResultName[] | undefined;
    const namePos = cursor.skip() === 37 ? cursor.pos : -1;
    if (namePos >= 0) {
      number = cursor.optNumberedResult();
      if (number < 0) names = this.resultNames();
    }
    const first = cursor.skip();
    const at = cursor.pos;
    this.state = this.freshState();
    this.numNamedResults = number >= 0 ? 1 : names ? numResultsOf(names) : 0;
    const savedDefault = this.#defaultDialect;
    const op = first === 34 ? this.genericOperation(at) : this.customOperation(at);
    this.#defaultDialect = savedDefault;
    if (number >= 0) {
      if (op.results.length !== 1) this.wrongNumberOfResults(op, 1, namePos);
      this.values.defineNumber(number, op.results[0]!, namePos);
    } else if (names) this.bindResults(op, names, namePos);
    if (cursor.skip() === 108) this.operationLocation(op);
    return op;
  }
  /** Reads `%a, %b:2 =`. */
  private resultNames(): ResultName[] {
    const { cursor } = this;
    const names: ResultName[] = [];
    do {
      const pos = cursor.here();
      if (cursor.skip() !== 37) this.fail("expected SSA identifier", pos, "parse.value");
      const end = cursor.suffixEnd(pos + 1);
      if (end === pos + 1) this.fail("invalid SSA name", pos, "parse.value");
      cursor.pos = end;
      let count = 1;
      if (cursor.optChar(58)) {
        count = cursor.optDecimal() ?? this.fail("expected integer number of results", undefined, "parse.results");
        if (count < 1) this.fail("expected named operation to have at least 1 result", pos, "parse.results");
        if (count > 1 << 20) this.fail("too many results", pos, "parse.results");
      }
      names.push({ name: cursor.text.slice(pos + 1, end), count, pos });
    } while (cursor.optChar(44));
    this.punct("=");
    return names;
  }
  private operationLocation(op: Operation): void {
    parseTrailingLocation(this, (loc) => {
      op.setLoc(loc);
      if (op.regions.some((region) => region.firstBlock?.args.length)) this.#withArguments.push(op);
    });
  }
  /** Located ops whose arguments get their locations at the end. */
  readonly #withArguments: Operation[] = [];
  private wrongNumberOfResults(op: Operation, numNamed: number, pos: number): never {
    if (op.results.length === 0) this.fail("cannot name an operation with no results", pos, "parse.results");
    this.fail(`operation defines ${op.results.length} results but was provided ${numNamed} to bind`, pos, "parse.results");
  }
  private bindResults(op: Operation, names: readonly ResultName[], at: number): void {
    const { results } = op;
    if (results.length !== this.numNamedResults) this.wrongNumberOfResults(op, this.numNamedResults, at);
    let start = 0;
    for (const { name, count, pos } of names) {
      this.values.define(name, count === 1 ? results[start]! : results.slice(start, start + count), pos);
      start += count;
    }
  }

  /** An empty state; those of finished ops are used again. */
  private freshState(): State {
    const spare = this.#spareStates.pop();
    if (!spare) return newState();
    if (spare.operands.length > 0) spare.operands = [];
    if (spare.types.length > 0) spare.types = [];
    if (spare.attrs.length > 0) spare.attrs = [];
    if (spare.regions.length > 0) spare.regions = [];
    if (spare.successors.length > 0) spare.successors = [];
    return spare;
  }

  /** An op whose operand is defined nowhere fails by its types, which are guesses then: the operand is at fault. */
  private blameUndeclared(): void {
    const complaint = this.ctx.diagnostics.at(-1);
    const line = complaint?.position?.line;
    const pos = this.values.undefinedUses().find((use) => this.source.position(use).line === line);
    if (complaint === undefined || pos === undefined || complaint.code === "parse.undeclared") return;
    const note: Diagnostic = { ...complaint, severity: "note" };
    const message = "use of undeclared SSA value name";
    const position = this.source.position(pos);
    this.ctx.diagnostics.splice(-1, 1, { severity: "error", code: "parse.undeclared", message, position, notes: [note] });
  }

  private customOperation(at: number): Operation {
    const { cursor } = this;
    // Names end at a space more often than not; looking for it is quicker than looking at each character.
    const space = cursor.text.indexOf(" ", at);
    let name = space < 0 ? "" : cursor.text.slice(at, space);
    let def = this.ctx.ops.get(name);
    if (def) cursor.pos = space;
    else {
      if (cursor.text.startsWith("...", at))
        this.fail("'...' stands for ops that were left out here: the text is not whole", at, "parse.omitted");
      name = cursor.optIdent() ?? this.fail("expected operation name in quotes", at, "parse.operation");
      def = this.ctx.ops.get(name) ?? this.unqualifiedOp(name, at);
    }
    this.opName = def.name;
    this.opLoc = source(this, at);
    this.#defaultDialect = def.defaultDialect ?? "";
    const start = this.cursor.pos;
    try {
      const form = this.ctx.spelling?.forms.get(name);
      if (form) def = readForm(this, form, def, at);
      else {
        parseToday(this, def, at);
        if (!this.ctx.spelling) this.ctx.readToday.add(def.name);
      }
    } catch (failure) {
      def = readInOlderForm(this, def, at, start, failure);
    }
    return this.finish(def, at);
  }
  /** Resolves an op name that lacks its dialect. */
  private unqualifiedOp(name: string, at: number): OpDef {
    if (!name.includes(".")) {
      const dialect = this.#defaultDialect;
      const def = this.ctx.ops.get(`${dialect}.${name}`) ?? bareFuncOp(this.ctx, name);
      if (def) return def;
      if (dialect === "") this.fail(`Dialect \`' not found for custom op '${name}'  (tried '.${name}' as well)`, at, "parse.unknown-op");
      return this.fail(`custom op '${name}' is unknown (tried '${dialect}.${name}' as well)`, at, "parse.unknown-op");
    }
    const dialect = name.slice(0, name.indexOf("."));
    if (!this.ctx.dialects.has(dialect)) this.fail(`Dialect \`${dialect}' not found for custom op '${name}'`, at, "parse.unknown-dialect");
    return this.fail(`custom op '${name}' is unknown`, at, "parse.unknown-op");
  }
  /** Goes back to read the op under construction once more. */
  restart(pos: number): void {
    const { operands, types, attrs, regions, successors } = this.state;
    for (const part of [operands, types, attrs, regions, successors]) part.length = 0;
    this.cursor.pos = pos;
  }

  private genericOperation(at: number): Operation {
    const name = this.cursor.string();
    if (name === "" || name.includes("\0")) this.fail("empty operation name is invalid", at, "parse.operation");
    const { state } = this;
    const operands = this.list("(", ")", () => this.operand());
    let successors: Block[] = [];
    if (this.optPunct("[")) {
      this.cursor.pos--;
      successors = this.list("[", "]", () => this.successor());
    }
    let def = this.ctx.ops.get(name);
    if (!def) {
      const dialect = name.includes(".") ? name.slice(0, name.indexOf(".")) : name;
      if (this.ctx.dialects.get(dialect)?.allowUnknownOps === false && !this.ctx.allowUnregisteredDialects)
        this.fail(
          `unregistered operation '${name}' found in dialect ('${dialect}') that does not allow unknown operations`,
          at,
          "parse.unknown-op",
        );
      if (!this.ctx.dialects.has(dialect) && !this.ctx.allowUnregisteredDialects)
        this.fail(
          `operation being parsed with an unregistered dialect. If this is intended, please use -allow-unregistered-dialect with the MLIR tool used`,
          at,
          "parse.unregistered",
        );
      def = this.ctx.memo(`unregistered op ${name}`, () => unregisteredOp(name));
    }
    this.opName = def.name;
    this.opLoc = source(this, at);
    let inherent: [string, Attribute][] = [];
    if (this.optPunct("<")) {
      const attr = this.attribute();
      if (!DictionaryAttr.is(attr)) this.fail("expected a dictionary of properties", at, "parse.properties");
      inherent = attr.params.names.map((n, i) => [n, attr.params.values[i]!]);
      this.punct(">");
    }
    if (this.optPunct("(")) {
      this.cursor.pos--;
      this.list("(", ")", () => {
        const saved = this.state;
        const region = this.region([], { add: false });
        this.state = saved;
        saved.regions.push(region);
      });
    }
    this.state = state;
    state.attrs.push(...inherent);
    if (this.atPunct("{")) state.attrs.push(...parseDictionaryEntries(this));
    this.punct(":");
    const typeAt = this.pos;
    const type = parseFunctionType(this);
    if (!FunctionType.is(type)) return this.fail("expected function type", typeAt, "parse.type");
    if (type.params.inputs.length !== operands.length)
      this.fail(
        `expected ${operands.length} operand type${operands.length === 1 ? "" : "s"} but had ${type.params.inputs.length}`,
        typeAt,
        "parse.operand-count",
      );
    for (let i = 0; i < operands.length; i++) state.operands.push(this.resolve(operands[i]!, type.params.inputs[i]!));
    state.types.push(...type.params.results);
    state.successors.push(...successors);
    return this.finish(definitionThatFits(this.ctx, def, state), at);
  }

  /** Makes the operation of the state read. */
  private finish(def: OpDef, at: number): Operation {
    const { ctx, state } = this;
    const op = new Operation(ctx, def, {
      loc: source(this, at),
      operands: state.operands,
      resultTypes: state.types,
      attrs: this.#dictionaries.of(def, state.attrs),
      successors: state.successors,
      regions: state.regions,
    });
    this.#spareStates.push(state);
    return op;
  }
}

function numResultsOf(names: readonly ResultName[]): number {
  return names.reduce((sum, { count }) => sum + count, 0);
}
/** The length of what follows the dialect's name; upstream points there when parameters are wrong. */
function mnemonicLength(name: string): number {
  return name.length - name.indexOf(".") - 1;
}
function newState(): State {
  return { operands: [], types: [], attrs: [], regions: [], successors: [] };
}
function source(p: Parser, pos: number): number {
  return p.source.base + pos;
}
