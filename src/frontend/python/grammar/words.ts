/** Rules that the rest of Python's grammar is made of: words and operators, names, numbers, and what makes nodes of expressions. */
import type * as ast from "../ast.js";
import { numberValue } from "../literals.js";
import type { Token } from "../tokens.js";
import { type Match, nodesIn, type Peg, present, type Rule } from "./peg.js";

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const isName = ({ kind, text }: Token): boolean => kind === "name" && !KEYWORDS.has(text);

/** A node without its place. */
export type Placeless<T> = T extends unknown ? Omit<T, "at"> : never;

/** The node of a match that is an expression. */
export const expr = (match: Match, context: ast.Context = "Load"): ast.Expr => match.build!(match, context) as ast.Expr;
/** The same for a match that may be empty. */
export const maybe = (match: Match | undefined): ast.Expr | undefined => (match && present(match) ? expr(match) : undefined);

/** CPython's message for `=` in an expression. */
export const MEANT_COMPARISON = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";

export type Words = ReturnType<typeof makeWords>;

/** The rules over the tokens of one parse. */
export function makeWords({ token, as, node, textOf, placeOf }: Peg) {
  const word = (text: string): Rule => token((t) => t.kind === "name" && t.text === text);
  const op = (text: string): Rule => token((t) => t.kind === "op" && t.text === text);
  const ops = (...texts: readonly string[]): Rule => token((t) => t.kind === "op" && texts.includes(t.text));
  /** A rule whose match is an expression. */
  const made = (rule: Rule, parts: (match: Match, context: ast.Context) => Placeless<ast.Expr>): Rule =>
    node(rule, (m, context) => ({ ...parts(m, context), at: placeOf(m) }));
  const constant = (rule: Rule, value: (text: string) => ast.Literal): Rule =>
    made(rule, (m) => ({ kind: "Constant", value: value(textOf(m)) }));
  const name = as(
    "name",
    made(token(isName), (m, ctx) => ({ kind: "Name", id: textOf(m), ctx })),
  );
  const number = as(
    "literal",
    constant(
      token((t) => t.kind === "number"),
      numberValue,
    ),
  );
  const comma = op(",");
  const equals = op("=");
  const walrus = op(":=");
  /** A rule that is defined later. */
  const lazy =
    (rule: () => Rule): Rule =>
    () =>
      rule()();
  const elements: (kind: "Tuple" | "List") => (m: Match, ctx: ast.Context) => Placeless<ast.Expr> = (kind) => (m, ctx) => ({
    kind,
    elts: nodesIn(m).map((e) => expr(e, ctx)),
    ctx,
  });
  const tupleOf = (rule: Rule): Rule => made(rule, elements("Tuple"));
  const listOf = (rule: Rule): Rule => made(rule, elements("List"));
  /** A construct that nothing looks into. */
  const unsupported = (rule: Rule, cpythonName: string): Rule => made(rule, () => ({ kind: "Unsupported", name: cpythonName }));
  /** The first of the parts that a rule matches. */
  const first =
    (rule: Rule): Rule =>
    () =>
      rule()?.parts[0];
  /** The middle one of three. */
  const inner =
    (rule: Rule): Rule =>
    () =>
      rule()?.parts[1];

  return { word, op, ops, made, constant, name, number, comma, equals, walrus, lazy, tupleOf, listOf, unsupported, inner, first };
}
