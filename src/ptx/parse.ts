/**
 * Reads PTX text. Bad text gives diagnostics with places, never an exception; reading goes on after the next semicolon,
 * so that several mistakes are reported at once.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { SourceBuffer } from "../diagnostics/source.js";
import type {
  Declarator,
  Directive,
  Instruction,
  LabelledDirective,
  ModuleItem,
  Operand,
  Parameter,
  PtxFunction,
  PtxModule,
  Scope,
  Section,
  Setting,
  Specifier,
  Statement,
  Variable,
} from "./instruction.js";
import { functionTokens, tokensOf } from "./print.js";
import { TokenReader } from "./token-reader.js";

export interface ParsedPtx {
  readonly module: PtxModule;
  readonly source: SourceBuffer;
  readonly diagnostics: readonly Diagnostic[];
}

/** A whole file; `file` names it in diagnostics. */
export function parsePtx(text: string, file = "<ptx>"): ParsedPtx {
  const source = new SourceBuffer(file, text, 0);
  const reader = new Reader(source);
  const module = reader.module();
  return { module, source, diagnostics: reader.diagnostics };
}

/** The statements of inline assembly: `$0` counts as a name. */
export function parseStatements(
  text: string,
  file = "<inline asm>",
): { readonly body: readonly Statement[]; readonly source: SourceBuffer; readonly diagnostics: readonly Diagnostic[] } {
  const source = new SourceBuffer(file, text, 0);
  const reader = new Reader(source);
  const body = reader.body(false);
  return { body, source, diagnostics: reader.diagnostics };
}

const MAX_ERRORS = 20;
/** Operands and scopes nested deeper are refused. */
const MAX_NESTING = 256;
const NAME = /[A-Za-z_$%][\w$]*(?:\.[xyzw](?![\w$.]))?/y;
const MNEMONIC = /[A-Za-z_][\w$]*(?:\.[\w]+(?:::\w+)*)*/y;
const DOTTED = /\.[A-Za-z_][\w:]*/y;
const NUMBER =
  /-?(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+U?)/y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
/** A word of a directive that ends with its line. */
const WORD = /"(?:[^"\\\n]|\\.)*"|[^\s,;"]+|,/y;
const SPACES = new Set(["reg", "param", "shared", "global", "local", "const", "tex", "texref", "samplerref", "surfref"]);
const LINKAGE = new Set(["extern", "visible", "weak", "common"]);

class Reader extends TokenReader {
  module(): PtxModule {
    const items: ModuleItem[] = [];
    for (;;) {
      this.gaps = [];
      const start = this.at;
      this.skip();
      if (this.at >= this.text.length) return { items, tail: this.text.slice(start) };
      this.at = start;
      const item = this.recover(() => this.#item(), "module");
      if (item !== undefined) items.push(item);
      if (this.diagnostics.length >= MAX_ERRORS) return { items };
    }
  }

  /** Statements up to a closing brace (not consumed), or the end of the text. */
  body(closed: boolean): Statement[] {
    const statements: Statement[] = [];
    for (;;) {
      this.gaps = [];
      const start = this.at;
      this.skip();
      const end = this.at >= this.text.length;
      if (end || (closed && this.text[this.at] === "}")) {
        if (end && closed) this.report(this.at, "a closing brace is missing");
        this.at = start;
        return statements;
      }
      this.at = start;
      const statement = this.recover(() => this.#statement(), "body");
      if (statement !== undefined) statements.push(statement);
      if (this.diagnostics.length >= MAX_ERRORS) {
        this.at = this.text.length;
        return statements;
      }
    }
  }

  // Module level.

  #item(): ModuleItem {
    const offset = this.offset();
    const first = this.match(DOTTED);
    if (first === undefined) this.fail("expected a directive, a variable or a function");
    const name = first.slice(1);
    if (name === "section") return this.#section(offset);
    if (name === "entry" || name === "func" || LINKAGE.has(name)) {
      const specifiers = this.#specifiers([{ name }]);
      if (specifiers.some((s) => s.name === "entry" || s.name === "func")) return this.#function(offset, specifiers);
      return this.#variable(offset, specifiers);
    }
    if (SPACES.has(name)) return this.#variable(offset, this.#specifiers([{ name }]));
    return this.#directive(offset, first);
  }

  #section(offset: number): Section {
    const name = this.match(DOTTED) ?? this.match(NAME);
    if (name === undefined) this.fail("expected the section's name");
    if (this.peek() !== "{") this.fail("expected '{' of the section");
    const start = this.at;
    this.skip();
    this.gaps.push(this.text.slice(start, this.at));
    const close = this.text.indexOf("}", this.at);
    if (close < 0) this.fail("the section has no closing brace");
    const text = this.text.slice(this.at, close + 1);
    this.at = close + 1;
    return { kind: "section", name, text, ...this.setting(offset, [".section", name, text], "section") };
  }

