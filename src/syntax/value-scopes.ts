/**
 * The SSA names of a source as it is read: the value of each, where it may be seen, and placeholders for names used
 * before their definition.
 * Source: mlir/lib/AsmParser/Parser.cpp (OperationParser's isolatedNameScopes, which no op here opens, and forwardRefPlaceholders).
 */

import type { SourceBuffer } from "../diagnostics/source.js";
import type { Type } from "../ir/attribute.js";
import { Block } from "../ir/block.js";
import { noneType } from "../ir/builtin-types.js";
import type { Context } from "../ir/context.js";
import { positionOfLocation } from "../ir/location.js";
import { typeText } from "../ir/text-hook.js";
import { Value } from "../ir/value.js";
import { type Cursor, ParseFailure } from "./cursor.js";

/** The values of one name: a single value or a group `%x:2`. */
export type Definition = Value | readonly Value[];

interface ForwardReference {
  readonly value: Value;
  readonly pos: number;
}

/** Names that are numbers from here on, or have leading zeros, are kept by name: `%00` is not `%0`. */
const MAX_NUMBER = 1 << 26;

export class ValueScopes {
  /** Told of every value, or group of values, by the name that the text gives it (without `%`). */
  onDefine: ((name: string, definition: Definition) => void) | undefined = undefined;
  /** Where the operand read last begins. */
  operandPos = 0;

  readonly #numbered: (Definition | undefined)[] = [];
  readonly #named = new Map<string, Definition>();
  /** Names defined in the region being read, to be forgotten at its end. */
  #scope: (number | string)[] = [];
  /** Stand-ins by the name as it is used: `%x`, or `%x#1`. */
  readonly #forward = new Map<string, ForwardReference>();
  readonly #forwardOwner: Block;
  readonly #untyped: Type;

  constructor(
    readonly ctx: Context,
    readonly source: SourceBuffer,
    readonly cursor: Cursor,
  ) {
    this.#forwardOwner = new Block(ctx);
    this.#untyped = noneType(ctx);
  }

