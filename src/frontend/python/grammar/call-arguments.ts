/** The arguments of Python's calls and classes, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type * as ast from "../ast.js";
import { type Match, nodesIn, type Peg, type Rule } from "./peg.js";
import { expr, MEANT_COMPARISON, type Words } from "./words.js";

/** Rules of expressions that arguments are made of. */
interface Parts {
  readonly expression: Rule;
  readonly starred: Rule;
  readonly walrusExpression: Rule;
  /** An expression that no `:=` follows. */
  readonly unwalrused: Rule;
  readonly forIfClauses: Rule;
}

/** The rule for the text between the parentheses of a call. */
export function argumentsRule(g: Peg, w: Words, { expression, starred, walrusExpression, unwalrused, forIfClauses }: Parts): Rule {
  const { seq, alt, opt, list, as, node, once, wrong, look, not, textOf, placeOf } = g;
  const { word, op, name, comma, equals, first } = w;
  const wrongKeyword = alt(
    wrong(seq(alt(word("True"), word("False"), word("None")), equals), ([a]) => g.fail(a!, `cannot assign to ${g.first(a!).text}`)),
    wrong(seq(name, equals, expression, forIfClauses), ([a]) => g.fail(a!, MEANT_COMPARISON)),
    wrong(seq(not(seq(name, equals)), expression, equals), ([, a]) =>
      g.fail(a!, 'expression cannot contain assignment, perhaps you meant "=="?'),
    ),
  );
  const keyword = as(
    "keyword",
    node(seq(name, equals, expression), (m) => ({
      kind: "keyword",
      at: placeOf(m),
      arg: textOf(m.parts[0]!),
      value: expr(m.parts[2]!),
    })),
  );
  const unpacked = as(
    "unpacked",
    node(seq(op("**"), expression), (m) => ({ kind: "keyword", at: placeOf(m), arg: undefined, value: expr(m.parts[1]!) })),
  );
  const keywordOrStarred = alt(wrongKeyword, keyword, starred);
  const keywordOrUnpacked = alt(wrongKeyword, keyword, unpacked);
  const keywords = alt(
    seq(list(keywordOrStarred, comma), comma, list(keywordOrUnpacked, comma)),
    list(keywordOrStarred, comma),
    list(keywordOrUnpacked, comma),
  );
  const positional = alt(starred, first(seq(alt(walrusExpression, unwalrused), not(equals))));
  const args = alt(as("args", seq(list(positional, comma), opt(seq(comma, keywords)))), keywords);
  const parenthesize = "Generator expression must be parenthesized";
  /** Positional arguments of `args`. */
  const positionals = (match: Match): readonly Match[] => {
    const given = match.kind === "args" ? match.parts[0]!.parts : [];
    return [...given, ...all(match).filter((m) => m.kind === "starred" && !given.includes(m))];
  };
  const all = (match: Match): readonly Match[] => [match, ...(match.kind === "" || match.kind === "args" ? match.parts.flatMap(all) : [])];
  const wrongArguments = alt(
    wrong(seq(alt(seq(list(positional, comma), comma, keywords), keywords), comma, op("*")), ([, , a]) =>
      g.fail(a!, "iterable argument unpacking follows keyword argument unpacking"),
    ),
    wrong(seq(expression, forIfClauses, comma, opt(alt(args, seq(expression, forIfClauses)))), ([a]) => g.fail(a!, parenthesize)),
    wrong(seq(name, equals, expression, forIfClauses), ([a]) => g.fail(a!, MEANT_COMPARISON)),
    wrong(seq(args, forIfClauses), ([a]) => {
      const given = positionals(a!);
      if (given.length > 1) g.fail(given.at(-1)!, parenthesize);
    }),
    wrong(seq(args, comma, expression, forIfClauses), ([, , a]) => g.fail(a!, parenthesize)),
    wrong(seq(args, comma, args), ([a]) =>
      g.failHere(`positional argument follows keyword argument${all(a!).some((m) => m.kind === "unpacked") ? " unpacking" : ""}`),
    ),
  );
  return once(alt(seq(args, opt(comma), look(op(")"))), wrongArguments));
}

/** Positional and keyword arguments of a call or a class. */
export function argumentsIn(match: Match): { readonly args: readonly ast.Expr[]; readonly keywords: readonly ast.Keyword[] } {
  const given = nodesIn(match).map((m) => m.build!(m, "Load") as ast.Expr | ast.Keyword);
  const isKeyword = (arg: ast.Expr | ast.Keyword): arg is ast.Keyword => arg.kind === "keyword";
  return { args: given.filter((arg) => !isKeyword(arg)) as ast.Expr[], keywords: given.filter(isKeyword) };
}
