/** Parser of the C++ subset: its statements. Expressions, which types are too: `expression-parser.ts`. */
import type { Expr, Stmt } from "./ast.js";
import { ExpressionParser } from "./expression-parser.js";
import { tokenize } from "./lexer.js";

/** Parses a text into statements; a last expression may lack its semicolon. Throws `SyntaxProblem`. */
export function parseProgram(text: string): readonly Stmt[] {
  const parser = new Parser(tokenize(text));
  const out: Stmt[] = [];
  while (!parser.atEnd()) {
    const stmt = parser.statement();
    if (stmt) out.push(stmt);
  }
  return out;
}

const specifiers = new Set([
  "static",
  "constexpr",
  "const",
  "inline",
  "volatile",
  "extern",
  "register",
  "mutable",
  "typename",
  "alignas",
  "__shared__",
  "__device__",
  "__constant__",
  "__restrict__",
  "CUTE_HOST_DEVICE",
  "CUTE_DEVICE",
  "CUTE_UNROLL",
  "CUTE_STATIC",
]);

class Parser extends ExpressionParser {
  statement(): Stmt | undefined {
    return this.nested(() => this.#statement());
  }
  #statement(): Stmt | undefined {
    const start = this.peek().start;
    if (this.accept(";")) return undefined;
    if (this.accept("{")) {
      const body: Stmt[] = [];
      while (!this.accept("}")) {
        if (this.atEnd()) this.fail("missing '}'");
        const s = this.statement();
        if (s) body.push(s);
      }
      return { kind: "block", body, start, end: this.lastEnd() };
    }
    const word = this.peek().text;
    if (word === "for") return this.forStatement(start);
    if (word === "while" || word === "if") return this.conditional(start);
    if (word === "using") return this.usingStatement(start);
    if (word === "typedef") return this.typedefStatement(start);
    if (word === "template") this.fail("templates cannot be declared here; give concrete types");
    if (word === "return") {
      this.at++;
      const value = this.is(";") ? undefined : this.expression();
      this.endOfStatement();
      return { kind: "return", value, start, end: this.lastEnd() };
    }
    if (word === "static_assert" || word === "CUTE_STATIC_ASSERT" || word === "CUTE_STATIC_ASSERT_V") {
      const value = this.expression();
      this.endOfStatement();
      return { kind: "expression", value, start, end: this.lastEnd() };
    }
    const declared = this.tryDeclaration(start);
    if (declared) return declared;
    const value = this.expression();
    this.endOfStatement();
    return { kind: "expression", value, start, end: this.lastEnd() };
  }

  private endOfStatement(): void {
    if (this.accept(";") || this.atEnd() || this.is("}")) return;
    this.fail(`expected ';', found '${this.peek().text}'`);
  }

  private forStatement(start: number): Stmt {
    this.at++;
    this.expect("(");
    const init = this.statement();
    const test = this.is(";") ? undefined : this.expression();
    this.expect(";");
    const step = this.is(")") ? undefined : this.expression();
    this.expect(")");
    const body = this.bodyStatement();
    return { kind: "for", init, test, step, body, start, end: this.lastEnd() };
  }

  private conditional(start: number): Stmt {
    const word = this.next().text;
    if (word === "if") this.acceptWord("constexpr");
    this.expect("(");
    const test = this.expression();
    this.expect(")");
    const yes = this.bodyStatement();
    if (word === "while") return { kind: "while", test, body: yes, start, end: this.lastEnd() };
    const no = this.acceptWord("else") ? this.bodyStatement() : undefined;
    return { kind: "if", test, yes, no, start, end: this.lastEnd() };
  }

  private bodyStatement(): Stmt {
    const start = this.peek().start;
    return this.statement() ?? { kind: "block", body: [], start, end: start };
  }

  private usingStatement(start: number): Stmt | undefined {
    this.at++;
    if (this.acceptWord("namespace")) {
      while (!this.accept(";") && !this.atEnd()) this.at++;
      return undefined;
    }
    const name = this.name();
    if (!this.accept("=")) {
      while (!this.accept(";") && !this.atEnd()) this.at++; // using cute::half_t;
      return undefined;
    }
    const type = this.expression();
    this.endOfStatement();
    return { kind: "using", name, type, start, end: this.lastEnd() };
  }

  private typedefStatement(start: number): Stmt {
    this.at++;
    const type = this.expression();
    const name = this.name();
    this.endOfStatement();
    return { kind: "using", name, type, start, end: this.lastEnd() };
  }

  /** `auto x = ..`, `auto [a, b] = ..`, `T x;`, `T x{..};`, `T x(..);`, `T x[n];`; undefined when it is an expression. */
  private tryDeclaration(start: number): Stmt | undefined {
    const mark = this.at;
    let shared = false;
    while (specifiers.has(this.peek().text)) {
      const word = this.next().text;
      if (word === "__shared__") shared = true;
      if (word === "alignas") this.skipParentheses();
    }
    let type: Expr | undefined;
    if (!this.acceptWord("auto")) {
      const parsed = this.attempt(() => this.typeExpression());
      if (!parsed || this.peek().kind !== "name" || this.peek().start === parsed.end) {
        this.at = mark;
        while (specifiers.has(this.peek().text)) this.at++;
        return undefined;
      }
      type = parsed;
      while (specifiers.has(this.peek().text)) this.at++;
    } else {
      while (specifiers.has(this.peek().text) || this.is("&") || this.is("&&") || this.is("*")) this.at++;
    }
    const names: string[] = [];
    if (this.accept("[")) {
      do names.push(this.name());
      while (this.accept(","));
      this.expect("]");
    } else names.push(this.name());
    for (const n of names) this.variables.add(n);
    const array = this.accept("[") ? this.until("]") : undefined;
    let init: Expr | undefined;
    if (this.accept("=")) init = this.expression();
    else if (this.is("{") || this.is("(")) {
      const close = this.next().text === "{" ? "}" : ")";
      const from = this.lastEnd() - 1;
      const args = this.list(close);
      init = { kind: "brace", type: undefined, args, start: from, end: this.lastEnd() };
    }
    this.endOfStatement();
    return { kind: "declare", names, type, init, array, shared, start, end: this.lastEnd() };
  }

  private skipParentheses(): void {
    if (!this.accept("(")) return;
    for (let depth = 1; depth > 0 && !this.atEnd(); this.at++) depth += this.is("(") ? 1 : this.is(")") ? -1 : 0;
  }
}
