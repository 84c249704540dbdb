/** Python's statements, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import type * as ast from "../ast.js";
import { argumentsIn } from "./call-arguments.js";
import { BINARY, expressionRules } from "./expressions.js";
import { argumentsOf } from "./parameters.js";
import { type Match, nodesIn, type Peg, present, type Rule } from "./peg.js";
import type { StringReader } from "./strings.js";
import { expr, maybe, type Placeless } from "./words.js";

/** The rule for one statement. `lineOf`: the line of an offset. */
export function statementRule(g: Peg, depths: ArrayLike<number>, strings: StringReader, lineOf: (offset: number) => number): Rule {
  const { seq, alt, many, opt, list, node, once, wrong, look, not, token, must, textOf, placeOf } = g;
  const e = expressionRules(g, depths, strings);
  const { word, op, ops, name, comma, equals, lazy, expression, named, starExpressions, inner } = e;
  /** A rule whose match is a statement. */
  const made = (rule: Rule, parts: (match: Match) => Placeless<ast.Stmt>): Rule => node(rule, (m) => ({ ...parts(m), at: placeOf(m) }));
  /** One that nothing looks into, by CPython's name. */
  const unsupported = (rule: Rule, cpythonName: string): Rule => made(rule, () => ({ kind: "Unsupported", name: cpythonName }));
  const statementsIn = (block: Match): readonly ast.Stmt[] => nodesIn(block).map((m) => m.build!(m, "Load") as ast.Stmt);
  const newline = token((t) => t.kind === "newline");
  const indent = token((t) => t.kind === "indent");
  const dedent = token((t) => t.kind === "dedent");
  const colon = op(":");
  const mustColon = must(colon, ":");
  const as = opt(seq(word("as"), name));
  const async = opt(word("async"));

  // --- simple statements ---------------------------------------------------------------------------
  const value = alt(e.yieldExpression, starExpressions);
  const annotated = (target: Rule): Rule =>
    made(seq(target, colon, expression, opt(seq(equals, value))), ({ parts }) => ({
      kind: "AnnAssign",
      target: expr(parts[0]!, "Store"),
      annotation: expr(parts[2]!),
      value: maybe(parts[3]!.parts[1]),
    }));
  const augmented = ops("+=", "-=", "*=", "@=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "**=", "//=");
  const assigned = many(seq(e.starTargets, equals));
  const wrongAnnotated: Rule = alt(e.listDisplay, e.tuple, (): Match | undefined => seq(op("("), wrongAnnotated, op(")"))()?.parts[1]);
  const wrongAssignment = alt(
    wrong(seq(wrongAnnotated, colon, expression), ([a]) => g.fail(a!, `only single target (not ${a!.kind}) can be annotated`)),
    wrong(seq(e.starNamed, comma, many(e.starNamedList), colon, expression), ([a]) =>
      g.fail(a!, "only single target (not tuple) can be annotated"),
    ),
    wrong(seq(expression, colon, expression), ([a]) => g.fail(a!, "illegal target for annotation")),
    wrong(seq(assigned, starExpressions, equals), ([, a]) => e.refuseTarget(a!, "star")),
    wrong(seq(assigned, e.yieldExpression, equals), ([, a]) => g.fail(a!, "assignment to yield expression not possible")),
    wrong(seq(starExpressions, augmented, value), ([a]) => g.fail(a!, `'${a!.kind}' is an illegal expression for augmented assignment`)),
  );
  const assignment = alt(
    annotated(name),
    annotated(alt(inner(seq(op("("), e.singleTarget, op(")"))), e.trailedTarget)),
    made(seq(many(seq(e.starTargets, equals), 1), value, not(equals)), ({ parts: [targets, assignedValue] }) => ({
      kind: "Assign",
      targets: targets!.parts.map(({ parts: [target] }) => expr(target!, "Store")),
      value: expr(assignedValue!),
    })),
    made(g.commit(seq(e.singleTarget, augmented), value, wrongAssignment), ({ parts: [head, assignedValue] }) => ({
      kind: "AugAssign",
      target: expr(head!.parts[0]!, "Store"),
      op: BINARY[textOf(head!.parts[1]!).slice(0, -1)]!,
      value: expr(assignedValue!),
    })),
  );
  const dotted = list(name, op("."));
  const dots = ops(".", "...");
  const importedNames = list(seq(name, as), comma);
  const imported = alt(
    seq(op("("), importedNames, opt(comma), op(")")),
    seq(importedNames, not(comma)),
    seq(op("*")),
    wrong(seq(importedNames, comma, newline), () => g.failHere("trailing comma not allowed without surrounding parentheses")),
  );
  const moduleName = (match: Match): string => match.parts.map(textOf).join(".");
  /** `name as other`: the name is text, or a path of names. */
  const aliasOf = ({ parts: [imports, other] }: Match): ast.Alias => ({
    name: imports!.build ? textOf(imports!) : moduleName(imports!),
    asname: other!.parts[1] && textOf(other!.parts[1]),
  });
  const importFrom = (rule: Rule, dotsAt: number, moduleAt: number | undefined): Rule =>
    made(rule, ({ parts }) => {
      const what = parts.at(-1)!;
      const names = what.parts.find((part) => part.parts.length > 0)?.parts;
      return {
        kind: "ImportFrom",
        module: moduleAt === undefined ? "" : moduleName(parts[moduleAt]!),
        names: names?.map(aliasOf) ?? [{ name: "*", asname: undefined }],
        level: parts[dotsAt]!.parts.reduce((sum, part) => sum + textOf(part).length, 0),
      };
    });
  const keywordStatement = (keyword: string, kind: ast.Simple["kind"]): Rule => made(word(keyword), () => ({ kind }));
  const asserted = seq(word("assert"), expression, opt(seq(comma, expression)));
  const simple = once(
    alt(
      assignment,
      made(seq(starExpressions), ({ parts }) => ({ kind: "Expr", value: expr(parts[0]!) })),
      made(seq(word("return"), opt(starExpressions)), ({ parts }) => ({ kind: "Return", value: maybe(parts[1]) })),
      made(seq(word("import"), list(seq(dotted, as), comma)), ({ parts }) => ({ kind: "Import", names: parts[1]!.parts.map(aliasOf) })),
      importFrom(seq(word("from"), many(dots), dotted, word("import"), imported), 1, 2),
      importFrom(seq(word("from"), many(dots, 1), word("import"), imported), 1, undefined),
      made(seq(word("raise"), expression, opt(seq(word("from"), expression))), ({ parts }) => ({
        kind: "Raise",
        exc: expr(parts[1]!),
        cause: maybe(parts[2]!.parts[1]),
      })),
      made(word("raise"), () => ({ kind: "Raise", exc: undefined, cause: undefined })),
      keywordStatement("pass", "Pass"),
      keywordStatement("break", "Break"),
      keywordStatement("continue", "Continue"),
      made(seq(word("del"), e.delTargets, look(alt(op(";"), newline))), ({ parts }) => ({
        kind: "Delete",
        targets: nodesIn(parts[1]!).map((target) => expr(target, "Del")),
      })),
      wrong(seq(word("del"), starExpressions), ([, a]) => e.refuseTarget(a!, "del")),
      made(seq(e.yieldExpression), ({ parts }) => ({ kind: "Expr", value: expr(parts[0]!) })),
      made(asserted, ({ parts }) => ({ kind: "Assert", test: expr(parts[1]!), msg: maybe(parts[2]!.parts[1]) })),
      made(seq(alt(word("global"), word("nonlocal")), list(name, comma)), ({ parts }) => ({
        kind: textOf(parts[0]!) === "global" ? "Global" : "Nonlocal",
        names: parts[1]!.parts.map(textOf),
      })),
    ),
  );
  const simples = seq(list(simple, op(";")), opt(op(";")), newline);

  // --- blocks --------------------------------------------------------------------------------------
  const block = once(
    alt(
      seq(
        newline,
        indent,
        many(
          lazy(() => statement),
          1,
        ),
        dedent,
      ),
      simples,
      wrong(seq(newline, not(indent)), () => g.failHere("expected an indented block", "IndentationError")),
    ),
  );
  /** `head: NEWLINE` without a block. */
  const noBlock = (what: string, head: Rule, keyword = 0): Rule =>
    wrong(seq(head, colon, newline, not(indent)), ([a]) => {
      const line = lineOf(g.first(keyword === 0 ? a! : a!.parts[keyword]!).start);
      g.failHere(`expected an indented block after ${what} on line ${line}`, "IndentationError");
    });
  const noColon = (head: Rule): Rule => wrong(seq(head, newline), () => g.failHere("expected ':'"));
  const elseBlock = alt(noBlock("'else' statement", word("else")), seq(word("else"), mustColon, block));
  const orelseOf = (part: Match | undefined): readonly ast.Stmt[] => (part && present(part) ? statementsIn(part) : []);

  const condition = (keyword: string, rest: Rule, build: (m: Match) => Placeless<ast.Stmt>): Rule => {
    const head = seq(word(keyword), named);
    return alt(noColon(head), noBlock(`'${keyword}' statement`, head), made(seq(head, colon, block, rest), build));
  };
  const testAndBody = ({ parts: [head, , body] }: Match) => ({ test: expr(head!.parts[1]!), body: statementsIn(body!) });
  const elifs: Rule = many(condition("elif", seq(), (m) => ({ kind: "If", ...testAndBody(m), orelse: [] })));
  /** Each `elif` is an If of its own in the `else` of the one before it; all of them end where the statement ends. */
  const ifStatement = condition("if", seq(elifs, opt(elseBlock)), (m) => {
    const [rest, last] = m.parts[3]!.parts;
    let orelse = orelseOf(last);
    for (const elif of rest!.parts.toReversed())
      orelse = [{ kind: "If", at: placeOf({ ...elif, end: m.end }), ...testAndBody(elif), orelse }];
    return { kind: "If", ...testAndBody(m), orelse };
  });
  const whileStatement = condition("while", opt(elseBlock), (m) => ({ kind: "While", ...testAndBody(m), orelse: orelseOf(m.parts[3]) }));

  /** The statement, or its name alone where `async` is before it: nothing of that runs while compiling. */
  const unlessAsync = (head: Match, cpythonName: string, build: () => Placeless<ast.Stmt>): Placeless<ast.Stmt> =>
    present(head.parts[0]!) ? { kind: "Unsupported", name: cpythonName } : build();
  const forHead = seq(async, word("for"), e.starTargets, word("in"));
  const forWhole = seq(async, word("for"), e.starTargets, word("in"), starExpressions);
  const forStatement = alt(
    noColon(forWhole),
    noBlock("'for' statement", forWhole, 1),
    made(g.commit(forHead, seq(starExpressions, colon, block, opt(elseBlock)), e.wrongForTarget), ({ parts: [head, rest] }) =>
      unlessAsync(head!, "AsyncFor", () => ({
        kind: "For",
        target: expr(head!.parts[2]!, "Store"),
        iter: expr(rest!.parts[0]!),
        body: statementsIn(rest!.parts[2]!),
        orelse: orelseOf(rest!.parts[3]),
      })),
    ),
  );

  const withHead = seq(async, word("with"));
  const withAs = opt(seq(word("as"), e.starTarget));
  const withPlain = seq(async, word("with"), list(seq(expression, withAs), comma));
  const withParentheses = seq(async, word("with"), op("("), list(seq(e.expressions, withAs), comma), opt(comma), op(")"));
  const afterItem = look(ops(",", ")", ":"));
  const withItem = alt(
    seq(expression, word("as"), e.starTarget, afterItem),
    wrong(seq(expression, word("as"), expression, afterItem), ([, , a]) => e.refuseTarget(a!, "star")),
    expression,
  );
  const withNode = (m: Match, items: Match): Placeless<ast.Stmt> =>
    unlessAsync(m.parts[0]!, "AsyncWith", () => ({
      kind: "With",
      items: items.parts.map((item) => ({
        contextExpr: expr(item.build ? item : item.parts[0]!),
        optionalVars: item.build ? undefined : expr(item.parts[2]!, "Store"),
      })),
      body: statementsIn(m.parts.at(-1)!),
    }));
  const withStatement = alt(
    noBlock("'with' statement", withPlain, 1),
    noBlock("'with' statement", withParentheses, 1),
    made(seq(withHead, op("("), list(withItem, comma), opt(comma), op(")"), colon, block), (m) => withNode(m, m.parts[2]!)),
    made(seq(withHead, list(withItem, comma), colon, block), (m) => withNode(m, m.parts[1]!)),
    noColon(withPlain),
    noColon(withParentheses),
  );

  // --- try -----------------------------------------------------------------------------------------
  const except = word("except");
  const star = op("*");
  const wrongExcept = alt(
    wrong(seq(except, opt(star), expression, comma, e.expressions, as, colon), ([, , a]) =>
      g.fail(a!, "multiple exception types must be parenthesized"),
    ),
    noColon(seq(except, opt(star), expression, as)),
    noColon(except),
    wrong(seq(except, star, alt(newline, colon)), () => g.failHere("expected one or more exception types")),
  );
  const handler = alt(
    noBlock("'except' statement", seq(except, expression, as)),
    noBlock("'except' statement", except),
    seq(except, expression, as, colon, block),
    seq(except, colon, block),
    wrongExcept,
  );
  const starHandler = alt(
    noBlock("'except*' statement", seq(except, star, expression, as)),
    seq(except, star, expression, as, colon, block),
    wrongExcept,
  );
  const finallyBlock = alt(noBlock("'finally' statement", word("finally")), seq(word("finally"), mustColon, block));
  const both = "cannot have both 'except' and 'except*' on the same 'try'";
  const tried = seq(word("try"), mustColon, block);
  const handlerOf = ({ parts }: Match): ast.ExceptHandler => {
    const [type, other] = parts.length === 5 ? [parts[1]!, parts[2]!] : [];
    return {
      type: type && expr(type),
      name: other?.parts[1] && textOf(other.parts[1]),
      body: statementsIn(parts.at(-1)!),
    };
  };
  const tryStatement = alt(
    noBlock("'try' statement", word("try")),
    wrong(seq(word("try"), colon, block, not(alt(except, word("finally")))), () => g.failHere("expected 'except' or 'finally' block")),
    wrong(seq(word("try"), colon, many(block), many(handler, 1), except, star, expression, as, colon), ([, , , , a]) => g.fail(a!, both)),
    wrong(seq(word("try"), colon, many(block), many(starHandler, 1), except, opt(seq(expression, as)), colon), ([, , , , a]) =>
      g.fail(a!, both),
    ),
    made(seq(tried, finallyBlock), ({ parts: [body, last] }) => ({
      kind: "Try",
      body: statementsIn(body!),
      handlers: [],
      orelse: [],
      finalbody: statementsIn(last!),
    })),
    made(seq(tried, many(handler, 1), opt(elseBlock), opt(finallyBlock)), ({ parts: [body, handlers, orelse, last] }) => ({
      kind: "Try",
      body: statementsIn(body!),
      handlers: handlers!.parts.map(handlerOf),
      orelse: orelseOf(orelse),
      finalbody: orelseOf(last),
    })),
    unsupported(seq(tried, many(starHandler, 1), opt(elseBlock), opt(finallyBlock)), "TryStar"),
  );

  // --- match ---------------------------------------------------------------------------------------
  const pattern: Rule = lazy(() => alt(seq(alternatives, word("as"), name), wrongAs, alternatives));
  const starPattern = alt(seq(star, name), pattern);
  const patternList = seq(list(starPattern, comma), opt(comma));
  const signed = seq(opt(op("-")), e.number);
  const literal = alt(
    seq(signed, ops("+", "-"), e.number),
    seq(signed, not(ops("+", "-"))),
    e.strings,
    ...["None", "True", "False"].map(word),
  );
  const dottedName = list(name, op("."));
  const keywordPattern = seq(name, equals, pattern);
  const unpackedRest = seq(op("**"), name);
  const pairPattern = alt(seq(alt(literal, dottedName), colon, pattern), unpackedRest);
  const closed = once(
    alt(
      literal,
      seq(name, not(ops(".", "(", "="))),
      seq(dottedName, not(ops(".", "(", "="))),
      seq(op("("), pattern, op(")")),
      seq(ops("[", "("), opt(patternList), ops("]", ")")),
      seq(op("{"), opt(seq(list(pairPattern, comma), opt(comma))), op("}")),
      seq(dottedName, op("("), opt(seq(list(alt(keywordPattern, pattern), comma), opt(comma))), op(")")),
    ),
  );
  const alternatives = list(closed, op("|"));
  const wrongAs = alt(
    wrong(seq(alternatives, word("as"), word("_")), ([, , a]) => g.fail(a!, "cannot use '_' as a target")),
    wrong(seq(alternatives, word("as"), not(name), expression), ([, , , a]) => g.fail(a!, "invalid pattern target")),
  );
  const caseHead = seq(word("case"), alt(seq(starPattern, comma, opt(patternList)), pattern), opt(seq(word("if"), named)));
  const caseBlock = alt(noColon(caseHead), noBlock("'case' statement", caseHead), seq(caseHead, colon, block));
  const matchHead = seq(word("match"), alt(seq(e.starNamed, comma, opt(e.starNamedList)), named));
  const matchStatement = alt(
    unsupported(seq(matchHead, colon, newline, indent, many(caseBlock, 1), dedent), "Match"),
    noColon(matchHead),
    noBlock("'match' statement", matchHead),
  );

  // --- definitions ---------------------------------------------------------------------------------
  const decorators = many(seq(op("@"), named, newline), 1);
  const returns = opt(seq(op("->"), expression));
  const defWhole = seq(async, word("def"), name, op("("), opt(e.parameters), op(")"), returns);
  const definition = alt(
    noBlock("function definition", defWhole, 1),
    made(seq(async, word("def"), name, must(op("("), "("), opt(e.parameters), op(")"), returns, mustColon, block), (m) => ({
      kind: present(m.parts[0]!) ? "AsyncFunctionDef" : "FunctionDef",
      name: textOf(m.parts[2]!),
      args: argumentsOf(g, m.parts[4]!),
      body: statementsIn(m.parts[8]!),
      decorators: [],
      returns: maybe(m.parts[6]!.parts[1]),
    })),
  );
  const classHead = seq(word("class"), name, opt(seq(op("("), opt(e.callArguments), op(")"))));
  const classNode = made(seq(classHead, colon, block), ({ parts: [head, , body] }) => {
    const { args: bases, keywords } = argumentsIn(head!.parts[2]!);
    return { kind: "ClassDef", name: textOf(head!.parts[1]!), bases, keywords, body: statementsIn(body!), decorators: [] };
  });
  const classDefinition = alt(noColon(classHead), noBlock("class definition", classHead), classNode);

  const decorated = (rule: Rule): Rule =>
    node(seq(decorators, rule), ({ parts: [before, after] }) => ({
      ...(after!.build!(after!, "Load") as ast.Stmt),
      decorators: nodesIn(before!).map((decorator) => expr(decorator)),
    }));
  const compound = alt(
    seq(look(alt(word("def"), op("@"), word("async"))), alt(decorated(definition), definition)),
    seq(look(word("if")), ifStatement),
    seq(look(alt(word("class"), op("@"))), alt(decorated(classDefinition), classDefinition)),
    seq(look(alt(word("with"), word("async"))), withStatement),
    seq(look(alt(word("for"), word("async"))), forStatement),
    seq(look(word("try")), tryStatement),
    seq(look(word("while")), whileStatement),
    matchStatement,
  );
  const statement: Rule = alt(compound, simples);
  return statement;
}
