/** The tokens of a C++ text and the place in them that is read next. */
import { LIMITS, limitMessage } from "../../support/limits.js";
import { SyntaxProblem } from "../parse-term.js";
import type { Token } from "./lexer.js";

/** Words of which several may make one type: `unsigned long`. */
export const builtinWords = new Set(["unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool", "void"]);

/** The primitives of the recursive descent. */
export class TokenCursor {
  protected at = 0;
  #depth = 0;
  constructor(protected readonly tokens: readonly Token[]) {}

  atEnd(): boolean {
    return this.peek().kind === "end";
  }

  /** Reads a name, or a type of several words. */
  protected name(): string {
    const token = this.peek();
    if (token.kind !== "name")
      this.fail(token.kind === "end" ? "expected a name before the end" : `expected a name, found '${token.text}'`);
    this.at++;
    if (!builtinWords.has(token.text)) return token.text;
    let text = token.text;
    while (builtinWords.has(this.peek().text)) text += ` ${this.next().text}`;
    return text;
  }

  protected peek(): Token {
    return this.tokens[this.at]!;
  }
  protected next(): Token {
    return this.tokens[this.at++]!;
  }
  protected lastEnd(): number {
    return this.at > 0 ? this.tokens[this.at - 1]!.end : 0;
  }
  protected is(text: string): boolean {
    const t = this.peek();
    return t.text === text && t.kind !== "string" && t.kind !== "char";
  }
  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }
  protected acceptWord(text: string): boolean {
    return this.peek().kind === "name" && this.accept(text);
  }
  protected expect(text: string): void {
    if (!this.accept(text))
      this.fail(this.atEnd() ? `expected '${text}' before the end` : `expected '${text}', found '${this.peek().text}'`);
  }
  /** Runs `read` one nesting level deeper; fails above the limit. */
  protected nested<T>(read: () => T): T {
    if (++this.#depth > LIMITS.nesting.most) this.fail(limitMessage("nesting"));
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }
  protected fail(message: string): never {
    throw new SyntaxProblem(this.peek().start, message);
  }
}
