/** Statements of the concrete tree as `ast` nodes. */
import type * as ast from "./ast.js";
import { at, BINARY, callArguments, expression, parameterList, textOf } from "./expressions.js";
import { placeOf, type SourceLines } from "./source-lines.js";
import { fieldOf, fieldsOf, namedOf, type RawNode } from "./tree.js";

/** The statements of a module or block. */
export function statements(source: SourceLines, block: RawNode | undefined): readonly ast.Stmt[] {
  return block ? namedOf(block).map((node) => statement(source, node)) : [];
}

function statement(source: SourceLines, node: RawNode): ast.Stmt {
  const place = at(source, node);
  const expr = (child: RawNode | undefined): ast.Expr => expression(source, child!);
  const maybe = (child: RawNode | undefined): ast.Expr | undefined => child && expression(source, child);
  const body = (child: RawNode): readonly ast.Stmt[] => statements(source, suite(child));
  const orelse = (): readonly ast.Stmt[] => {
    const clause = node.children.find((c) => c.type === "else_clause");
    return clause ? body(clause) : [];
  };
  if (isAsync(node)) return { kind: "Unsupported", at: place, name: ASYNC[node.type]! };
  switch (node.type) {
    case "expression_statement":
      return expressionStatement(source, node, place);
    case "return_statement":
      return { kind: "Return", at: place, value: maybe(namedOf(node)[0]) };
    case "delete_statement":
      return { kind: "Delete", at: place, targets: namedOf(node).map((n) => expression(source, n, "Del")) };
    case "raise_statement":
      return {
        kind: "Raise",
        at: place,
        exc: maybe(namedOf(node).find((n) => n.field !== "cause")),
        cause: maybe(fieldOf(node, "cause")),
      };
    case "pass_statement":
      return { kind: "Pass", at: place };
    case "break_statement":
      return { kind: "Break", at: place };
    case "continue_statement":
      return { kind: "Continue", at: place };
    case "assert_statement": {
      const [test, msg] = namedOf(node);
      return { kind: "Assert", at: place, test: expr(test), msg: maybe(msg) };
    }
    case "global_statement":
    case "nonlocal_statement":
      return {
        kind: node.type === "global_statement" ? "Global" : "Nonlocal",
        at: place,
        names: namedOf(node).map((n) => textOf(source, n)),
      };
    case "import_statement":
      return { kind: "Import", at: place, names: fieldsOf(node, "name").map((n) => alias(source, n)) };
    case "import_from_statement":
    case "future_import_statement":
      return importFrom(source, node, place);
    case "if_statement":
      return ifStatement(source, node);
    case "while_statement":
      return { kind: "While", at: place, test: expr(fieldOf(node, "condition")), body: body(node), orelse: orelse() };
    case "for_statement":
      return {
        kind: "For",
        at: place,
        target: expression(source, fieldOf(node, "left")!, "Store"),
        iter: expr(fieldOf(node, "right")),
        body: body(node),
        orelse: orelse(),
      };
    case "with_statement": {
      const items = namedOf(namedOf(node).find((c) => c.type === "with_clause")!).map((item) => withItem(source, fieldOf(item, "value")!));
      return { kind: "With", at: place, items, body: body(node) };
    }
    case "try_statement":
      return {
        kind: "Try",
        at: place,
        body: body(node),
        handlers: node.children.filter((c) => c.type === "except_clause").map((clause) => handler(source, clause)),
        orelse: orelse(),
        finalbody: statements(source, suite(node.children.find((c) => c.type === "finally_clause"))),
      };
    case "function_definition":
      return functionDef(source, node, []);
    case "class_definition":
      return classDef(source, node, []);
    case "decorated_definition": {
      const decorators = node.children.filter((c) => c.type === "decorator").map((d) => expr(namedOf(d)[0]));
      const definition = fieldOf(node, "definition")!;
      if (isAsync(definition)) return statement(source, definition);
      return definition.type === "class_definition"
        ? classDef(source, definition, decorators)
        : functionDef(source, definition, decorators);
    }
    default:
      return { kind: "Unsupported", at: place, name: UNSUPPORTED[node.type] ?? node.type };
  }
}

/** The block of a clause or statement. */
function suite(node: RawNode | undefined): RawNode | undefined {
  return node?.children.findLast((c) => c.type === "block" && c.field !== "alternative");
}

function expressionStatement(source: SourceLines, node: RawNode, place: ast.Place): ast.Stmt {
  const parts = namedOf(node);
  const [first] = parts;
  if (first!.type === "assignment") return assignment(source, first!, place);
  if (first!.type === "augmented_assignment") {
    return {
      kind: "AugAssign",
      at: place,
      target: expression(source, fieldOf(first!, "left")!, "Store"),
      op: BINARY[fieldOf(first!, "operator")!.type.slice(0, -1)]!,
      value: expression(source, fieldOf(first!, "right")!),
    };
  }
  const tuple = parts.length > 1 || node.children.some((c) => c.type === ",");
  const value: ast.Expr = tuple
    ? { kind: "Tuple", at: place, elts: parts.map((p) => expression(source, p)), ctx: "Load" }
    : expression(source, first!);
  return { kind: "Expr", at: place, value };
}

