/** Python's expressions in brackets, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type * as ast from "../ast.js";
import { type Match, nodesIn, type Peg, type Rule } from "./peg.js";
import { expr, type Words } from "./words.js";

/** Rules of expressions that are put in brackets. */
interface Parts {
  readonly expression: Rule;
  readonly named: Rule;
  readonly bitwiseOr: Rule;
  readonly starred: Rule;
  readonly starNamed: Rule;
  readonly starNamedList: Rule;
  readonly walrusExpression: Rule;
  /** An expression that no `:=` follows. */
  readonly unwalrused: Rule;
  readonly yieldExpression: Rule;
  readonly forIfClauses: Rule;
}

export function bracketRules(g: Peg, w: Words, parts: Parts) {
  const { seq, alt, opt, list, as, once, wrong, look, not } = g;
  const { op, ops, made, comma, tupleOf, listOf, inner } = w;
  const { expression, named, bitwiseOr, starred, starNamed, starNamedList, walrusExpression, unwalrused, yieldExpression, forIfClauses } =
    parts;
  const tuple = once(as("tuple", tupleOf(seq(op("("), opt(seq(starNamed, comma, opt(starNamedList))), op(")")))), true);
  const group = once(
    alt(
      inner(seq(op("("), alt(yieldExpression, named), op(")"))),
      wrong(seq(op("("), starred, op(")")), ([, a]) => g.fail(a!, "cannot use starred expression here")),
      wrong(seq(op("("), op("**"), expression, op(")")), ([, a]) => g.fail(a!, "cannot use double starred expression here")),
    ),
    true,
  );
  const unpackedTarget = "did you forget parentheses around the comprehension target?";
  const wrongComprehension = alt(
    wrong(seq(ops("[", "(", "{"), starred, forIfClauses), ([, a]) => g.fail(a!, "iterable unpacking cannot be used in comprehension")),
    wrong(seq(ops("[", "{"), starNamed, comma, starNamedList, forIfClauses), ([, a]) => g.fail(a!, unpackedTarget)),
    wrong(seq(ops("[", "{"), starNamed, comma, forIfClauses), ([, a]) => g.fail(a!, unpackedTarget)),
  );
  const comprehension = (kind: ast.ListComp["kind"], called: string, open: string, element: Rule, close: string): Rule =>
    as(
      called,
      made(seq(op(open), element, forIfClauses, op(close)), ({ parts }) => ({
        kind,
        elt: expr(parts[1]!),
        generators: comprehensions(parts[2]!),
      })),
    );
  const generator = once(
    alt(comprehension("GeneratorExp", "generator expression", "(", alt(walrusExpression, unwalrused), ")"), wrongComprehension),
    true,
  );
  const listDisplay = once(as("list", listOf(seq(op("["), opt(starNamedList), op("]")))), true);
  const listComprehension = alt(comprehension("ListComp", "list comprehension", "[", named, "]"), wrongComprehension);
  const pair = seq(expression, op(":"), expression);
  const pairOrUnpacked = alt(seq(op("**"), bitwiseOr), pair);
  const starredValue = wrong(
    seq(expression, op(":"), op("*"), bitwiseOr),
    ([, , a]) => g.fail(a!, "cannot use a starred expression in a dictionary value"),
    true,
  );
  const missingValue = wrong(
    seq(expression, op(":"), look(ops("}", ","))),
    ([, a]) => g.fail(a!, "expression expected after dictionary key and ':'"),
    true,
  );
  const wrongPair = alt(
    wrong(seq(expression, not(op(":"))), ([a]) => g.raise(g.last(a!).end - 1, "':' expected after dictionary key"), true),
    starredValue,
    missingValue,
  );
  const dict = alt(
    as(
      "dict literal",
      made(seq(op("{"), opt(seq(list(pairOrUnpacked, comma), opt(comma))), op("}")), ({ parts }) => {
        const entries = parts[1]!.parts[0]?.parts ?? [];
        const isPair = (entry: Match): boolean => entry.parts.length === 3;
        return {
          kind: "Dict",
          keys: entries.map((entry) => (isPair(entry) ? expr(entry.parts[0]!) : undefined)),
          values: entries.map((entry) => expr(entry.parts.at(-1)!)),
        };
      }),
    ),
    seq(op("{"), alt(seq(list(pairOrUnpacked, comma), comma, wrongPair), starredValue, missingValue), op("}")),
  );
  const set = as(
    "set display",
    made(seq(op("{"), starNamedList, op("}")), (m) => ({ kind: "Set", elts: nodesIn(m).map((e) => expr(e)) })),
  );
  const dictComprehension = alt(
    as(
      "dict comprehension",
      made(seq(op("{"), pair, forIfClauses, op("}")), ({ parts: [, entry, clauses] }) => ({
        kind: "DictComp",
        key: expr(entry!.parts[0]!),
        value: expr(entry!.parts[2]!),
        generators: comprehensions(clauses!),
      })),
    ),
    wrong(seq(op("{"), op("**"), bitwiseOr, forIfClauses, op("}")), ([, a]) =>
      g.fail(a!, "dict unpacking cannot be used in dict comprehension"),
    ),
  );
  const setComprehension = alt(comprehension("SetComp", "set comprehension", "{", named, "}"), wrongComprehension);
  /** A rule that is tried where a bracket opens. */
  const after = (bracket: string, rule: Rule): Rule => {
    const ahead = look(op(bracket));
    return () => (ahead() ? rule() : undefined);
  };

  return {
    tuple,
    generator,
    listDisplay,
    /** All of them. */
    brackets: alt(
      after("(", alt(tuple, group, generator)),
      after("[", alt(listDisplay, listComprehension)),
      after("{", alt(dict, set, dictComprehension, setComprehension)),
    ),
  };
}

/** The `for` and `if` parts of a comprehension. */
function comprehensions(match: Match): readonly ast.Comprehension[] {
  return match.parts.map(({ parts: [head, rest] }) => ({
    target: expr(head!.parts[2]!, "Store"),
    iter: expr(rest!.parts[0]!),
    ifs: nodesIn(rest!.parts[1]!).map((test) => expr(test)),
  }));
}
