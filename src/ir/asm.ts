/**
 * The interfaces by which definitions read and write their own syntax. The parser and printer in `syntax` implement
 * them; they are here because definitions (which `ir` describes) mention them.
 * A reading function that fails reports a diagnostic and leaves the parse: hooks need no error handling.
 */
import type { Attribute, Type } from "./attribute.js";
import type { Block } from "./block.js";
import type { DictAttr } from "./builtin-attrs.js";
import type { Context } from "./context.js";
import type { LocationRef } from "./location.js";
import type { Operation } from "./operation.js";
import type { Region } from "./region.js";
import type { Value } from "./value.js";

/** The `<...>` of an attribute or type, and what attribute and operation readers have in common. */
export interface AttrParser {
  readonly ctx: Context;
  /** The place of the next token, for `fail`. */
  readonly pos: number;
  /** Reports an error at `pos` (default: here) and leaves the parse. */
  fail(message: string, pos?: number, code?: string): never;
  /** Reads exactly that punctuation (`(`, `->`, `::`, ...), or fails. */
  punct(text: string): void;
  optPunct(text: string): boolean;
  /** Reads exactly that keyword, or fails. */
  keyword(text: string): void;
  optKeyword(text: string): boolean;
  /** Reads any keyword (bare identifier; dots are part of it). */
  anyKeyword(what?: string): string;
  optAnyKeyword(): string | undefined;
  /** Reads a quoted string. */
  string(): string;
  optString(): string | undefined;
  /** Reads a decimal or hexadecimal integer with an optional minus. */
  /** Integers of more than `bits` bits, signed or unsigned, are refused; 64 unless given. */
  integer(bits?: number): bigint;
  optInteger(bits?: number): bigint | undefined;
  /** Reads a 32-bit integer. */
  int(): number;
  /** Reads a float literal or an integer literal as number. */
  float(): number;
  bool(): boolean;
  /** `[1, 2, 3]` */
  intArray(): number[];
  /** Reads `open item, item close`; `open` may be "" for a list without delimiters (then at least one item). */
  list<T>(open: string, close: string, item: () => T): T[];
  attribute(type?: Type): Attribute;
  optAttribute(type?: Type): Attribute | undefined;
  type(): Type;
  optType(): Type | undefined;
  /** `@name` */
  symbolName(): string;
  optSymbolName(): string | undefined;
  /** `4x8x` up to where an element type begins; `?` is DYNAMIC. */
  dimensionList(options?: { allowDynamic?: boolean; trailingX?: boolean }): number[];
  location(): Attribute;
  /** The attribute or type kind after its mnemonic was read: for wrappers that share a syntax. */
  atPunct(text: string): boolean;
}

/** Writes the `<...>` of an attribute or type, with aliases for nested ones where the print has them. */
export interface AttrPrinter {
  attr(attr: Attribute): string;
  /** Without the trailing `: type`. */
  attrWithoutType(attr: Attribute): string;
  type(type: Type): string;
  string(text: string): string;
  symbol(name: string): string;
  /** A dialect attribute or type as `qualified()` would not: `<...>` only, after its mnemonic. */
  stripped(attr: Attribute | Type): string;
  loc(loc: Attribute): string;
}

/** A block argument as read: `%name : type {attrs} loc(...)`. */
export interface ParsedArgument {
  readonly name: string;
  readonly pos: number;
  readonly type: Type | undefined;
  readonly attrs: DictAttr | undefined;
  readonly loc: LocationRef | undefined;
}

/** An operand as read; its type is checked when it is resolved. */
export interface ParsedOperand {
  readonly value: Value;
  readonly pos: number;
}

/** The operation under construction. */
export interface OperationState {
  readonly operands: Value[];
  readonly types: Type[];
  readonly attrs: [string, Attribute][];
  readonly regions: Region[];
  readonly successors: Block[];
}

/** The parser as an op's custom syntax uses it. */
export interface OpParser extends AttrParser {
  readonly state: OperationState;
  readonly opName: string;
  /** Where the op begins: the location of what its parser adds, such as an implicit terminator. */
  readonly opLoc: LocationRef;
  /** The location of a place in the text (see `pos`). */
  locAt(pos: number): LocationRef;
  /** How many results the op was given names for. */
  readonly numNamedResults: number;
  operand(): ParsedOperand;
  optOperand(): ParsedOperand | undefined;
  /** `%a, %b` (possibly empty) up to something else. */
  operands(): ParsedOperand[];
  /** Checks or sets the operand's type and returns its value. Does not add it to the state. */
  resolve(operand: ParsedOperand, type: Type): Value;
  resolveAll(operands: readonly ParsedOperand[], types: readonly Type[], pos?: number): Value[];
  /** `: T, T` */
  colonTypes(): Type[];
  colonType(): Type;
  types(): Type[];
  /** `-> T` or `-> (T, T)`, if there. */
  optArrowTypes(): Type[];
  /** `(T, T) -> T` */
  functionType(): { inputs: Type[]; results: Type[] };
  /** `{a = 1, b}` into the state, if there. */
  optAttrDict(): void;
  optAttrDictWithKeyword(): void;
  /** `%x`, `%x: T`, with attributes and location where allowed. */
  argument(options?: { type?: boolean; attrs?: boolean }): ParsedArgument;
  optArgument(options?: { type?: boolean; attrs?: boolean }): ParsedArgument | undefined;
  /** Reads a region into a new Region; `args` become its entry block's arguments. Adds it to the state unless `add` is false. */
  region(args?: readonly ParsedArgument[], options?: { add?: boolean }): Region;
  optRegion(args?: readonly ParsedArgument[]): Region | undefined;
  successor(): Block;
  optSuccessor(): Block | undefined;
  /** `^bb1(%a, %b : T, T)` */
  successorWithOperands(): { block: Block; operands: Value[] };
  optTrailingLocation(): LocationRef | undefined;
  setAttr(name: string, value: Attribute): void;
}

/** The printer as an op's custom syntax uses it. */
export interface OpPrinter extends AttrPrinter {
  /** Adds text to the output. */
  write(text: string): void;
  /** `%name` of a value. */
  value(value: Value): string;
  values(values: readonly Value[]): string;
  types(types: readonly Type[]): string;
  block(block: Block): string;
  successor(block: Block, operands: readonly Value[]): string;
  /** ` {a = 1}` without the elided names; nothing when nothing is left. */
  optAttrDict(op: Operation, elided?: readonly string[]): void;
  optAttrDictWithKeyword(op: Operation, elided?: readonly string[]): void;
  /** ` -> T` or ` -> (T, T)`; nothing without types. */
  optArrowTypes(types: readonly Type[]): void;
  /** `(T, T) -> T` */
  functionType(inputs: readonly Type[], results: readonly Type[]): string;
  region(region: Region, options?: { entryArgs?: boolean; terminators?: boolean; emptyBlock?: boolean }): void;
  /** `%x: T {attrs} loc(...)` as in a function's signature. */
  regionArgument(arg: Value, attrs?: DictAttr, omitType?: boolean): string;
  /** A nested op in full, as on a line of its own (without indentation). */
  op(op: Operation): void;
  newline(): void;
  readonly genericForm: boolean;
  /** Prints the values of a region's entry arguments under other names (isolated ops such as ttg.warp_specialize). */
  shadowRegionArgs(region: Region, names: readonly Value[]): void;
}
