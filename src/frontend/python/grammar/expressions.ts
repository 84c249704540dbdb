/** Python's expressions and targets, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type { Token } from "../tokens.js";
import { parameterRule } from "./parameters.js";
import type { Match, Peg, Rule } from "./peg.js";

const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);
const isName = ({ kind, text }: Token): boolean => kind === "name" && !KEYWORDS.has(text);
export const isBytes = ({ text }: Token): boolean => /^[rR]?[bB]/.test(text);
const isLegacy = (text: string): boolean => text === "print" || text === "exec";

type Targets = "star" | "for" | "del";

/** `depths`: how many brackets are open behind each token. */
export function expressionRules(g: Peg, depths: ArrayLike<number>) {
  const { seq, alt, many, opt, list, as, once, wrong, look, not, token } = g;
  const word = (text: string): Rule => token((t) => t.kind === "name" && t.text === text);
  const op = (text: string): Rule => token((t) => t.kind === "op" && t.text === text);
  const ops = (...texts: readonly string[]): Rule => token((t) => t.kind === "op" && texts.includes(t.text));
  const name = as("name", token(isName));
  const number = as(
    "literal",
    token((t) => t.kind === "number"),
  );
  const string = token((t) => t.kind === "string");
  const comma = op(",");
  const equals = op("=");
  const walrus = op(":=");
  const lazy =
    (rule: () => Rule): Rule =>
    () =>
      rule()();

  // --- what is what --------------------------------------------------------------------------------
  const expressionLazy = lazy(() => expression);
  const bitwiseOrLazy = lazy(() => bitwiseOr);
  const forIfClauses = lazy(() => clauses);

  const starNamed = alt(
    as("starred", seq(op("*"), bitwiseOrLazy)),
    lazy(() => named),
  );
  const starNamedList = seq(list(starNamed, comma), opt(comma));
  const walrusExpression = as("named expression", seq(name, walrus, expressionLazy));

  // --- atoms ---------------------------------------------------------------------------------------
  const starred = as("starred", seq(op("*"), expressionLazy));
  const yieldExpression = as(
    "yield expression",
    alt(seq(word("yield"), word("from"), expressionLazy), seq(word("yield"), opt(lazy(() => starExpressions)))),
  );
  const tuple = once(as("tuple", seq(op("("), opt(seq(starNamed, comma, opt(starNamedList))), op(")"))), true);
  const group = once(
    alt(
      inner(
        seq(
          op("("),
          alt(
            yieldExpression,
            lazy(() => named),
          ),
          op(")"),
        ),
      ),
      wrong(seq(op("("), starred, op(")")), ([, a]) => g.fail(a!, "cannot use starred expression here")),
      wrong(seq(op("("), op("**"), expressionLazy, op(")")), ([, a]) => g.fail(a!, "cannot use double starred expression here")),
    ),
    true,
  );
  const unpackedTarget = "did you forget parentheses around the comprehension target?";
  const wrongComprehension = alt(
    wrong(seq(ops("[", "(", "{"), starred, forIfClauses), ([, a]) => g.fail(a!, "iterable unpacking cannot be used in comprehension")),
    wrong(seq(ops("[", "{"), starNamed, comma, starNamedList, forIfClauses), ([, a]) => g.fail(a!, unpackedTarget)),
    wrong(seq(ops("[", "{"), starNamed, comma, forIfClauses), ([, a]) => g.fail(a!, unpackedTarget)),
  );
  const unwalrused = seq(expressionLazy, not(walrus));
  const generator = once(
    alt(as("generator expression", seq(op("("), alt(walrusExpression, unwalrused), forIfClauses, op(")"))), wrongComprehension),
    true,
  );
  const listDisplay = once(as("list", seq(op("["), opt(starNamedList), op("]"))), true);
  const listComprehension = alt(
    as(
      "list comprehension",
      seq(
        op("["),
        lazy(() => named),
        forIfClauses,
        op("]"),
      ),
    ),
    wrongComprehension,
  );
  const pair = seq(expressionLazy, op(":"), expressionLazy);
  const pairOrUnpacked = alt(seq(op("**"), bitwiseOrLazy), pair);
  const starredValue = wrong(
    seq(expressionLazy, op(":"), op("*"), bitwiseOrLazy),
    ([, , a]) => g.fail(a!, "cannot use a starred expression in a dictionary value"),
    true,
  );
  const missingValue = wrong(
    seq(expressionLazy, op(":"), look(ops("}", ","))),
    ([, a]) => g.fail(a!, "expression expected after dictionary key and ':'"),
    true,
  );
  const wrongPair = alt(
    wrong(seq(expressionLazy, not(op(":"))), ([a]) => g.raise(g.last(a!).end - 1, "':' expected after dictionary key"), true),
    starredValue,
    missingValue,
  );
  const dict = alt(
    as("dict literal", seq(op("{"), opt(seq(list(pairOrUnpacked, comma), opt(comma))), op("}"))),
    seq(op("{"), alt(seq(list(pairOrUnpacked, comma), comma, wrongPair), starredValue, missingValue), op("}")),
  );
  const set = as("set display", seq(op("{"), starNamedList, op("}")));
  const dictComprehension = alt(
    as("dict comprehension", seq(op("{"), pair, forIfClauses, op("}"))),
    wrong(seq(op("{"), op("**"), bitwiseOrLazy, forIfClauses, op("}")), ([, a]) =>
      g.fail(a!, "dict unpacking cannot be used in dict comprehension"),
    ),
  );
  const setComprehension = alt(
    as(
      "set comprehension",
      seq(
        op("{"),
        lazy(() => named),
        forIfClauses,
        op("}"),
      ),
    ),
    wrongComprehension,
  );
  const strings: Rule = once(() => {
    const match = many(string, 1)();
    if (!match) return undefined;
    const tokens = match.parts.map(g.first);
    for (const token of tokens) {
      if (isBytes(token) !== isBytes(tokens[0]!)) g.failHere("cannot mix bytes and nonbytes literals");
      const fault = g.faultOf(token);
      if (fault?.offset !== undefined) g.raiseInside(fault.offset, fault.message);
      else if (fault) g.failHere(fault.message);
    }
    const isFormatted = tokens.some(({ text }) => /^[rR]?[fF]/.test(text));
    return { ...match, kind: isFormatted ? "f-string expression" : "literal" };
  });
  const atom = once(
    alt(
      name,
      as("True", word("True")),
      as("False", word("False")),
      as("None", word("None")),
      strings,
      number,
      seqHead(op("("), alt(tuple, group, generator)),
      seqHead(op("["), alt(listDisplay, listComprehension)),
      seqHead(op("{"), alt(dict, set, dictComprehension, setComprehension)),
      as("ellipsis", op("...")),
    ),
    true,
  );

  /** The middle one of three. */
  function inner(rule: Rule): Rule {
    return () => rule()?.parts[1];
  }
  function seqHead(head: Rule, rule: Rule): Rule {
    const ahead = look(head);
    return () => (ahead() ? rule() : undefined);
  }

  // --- arguments -----------------------------------------------------------------------------------
  const wrongKeyword = alt(
    wrong(seq(alt(word("True"), word("False"), word("None")), equals), ([a]) => g.fail(a!, `cannot assign to ${g.first(a!).text}`)),
    wrong(seq(name, equals, expressionLazy, forIfClauses), ([a]) => g.fail(a!, MEANT_COMPARISON)),
    wrong(seq(not(seq(name, equals)), expressionLazy, equals), ([, a]) =>
      g.fail(a!, 'expression cannot contain assignment, perhaps you meant "=="?'),
    ),
  );
  const keyword = as("keyword", seq(name, equals, expressionLazy));
  const keywordOrStarred = alt(wrongKeyword, keyword, starred);
  const keywordOrUnpacked = alt(wrongKeyword, keyword, as("unpacked", seq(op("**"), expressionLazy)));
  const keywords = alt(
    seq(list(keywordOrStarred, comma), comma, list(keywordOrUnpacked, comma)),
    list(keywordOrStarred, comma),
    list(keywordOrUnpacked, comma),
  );
  const positional = alt(starred, seq(alt(walrusExpression, unwalrused), not(equals)));
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
    wrong(seq(expressionLazy, forIfClauses, comma, opt(alt(args, seq(expressionLazy, forIfClauses)))), ([a]) => g.fail(a!, parenthesize)),
    wrong(seq(name, equals, expressionLazy, forIfClauses), ([a]) => g.fail(a!, MEANT_COMPARISON)),
    wrong(seq(args, forIfClauses), ([a]) => {
      const given = positionals(a!);
      if (given.length > 1) g.fail(given.at(-1)!, parenthesize);
    }),
    wrong(seq(args, comma, expressionLazy, forIfClauses), ([, , a]) => g.fail(a!, parenthesize)),
    wrong(seq(args, comma, args), ([a]) =>
      g.failHere(`positional argument follows keyword argument${all(a!).some((m) => m.kind === "unpacked") ? " unpacking" : ""}`),
    ),
  );
  const callArguments = once(alt(seq(args, opt(comma), look(op(")"))), wrongArguments));
  const slice = alt(
    seq(opt(expressionLazy), op(":"), opt(expressionLazy), opt(seq(op(":"), opt(expressionLazy)))),
    lazy(() => named),
  );
  const slices = once(alt(seq(slice, not(comma)), seq(list(alt(slice, starred), comma), opt(comma))), true);

  // --- operators -----------------------------------------------------------------------------------
  const attribute = as("attribute", seq(op("."), name));
  const subscript = as("subscript", seq(op("["), slices, op("]")));
  const call = as("function call", alt(generator, seq(op("("), opt(callArguments), op(")"))));
  const trailer = alt(attribute, call, subscript);
  /** Something with what follows it, as long as `more` holds there. */
  const trailed =
    (head: Rule, more: Rule): Rule =>
    () => {
      const start = g.place();
      let match = head();
      if (!match || !more()) return undefined;
      for (;;) {
        const before: number = g.place();
        const next: Match | undefined = trailer();
        if (next && more()) match = { kind: next.kind, start, end: next.end, parts: [] };
        else {
          if (next) g.back(before);
          return match;
        }
      }
    };
  const primary = once(trailed(atom, () => EMPTY));
  const awaited = once(alt(as("await expression", seq(word("await"), primary)), primary));
  const factor: Rule = once(
    alt(
      as(
        "expression",
        seq(
          ops("+", "-", "~"),
          lazy(() => factor),
        ),
      ),
      as(
        "expression",
        seq(
          awaited,
          op("**"),
          lazy(() => factor),
        ),
      ),
      awaited,
    ),
  );
  /** Operands with operators between them, of which the last need not have its operand. */
  const binary = (kind: string, operand: Rule, operator: Rule): Rule => {
    const more = many(seq(operator, operand));
    return once(() => {
      const start = g.place();
      const first = operand();
      if (!first) return undefined;
      const rest = more()!;
      return rest.parts.length === 0 ? first : { kind, start, end: rest.end, parts: [first, ...rest.parts] };
    });
  };
  const term = binary("expression", factor, ops("*", "/", "//", "%", "@"));
  const sum = binary("expression", term, ops("+", "-"));
  const shift = binary("expression", sum, ops("<<", ">>"));
  const bitwiseAnd = binary("expression", shift, op("&"));
  const bitwiseXor = binary("expression", bitwiseAnd, op("^"));
  const bitwiseOr = binary("expression", bitwiseXor, op("|"));
  const comparison = binary(
    "comparison",
    bitwiseOr,
    alt(
      ops("==", "!=", "<=", "<", ">=", ">"),
      seq(word("not"), word("in")),
      as("in", word("in")),
      seq(word("is"), word("not")),
      word("is"),
    ),
  );
  const inversion: Rule = once(
    alt(
      as(
        "expression",
        seq(
          word("not"),
          lazy(() => inversion),
        ),
      ),
      comparison,
    ),
  );
  const conjunction = binary("expression", inversion, word("and"));
  const disjunction = binary("expression", conjunction, word("or"));

  // --- expressions ---------------------------------------------------------------------------------
  const ifExpression = as("conditional expression", seq(disjunction, word("if"), disjunction, word("else"), expressionLazy));
  const lambda = as("lambda", seq(word("lambda"), opt(lazy(() => lambdaParameters)), op(":"), expressionLazy));
  const plain = alt(ifExpression, disjunction, lambda);
  const legacy = token(({ kind, text }) => kind === "name" && isLegacy(text));
  // CPython compares as many letters as there are.
  const soft = token((t) => t.kind === "name" && ["_", "case", "match"].some((w) => w.startsWith(t.text)));
  const wrongExpression = alt(
    wrong(seq(not(alt(seq(name, string), soft)), disjunction, g.plainly(plain)), ([, a, b]) => {
      if (!isLegacy(g.first(a!).text) || a!.kind !== "name")
        if (depths[b!.end - 1]! > 0) g.fail(a!, "invalid syntax. Perhaps you forgot a comma?");
    }),
    wrong(seq(disjunction, word("if"), disjunction, not(alt(word("else"), op(":")))), ([a]) =>
      g.fail(a!, "expected 'else' after 'if' expression"),
    ),
    wrong(
      seq(
        legacy,
        not(op("(")),
        lazy(() => starExpressions),
      ),
      ([a]) => {
        const { text } = g.first(a!);
        g.fail(a!, `Missing parentheses in call to '${text}'. Did you mean ${text}(...)?`);
      },
    ),
  );
  const expression = once(alt(wrongExpression, plain));
  const starExpression = once(alt(as("starred", seq(op("*"), bitwiseOr)), expression));
  const starExpressions: Rule = () => {
    const match = seq(list(starExpression, comma), opt(comma))();
    const [items] = match?.parts ?? [];
    return (
      match && (items!.parts.length === 1 && items!.end === match.end ? items!.parts[0] : { ...match, kind: "tuple", parts: items!.parts })
    );
  };
  const wrongNamed = once(
    alt(
      wrong(seq(expression, walrus, expression), ([a]) => g.fail(a!, `cannot use assignment expressions with ${a!.kind}`)),
      wrong(seq(name, equals, bitwiseOr, not(alt(equals, walrus))), ([a]) => g.fail(a!, MEANT_COMPARISON)),
      wrong(
        seq(
          not(alt(listDisplay, tuple, generator, word("True"), word("None"), word("False"))),
          bitwiseOr,
          equals,
          bitwiseOr,
          not(alt(equals, walrus)),
        ),
        ([, a]) => g.fail(a!, `cannot assign to ${a!.kind} here. Maybe you meant '==' instead of '='?`),
      ),
    ),
  );
  const named = alt(walrusExpression, wrongNamed, first(seq(expression, not(walrus))));
  function first(rule: Rule): Rule {
    return () => rule()?.parts[0];
  }

  // --- targets -------------------------------------------------------------------------------------
  const lookahead = ops("(", "[", ".");
  const targetPrimary = once(trailed(atom, look(lookahead)));
  const trailedTarget = alt(seq(targetPrimary, attribute, not(lookahead)), seq(targetPrimary, subscript, not(lookahead)));
  const starTarget: Rule = once(
    alt(
      seq(
        op("*"),
        not(op("*")),
        lazy(() => starTarget),
      ),
      lazy(() => unstarredTarget),
    ),
  );
  const starTargetTuple = alt(seq(starTarget, many(seq(comma, starTarget), 1), opt(comma)), seq(starTarget, comma));
  const unstarredTarget = once(
    alt(
      trailedTarget,
      name,
      seq(
        op("("),
        lazy(() => unstarredTarget),
        op(")"),
      ),
      seq(op("("), opt(starTargetTuple), op(")")),
      seq(op("["), opt(seq(list(starTarget, comma), opt(comma))), op("]")),
    ),
  );
  const starTargets = alt(seq(starTarget, not(comma)), seq(starTarget, many(seq(comma, starTarget)), opt(comma)));
  const singleTarget: Rule = alt(
    trailedTarget,
    name,
    seq(
      op("("),
      lazy(() => singleTarget),
      op(")"),
    ),
  );
  const delTarget: Rule = once(
    alt(
      trailedTarget,
      name,
      seq(
        op("("),
        lazy(() => delTarget),
        op(")"),
      ),
      seq(op("("), opt(lazy(() => delTargets)), op(")")),
      seq(op("["), opt(lazy(() => delTargets)), op("]")),
    ),
  );
  const delTargets = seq(list(delTarget, comma), opt(comma));

  /** What of an expression cannot be assigned to or deleted. */
  const invalidTarget = (match: Match, targets: Targets): Match | undefined => {
    switch (match.kind) {
      case "name":
      case "attribute":
      case "subscript":
        return undefined;
      case "list":
      case "tuple":
        return elementsOf(match)
          .map((e) => invalidTarget(e, targets))
          .find((e) => e !== undefined);
      case "starred":
        return targets === "del" ? match : invalidTarget(match.parts[1]!, targets);
      case "comparison":
        if (targets !== "for") return match;
        return match.parts[1]!.parts[0]!.kind === "in" ? invalidTarget(match.parts[0]!, targets) : undefined;
      default:
        return match;
    }
  };
  const elementsOf = (match: Match): readonly Match[] => match.parts.flatMap((part) => (part.kind === "" ? elementsOf(part) : [part]));
  const refuseTarget = (match: Match, targets: Targets): void => {
    const found = invalidTarget(match, targets);
    if (found) g.fail(found, `cannot ${targets === "del" ? "delete" : "assign to"} ${found.kind}`);
  };

  // --- comprehensions ------------------------------------------------------------------------------
  const wrongForTarget = wrong(seq(opt(word("async")), word("for"), starExpressions), ([, , a]) => refuseTarget(a!, "for"));
  const forIn = seq(opt(word("async")), word("for"), starTargets, word("in"));
  const clauses = many(g.commit(forIn, seq(disjunction, many(seq(word("if"), disjunction))), wrongForTarget), 1);

  const words = { op, ops, name, comma, equals, expression, starExpression };
  const lambdaParameters = parameterRule(g, words, true);

  return {
    word,
    op,
    ops,
    name,
    comma,
    equals,
    number,
    strings,
    lazy,
    expression,
    expressions: seq(list(expression, comma), opt(comma)),
    starExpressions,
    starNamed,
    starNamedList,
    named,
    yieldExpression,
    bitwiseOr,
    tuple,
    listDisplay,
    callArguments,
    starTarget,
    starTargets,
    singleTarget,
    trailedTarget,
    delTargets,
    refuseTarget,
    wrongForTarget,
    parameters: parameterRule(g, words, false),
  };
}

const MEANT_COMPARISON = "invalid syntax. Maybe you meant '==' or ':=' instead of '='?";
const EMPTY: Match = { kind: "", start: 0, end: 0, parts: [] };
