/**
 * Parsing expressions over tokens. A rule matches tokens; what a match becomes in the syntax tree is built when the whole statement has
 * matched. A text that does not parse is parsed once more with the rules for what is often written wrong, as CPython does, and the first of
 * them that matches is reported.
 *
 *     const assertion = node(seq(word("assert"), expression), (m) => ({ kind: "Assert", at: at(m), test: expr(m.parts[1]!) }));
 *     const emptyIndex = wrong(seq(op("["), op("]")), ([open]) => g.fail(open, "expected an index"));
 *
 * Source: CPython's Parser/pegen.c and pegen_errors.c.
 */
import type { Context, Place } from "../ast.js";
import { placeOf, type SourceLines } from "../source-lines.js";
import type { PythonSyntaxError } from "../syntax-error.js";
import type { Token } from "../tokens.js";

/** The tokens that a rule has matched: from `start` up to, but without, `end`. */
export interface Match {
  /** CPython's name for an expression of that kind; empty where nothing needs it. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Match[];
  /** Makes the node of the syntax tree; absent where the match is part of another's. */
  readonly build: Build | undefined;
}
/** `context` is that of an expression: whether it is read, assigned or deleted. */
export type Build = (match: Match, context: Context) => unknown;
export type Rule = () => Match | undefined;

/** That a rule does not match, what it matches, or that with where it ends: that of something in parentheses is without them. */
type Remembered = Match | null | { readonly match: Match; readonly end: number };

/** An error in the text, by its offset. */
export interface Found {
  readonly offset: number;
  readonly message: string;
  readonly name: PythonSyntaxError["name"];
  /** In an expression inside of a string: the message says so. */
  readonly isInside?: true;
}

/** Leaves the parse with an error. */
export class Raised {
  constructor(readonly found: Found) {}
}

/** Whether an optional part is there. */
export const present = (match: Match): boolean => match.end > match.start;
/** The nodes that a match is made of, in order; what is inside of them is theirs. */
export const nodesIn = (match: Match): readonly Match[] => match.parts.flatMap((part) => (part.build ? [part] : nodesIn(part)));

/** The state of a parse and the combinators on it. */
export type Peg = ReturnType<typeof makePeg>;

