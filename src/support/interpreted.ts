/**
 * An interpreter of the part of JavaScript that `functionOf` is given: expressions, arrow functions, `const`, `let`, `if`, `for` and
 * `return`. A text becomes closures over frames: a frame is `[the frame of the function around, the value returned, variables...]`.
 */
import { Bug } from "./assert.js";

type Frame = unknown[];
type Expr = (f: Frame) => unknown;
/** True if it returned from the function; the value is in the frame. */
type Statement = (f: Frame) => boolean;
/** An expression; `set` if it can be assigned to. */
interface Value {
  readonly get: Expr;
  readonly set?: (f: Frame, value: unknown) => void;
}
type Callee = (...args: unknown[]) => unknown;
type Fields = Record<PropertyKey, unknown>;

const OUTER = 0;
const RETURNED = 1;
const FIRST_VARIABLE = 2;

const TOKEN =
  /\s*(?:(0x[\da-fA-F]+n?|\d+n|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-z_$][\w$]*)|("[^"]*")|(>>>=|>>>|===|!==|<<=|>>=|\*\*=|=>|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[-+*/%&|^!~<>=?:;,.(){}[\]]))/y;

const GLOBALS: Readonly<Record<string, unknown>> = {
  Math,
  Number,
  BigInt,
  Array,
  Object,
  Infinity,
  NaN,
  undefined,
  true: true,
  false: false,
};

// Operands are numbers or bigints, never one of each: operators are written for numbers, and JavaScript does the rest.
type Operator = (a: number, b: number) => unknown;
/** `==` between numbers and bigints: `x == 0` is true for 0 and 0n. No operand is a boolean or text, so order decides. */
const looselyEqual: Operator = (a, b) => a <= b && a >= b;
/** By precedence, the loosest first. */
const BINARY: readonly Readonly<Record<string, Operator>>[] = [
  { "|": (a, b) => a | b },
  { "^": (a, b) => a ^ b },
  { "&": (a, b) => a & b },
  { "===": (a, b) => a === b, "!==": (a, b) => a !== b, "==": looselyEqual },
  { "<": (a, b) => a < b, ">": (a, b) => a > b, "<=": (a, b) => a <= b, ">=": (a, b) => a >= b },
  { "<<": (a, b) => a << b, ">>": (a, b) => a >> b, ">>>": (a, b) => a >>> b },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => a / b, "%": (a, b) => a % b },
  { "**": (a, b) => a ** b },
];
const OPERATORS: Readonly<Record<string, Operator>> = Object.assign({}, ...BINARY);
const UNARY: Readonly<Record<string, (a: number) => unknown>> = { "-": (a) => -a, "+": (a) => +a, "~": (a) => ~a, "!": (a) => !a };

/** The function of these parameters whose body is a text. */
export function interpreted(parameters: readonly string[], body: string): Callee {
  const reader = new Reader(body);
  const make = reader.functionOf(parameters, undefined, () => reader.statements(undefined));
  return make([]) as Callee;
}

/** The variables of a function, by name. */
class Scope {
  readonly #blocks: Map<string, number>[] = [new Map()];
  size = FIRST_VARIABLE;
  constructor(readonly outer: Scope | undefined) {}

  declare(name: string): number {
    this.#blocks.at(-1)!.set(name, this.size);
    return this.size++;
  }
  find(name: string): number | undefined {
    return this.#blocks.findLast((block) => block.has(name))?.get(name);
  }
  inBlock<T>(read: () => T): T {
    this.#blocks.push(new Map());
    const value = read();
    this.#blocks.pop();
    return value;
  }
}

class Reader {
  readonly #tokens: string[] = [];
  #at = 0;
  #scope: Scope | undefined;

  constructor(readonly text: string) {
    TOKEN.lastIndex = 0;
    for (let at = 0; text.slice(at).trim() !== ""; at = TOKEN.lastIndex) {
      const token = TOKEN.exec(text);
      if (!token) throw new Bug(`cannot read ${text.slice(at, at + 40)}`);
      this.#tokens.push(token[0].trim());
    }
  }