function assignment(source: SourceLines, node: RawNode, place: ast.Place): ast.Stmt {
  const type = fieldOf(node, "type");
  const right = fieldOf(node, "right");
  const target = expression(source, fieldOf(node, "left")!, "Store");
  if (type)
    return { kind: "AnnAssign", at: place, target, annotation: expression(source, type), value: right && expression(source, right) };
  const targets = [target];
  let value = right!;
  while (value.type === "assignment") {
    const colon = value.children.find((c) => c.type === ":");
    if (colon) return { kind: "Expr", at: place, value: { kind: "Unsupported", at: at(source, colon), name: "invalid syntax" } };
    targets.push(expression(source, fieldOf(value, "left")!, "Store"));
    value = fieldOf(value, "right")!;
  }
  return { kind: "Assign", at: place, targets, value: expression(source, value) };
}

/** Each `elif` is an If of its own in the `else` of what is before it, standing where its keyword stands. */
function ifStatement(source: SourceLines, node: RawNode): ast.If {
  let orelse: readonly ast.Stmt[] = [];
  const clause = (part: RawNode): ast.If => ({
    kind: "If",
    at: placeOf(source, part.start, node.end),
    test: expression(source, fieldOf(part, "condition")!),
    body: statements(
      source,
      fieldsOf(part, "consequence").find((c) => c.type === "block"),
    ),
    orelse,
  });
  for (const part of node.children.filter((c) => c.field === "alternative").toReversed())
    orelse = part.type === "else_clause" ? statements(source, suite(part)) : [clause(part)];
  return clause(node);
}

function withItem(source: SourceLines, node: RawNode): ast.WithItem {
  if (node.type !== "as_pattern") return { contextExpr: expression(source, node), optionalVars: undefined };
  return { contextExpr: expression(source, namedOf(node)[0]!), optionalVars: expression(source, fieldOf(node, "alias")!, "Store") };
}

function handler(source: SourceLines, node: RawNode): ast.ExceptHandler {
  const value = fieldOf(node, "value");
  const name = fieldOf(node, "alias") ?? (value?.type === "as_pattern" ? fieldOf(value, "alias") : undefined);
  const type = value?.type === "as_pattern" ? namedOf(value)[0] : value;
  return { type: type && expression(source, type), name: name && textOf(source, name), body: statements(source, suite(node)) };
}

function functionDef(source: SourceLines, node: RawNode, decorators: readonly ast.Expr[]): ast.FunctionDef {
  const returns = fieldOf(node, "return_type");
  return {
    kind: "FunctionDef",
    at: at(source, node),
    name: textOf(source, fieldOf(node, "name")!),
    args: parameterList(source, fieldOf(node, "parameters")),
    body: statements(source, suite(node)),
    decorators,
    returns: returns && expression(source, returns),
  };
}

function classDef(source: SourceLines, node: RawNode, decorators: readonly ast.Expr[]): ast.ClassDef {
  const list = fieldOf(node, "superclasses");
  const { args, keywords } = list ? callArguments(source, list) : { args: [], keywords: [] };
  return {
    kind: "ClassDef",
    at: at(source, node),
    name: textOf(source, fieldOf(node, "name")!),
    bases: args,
    keywords,
    body: statements(source, suite(node)),
    decorators,
  };
}

function importFrom(source: SourceLines, node: RawNode, place: ast.Place): ast.ImportFrom {
  const module = fieldOf(node, "module_name");
  const names = node.children.some((c) => c.type === "wildcard_import")
    ? [{ name: "*", asname: undefined }]
    : fieldsOf(node, "name").map((n) => alias(source, n));
  if (node.type === "future_import_statement") return { kind: "ImportFrom", at: place, module: "__future__", names, level: 0 };
  const text = textOf(source, module!).replaceAll(/\s/g, "");
  const level = /^\.*/.exec(text)![0].length;
  return { kind: "ImportFrom", at: place, module: text.slice(level), names, level };
}

function alias(source: SourceLines, node: RawNode): ast.Alias {
  if (node.type !== "aliased_import") return { name: textOf(source, node).replaceAll(/\s/g, ""), asname: undefined };
  return { name: textOf(source, fieldOf(node, "name")!).replaceAll(/\s/g, ""), asname: textOf(source, fieldOf(node, "alias")!) };
}

/** CPython's names for what is not looked into. */
const isAsync = (node: RawNode): boolean => node.children[0]?.type === "async";
/** What is inside an `async def` is not looked at: nothing of it runs while compiling. */
const ASYNC: Readonly<Record<string, string>> = {
  for_statement: "AsyncFor",
  function_definition: "AsyncFunctionDef",
  with_statement: "AsyncWith",
};
const UNSUPPORTED: Readonly<Record<string, string>> = { match_statement: "Match", type_alias_statement: "TypeAlias" };