/** `atEnd`: the error where the tokens end before the grammar does. */
export function makePeg(source: SourceLines, tokens: readonly Token[], atEnd: () => Found) {
  const { text } = source;
  let at = 0;
  let seen = 0;
  let invalid = false;
  /** The results of each rule at each token from `base` on. */
  let memo: Remembered[][] = [];
  let base = 0;
  let rules = 0;

  const peek = (): Token => {
    if (at >= tokens.length) throw new Raised(atEnd());
    if (at >= seen) seen = at + 1;
    return tokens[at]!;
  };
  const matched = (start: number, parts: readonly Match[] = [], kind = ""): Match => ({ kind, start, end: at, parts, build: undefined });
  /** A token that a test accepts. */
  const token =
    (test: (token: Token) => boolean): Rule =>
    () => {
      if (!test(peek())) return undefined;
      at++;
      return matched(at - 1);
    };
  const seq =
    (...all: readonly Rule[]): Rule =>
    () => {
      const start = at;
      const parts: Match[] = [];
      for (const rule of all) {
        const part = rule();
        if (!part) {
          at = start;
          return undefined;
        }
        parts.push(part);
      }
      return matched(start, parts);
    };
  const alt =
    (...all: readonly Rule[]): Rule =>
    () => {
      for (const rule of all) {
        const part = rule();
        if (part) return part;
      }
      return undefined;
    };
  const many =
    (rule: Rule, least = 0): Rule =>
    () => {
      const start = at;
      const parts: Match[] = [];
      for (let part = rule(); part; part = rule()) parts.push(part);
      return parts.length < least ? undefined : matched(start, parts);
    };
  const opt =
    (rule: Rule): Rule =>
    () =>
      rule() ?? matched(at);
  /** One or more with a separator between them: their matches alone. */
  const list =
    (rule: Rule, separator: Rule): Rule =>
    () => {
      const start = at;
      const parts: Match[] = [];
      for (;;) {
        const before = at;
        if (parts.length > 0 && !separator()) break;
        const part = rule();
        if (!part) {
          at = before;
          break;
        }
        parts.push(part);
      }
      return parts.length === 0 ? undefined : matched(start, parts);
    };
  const looking = (rule: Rule, wanted: boolean): Rule => {
    return () => {
      const start = at;
      const found = rule() !== undefined;
      at = start;
      return found === wanted ? matched(at) : undefined;
    };
  };
  /** The match under another name. */
  const as =
    (kind: string, rule: Rule): Rule =>
    () => {
      const match = rule();
      return match && { kind, start: match.start, end: match.end, parts: match.parts, build: match.build };
    };
  /** The match as a node of the syntax tree. */
  const node =
    (rule: Rule, build: Build): Rule =>
    () => {
      const match = rule();
      return match && { kind: match.kind, start: match.start, end: match.end, parts: match.parts, build };
    };
  /** Remembers what a rule gives at each place; `apart`: with and without the rules for what is wrong. */
  const once = (rule: Rule, apart = false): Rule => {
    const id = rules;
    rules += 2;
    return () => {
      const column = id + (apart && invalid ? 1 : 0);
      memo[column] ??= [];
      const place = at - base;
      const known = memo[column][place];
      if (known !== undefined) {
        if (known) at = known.end;
        return known && "match" in known ? known.match : (known ?? undefined);
      }
      const match = rule();
      memo[column][place] = match === undefined ? null : match.end === at ? match : { match, end: at };
      return match;
    };
  };
  /** A rule for what is wrong: never a match; `tell` raises, or lets it pass. `always`: reported at once, as CPython does by mistake. */
  const wrong =
    (rule: Rule, tell: (parts: readonly Match[]) => void, always = false): Rule =>
    () => {
      if (!invalid && !always) return undefined;
      const start = at;
      const match = rule();
      if (match) tell(match.parts);
      at = start;
      return undefined;
    };
  const raise = (offset: number, message: string, name: Found["name"] = "SyntaxError"): never => {
    throw new Raised({ offset, message, name });
  };
  /** A token's offset; an indent or dedent is one character before the token that it is read with, unless that begins the line. */
  const offsetOf = ({ kind, start, end }: Token): number =>
    Math.min(end, (kind === "indent" || kind === "dedent") && start > 0 && text[start - 1] !== "\n" ? start - 1 : start);
  return {
    token,
    seq,
    alt,
    many,
    opt,
    list,
    as,
    node,
    once,
    wrong,
    look: (rule: Rule): Rule => looking(rule, true),
    not: (rule: Rule): Rule => looking(rule, false),
    /** Without the rules for what is wrong. */
    plainly:
      (rule: Rule): Rule =>
      () => {
        const before = invalid;
        invalid = false;
        const match = rule();
        invalid = before;
        return match;
      },
    /** A token that is required here. */
    must:
      (rule: Rule, text: string): Rule =>
      () =>
        rule() ?? raise(peek().start, `expected '${text}'`),
    /** An alternative that is the only one once its beginning is there. */
    commit:
      (head: Rule, rest: Rule, otherwise: Rule): Rule =>
      () => {
        const start = at;
        const first = head();
        if (!first) return otherwise();
        const second = rest();
        if (second) return matched(start, [first, second]);
        at = start;
        return undefined;
      },
    peek,
    textOf: (match: Match): string => {
      const { start } = tokens[match.start]!;
      const written = text.slice(start, tokens[match.end - 1]!.end);
      // Python takes names that look alike for the same.
      return /[^\0-\x7f]/.test(written) ? written.normalize("NFKC") : written;
    },
    /** From the first character of a match to its last; the ends of lines and blocks do not count. */
    placeOf: (match: Match): Place => {
      let last = match.end - 1;
      while (last > match.start && /^(?:newline|indent|dedent)$/.test(tokens[last]!.kind)) last--;
      return placeOf(source, tokens[match.start]!.start, tokens[last]!.end);
    },
    first: (match: Match): Token => tokens[match.start]!,
    last: (match: Match): Token => tokens[match.end - 1]!,
    raise,
    raiseInside(offset: number, message: string): never {
      throw new Raised({ offset, message, name: "SyntaxError", isInside: true });
    },
    fail: (match: Match, message: string): never => raise(tokens[match.start]!.start, message),
    /** At the last token that was looked at. */
    failHere: (message: string, name: Found["name"] = "SyntaxError"): never => raise(offsetOf(tokens[seen - 1]!), message, name),
    offsetOf,
    lastSeen: (): Token => tokens[seen - 1]!,
    /** Goes on from a token, with or without the rules for what is wrong. */
    from(start: number, withInvalid: boolean): void {
      at = start;
      invalid = withInvalid;
      memo = [];
      base = start;
    },
    place: (): number => at,
    back(to: number): void {
      at = to;
    },
  };
}
