/** Python's expressions and targets, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type * as ast from "../ast.js";
import { numberValue } from "../literals.js";
import type { Token } from "../tokens.js";
import { argumentsOf, parameterRule } from "./parameters.js";
import { type Build, type Match, nodesIn, type Peg, present, type Rule } from "./peg.js";
import type { StringReader } from "./strings.js";

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

/** A node without its place. */
export type Placeless<T> = T extends unknown ? Omit<T, "at"> : never;

/** `depths`: how many brackets are open after each token. */
export function expressionRules(g: Peg, depths: ArrayLike<number>, strings: StringReader) {
  const { seq, alt, many, opt, list, as, node, once, wrong, look, not, token, textOf, placeOf } = g;
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

  const starredBy = (operand: Rule): Rule =>
    as(
      "starred",
      made(seq(op("*"), operand), (m, ctx) => ({ kind: "Starred", value: expr(m.parts[1]!, ctx), ctx })),
    );
  const starNamed = alt(
    starredBy(bitwiseOrLazy),
    lazy(() => named),
  );
  const starNamedList = seq(list(starNamed, comma), opt(comma));
  const walrusExpression = as(
    "named expression",
    made(seq(name, walrus, expressionLazy), ({ parts }) => ({
      kind: "NamedExpr",
      target: expr(parts[0]!, "Store"),
      value: expr(parts[2]!),
    })),
  );
  const elements: (kind: "Tuple" | "List") => (m: Match, ctx: ast.Context) => Placeless<ast.Expr> = (kind) => (m, ctx) => ({
    kind,
    elts: nodesIn(m).map((e) => expr(e, ctx)),
    ctx,
  });
  const tupleOf = (rule: Rule): Rule => made(rule, elements("Tuple"));
  const listOf = (rule: Rule): Rule => made(rule, elements("List"));

  // --- atoms ---------------------------------------------------------------------------------------
  const starred = starredBy(expressionLazy);
  /** A construct that nothing looks into. */
  const unsupported = (rule: Rule, cpythonName: string): Rule => made(rule, () => ({ kind: "Unsupported", name: cpythonName }));
  const yieldExpression = as(
    "yield expression",
    alt(
      unsupported(seq(word("yield"), word("from"), expressionLazy), "YieldFrom"),
      unsupported(seq(word("yield"), opt(lazy(() => starExpressions))), "Yield"),
    ),
  );
  const tuple = once(as("tuple", tupleOf(seq(op("("), opt(seq(starNamed, comma, opt(starNamedList))), op(")")))), true);
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
  const unwalrused = first(seq(expressionLazy, not(walrus)));
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
  const namedLazy = lazy(() => named);
  const listComprehension = alt(comprehension("ListComp", "list comprehension", "[", namedLazy, "]"), wrongComprehension);
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
    wrong(seq(op("{"), op("**"), bitwiseOrLazy, forIfClauses, op("}")), ([, a]) =>
      g.fail(a!, "dict unpacking cannot be used in dict comprehension"),
    ),
  );
  const setComprehension = alt(comprehension("SetComp", "set comprehension", "{", namedLazy, "}"), wrongComprehension);
  const stringLiteral: Rule = once(() => {
    const match = many(string, 1)();
    if (!match) return undefined;
    const tokens = match.parts.map(g.first);
    for (const token of tokens) {
      if (isBytes(token) !== isBytes(tokens[0]!)) g.failHere("cannot mix bytes and nonbytes literals");
      const fault = strings.faultOf(token);
      if (fault?.offset !== undefined) g.raiseInside(fault.offset, fault.message);
      else if (fault) g.failHere(fault.message);
    }
    const isFormatted = tokens.some(({ text }) => /^[rR]?[fF]/.test(text));
    const build: Build = (m) => strings.build(tokens, placeOf(m));
    return { ...match, kind: isFormatted ? "f-string expression" : "literal", build };
  });
  const atom = once(
    alt(
      name,
      as(
        "True",
        constant(word("True"), () => true),
      ),
      as(
        "False",
        constant(word("False"), () => false),
      ),
      as(
        "None",
        constant(word("None"), () => null),
      ),
      stringLiteral,
      number,
      seqHead(op("("), alt(tuple, group, generator)),
      seqHead(op("["), alt(listDisplay, listComprehension)),
      seqHead(op("{"), alt(dict, set, dictComprehension, setComprehension)),
      as(
        "ellipsis",
        constant(op("..."), () => ({ kind: "ellipsis" })),
      ),
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
  const keyword = as(
    "keyword",
    node(seq(name, equals, expressionLazy), (m) => ({
      kind: "keyword",
      at: placeOf(m),
      arg: textOf(m.parts[0]!),
      value: expr(m.parts[2]!),
    })),
  );
  const unpacked = as(
    "unpacked",
    node(seq(op("**"), expressionLazy), (m) => ({ kind: "keyword", at: placeOf(m), arg: undefined, value: expr(m.parts[1]!) })),
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
    made(seq(opt(expressionLazy), op(":"), opt(expressionLazy), opt(seq(op(":"), opt(expressionLazy)))), ({ parts }) => ({
      kind: "Slice",
      lower: maybe(parts[0]),
      upper: maybe(parts[2]),
      step: maybe(parts[3]!.parts[1]),
    })),
    namedLazy,
  );
  const slices = once(alt(first(seq(slice, not(comma))), tupleOf(seq(list(alt(slice, starred), comma), opt(comma)))), true);

  // --- operators -----------------------------------------------------------------------------------
  const attribute = as("attribute", seq(op("."), name));
  const subscript = as("subscript", seq(op("["), slices, op("]")));
  const call = as("function call", alt(seq(generator), seq(op("("), opt(callArguments), op(")"))));
  const trailer = alt(attribute, call, subscript);
  /** An expression with an attribute, a call or a subscript after it. */
  const trailedNode: Build = (m, ctx): ast.Expr => {
    const [value, after] = [expr(m.parts[0]!), m.parts[1]!];
    const place = placeOf(m);
    if (m.kind === "attribute") return { kind: "Attribute", at: place, value, attr: textOf(after.parts[1]!), ctx };
    if (m.kind === "subscript") return { kind: "Subscript", at: place, value, slice: expr(after.parts[1]!), ctx };
    return { kind: "Call", at: place, func: value, ...argumentsIn(after) };
  };
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
        if (next && more()) match = { kind: next.kind, start, end: next.end, parts: [match, next], build: trailedNode };
        else {
          if (next) g.back(before);
          return match;
        }
      }
    };
  const primary = once(trailed(atom, () => EMPTY));
  const awaited = once(alt(as("await expression", unsupported(seq(word("await"), primary), "Await")), primary));
  const factorLazy = lazy(() => factor);
  const unary = (rule: Rule): Rule =>
    as(
      "expression",
      made(rule, ({ parts }) => ({ kind: "UnaryOp", op: UNARY[textOf(parts[0]!)]!, operand: expr(parts[1]!) })),
    );
  const factor: Rule = once(
    alt(
      unary(seq(ops("+", "-", "~"), factorLazy)),
      as(
        "expression",
        made(seq(awaited, op("**"), factorLazy), ({ parts }) => ({
          kind: "BinOp",
          left: expr(parts[0]!),
          op: "Pow",
          right: expr(parts[2]!),
        })),
      ),
      awaited,
    ),
  );
  /** Operands with operators between them, of which the last need not have its operand. */
  const chain = (kind: string, operand: Rule, operator: Rule, build: Build): Rule => {
    const more = many(seq(operator, operand));
    return once(() => {
      const start = g.place();
      const first = operand();
      if (!first) return undefined;
      const rest = more()!;
      return rest.parts.length === 0 ? first : { kind, start, end: rest.end, parts: [first, ...rest.parts], build };
    });
  };
  const binaryNode: Build = (m): ast.Expr =>
    m.parts.slice(1).reduce<ast.Expr>((left, { parts: [operator, operand], end }) => {
      const whole = { ...m, end };
      return { kind: "BinOp", at: placeOf(whole), left, op: BINARY[textOf(operator!)]!, right: expr(operand!) };
    }, expr(m.parts[0]!));
  const binary = (operand: Rule, operator: Rule): Rule => chain("expression", operand, operator, binaryNode);
  const boolean = (operand: Rule, keyword: string, operator: ast.BoolOp["op"]): Rule =>
    chain(
      "expression",
      operand,
      word(keyword),
      (m): ast.Expr => ({
        kind: "BoolOp",
        at: placeOf(m),
        op: operator,
        values: m.parts.map((part, i) => expr(i === 0 ? part : part.parts[1]!)),
      }),
    );
  const term = binary(factor, ops("*", "/", "//", "%", "@"));
  const sum = binary(term, ops("+", "-"));
  const shift = binary(sum, ops("<<", ">>"));
  const bitwiseAnd = binary(shift, op("&"));
  const bitwiseXor = binary(bitwiseAnd, op("^"));
  const bitwiseOr = binary(bitwiseXor, op("|"));
  const comparison = chain(
    "comparison",
    bitwiseOr,
    alt(
      ops("==", "!=", "<=", "<", ">=", ">"),
      seq(word("not"), word("in")),
      as("in", word("in")),
      seq(word("is"), word("not")),
      word("is"),
    ),
    (m): ast.Expr => {
      const [left, ...rest] = m.parts;
      const operatorOf = (match: Match): string => (match.parts.length === 0 ? textOf(match) : match.parts.map(textOf).join(" "));
      return {
        kind: "Compare",
        at: placeOf(m),
        left: expr(left!),
        ops: rest.map(({ parts }) => COMPARE[operatorOf(parts[0]!)]!),
        comparators: rest.map(({ parts }) => expr(parts[1]!)),
      };
    },
  );
  const inversion: Rule = once(
    alt(
      unary(
        seq(
          word("not"),
          lazy(() => inversion),
        ),
      ),
      comparison,
    ),
  );
  const conjunction = boolean(inversion, "and", "And");
  const disjunction = boolean(conjunction, "or", "Or");

  // --- expressions ---------------------------------------------------------------------------------
  const ifExpression = as(
    "conditional expression",
    made(seq(disjunction, word("if"), disjunction, word("else"), expressionLazy), ({ parts }) => ({
      kind: "IfExp",
      test: expr(parts[2]!),
      body: expr(parts[0]!),
      orelse: expr(parts[4]!),
    })),
  );
  const lambda = as(
    "lambda",
    made(seq(word("lambda"), opt(lazy(() => lambdaParameters)), op(":"), expressionLazy), ({ parts }) => ({
      kind: "Lambda",
      args: argumentsOf(g, parts[1]!),
      body: expr(parts[3]!),
    })),
  );
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
  const expression = alone(once(alt(wrongExpression, plain)));
  const starExpression = once(alt(starredBy(bitwiseOr), expression));
  const tupleWithoutBrackets = as("tuple", tupleOf(seq(list(starExpression, comma), opt(comma))));
  const starExpressions: Rule = () => {
    const match = tupleWithoutBrackets();
    const [items] = match?.parts ?? [];
    return match && (items!.parts.length === 1 && items!.end === match.end ? items!.parts[0] : { ...match, parts: items!.parts });
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
  const named = alone(alt(walrusExpression, wrongNamed, first(seq(expression, not(walrus)))));
  /** A name or number before a comma or a closing bracket is the whole expression: lists of many need not go through every rule, nor remember it. */
  function alone(rule: Rule): Rule {
    return () => {
      const start = g.place();
      const match = number() ?? name();
      if (match && isEnd(g.peek())) return match;
      g.back(start);
      return rule();
    };
  }
  function first(rule: Rule): Rule {
    return () => rule()?.parts[0];
  }

  // --- targets -------------------------------------------------------------------------------------
  const lookahead = ops("(", "[", ".");
  const targetPrimary = once(trailed(atom, look(lookahead)));
  const trailedTarget = alt(
    as("attribute", node(seq(targetPrimary, attribute, not(lookahead)), trailedNode)),
    as("subscript", node(seq(targetPrimary, subscript, not(lookahead)), trailedNode)),
  );
  const starTarget: Rule = once(
    alt(
      made(
        seq(
          op("*"),
          not(op("*")),
          lazy(() => starTarget),
        ),
        (m, ctx) => ({ kind: "Starred", value: expr(m.parts[2]!, ctx), ctx }),
      ),
      lazy(() => unstarredTarget),
    ),
  );
  const starTargetTuple = alt(seq(starTarget, many(seq(comma, starTarget), 1), opt(comma)), seq(starTarget, comma));
  const unstarredTarget = once(
    alt(
      trailedTarget,
      name,
      inner(
        seq(
          op("("),
          lazy(() => unstarredTarget),
          op(")"),
        ),
      ),
      tupleOf(seq(op("("), opt(starTargetTuple), op(")"))),
      listOf(seq(op("["), opt(seq(list(starTarget, comma), opt(comma))), op("]"))),
    ),
  );
  const starTargets = alt(first(seq(starTarget, not(comma))), tupleOf(seq(starTarget, many(seq(comma, starTarget)), opt(comma))));
  const singleTarget: Rule = alt(
    trailedTarget,
    name,
    inner(
      seq(
        op("("),
        lazy(() => singleTarget),
        op(")"),
      ),
    ),
  );
  const delTarget: Rule = once(
    alt(
      trailedTarget,
      name,
      inner(
        seq(
          op("("),
          lazy(() => delTarget),
          op(")"),
        ),
      ),
      tupleOf(seq(op("("), opt(lazy(() => delTargets)), op(")"))),
      listOf(seq(op("["), opt(lazy(() => delTargets)), op("]"))),
    ),
  );
  const delTargets = seq(list(delTarget, comma), opt(comma));

  /** The part of an expression that cannot be assigned to or deleted. */
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
  /** The `for` and `if` parts of a comprehension. */
  function comprehensions(match: Match): readonly ast.Comprehension[] {
    return match.parts.map(({ parts: [head, rest] }) => ({
      target: expr(head!.parts[2]!, "Store"),
      iter: expr(rest!.parts[0]!),
      ifs: nodesIn(rest!.parts[1]!).map((test) => expr(test)),
    }));
  }
  /** Positional and keyword arguments of a call or a class. */
  function argumentsIn(match: Match): { readonly args: readonly ast.Expr[]; readonly keywords: readonly ast.Keyword[] } {
    const given = nodesIn(match).map((m) => m.build!(m, "Load") as ast.Expr | ast.Keyword);
    const isKeyword = (arg: ast.Expr | ast.Keyword): arg is ast.Keyword => arg.kind === "keyword";
    return { args: given.filter((arg) => !isKeyword(arg)) as ast.Expr[], keywords: given.filter(isKeyword) };
  }
  const clauses = many(g.commit(forIn, seq(disjunction, many(seq(word("if"), disjunction))), wrongForTarget), 1);

  const words = { op, ops, name, comma, equals, expression, starExpression };
  const lambdaParameters = parameterRule(g, words, true);

  return {
    argumentsIn,
    unsupported,
    inner,
    first,
    word,
    op,
    ops,
    name,
    comma,
    equals,
    number,
    strings: stringLiteral,
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
const isEnd = ({ kind, text }: Token): boolean => kind === "op" && (text === "," || text === ")" || text === "]" || text === "}");
const EMPTY: Match = { kind: "", start: 0, end: 0, parts: [], build: undefined };

/** The node of a match that is an expression. */
export const expr = (match: Match, context: ast.Context = "Load"): ast.Expr => match.build!(match, context) as ast.Expr;
/** The same for a match that may be empty. */
export const maybe = (match: Match | undefined): ast.Expr | undefined => (match && present(match) ? expr(match) : undefined);

export const BINARY: Readonly<Record<string, ast.BinaryOperator>> = {
  "+": "Add",
  "-": "Sub",
  "*": "Mult",
  "@": "MatMult",
  "/": "Div",
  "%": "Mod",
  "**": "Pow",
  "<<": "LShift",
  ">>": "RShift",
  "|": "BitOr",
  "^": "BitXor",
  "&": "BitAnd",
  "//": "FloorDiv",
};
const UNARY: Readonly<Record<string, ast.UnaryOperator>> = { "~": "Invert", "+": "UAdd", "-": "USub", not: "Not" };
const COMPARE: Readonly<Record<string, ast.CompareOperator>> = {
  "==": "Eq",
  "!=": "NotEq",
  "<": "Lt",
  "<=": "LtE",
  ">": "Gt",
  ">=": "GtE",
  is: "Is",
  "is not": "IsNot",
  in: "In",
  "not in": "NotIn",
};