  /** Appends `.global .align 8 .b8 ...` to those given. */
  #specifiers(specifiers: Specifier[]): Specifier[] {
    for (;;) {
      const word = this.match(DOTTED);
      if (word === undefined) return specifiers;
      const name = word.slice(1);
      if (name === "align") specifiers.push({ name, value: this.#number("an alignment") });
      else if (name === "attribute") specifiers.push({ name, value: this.#attribute() });
      else specifiers.push({ name });
    }
  }

  #attribute(): Operand {
    this.expect("(", "of the attribute");
    const elements: Operand[] = [];
    do {
      const word = this.match(DOTTED) ?? this.match(NUMBER);
      if (word === undefined) this.fail("expected an attribute");
      elements.push({ kind: "name", name: word });
    } while (this.take(","));
    this.expect(")", "of the attribute");
    return { kind: "list", elements };
  }

  #function(offset: number, specifiers: readonly Specifier[]): PtxFunction {
    const results = this.peek() === "(" ? this.#parameters() : undefined;
    const name = this.match(NAME);
    if (name === undefined) this.fail("expected the function's name");
    const params = this.peek() === "(" ? this.#parameters() : undefined;
    const directives: { name: string; values: Operand[] }[] = [];
    for (;;) {
      const word = this.match(DOTTED);
      if (word === undefined) break;
      const values: Operand[] = [];
      if (/[\d"-]/.test(this.peek()))
        do values.push(this.#operand());
        while (this.take(","));
      directives.push({ name: word.slice(1), values });
    }
    const header = { kind: "function", specifiers, results, name, params, directives } as const;
    if (this.take(";")) return { ...header, body: undefined, ...this.#settingOf(offset, { ...header, body: undefined }) };
    this.expect("{", `or ';' after the head of '${name}'`);
    const setting = this.#settingOf(offset, { ...header, body: [] });
    const body = this.body(true);
    this.gaps = [];
    this.expect("}", `at the end of '${name}'`);
    const closeGap = this.gaps[0]!;
    return { ...header, body, ...setting, ...(closeGap === "\n" ? {} : { closeGap }) };
  }

  #settingOf(offset: number, fn: PtxFunction): Setting {
    return this.setting(offset, functionTokens(fn), "function");
  }

  #parameters(): Parameter[] {
    this.expect("(", "of the parameters");
    return this.#list(")", "parameters", () => {
      const specifiers = this.#specifiers([]);
      const name = this.match(NAME);
      if (name === undefined) this.fail("expected a parameter's name");
      return { specifiers, name, dims: this.#dims() };
    });
  }
  /** Items with commas between them, and none after the last. */
  #list<T>(close: string, what: string, item: () => T): T[] {
    const items: T[] = [];
    if (this.peek() !== close)
      do items.push(item());
      while (this.take(","));
    this.expect(close, `after the ${what}`);
    return items;
  }

  #dims(): (Operand | undefined)[] {
    const dims: (Operand | undefined)[] = [];
    while (this.take("[")) {
      dims.push(this.peek() === "]" ? undefined : this.#number("an extent"));
      this.expect("]", "after the extent");
    }
    return dims;
  }

  #variable(offset: number, specifiers: readonly Specifier[]): Variable {
    const declarators: Declarator[] = [];
    do {
      const name = this.match(NAME);
      if (name === undefined) this.fail("expected the name of a variable");
      let count: Operand | undefined;
      if (this.take("<")) {
        count = this.#number("a count");
        this.expect(">", "after the count");
      }
      const dims = this.#dims();
      const init = this.take("=") ? this.#operand() : undefined;
      declarators.push({ name, dims, ...(count ? { count } : {}), ...(init ? { init } : {}) });
    } while (this.take(","));
    this.expect(";", "after the declaration");
    const made: Variable = { kind: "variable", specifiers, declarators };
    return { ...made, ...this.setting(offset, tokensOf(made), "variable") };
  }

