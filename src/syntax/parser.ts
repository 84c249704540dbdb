/**
 * The parser of MLIR text: modules, operations in custom and generic form, regions, locations, aliases.
 * It stops at the first error of a source, reports it and returns undefined.
 * Source: mlir/lib/AsmParser/Parser.cpp. Above 400 lines: one class with the state of one parse. Attributes and types: `entity-parser.ts`.
 */

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourceBuffer } from "../diagnostics/source.js";
import type { OperationState, OpParser, ParsedArgument, ParsedOperand } from "../ir/asm.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { Block } from "../ir/block.js";
import { type DictAttr, DictionaryAttr } from "../ir/builtin-attrs.js";
import { FunctionType } from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";
import { type OpDef, sizesWithout, unregisteredOp } from "../ir/define-op.js";
import type { LocationRef } from "../ir/location.js";
import { Operation } from "../ir/operation.js";
import { Region } from "../ir/region.js";
import type { Value } from "../ir/value.js";
import { LimitError } from "../support/limits.js";
import { locateArguments } from "./argument-locations.js";
import { ParseFailure } from "./cursor.js";
import { DictionaryCache } from "./dictionary-cache.js";
import { EntityParser } from "./entity-parser.js";
import type { FormatParts } from "./format-parts.js";
import { bareFuncOp, definitionThatFits, modernizeAttributes, parseToday, readForm, readInOlderForm } from "./older-forms.js";
import { parseDictionary, parseDictionaryEntries } from "./parse-attribute.js";
import { parseTrailingLocation, resolvePending } from "./parse-location.js";
import { parseFunctionType } from "./parse-type.js";
import { ValueScopes } from "./value-scopes.js";

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

/** The parser of MLIR's textual form. */
export class Parser extends EntityParser implements OpParser {
  readonly values: ValueScopes;

  // The operation under construction; saved around nested ones.
  state: State = newState();
  opName = "";
  opLoc: LocationRef = 0;
  numNamedResults = 0;

  #blocks: BlockScope | undefined;
  readonly #dictionaries: DictionaryCache;
  readonly #spareStates: State[] = [];
  /** Owned by the reader of formats: what it used for earlier ops. */
  readonly spareParts: FormatParts[] = [];
  #defaultDialect = "builtin";

  constructor(ctx: Context, source: SourceBuffer) {
    super(ctx, source);
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
            ? { code: "parse.nesting", message: "the input is nested too deeply, or one of its lists is too long" }
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

  private metadataSection(): string {
    const start = this.cursor.pos;
    const end = this.cursor.text.indexOf("#-}", start);
    if (end < 0) this.fail("expected '#-}' to end the file metadata section", start, "parse.metadata");
    this.cursor.pos = end + 3;
    return this.cursor.text.slice(start + 3, end);
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
    if (this.cursor.atChar(123)) this.attrDict();
  }
  optAttrDictWithKeyword(): void {
    if (this.optKeyword("attributes")) this.attrDict();
  }
  private attrDict(): void {
    for (const entry of parseDictionaryEntries(this)) this.state.attrs.push(entry);
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
    for (const entry of inherent) state.attrs.push(entry);
    this.optAttrDict();
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
    for (const [name, sizes] of sizesWithout(this.ctx, def, operands.length, type.params.results.length))
      if (!state.attrs.some(([given]) => given === name)) state.attrs.push([name, sizes]);
    state.types.push(...type.params.results);
    state.successors.push(...successors);
    modernizeAttributes(this.ctx, def, state.attrs);
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
function newState(): State {
  return { operands: [], types: [], attrs: [], regions: [], successors: [] };
}
function source(p: Parser, pos: number): number {
  return p.source.base + pos;
}
