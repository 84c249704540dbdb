/** Python's statements, with what is often wrong in them. Source: CPython 3.11's Grammar/python.gram. */
import { expressionRules } from "./expressions.js";
import type { Match, Peg, Rule } from "./peg.js";

/** The rule for one statement. `lineOf`: the line of an offset. */
export function statementRule(g: Peg, depths: ArrayLike<number>, lineOf: (offset: number) => number): Rule {
  const { seq, alt, many, opt, list, once, wrong, look, not, token, must } = g;
  const e = expressionRules(g, depths);
  const { word, op, ops, name, comma, equals, lazy, expression, named, starExpressions } = e;
  const newline = token((t) => t.kind === "newline");
  const indent = token((t) => t.kind === "indent");
  const dedent = token((t) => t.kind === "dedent");
  const colon = op(":");
  const mustColon = must(colon, ":");
  const as = opt(seq(word("as"), name));
  const async = opt(word("async"));

  // --- simple statements ---------------------------------------------------------------------------
  const value = alt(e.yieldExpression, starExpressions);
  const annotation = seq(colon, expression, opt(seq(equals, value)));
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
    seq(name, annotation),
    seq(alt(seq(op("("), e.singleTarget, op(")")), e.trailedTarget), annotation),
    seq(many(seq(e.starTargets, equals), 1), value, not(equals)),
    g.commit(seq(e.singleTarget, augmented), value, wrongAssignment),
  );
  const dotted = list(name, op("."));
  const dots = ops(".", "...");
  const importedNames = list(seq(name, as), comma);
  const imported = alt(
    seq(op("("), importedNames, opt(comma), op(")")),
    seq(importedNames, not(comma)),
    op("*"),
    wrong(seq(importedNames, comma, newline), () => g.failHere("trailing comma not allowed without surrounding parentheses")),
  );
  const simple = once(
    alt(
      assignment,
      starExpressions,
      seq(word("return"), opt(starExpressions)),
      seq(word("import"), list(seq(dotted, as), comma)),
      seq(word("from"), many(dots), dotted, word("import"), imported),
      seq(word("from"), many(dots, 1), word("import"), imported),
      seq(word("raise"), expression, opt(seq(word("from"), expression))),
      ...["raise", "pass", "break", "continue"].map(word),
      seq(word("del"), e.delTargets, look(alt(op(";"), newline))),
      wrong(seq(word("del"), starExpressions), ([, a]) => e.refuseTarget(a!, "del")),
      e.yieldExpression,
      seq(word("assert"), expression, opt(seq(comma, expression))),
      seq(alt(word("global"), word("nonlocal")), list(name, comma)),
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

  const condition = (keyword: string, rest: Rule): Rule => {
    const head = seq(word(keyword), named);
    return alt(noColon(head), noBlock(`'${keyword}' statement`, head), seq(head, colon, block, rest));
  };
  const elifs: Rule = many(condition("elif", seq()));
  const ifStatement = condition("if", seq(elifs, opt(elseBlock)));
  const whileStatement = condition("while", opt(elseBlock));

  const forHead = seq(async, word("for"), e.starTargets, word("in"));
  const forWhole = seq(async, word("for"), e.starTargets, word("in"), starExpressions);
  const forStatement = alt(
    noColon(forWhole),
    noBlock("'for' statement", forWhole, 1),
    g.commit(forHead, seq(starExpressions, colon, block, opt(elseBlock)), e.wrongForTarget),
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
  const withStatement = alt(
    noBlock("'with' statement", withPlain, 1),
    noBlock("'with' statement", withParentheses, 1),
    seq(withHead, op("("), list(withItem, comma), opt(comma), op(")"), colon, block),
    seq(withHead, list(withItem, comma), colon, block),
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
  const tryStatement = alt(
    noBlock("'try' statement", word("try")),
    wrong(seq(word("try"), colon, block, not(alt(except, word("finally")))), () => g.failHere("expected 'except' or 'finally' block")),
    wrong(seq(word("try"), colon, many(block), many(handler, 1), except, star, expression, as, colon), ([, , , , a]) => g.fail(a!, both)),
    wrong(seq(word("try"), colon, many(block), many(starHandler, 1), except, opt(seq(expression, as)), colon), ([, , , , a]) =>
      g.fail(a!, both),
    ),
    seq(tried, finallyBlock),
    seq(tried, many(handler, 1), opt(elseBlock), opt(finallyBlock)),
    seq(tried, many(starHandler, 1), opt(elseBlock), opt(finallyBlock)),
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
    seq(matchHead, colon, newline, indent, many(caseBlock, 1), dedent),
    noColon(matchHead),
    noBlock("'match' statement", matchHead),
  );

  // --- definitions ---------------------------------------------------------------------------------
  const decorators = many(seq(op("@"), named, newline), 1);
  const returns = opt(seq(op("->"), expression));
  const defWhole = seq(async, word("def"), name, op("("), opt(e.parameters), op(")"), returns);
  const definition = alt(
    noBlock("function definition", defWhole, 1),
    seq(async, word("def"), name, must(op("("), "("), opt(e.parameters), op(")"), returns, mustColon, block),
  );
  const classHead = seq(word("class"), name, opt(seq(op("("), opt(e.callArguments), op(")"))));
  const classDefinition = alt(noColon(classHead), noBlock("class definition", classHead), seq(classHead, colon, block));

  const compound = alt(
    seq(look(alt(word("def"), op("@"), word("async"))), alt(seq(decorators, definition), definition)),
    seq(look(word("if")), ifStatement),
    seq(look(alt(word("class"), op("@"))), alt(seq(decorators, classDefinition), classDefinition)),
    seq(look(alt(word("with"), word("async"))), withStatement),
    seq(look(alt(word("for"), word("async"))), forStatement),
    seq(look(word("try")), tryStatement),
    seq(look(word("while")), whileStatement),
    matchStatement,
  );
  const statement: Rule = alt(compound, simples);
  return statement;
}