  /** The words up to the end of the line or a semicolon; those in `MULTILINE` always end in one. */
  #directive(offset: number, name: string): Directive {
    const words: string[] = [];
    let semicolon = false;
    for (;;) {
      const start = this.at;
      this.skip();
      if (this.text.slice(start, this.at).includes("\n")) {
        this.at = start;
        break;
      }
      this.at = start;
      if (this.take(";")) {
        semicolon = true;
        break;
      }
      const word = this.match(WORD);
      if (word === undefined) break;
      words.push(word);
    }
    const made: Directive = { kind: "directive", name, words, semicolon };
    return { ...made, ...this.setting(offset, tokensOf(made), "directive") };
  }

  // Bodies.

  #statement(): Statement {
    const offset = this.offset();
    const first = this.text[offset];
    if (first === "{") return this.#scope(offset);
    if (first === ".") {
      const word = this.match(DOTTED);
      if (word === undefined) this.fail("expected a directive");
      const name = word.slice(1);
      if (SPACES.has(name) || LINKAGE.has(name)) return this.#variable(offset, this.#specifiers([{ name }]));
      return this.#directive(offset, word);
    }
    if (first !== "@") {
      const start = this.at;
      const label = this.match(NAME);
      if (label !== undefined && this.peek() === ":") {
        this.take(":");
        return this.#labelled(offset, label);
      }
      this.at = start;
      this.gaps = [];
    }
    return this.#instruction(offset);
  }

  #labelled(offset: number, label: string): Statement {
    const after = this.at;
    const kept = this.gaps.length;
    const name = this.match(DOTTED);
    if (name === ".branchtargets" || name === ".calltargets" || name === ".callprototype") {
      const words: string[] = [];
      for (let word = this.match(WORD); word !== undefined; word = this.match(WORD)) words.push(word);
      this.expect(";", `after ${name}`);
      const made: LabelledDirective = { kind: "labelledDirective", label, name, words };
      return { ...made, ...this.setting(offset, tokensOf(made), "labelledDirective") };
    }
    this.at = after;
    this.gaps.length = kept;
    return { kind: "label", name: label, ...this.setting(offset, [label, ":"], "label") };
  }

  #scope(offset: number): Scope {
    this.take("{");
    const setting = this.setting(offset, ["{"], "scope");
    const body = this.#nested(() => this.body(true));
    this.gaps = [];
    this.expect("}", "at the end of the scope");
    const closeGap = this.gaps[0]!;
    return { kind: "scope", body, ...setting, ...(closeGap === "\n\t" ? {} : { closeGap }) };
  }

  #instruction(offset: number): Instruction {
    let guard: Instruction["guard"];
    if (this.take("@")) {
      const negated = this.take("!");
      const register = this.match(NAME);
      if (register === undefined) this.fail("expected a predicate after '@'");
      guard = { register, negated };
    }
    const mnemonic = this.match(MNEMONIC);
    if (mnemonic === undefined) this.fail("expected an instruction");
    const operands: Operand[] = [];
    if (this.peek() !== ";") {
      do operands.push(this.#operand());
      while (this.take(","));
    }
    this.expect(";", `after the operands of '${mnemonic}'`);
    const [opcode = "", ...modifiers] = mnemonic.split(".");
    const made: Instruction = { kind: "instruction", guard, opcode, modifiers, operands };
    return { ...made, ...this.setting(offset, tokensOf(made), "instruction") };
  }

  #operand(): Operand {
    const first = this.#term();
    if (this.take("|")) return { kind: "pair", first, second: this.#term() };
    return first;
  }

  /** Runs `read` one nesting level deeper, inside of brackets or braces; fails above the limit. */
  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_NESTING) this.fail(`nested more than ${MAX_NESTING} levels deep`);
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }
  #depth = 0;

  #term(): Operand {
    return this.#nested(() => this.#anyTerm());
  }
  #anyTerm(): Operand {
    switch (this.peek()) {
      case "!":
        this.take("!");
        return { kind: "not", operand: this.#term() };
      case "[": {
        this.take("[");
        const base = this.#operand();
        const rest: Operand[] = [];
        while (this.take(",")) rest.push(this.#operand());
        this.expect("]", "after the address");
        return { kind: "address", base, rest };
      }
      case "{":
        this.take("{");
        return { kind: "vector", elements: this.#list("}", "list", () => this.#operand()) };
      case "(":
        this.take("(");
        return { kind: "list", elements: this.#list(")", "list", () => this.#operand()) };
    }
    const base = this.#primary();
    const sign = this.peek();
    if (sign !== "+" && sign !== "-") return base;
    this.take(sign);
    return { kind: "sum", base, minus: sign === "-", offset: this.#primary() };
  }

  #primary(): Operand {
    const first = this.peek();
    if (first === '"') {
      const string = this.match(STRING);
      if (string !== undefined) return { kind: "string", text: string };
    } else if (first !== "-" && !(first >= "0" && first <= "9")) {
      const name = this.match(NAME);
      if (name !== undefined) return { kind: "name", name };
    }
    return this.#number("an operand");
  }

  #number(what: string): Operand {
    const text = this.match(NUMBER);
    if (text === undefined) this.fail(`expected ${what}`);
    return numberOperand(text);
  }
}

const view = new DataView(new ArrayBuffer(8));

function numberOperand(text: string): Operand {
  const negative = text.startsWith("-");
  const digits = (negative ? text.slice(1) : text).replace(/U$/, "");
  const prefix = digits.slice(0, 2).toLowerCase();
  if (prefix === "0f") {
    view.setUint32(0, Number.parseInt(digits.slice(2), 16));
    return { kind: "float", value: negative ? -view.getFloat32(0) : view.getFloat32(0), text };
  }
  if (prefix === "0d") {
    view.setBigUint64(0, BigInt(`0x${digits.slice(2)}`));
    return { kind: "float", value: negative ? -view.getFloat64(0) : view.getFloat64(0), text };
  }
  if (/^\d+(?:\.|[eE])/.test(digits)) return { kind: "float", value: Number(text), text };
  const octal = /^0[0-7]+$/.test(digits);
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits);
  return { kind: "integer", value: negative ? -value : value, text };
}
