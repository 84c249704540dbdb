/** Python's expressions, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type * as ast from "../ast.js";
import type { Token } from "../tokens.js";
import { bracketRules } from "./brackets.js";
import { argumentsIn, argumentsRule } from "./call-arguments.js";
import { argumentsOf, parameterRule } from "./parameters.js";
import type { Build, Match, Peg, Rule } from "./peg.js";
import type { StringReader } from "./strings.js";
import { targetRules } from "./targets.js";
import { expr, MEANT_COMPARISON, makeWords, maybe } from "./words.js";

const isBytes = ({ text }: Token): boolean => /^[rR]?[bB]/.test(text);
const isLegacy = (text: string): boolean => text === "print" || text === "exec";

/** `depths`: how many brackets are open after each token. */
export function expressionRules(g: Peg, depths: ArrayLike<number>, strings: StringReader) {
  const { seq, alt, many, opt, list, as, once, wrong, not, token, textOf, placeOf } = g;
  const w = makeWords(g);
  const { word, op, ops, made, constant, name, number, comma, equals, walrus, lazy, tupleOf, unsupported, first } = w;
  const string = token((t) => t.kind === "string");

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

  // --- atoms ---------------------------------------------------------------------------------------
  const starred = starredBy(expressionLazy);
  const yieldExpression = as(
    "yield expression",
    alt(
      unsupported(seq(word("yield"), word("from"), expressionLazy), "YieldFrom"),
      unsupported(seq(word("yield"), opt(lazy(() => starExpressions))), "Yield"),
    ),
  );
  const unwalrused = first(seq(expressionLazy, not(walrus)));
  const namedLazy = lazy(() => named);
  const { tuple, generator, listDisplay, brackets } = bracketRules(g, w, {
    expression: expressionLazy,
    named: namedLazy,
    bitwiseOr: bitwiseOrLazy,
    starred,
    starNamed,
    starNamedList,
    walrusExpression,
    unwalrused,
    yieldExpression,
    forIfClauses,
  });
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
      brackets,
      as(
        "ellipsis",
        constant(op("..."), () => ({ kind: "ellipsis" })),
      ),
    ),
    true,
  );

  // --- arguments -----------------------------------------------------------------------------------
  const callArguments = argumentsRule(g, w, { expression: expressionLazy, starred, walrusExpression, unwalrused, forIfClauses });
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

  // --- targets and comprehensions ------------------------------------------------------------------
  const targets = targetRules(g, w, { atom, attribute, subscript, trailed, trailedNode });
  const wrongForTarget = wrong(seq(opt(word("async")), word("for"), starExpressions), ([, , a]) => targets.refuseTarget(a!, "for"));
  const forIn = seq(opt(word("async")), word("for"), targets.starTargets, word("in"));
  const clauses = many(g.commit(forIn, seq(disjunction, many(seq(word("if"), disjunction))), wrongForTarget), 1);

  const lambdaParameters = parameterRule(g, w, expression, starExpression, true);

  return {
    ...w,
    ...targets,
    strings: stringLiteral,
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
    wrongForTarget,
    parameters: parameterRule(g, w, expression, starExpression, false),
  };
}

const isEnd = ({ kind, text }: Token): boolean => kind === "op" && (text === "," || text === ")" || text === "]" || text === "}");
const EMPTY: Match = { kind: "", start: 0, end: 0, parts: [], build: undefined };

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
