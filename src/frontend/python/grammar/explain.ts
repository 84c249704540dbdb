/** What CPython says of a text that its grammar does not take. Source: CPython's Parser/pegen.c, _PyPegen_run_parser, and pegen_errors.c. */
import { type Token, type Tokens, tokenize } from "../tokens.js";
import { expressionRules } from "./expressions.js";
import { type StringFault, stringFault } from "./formatted-strings.js";
import { type Found, makePeg, type Peg, Raised, type Rule } from "./peg.js";
import { statementRule } from "./statements.js";

/** The first error of a text, undefined where the grammar takes it all. */
export const explain = (text: string, scanned: Tokens, lineOf: (offset: number) => number): Found | undefined =>
  explainBy((g, depths) => statementRule(g, depths, lineOf), text, scanned, lineOf);

/** The first error inside of a string, undefined where there is none. */
export const explainString = (string: Token): StringFault | undefined => stringFault(string, explainExpression);

/** What is wrong with `(expression)` in an f-string. */
function explainExpression(text: string): Found | undefined {
  const scanned = tokenize(text);
  const rule = (g: Peg, depths: ArrayLike<number>) =>
    g.seq(
      expressionRules(g, depths).starExpressions,
      g.token(({ kind }) => kind === "newline"),
    );
  const found = explainBy(rule, text, scanned, () => 1);
  return found && found !== scanned.error && !found.isInside ? { ...found, message: `f-string: ${found.message}` } : found;
}

function explainBy(
  ruleOf: (g: Peg, depths: ArrayLike<number>) => Rule,
  text: string,
  { tokens: scanned, error, open }: Tokens,
  lineOf: (offset: number) => number,
): Found | undefined {
  // The newline at the end is in a bracket.
  const tokens = error ? scanned : open ? scanned.slice(0, -1) : [...scanned, ...endTokens(text, scanned)];
  const depths = depthsOf(tokens);
  const unclosed = (): Found => ({ offset: open!.start, message: `'${open!.text}' was never closed`, name: "SyntaxError" });
  const g = makePeg(text, tokens, () => error ?? unclosed(), explainString);
  const statement = ruleOf(g, depths);
  const parse = (start: number, withInvalid: boolean): number => {
    for (let at = start; ; at = g.place()) {
      g.from(at, withInvalid);
      if (g.peek().kind === "end" || !statement()) return at;
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
  // What the tokenizer finds further on comes first, and brackets that are open from an earlier line.
  if (error?.isFirst) return error;
  if (!error && open && lineOf(g.lastSeen().start) > lineOf(open.start)) return unclosed();
  return found ?? { offset: last!.start, message: "invalid syntax", name: "SyntaxError" };
}

/** What CPython's tokenizer adds: the ends of blocks, and of the text. */
function endTokens(text: string, tokens: readonly Token[]): Token[] {
  let blocks = 0;
  for (const { kind } of tokens) blocks += kind === "indent" ? 1 : kind === "dedent" ? -1 : 0;
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  // Behind the text, so that nothing is taken off.
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
