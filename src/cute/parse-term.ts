/**
 * Reads terms in the notation CuTe prints: `((_4,8),_2):((_16,_1),_8)`, `(_1@0,_1@1)`, `Sw<3,3,3> o _0 o (_8,_64):(_64,_1)`,
 * `Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)`. `printTerm` is the inverse.
 */
import { LIMITS, limitMessage } from "../support/limits.js";
import { letterAt } from "../support/utf8.js";
import { congruent } from "./int-tuple.js";
import { type AnyLayout, dyn, type Int, lit, type Swizzle, type Term, tuple, underscore } from "./term.js";

/** Text that is not in the notation: where (offset in characters) and what was expected. */
export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
  constructor(
    readonly offset: number,
    message: string,
    /** The definition that the text lacks, as `--define` takes it: `HeadDim=128`. */
    readonly lacks?: string,
  ) {
    super(message);
  }
}

/** Reads one term; throws `SyntaxProblem` at the first character that does not fit. */
export function parseTerm(text: string): Term {
  const reader = new Reader(text);
  const t = reader.composed();
  reader.skipSpace();
  if (reader.at < text.length) throw new SyntaxProblem(reader.at, `unexpected '${text[reader.at]}' after the layout`);
  return t;
}

/** Reads a term that must be a layout. */
export function parseLayout(text: string): AnyLayout {
  const t = parseTerm(text);
  if (t.kind === "layout" || t.kind === "composed" || t.kind === "swizzle") return t;
  throw new SyntaxProblem(text.length, "expected ':' and a stride after the shape");
}

/** A cursor over the text; one object per parse, so that positions need not be passed around. */
class Reader {
  at = 0;
  constructor(private readonly text: string) {}

  /** layout ('o' offset 'o' layout)? */
  composed(): Term {
    const first = this.layout();
    if (!this.accept("o")) return first;
    if (first.kind !== "swizzle" && first.kind !== "layout" && first.kind !== "composed")
      this.fail("expected a layout or swizzle before 'o'");
    const offset = this.layout();
    this.expect("o");
    const start = this.at;
    const last = this.composed();
    if (last.kind !== "layout" && last.kind !== "composed" && last.kind !== "swizzle")
      throw new SyntaxProblem(start, "expected a layout after 'o'");
    return { kind: "composed", a: first, offset, b: last };
  }

  /** shape (':' stride)?, or a swizzle. */
  private layout(): Term {
    this.skipSpace();
    const start = this.at;
    const shape = this.tuple();
    if (!this.accept(":")) return shape;
    if (shape.kind === "swizzle") throw new SyntaxProblem(start, "a swizzle has no stride");
    this.skipSpace();
    const strideStart = this.at;
    const stride = this.tuple();
    if (!congruent(shape, stride)) throw new SyntaxProblem(strideStart, "the stride is not nested like the shape");
    return { kind: "layout", shape, stride };
  }

  #depth = 0;
  private tuple(): Term {
    if (!this.accept("(")) return this.leaf();
    const items: Term[] = [];
    if (this.accept(")")) return tuple();
    if (++this.#depth > LIMITS.nesting.most) this.fail(limitMessage("nesting"));
    do items.push(this.layout());
    while (this.accept(","));
    this.expect(")");
    this.#depth--;
    return tuple(...items);
  }

  private leaf(): Term {
    this.skipSpace();
    const sw = this.match(/Sw<(\d+),(\d+),(-?\d+)>/y);
    if (sw) return this.swizzle(Number(sw[1]), Number(sw[2]), Number(sw[3]));
    const flag = this.match(/smem_ptr\[(\d+)b\]\(unset\)/y);
    if (flag) return { kind: "smem-flag", bits: Number(flag[1]), sparsity: undefined };
    const sparse = this.match(/smem_sparse<(\d+)>_ptr\[(\d+)b\]\(unset\)/y);
    if (sparse) return { kind: "smem-flag", bits: Number(sparse[2]), sparsity: Number(sparse[1]) };
    const number = this.match(/(_?)(-?\d+)((?:@\d+)*)/y);
    if (number) {
      if (!Number.isSafeInteger(Number(number[2]))) this.fail("the integer is too large: 2^53 and more are not computed exactly");
      const value: Int = number[1] ? lit(Number(number[2])) : dyn(Number(number[2]));
      if (!number[3]) return value;
      const modes = number[3].slice(1).split("@").map(Number).reverse();
      return { kind: "basis", value, modes };
    }
    if (this.match(/_/y)) return underscore;
    return this.fail(
      this.at < this.text.length ? `expected an integer or '(', found '${letterAt(this.text, this.at)}'` : "the layout ends too early",
    );
  }

  private swizzle(bits: number, base: number, shift: number): Swizzle {
    if (Math.abs(shift) < bits) this.fail("a swizzle must be shifted by at least its bits");
    return { kind: "swizzle", bits, base, shift };
  }

  skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at++;
  }

  private match(re: RegExp): RegExpExecArray | null {
    re.lastIndex = this.at;
    const m = re.exec(this.text);
    if (m) this.at += m[0].length;
    return m;
  }

  private accept(token: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private expect(token: string): void {
    if (!this.accept(token))
      this.fail(
        this.at < this.text.length ? `expected '${token}', found '${letterAt(this.text, this.at)}'` : `expected '${token}' before the end`,
      );
  }

  private fail(message: string): never {
    throw new SyntaxProblem(this.at, message);
  }
}
