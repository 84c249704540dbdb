/** Parameters of functions, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type * as ast from "../ast.js";
import { type Match, nodesIn, type Peg, present, type Rule } from "./peg.js";
import type { Words } from "./words.js";

/** Parameters of a `def`, or of a `lambda`, which have no annotations and end at a colon. */
export function parameterRule(g: Peg, w: Words, expression: Rule, starExpression: Rule, isLambda: boolean): Rule {
  const { op, ops, name, comma, equals } = w;
  const { seq, alt, many, opt, list, node, wrong, look, textOf, placeOf } = g;
  const arg = (rule: Rule): Rule =>
    node(rule, (m): ast.Arg => {
      const [annotation] = nodesIn(m.parts[1] ?? m).slice(0, isLambda ? 0 : 1);
      return {
        kind: "arg",
        at: placeOf(m),
        arg: textOf(m.parts[0] ?? m),
        annotation: annotation && (annotation.build!(annotation, "Load") as ast.Expr),
      };
    });
  const end = look(op(isLambda ? ":" : ")"));
  const close = op(isLambda ? ":" : ")");
  const slash = op("/");
  const star = op("*");
  const param = arg(isLambda ? name : seq(name, opt(seq(op(":"), expression))));
  const starParam = arg(isLambda ? name : seq(name, opt(seq(op(":"), starExpression))));
  const fallback = alt(
    seq(equals, expression),
    wrong(seq(equals, look(ops(")", ","))), ([a]) => g.fail(a!, "expected default value expression")),
  );
  const ended = (rule: Rule): Rule => alt(seq(rule, comma), seq(rule, end));
  const without = ended(param);
  const withDefault = ended(seq(param, fallback));
  const either = ended(seq(param, opt(fallback)));
  const slashed = (rule: Rule): Rule => alt(seq(rule, slash, comma), seq(rule, slash, end));
  const slashWithout = slashed(many(without, 1));
  const slashWith = slashed(seq(many(without), many(withDefault, 1)));
  const keywordPart = alt(
    wrong(seq(op("**"), param, equals), ([, , a]) => g.fail(a!, "var-keyword argument cannot have default value")),
    wrong(seq(op("**"), param, comma, param), ([, , , a]) => g.fail(a!, "arguments cannot follow var-keyword argument")),
    wrong(seq(op("**"), param, comma, ops("*", "**", "/")), ([, , , a]) => g.fail(a!, "arguments cannot follow var-keyword argument")),
    seq(op("**"), without),
  );
  const bare = "named arguments must follow bare *";
  const starPart = alt(
    wrong(seq(star, alt(close, seq(comma, alt(close, op("**"))))), ([a]) => (isLambda ? g.failHere(bare) : g.fail(a!, bare))),
    wrong(seq(star, param, equals), ([, , a]) => g.fail(a!, "var-positional argument cannot have default value")),
    wrong(seq(star, alt(without, comma), many(either), star, alt(without, comma)), ([, , , a]) =>
      g.fail(a!, "* argument may appear only once"),
    ),
    seq(star, ended(starParam), many(either), opt(keywordPart)),
    seq(star, comma, many(either, 1), opt(keywordPart)),
    keywordPart,
  );
  return alt(
    wrong(seq(many(without), alt(slashWith, many(withDefault, 1)), without), ([, , a]) =>
      g.fail(a!, "non-default argument follows default argument"),
    ),
    wrong(seq(many(without), op("("), isLambda ? list(param, comma) : many(without, 1), opt(comma), op(")")), ([, a]) =>
      g.fail(a!, `${isLambda ? "Lambda expression" : "Function"} parameters cannot be parenthesized`),
    ),
    wrong(seq(slash, comma), ([a]) => g.fail(a!, "at least one argument must precede /")),
    wrong(seq(alt(slashWithout, slashWith), many(either), slash), ([, , a]) => g.fail(a!, "/ may appear only once")),
    wrong(seq(opt(alt(slashWithout, slashWith)), many(either), star, alt(comma, without), many(either), slash), ([, , , , , a]) =>
      g.fail(a!, "/ must be ahead of *"),
    ),
    wrong(seq(many(either, 1), slash, star), ([, , a]) => g.fail(a!, "expected comma between / and *")),
    seq(slashWithout, many(without), many(withDefault), opt(starPart)),
    seq(slashWith, many(withDefault), opt(starPart)),
    seq(many(without, 1), many(withDefault), opt(starPart)),
    seq(many(withDefault, 1), opt(starPart)),
    starPart,
  );
}

/** The parameters of a match of such a rule. */
export function argumentsOf(g: Peg, match: Match): ast.Arguments {
  const posonlyargs: ast.Arg[] = [];
  const args: ast.Arg[] = [];
  const kwonlyargs: ast.Arg[] = [];
  const kwDefaults: (ast.Expr | undefined)[] = [];
  const defaults: ast.Expr[] = [];
  let vararg: ast.Arg | undefined;
  let kwarg: ast.Arg | undefined;
  /** The star before the next name, and whether names are keywords from there on. */
  let star = "";
  let isKeywordOnly = false;
  for (const part of partsOf(match)) {
    const node = part.build?.(part, "Load") as ast.Arg | ast.Expr | undefined;
    const text = node ? "" : g.textOf(part);
    if (text === "/") posonlyargs.push(...args.splice(0));
    else if (text === "*" || text === "**") {
      star = text;
      isKeywordOnly = true;
    } else if (text === ",") star = "";
    else if (node && node.kind !== "arg") {
      if (isKeywordOnly) kwDefaults[kwonlyargs.length - 1] = node;
      else defaults.push(node);
    } else if (node && star === "**") kwarg = node;
    else if (node && star === "*") vararg = node;
    else if (node && isKeywordOnly) {
      kwonlyargs.push(node);
      kwDefaults.push(undefined);
    } else if (node) args.push(node);
  }
  return { posonlyargs, args, vararg, kwonlyargs, kwDefaults, kwarg, defaults };
}

/** Nodes and the tokens between them. */
const partsOf = (match: Match): readonly Match[] =>
  match.build || match.parts.length === 0 ? (present(match) ? [match] : []) : match.parts.flatMap(partsOf);