  /** Reads `%name` or `%name#2` if it comes next. A name not yet defined gets a stand-in until it is. */
  optOperand(): Value | undefined {
    const { cursor } = this;
    if (cursor.skip() !== 37) return undefined;
    const at = (this.operandPos = cursor.pos);
    const { text } = cursor;
    let end = at + 1;
    let c = text.charCodeAt(end);
    let known: Definition | undefined;
    let number = -1;
    if (c >= 48 && c <= 57) {
      number = 0;
      do {
        number = number * 10 + c - 48;
        c = text.charCodeAt(++end);
      } while (c >= 48 && c <= 57);
      const plain = number < MAX_NUMBER && (end === at + 2 || text.charCodeAt(at + 1) !== 48);
      known = plain ? this.#numbered[number] : this.#named.get(text.slice(at + 1, end));
    } else {
      end = cursor.suffixEnd(at + 1);
      if (end === at + 1) cursor.fail("invalid SSA name", at, "parse.value");
      known = this.#named.get(text.slice(at + 1, end));
    }
    cursor.pos = end;
    if (text.charCodeAt(end) === 35) return this.#memberOf(known, at, end);
    if (known === undefined) return this.#forwardReference(text.slice(at, end), at);
    return Array.isArray(known) ? (known as readonly Value[])[0]! : (known as Value);
  }
  /** Reads the `#2` of `%name#2`. */
  #memberOf(known: Definition | undefined, at: number, hash: number): Value {
    const { cursor } = this;
    cursor.pos++;
    const index = cursor.optDecimal() ?? cursor.fail("invalid SSA value result number", hash, "parse.value");
    if (known === undefined) {
      const name = cursor.text.slice(at, hash);
      return this.#forwardReference(index === 0 ? name : `${name}#${index}`, at);
    }
    const values = Array.isArray(known) ? (known as readonly Value[]) : [known as Value];
    return values[index] ?? cursor.fail("reference to invalid result number", at, "parse.value");
  }
  #forwardReference(name: string, pos: number): Value {
    const known = this.#forward.get(name);
    if (known) return known.value;
    const value = new Value(this.ctx.nextId(), this.#untyped, this.#forwardOwner, 0, this.source.base + pos);
    this.#forward.set(name, { value, pos });
    return value;
  }

  /** Checks that a value read at `pos` has `type`; a forward reference takes it. */
  resolve(value: Value, type: Type, pos: number): Value {
    if (value.type === type) return value;
    if (value.owner === this.#forwardOwner && value.type === this.#untyped) {
      value.setType(type);
      return value;
    }
    const name = this.cursor.text.slice(pos, this.cursor.suffixEnd(pos + 1));
    const message = `use of value '${name}' expects different type than prior uses: '${typeText(type)}' vs '${typeText(value.type)}'`;
    const note = { severity: "note", code: "", message: "prior use here", notes: [] } as const;
    const prior = positionOfLocation(this.ctx, value.definingOp?.locRef ?? value.argLoc!);
    const notes = [prior ? { ...note, position: prior } : note];
    this.ctx.emit({ severity: "error", code: "parse.operand-type", message, position: this.source.position(pos), notes });
    throw new ParseFailure(message);
  }

  /** From here on `name` (without `%`), which is at `pos`, means `definition`. */
  define(name: string, definition: Definition, pos: number): void {
    const number = plainNumber(name);
    if (number >= 0) return this.defineNumber(number, definition, pos);
    if (this.#named.has(name)) this.#redefinition(name, pos);
    this.#named.set(name, definition);
    this.#scope.push(name);
    this.onDefine?.(name, definition);
    if (this.#forward.size > 0) this.#settleForward(name, definition);
  }
  defineNumber(number: number, definition: Definition, pos: number): void {
    if (this.#numbered[number] !== undefined) this.#redefinition(String(number), pos);
    this.#numbered[number] = definition;
    this.#scope.push(number);
    this.onDefine?.(String(number), definition);
    if (this.#forward.size > 0) this.#settleForward(String(number), definition);
  }
  #redefinition(name: string, pos: number): never {
    this.cursor.fail(`redefinition of SSA value '%${name}'`, pos, "parse.redefinition");
  }
  #settleForward(name: string, definition: Definition): void {
    const values = Array.isArray(definition) ? (definition as readonly Value[]) : [definition as Value];
    for (let i = 0; i < values.length; i++) {
      const used = i === 0 ? `%${name}` : `%${name}#${i}`;
      const reference = this.#forward.get(used);
      if (!reference) continue;
      const target = values[i]!;
      if (reference.value.type !== target.type)
        this.cursor.fail(`definition of SSA value '${used}' has type '${typeText(target.type)}'`, reference.pos, "parse.operand-type");
      reference.value.replaceAllUsesWith(target);
      this.#forward.delete(used);
    }
  }
  /** Fails at the first name that was used and never defined. */
  checkForwardReferences(): void {
    for (const { pos } of this.#forward.values()) this.cursor.fail("use of undeclared SSA value name", pos, "parse.undeclared");
  }

  /** Where names are used that nothing in the text defines: no result, and no argument of a block. */
  undefinedUses(): number[] {
    return [...this.#forward].flatMap(([name, { pos }]) => {
      const spelt = name.replace(/#\d+$/, "").replace(/[$.]/g, "\\$&");
      const defined = new RegExp(`^[^=\n"(]*${spelt}(?:[:,][^=\n"(]*)?\\s*=|\\^[^\n]*[(,]\\s*${spelt}\\s*:`, "m");
      return defined.test(this.cursor.text.slice(pos)) ? [] : [pos];
    });
  }

  /** Whether `name` (without `%`) is defined, or used already. */
  isKnown(name: string): boolean {
    const number = plainNumber(name);
    return (number >= 0 ? this.#numbered[number] !== undefined : this.#named.has(name)) || this.#forward.has(`%${name}`);
  }

  /** At the start of a region; gives what `leave` needs. A region sees all names around it, though the verifier may refuse them. */
  enter(): (number | string)[] {
    const outer = this.#scope;
    this.#scope = [];
    return outer;
  }
  /** At the end of the region: its names are forgotten. */
  leave(outer: (number | string)[]): void {
    for (const key of this.#scope) typeof key === "number" ? (this.#numbered[key] = undefined) : this.#named.delete(key);
    this.#scope = outer;
  }
}

/** The number that a name is, if it is kept by number; else -1. */
function plainNumber(name: string): number {
  let number = 0;
  for (let i = 0; i < name.length; i++) {
    const digit = name.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number < MAX_NUMBER && name.length > 0 && (name.length === 1 || name.charCodeAt(0) !== 48) ? number : -1;
}
