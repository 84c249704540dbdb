/**
 * Expressions of the C++ subset. Types are expressions: `Layout<Shape<_4,_8>>` is a name with template arguments, which a
 * following `{}` or `()` constructs. Whether `a < b` opens template arguments is decided by trying: it does when a
 * matching `>` follows and `a` is no variable.
 */
import { SyntaxProblem } from "../parse-term.js";
import type { Expr, Segment, Stmt } from "./ast.js";
import type { Token } from "./lexer.js";
import { builtinWords, TokenCursor } from "./token-cursor.js";

const levels: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const assignments = new Set(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="]);
/** The tokens that may follow the `>` of a template argument list. */
const afterTemplate = new Set([
  "(",
  "{",
  "::",
  ",",
  ";",
  ">",
  ")",
  "}",
  "]",
  "*",
  "&",
  "&&",
  ".",
  "=",
  "...",
  "?",
  ":",
  "==",
  "!=",
  "+",
  "-",
  "||",
]);

export abstract class ExpressionParser extends TokenCursor {
  /** The variables seen so far. */
  protected readonly variables = new Set<string>();
  /** Inside template arguments a `>` closes the list. */
  private closingAngle = false;
  /** By the token that they begin at, so that none is read twice; undefined for what is no such list. */
  readonly #templateLists = new Map<number, { readonly args: Expr[]; readonly end: number } | undefined>();

  /** Reads a statement, of which the body of a lambda consists; undefined for an empty one. */
  abstract statement(): Stmt | undefined;

  expression(): Expr {
    return this.nested(() => {
      const left = this.ternary();
      if (!assignments.has(this.peek().text)) return left;
      const op = this.next().text;
      const value = this.expression();
      return { kind: "assign", op, target: left, value, start: left.start, end: value.end };
    });
  }

  private ternary(): Expr {
    const test = this.binary(0);
    if (!this.accept("?")) return test;
    const yes = this.expression();
    this.expect(":");
    const no = this.expression();
    return { kind: "conditional", test, yes, no, start: test.start, end: no.end };
  }

  private binary(level: number): Expr {
    const ops = levels[level];
    if (!ops) return this.unary();
    let left = this.binary(level + 1);
    while (true) {
      const op = this.binaryOperator(ops);
      if (!op) return left;
      if ((op === "*" || op === "&" || op === "&&") && this.isTypeEnd()) {
        left = { kind: "pointer", to: left, start: left.start, end: this.lastEnd() };
        if (op !== "*") left = (left as { to: Expr }).to; // references are transparent
        continue;
      }
      const right = this.binary(level + 1);
      left = { kind: "binary", op, left, right, start: left.start, end: right.end };
    }
  }

  private binaryOperator(ops: readonly string[]): string | undefined {
    const token = this.peek();
    if (token.kind !== "punct") return undefined;
    if (token.text === ">") {
      if (this.closingAngle) return undefined;
      const following = this.tokens[this.at + 1]!;
      const joined = following.start === token.end && (following.text === ">" || following.text === "=" || following.text === "==");
      const op = joined ? `>${following.text[0]}` : ">";
      if (!ops.includes(op)) return undefined;
      this.at += joined ? 2 : 1;
      return op;
    }
    if (!ops.includes(token.text)) return undefined;
    this.at++;
    return token.text;
  }

  /** Whether a type's `*` or `&` ends here. */
  private isTypeEnd(): boolean {
    const t = this.peek().text;
    return t === ">" || t === "," || t === ")" || t === "*" || t === "const" || this.atEnd();
  }

  /** The operand of a prefix operator. */
  private operand(): Expr {
    return this.nested(() => this.unary());
  }
  private unary(): Expr {
    const token = this.peek();
    if (token.kind === "punct" && ["-", "+", "!", "~", "*", "&", "++", "--"].includes(token.text)) {
      this.at++;
      const operand = this.operand();
      return { kind: "unary", op: token.text, operand, start: token.start, end: operand.end };
    }
    if (token.text === "not") {
      this.at++;
      const operand = this.operand();
      return { kind: "unary", op: "!", operand, start: token.start, end: operand.end };
    }
    return this.postfix(this.primary());
  }

  private postfix(e: Expr): Expr {
    while (true) {
      if (this.accept("(")) {
        const args = this.list(")");
        e = { kind: "call", callee: e, args, start: e.start, end: this.lastEnd() };
      } else if (this.is("{") && this.canConstruct(e)) {
        this.at++;
        const args = this.list("}");
        e = { kind: "brace", type: e, args, start: e.start, end: this.lastEnd() };
      } else if (this.accept(".") || this.accept("->")) {
        this.acceptWord("template");
        const member = this.segment(false);
        e = { kind: "member", object: e, member, start: e.start, end: this.lastEnd() };
      } else if (this.accept("::")) {
        this.acceptWord("template");
        const member = this.segment(true);
        e = { kind: "scope", type: e, member, start: e.start, end: this.lastEnd() };
      } else if (this.accept("[")) {
        const index = this.until("]");
        e = { kind: "index", object: e, index, start: e.start, end: this.lastEnd() };
      } else if (this.is("++") || this.is("--")) {
        e = { kind: "postfix", op: this.next().text, operand: e, start: e.start, end: this.lastEnd() };
      } else if (this.is("const") && e.kind !== "number") {
        this.at++; // `T const`
      } else return e;
    }
  }

  private canConstruct(e: Expr): boolean {
    return e.kind === "name" || e.kind === "decltype" || e.kind === "scope";
  }

  private primary(): Expr {
    const token = this.peek();
    const { start } = token;
    if (token.kind === "number") {
      this.at++;
      return numberOf(token);
    }
    if (token.kind === "string" || token.kind === "char") {
      this.at++;
      let value = token.text;
      while (token.kind === "string" && this.peek().kind === "string") value += this.next().text;
      return { kind: "string", value, start, end: this.lastEnd() };
    }
    if (token.text === "(") return this.parenthesized();
    if (token.text === "[") return this.lambda();
    if (token.text === "{") {
      this.at++;
      const args = this.list("}");
      return { kind: "brace", type: undefined, args, start, end: this.lastEnd() };
    }
    if (token.kind !== "name") this.fail(token.kind === "end" ? "the expression ends too early" : `unexpected '${token.text}'`);
    if (token.text === "typename" || token.text === "const" || token.text === "struct" || token.text === "class" || token.text === "enum") {
      this.at++;
      return this.operand();
    }
    if (token.text === "decltype" || token.text === "sizeof") {
      this.at++;
      if (token.text === "sizeof") this.accept("...");
      this.expect("(");
      const value = this.outsideAngles(() => this.expression());
      this.expect(")");
      return { kind: token.text, value, start, end: this.lastEnd() };
    }
    if (/^(static|reinterpret|const|dynamic)_cast$/.test(token.text)) {
      this.at++;
      const args = this.templateArguments();
      if (!args?.[0]) this.fail(`expected <type> after ${token.text}`);
      this.expect("(");
      const value = this.outsideAngles(() => this.expression());
      this.expect(")");
      return { kind: "cast", type: args[0], value, start, end: this.lastEnd() };
    }
    return this.qualifiedName();
  }

  /** `(expr)` or a C-style cast `(type)expr`. */
  private parenthesized(): Expr {
    const { start } = this.next();
    const inner = this.outsideAngles(() => this.expression());
    this.expect(")");
    const following = this.peek();
    const startsValue = following.kind === "name" || following.kind === "number" || following.kind === "string";
    const isType = inner.kind === "pointer" || (inner.kind === "name" && builtinWords.has(inner.path[0]!.name.split(" ")[0]!));
    if ((startsValue && following.text !== "const" && following.text !== "and") || (isType && following.text === "(")) {
      const value = this.operand();
      return { kind: "cast", type: inner, value, start, end: value.end };
    }
    return { ...inner, start, end: this.lastEnd() };
  }

  /** `[..](auto a, T const& b) { statements }`. */
  private lambda(): Expr {
    const { start } = this.next();
    while (!this.accept("]")) {
      if (this.atEnd()) this.fail("missing ']'");
      this.at++;
    }
    const parameters: string[] = [];
    if (this.accept("(") && !this.accept(")")) {
      do {
        let last = "";
        while (!this.is(",") && !this.is(")")) {
          if (this.atEnd()) this.fail("missing ')'");
          const t = this.next();
          if (t.kind === "name") last = t.text;
        }
        parameters.push(last);
        this.variables.add(last);
      } while (this.accept(","));
      this.expect(")");
    }
    const body = this.outsideAngles(() => {
      const s = this.statement();
      if (s?.kind !== "block") this.fail("expected the body of the lambda in braces");
      return s.body;
    });
    return { kind: "lambda", parameters, body, start, end: this.lastEnd() };
  }

  private qualifiedName(): Expr {
    const { start } = this.peek();
    const path: Segment[] = [];
    this.accept("::");
    do {
      this.acceptWord("template");
      path.push(this.segment(true));
    } while (this.accept("::"));
    return { kind: "name", path, start, end: this.lastEnd() };
  }

  private segment(mayBeVariable: boolean): Segment {
    const { start } = this.peek();
    const name = this.name();
    const open = this.is("<") && !(mayBeVariable && this.variables.has(name));
    const templateArgs = open ? this.templateList() : undefined;
    return { name, templateArgs, span: { start, end: this.lastEnd() } };
  }

  protected typeExpression(): Expr {
    let e: Expr = this.peek().text === "decltype" ? this.primary() : this.qualifiedName();
    while (true) {
      if (this.accept("*")) e = { kind: "pointer", to: e, start: e.start, end: this.lastEnd() };
      else if (this.accept("::")) e = { kind: "scope", type: e, member: this.segment(true), start: e.start, end: this.lastEnd() };
      else if (!this.accept("&") && !this.accept("&&") && !this.acceptWord("const")) return e;
    }
  }

  private templateList(): Expr[] | undefined {
    const { at } = this;
    if (!this.#templateLists.has(at)) {
      const args = this.attempt(() => this.templateArguments());
      this.#templateLists.set(at, args && { args, end: this.at });
    }
    const list = this.#templateLists.get(at);
    this.at = list?.end ?? at;
    return list?.args;
  }

  /** `<a, b>`; undefined (inside `attempt`) when no list can be read or what follows does not fit one. */
  private templateArguments(): Expr[] | undefined {
    this.expect("<");
    const saved = this.closingAngle;
    this.closingAngle = true;
    const args: Expr[] = [];
    if (!this.is(">")) {
      do args.push(this.expression());
      while (this.accept(","));
    }
    this.closingAngle = saved;
    this.expect(">");
    const following = this.peek();
    if (following.kind === "punct" && !afterTemplate.has(following.text)) this.fail("not a template argument list");
    if (following.kind === "number" || following.kind === "string") this.fail("not a template argument list");
    return args;
  }

  private outsideAngles<T>(read: () => T): T {
    const saved = this.closingAngle;
    this.closingAngle = false;
    const result = read();
    this.closingAngle = saved;
    return result;
  }

  protected list(close: string): Expr[] {
    return this.outsideAngles(() => {
      const args: Expr[] = [];
      if (this.accept(close)) return args;
      do {
        if (this.is(close)) break;
        args.push(this.expression());
        this.accept("...");
      } while (this.accept(","));
      this.expect(close);
      return args;
    });
  }

  protected until(close: string): Expr {
    const e = this.expression();
    this.expect(close);
    return e;
  }

  /** Runs `read`; on failure goes back to where it started. */
  protected attempt<T>(read: () => T): T | undefined {
    const mark = this.at;
    const saved = this.closingAngle;
    try {
      return read();
    } catch (e) {
      if (!(e instanceof SyntaxProblem)) throw e;
      this.at = mark;
      this.closingAngle = saved;
      return undefined;
    }
  }
}

function numberOf(token: Token): Expr {
  const isStatic = token.text.endsWith("_c");
  const digits = token.text.replace(/_c$|'/g, "").replace(/[uUlLzZ]+$/, "");
  const hex = /^0[xXbB]/.test(digits);
  const isFloat = !hex && /[.eEfF]/.test(digits);
  const value = Number(hex ? digits : digits.replace(/[fF]$/, ""));
  return { kind: "number", value, isFloat, isStatic, start: token.start, end: token.end };
}