  get #token(): string | undefined {
    return this.#tokens[this.#at];
  }
  #take(token: string): boolean {
    if (this.#token !== token) return false;
    this.#at++;
    return true;
  }
  #expect(token: string): void {
    if (!this.#take(token)) throw new Bug(`expected ${token} at ${this.#tokens.slice(this.#at, this.#at + 8).join(" ")} in ${this.text}`);
  }
  #next(): string {
    return this.#tokens[this.#at++] ?? "";
  }

  /** An expression whose value is the function; `read` reads its body. */
  functionOf(parameters: readonly string[], outer: Scope | undefined, read: () => Statement): Expr {
    const scope = new Scope(outer);
    for (const name of parameters) scope.declare(name);
    this.#scope = scope;
    const body = read();
    this.#scope = outer;
    return (around) =>
      (...args: unknown[]) => {
        const frame: Frame = new Array(scope.size);
        frame[OUTER] = around;
        for (let i = 0; i < parameters.length; i++) frame[FIRST_VARIABLE + i] = args[i];
        body(frame);
        return frame[RETURNED];
      };
  }

  // Statements.

  /** Up to `end`, or the end of the text. */
  statements(end: string | undefined): Statement {
    const all: Statement[] = [];
    while (this.#at < this.#tokens.length && this.#token !== end) all.push(this.#statement());
    return (f) => {
      for (const run of all) if (run(f)) return true;
      return false;
    };
  }

  #statement(): Statement {
    if (this.#take(";")) return () => false;
    if (this.#take("{")) return this.#block();
    if (this.#take("if")) return this.#if();
    if (this.#take("for")) return this.#scope!.inBlock(() => this.#for());
    const isReturn = this.#take("return");
    const declares = !isReturn && (this.#take("const") || this.#take("let"));
    const run: Expr = declares ? this.#declarations() : isReturn && this.#token === ";" ? () => undefined : this.#expression();
    this.#take(";");
    return isReturn ? returning(run) : (f) => (run(f), false);
  }

  #block(): Statement {
    const body = this.#scope!.inBlock(() => this.statements("}"));
    this.#expect("}");
    return body;
  }

  #if(): Statement {
    const condition = this.#inParentheses();
    const yes = this.#statement();
    const no: Statement = this.#take("else") ? this.#statement() : () => false;
    return (f) => (condition(f) ? yes(f) : no(f));
  }

  #for(): Statement {
    this.#expect("(");
    const isLet = this.#take("let");
    const first: Expr = isLet ? this.#declarations() : this.#token === ";" ? () => undefined : this.#expression();
    this.#expect(";");
    const condition = this.#expression();
    this.#expect(";");
    const step: Expr | undefined = this.#token === ")" ? undefined : this.#expression();
    this.#expect(")");
    const run = loop(condition, this.#statement(), step);
    return (f) => (first(f), run(f));
  }

  #declarations(): Expr {
    const all: (readonly [slot: number, value: Expr])[] = [];
    do {
      const name = this.#next();
      const value: Expr = this.#take("=") ? this.#assignment() : () => undefined;
      all.push([this.#scope!.declare(name), value]);
    } while (this.#take(","));
    return (f) => {
      for (const [slot, value] of all) f[slot] = value(f);
    };
  }

  #inParentheses(): Expr {
    this.#expect("(");
    const value = this.#expression();
    this.#expect(")");
    return value;
  }

  // Expressions.

  #expression(): Expr {
    let value = this.#assignment();
    while (this.#take(",")) {
      const before = value;
      const after = this.#assignment();
      value = (f) => (before(f), after(f));
    }
    return value;
  }

  #assignment(): Expr {
    const parameters = this.#arrow();
    if (parameters) return this.#arrowBody(parameters);
    const { get, set } = this.#conditional();
    const token = this.#token ?? "";
    if (!set || !/^(?:[-+*/%&|^]|<<|>>>?|\*\*)?=$/.test(token)) return get;
    this.#at++;
    const value = this.#assignment();
    const operator = OPERATORS[token.slice(0, -1)];
    const result: Expr = operator ? (f) => operator(get(f) as number, value(f) as number) : value;
    return (f) => {
      const made = result(f);
      set(f, made);
      return made;
    };
  }

  /** The parameters of an arrow function that begins here. */
  #arrow(): readonly string[] | undefined {
    const words = /^(?:\((.*?)\)|([\w$]+)) =>/.exec(this.#tokens.slice(this.#at, this.#at + 16).join(" "));
    const list = words && (words[1] ?? words[2]!).split(/[ ,]+/).filter((word) => word !== "");
    if (!list?.every((word) => /^[\w$]+$/.test(word))) return undefined;
    this.#at = this.#tokens.indexOf("=>", this.#at) + 1;
    return list;
  }
  #arrowBody(parameters: readonly string[]): Expr {
    return this.functionOf(parameters, this.#scope, () => (this.#take("{") ? this.#block() : returning(this.#assignment())));
  }

  #conditional(): Value {
    const condition = this.#either();
    if (!this.#take("?")) return condition;
    const yes = this.#assignment();
    this.#expect(":");
    const no = this.#assignment();
    return { get: (f) => (condition.get(f) ? yes(f) : no(f)) };
  }
  #either(): Value {
    let left = this.#both();
    while (this.#take("||")) {
      const [a, b] = [left.get, this.#both().get];
      left = { get: (f) => a(f) || b(f) };
    }
    return left;
  }
  #both(): Value {
    let left = this.#binary(0);
    while (this.#take("&&")) {
      const [a, b] = [left.get, this.#binary(0).get];
      left = { get: (f) => a(f) && b(f) };
    }
    return left;
  }
  #binary(level: number): Value {
    const operators = BINARY[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = Object.hasOwn(operators, this.#token ?? "") ? operators[this.#next()]! : undefined;
      if (!operator) return left;
      // `**` groups from the right.
      const [a, b] = [left.get, this.#binary(level + 1 === BINARY.length ? level : level + 1).get];
      left = { get: (f) => operator(a(f) as number, b(f) as number) };
    }
  }
  #unary(): Value {
    const operator = Object.hasOwn(UNARY, this.#token ?? "") ? UNARY[this.#next()]! : undefined;
    if (!operator) return this.#postfix();
    const value = this.#unary().get;
    return { get: (f) => operator(value(f) as number) };
  }

  #postfix(): Value {
    let value = this.#primary();
    for (;;) {
      const isField = this.#take(".");
      if (isField || this.#take("[")) {
        const [object, key] = [value.get, isField ? constant(this.#next()) : this.#expression()];
        if (!isField) this.#expect("]");
        value = this.#take("(") ? method(object, key, this.#arguments()) : field(object, key);
      } else if (this.#take("(")) {
        const [callee, args] = [value.get, this.#arguments()];
        value = { get: (f) => (callee(f) as Callee)(...args.map((arg) => arg(f))) };
      } else if (value.set && this.#take("++")) {
        const { get, set } = value;
        value = { get: (f) => (set(f, (get(f) as number) + 1), undefined) };
      } else return value;
    }
  }
  #arguments(): readonly Expr[] {
    const args: Expr[] = [];
    while (!this.#take(")")) {
      args.push(this.#assignment());
      if (this.#token !== ")") this.#expect(",");
    }
    return args;
  }

  #primary(): Value {
    const token = this.#next();
    if (/^[\d.]/.test(token)) return { get: constant(/^(?:0x[\da-f]+|\d+)n$/i.test(token) ? BigInt(token.slice(0, -1)) : Number(token)) };
    if (token.startsWith('"')) return { get: constant(token.slice(1, -1)) };
    if (token === "(") {
      const value = this.#expression();
      this.#expect(")");
      return { get: value };
    }
    return this.#variable(token);
  }

  #variable(name: string): Value {
    let depth = 0;
    for (let scope = this.#scope; scope; scope = scope.outer, depth++) {
      const slot = scope.find(name);
      if (slot === undefined) continue;
      if (depth === 0) return { get: (f) => f[slot], set: (f, value) => void (f[slot] = value) };
      const frame = (f: Frame): Frame => {
        let at = f;
        for (let i = 0; i < depth; i++) at = at[OUTER] as Frame;
        return at;
      };
      return { get: (f) => frame(f)[slot], set: (f, value) => void (frame(f)[slot] = value) };
    }
    if (!Object.hasOwn(GLOBALS, name)) throw new Bug(`no variable ${name} in ${this.text}`);
    return { get: constant(GLOBALS[name]) };
  }
}

const constant =
  (value: unknown): Expr =>
  () =>
    value;

const field = (object: Expr, key: Expr): Value => ({
  get: (f) => (object(f) as Fields)[key(f) as PropertyKey],
  set: (f, value) => void ((object(f) as Fields)[key(f) as PropertyKey] = value),
});

const method = (object: Expr, key: Expr, args: readonly Expr[]): Value => ({
  get(f) {
    const of = object(f) as Record<PropertyKey, Callee>;
    return of[key(f) as PropertyKey]!(...args.map((arg) => arg(f)));
  },
});

const returning =
  (value: Expr): Statement =>
  (f) => {
    f[RETURNED] = value(f);
    return true;
  };

const loop =
  (condition: Expr, body: Statement, step: Expr | undefined): Statement =>
  (f) => {
    for (; condition(f); step?.(f)) if (body(f)) return true;
    return false;
  };
