/**
 * Parses a text by CPython's grammar. One that does not parse is parsed once more with the rules for what is often written wrong, and the
 * error is CPython's. Source: CPython's Parser/pegen.c, _PyPegen_run_parser, and pegen_errors.c.
 */
import type * as ast from "../ast.js";
import type { SourceLines } from "../source-lines.js";
import { lineAndColumn } from "../source-lines.js";
import { type Token, type Tokens, tokenize } from "../tokens.js";
import { expressionRules } from "./expressions.js";
import { type Found, type Match, makePeg, nodesIn, type Peg, Raised, type Rule } from "./peg.js";
import { statementRule } from "./statements.js";
import { type StringReader, stringReader } from "./strings.js";
import { expr } from "./words.js";

/** The statements of a text, or its first error. */
export function parseModule(source: SourceLines, scanned: Tokens): readonly ast.Stmt[] | Found {
  const lineOf = (offset: number): number => lineAndColumn(source, offset).line;
  const rule = (g: Peg, depths: ArrayLike<number>, strings: StringReader) => statementRule(g, depths, strings, lineOf);
  const statements: ast.Stmt[] = [];
  const found = parseBy(rule, source, scanned, lineOf, (match) => {
    // A statement is a match with a node, or a line of several.
    for (const node of match.build ? [match] : nodesIn(match)) statements.push(node.build!(node, "Load") as ast.Stmt);
  });
  return found ?? statements;
}

/** Parses `(expression)` of an f-string, which begins at an offset of the source. */
function parseExpression(
  source: SourceLines,
  text: string,
  offset: number,
): ast.Expr | { readonly message: string; readonly offset: number } {
  const scanned = tokenize(text);
  const shift = <T extends { readonly start: number; readonly end: number }>(token: T): T => ({
    ...token,
    start: token.start + offset,
    end: token.end + offset,
  });
  const error = scanned.error && { ...scanned.error, offset: scanned.error.offset + offset };
  const shifted: Tokens = { tokens: scanned.tokens.map(shift), error, open: scanned.open && shift(scanned.open) };
  const rule = (g: Peg, depths: ArrayLike<number>, strings: StringReader): Rule => {
    const { starExpressions, first } = expressionRules(g, depths, strings);
    return first(
      g.seq(
        starExpressions,
        g.token(({ kind }) => kind === "newline"),
      ),
    );
  };
  let value: ast.Expr | undefined;
  const found = parseBy(
    rule,
    source,
    shifted,
    () => 1,
    (match) => {
      value = expr(match);
    },
  );
  if (!found) return value!;
  return found === shifted.error || found.isInside ? found : { ...found, message: `f-string: ${found.message}` };
}

/** Hands over each match of a rule until the text ends, or returns the first error. */
function parseBy(
  ruleOf: (g: Peg, depths: ArrayLike<number>, strings: StringReader) => Rule,
  source: SourceLines,
  { tokens: scanned, error, open }: Tokens,
  lineOf: (offset: number) => number,
  use: (match: Match) => void,
): Found | undefined {
  // A bracket is open: the newline at the end is inside of it.
  const tokens = error ? scanned : open ? scanned.slice(0, -1) : [...scanned, ...endTokens(source.text, scanned)];
  const depths = depthsOf(tokens);
  const unclosed = (): Found => ({ offset: open!.start, message: `'${open!.text}' was never closed`, name: "SyntaxError" });
  const g = makePeg(source, tokens, () => error ?? unclosed());
  const strings = stringReader(source, (text, offset) => parseExpression(source, text, offset));
  const statement = ruleOf(g, depths, strings);
  const parse = (start: number, withInvalid: boolean): number => {
    for (let at = start; ; at = g.place()) {
      g.from(at, withInvalid);
      const match = g.peek().kind === "end" ? undefined : statement();
      if (!match) return at;
      if (!withInvalid) use(match);
    }
  };
  let failed = 0;
  let last: Token | undefined;
  let found: Found | undefined;
  try {
    failed = parse(0, false);
    if (tokens[failed]?.kind === "end") return undefined;
    last = g.lastSeen();
    parse(failed, true);
  } catch (raised) {
    if (!(raised instanceof Raised)) throw raised;
    found = raised.found;
  }
  if (!found && (last!.kind === "indent" || last!.kind === "dedent"))
    return {
      offset: g.offsetOf(last!),
      message: `unexpected ${last!.kind === "indent" ? "indent" : "unindent"}`,
      name: "IndentationError",
    };
  // Some errors of the tokenizer further on come first, and then brackets that are open from an earlier line.
  if (error?.isFirst) return error;
  if (!error && open && lineOf(g.lastSeen().start) > lineOf(open.start)) return unclosed();
  return found ?? { offset: last!.start, message: "invalid syntax", name: "SyntaxError" };
}

/** The tokens that CPython's tokenizer adds: the ends of blocks, and of the text. */
function endTokens(text: string, tokens: readonly Token[]): Token[] {
  let blocks = 0;
  for (const { kind } of tokens) blocks += kind === "indent" ? 1 : kind === "dedent" ? -1 : 0;
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  // After the text, so that nothing is taken off.
  const dedents = Array.from({ length: blocks }, (): Token => ({ kind: "dedent", text: "", start: end + 1, end }));
  return [...dedents, { kind: "end", text: "", start: end, end }];
}

function depthsOf(tokens: readonly Token[]): Uint8Array {
  const depths = new Uint8Array(tokens.length);
  let depth = 0;
  tokens.forEach(({ kind, text }, i) => {
    if (kind === "op") depth += "([{".includes(text) ? 1 : ")]}".includes(text) ? -1 : 0;
    depths[i] = depth;
  });
  return depths;
}
