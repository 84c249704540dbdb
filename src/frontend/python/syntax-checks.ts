/** Errors that CPython's compiler reports after its grammar: targets, parameters, and statements in the wrong place. */
import type * as ast from "./ast.js";
import type { PythonSyntaxError } from "./syntax-error.js";

/** Such errors of a module, in the order of the text. */
export function checkSyntax(body: readonly ast.Stmt[]): readonly PythonSyntaxError[] {
  const errors: PythonSyntaxError[] = [];
  const fail = (at: ast.Place | undefined, message: string): void => {
    if (at) errors.push({ kind: "SyntaxError", name: "SyntaxError", message, line: at.line, col: at.col });
  };
  const statements = (list: readonly ast.Stmt[], inFunction: boolean, inLoop: boolean): void => {
    for (const s of list) statement(s, inFunction, inLoop);
  };
  /** Whether the statement is in one: its own expressions come before those that are in it. */
  let isInFunction = false;
  const statement = (s: ast.Stmt, inFunction: boolean, inLoop: boolean): void => {
    isInFunction = inFunction;
    switch (s.kind) {
      case "FunctionDef":
        checkParameters(s.args, fail);
        return statements(s.body, true, false);
      case "ClassDef":
        return statements(s.body, false, false);
      case "Nonlocal":
        if (!inFunction) fail(s.at, "nonlocal declaration not allowed at module level");
        return;
      case "Return":
        if (!inFunction) fail(s.at, "'return' outside function");
        return s.value && unstarred(s.value);
      case "Unsupported":
        if (s.name === "AsyncFor" || s.name === "AsyncWith")
          fail(s.at, `'${s.name === "AsyncFor" ? "async for" : "async with"}' outside async function`);
        return;
      case "Break":
        if (!inLoop) fail(s.at, "'break' outside loop");
        return;
      case "Continue":
        if (!inLoop) fail(s.at, "'continue' not properly in loop");
        return;
      case "For":
      case "While":
        if (s.kind === "For") {
          if (s.target.kind === "Starred") fail(s.target.at, "starred assignment target must be in a list or tuple");
          target(s.target, "cannot assign to", "");
        }
        unstarred(s.kind === "For" ? s.iter : s.test);
        statements(s.body, inFunction, true);
        return statements(s.orelse, inFunction, inLoop);
      case "If":
        expression(s.test);
        statements(s.body, inFunction, inLoop);
        return statements(s.orelse, inFunction, inLoop);
      case "With":
        for (const item of s.items) expression(item.contextExpr);
        return statements(s.body, inFunction, inLoop);
      case "Try":
        for (const list of [s.body, ...s.handlers.map((h) => h.body), s.orelse, s.finalbody]) statements(list, inFunction, inLoop);
        return;
      case "Assign":
        for (const t of s.targets) {
          if (t.kind === "Starred") fail(t.at, "starred assignment target must be in a list or tuple");
          target(t, "cannot assign to", " here. Maybe you meant '==' instead of '='?");
        }
        return unstarred(s.value);
      case "AugAssign":
        if (s.target.kind !== "Name" && s.target.kind !== "Attribute" && s.target.kind !== "Subscript")
          fail(s.target.at, `'${describe(s.target)}' is an illegal expression for augmented assignment`);
        return expression(s.value);
      case "AnnAssign":
        return expression(s.value);
      case "Expr":
        return unstarred(s.value);
      case "Assert":
        expression(s.test);
        return expression(s.msg);
    }
  };
  const target = (node: ast.Expr, verb: string, advice: string): void => {
    switch (node.kind) {
      case "Name":
      case "Attribute":
      case "Subscript":
        return;
      case "Starred":
        return target(node.value, verb, advice);
      case "Tuple":
      case "List":
        if (node.elts.filter((e) => e.kind === "Starred").length > 1) fail(node.at, "multiple starred expressions in assignment");
        for (const e of node.elts) target(e, verb, "");
        return;
      default:
        fail(node.at, `${verb} ${describe(node)}${advice}`);
    }
  };
  const unstarred = (node: ast.Expr): void => {
    if (node.kind === "Starred") fail(node.at, "can't use starred expression here");
    expression(node);
  };
  const expression = (node: ast.Expr | undefined): void => {
    if (!node) return;
    if (node.kind === "Call") checkCall(node, fail);
    if (node.kind === "Lambda") checkParameters(node.args, fail);
    // An annotation after a target that is not the first.
    if (node.kind === "Unsupported" && node.name === "invalid syntax") fail(node.at, node.name);
    if (node.kind === "Unsupported" && node.name === "Await") fail(node.at, `'await' outside ${isInFunction ? "async " : ""}function`);
    if (node.kind === "Unsupported" && /^Yield/.test(node.name) && !isInFunction) fail(node.at, "'yield' outside function");
    for (const child of childrenOf(node)) expression(child);
  };
  statements(body, false, false);
  return errors.sort((a, b) => a.line - b.line || a.col - b.col);
}

type Fail = (at: ast.Place | undefined, message: string) => void;

function checkParameters({ posonlyargs, args, vararg, kwonlyargs, kwarg, defaults }: ast.Arguments, fail: Fail): void {
  const names = new Set<string>();
  for (const arg of [...posonlyargs, ...args, ...(vararg ? [vararg] : []), ...kwonlyargs, ...(kwarg ? [kwarg] : [])]) {
    if (names.has(arg.arg)) fail(arg.at, `duplicate argument '${arg.arg}' in function definition`);
    names.add(arg.arg);
  }
  // A parameter after the first default must have one.
  const first = defaults[0]?.at;
  const all = [...posonlyargs, ...args];
  const after = first && all.find((a) => a.at && isBefore(first, a.at) && !defaults.some((d) => d.at && isBefore(a.at!, d.at)));
  if (after) fail(after.at, "non-default argument follows default argument");
}
const isBefore = (a: ast.Place, b: ast.Place): boolean => a.line < b.line || (a.line === b.line && a.col < b.col);

function checkCall({ args, keywords, at }: ast.Call, fail: Fail): void {
  const firstKeyword = keywords.find((k) => k.arg !== undefined)?.at;
  const late = firstKeyword && args.find((a) => a.at && a.kind !== "Starred" && isBefore(firstKeyword, a.at));
  // CPython points after the last argument.
  if (late && at) fail({ ...at, line: at.endLine, col: at.endCol - 1 }, "positional argument follows keyword argument");
  const names = new Set<string>();
  for (const { arg, at: place } of keywords) {
    if (arg !== undefined && names.has(arg)) fail(place, `keyword argument repeated: ${arg}`);
    if (arg !== undefined) names.add(arg);
  }
}

/** CPython's name for an expression in such messages. */
function describe(node: ast.Expr): string {
  switch (node.kind) {
    case "Call":
      return "function call";
    case "Constant":
      return node.value === null ? "None" : node.value === true ? "True" : node.value === false ? "False" : "literal";
    case "BinOp":
    case "UnaryOp":
    case "BoolOp":
      return "expression";
    case "Compare":
      return "comparison";
    case "Lambda":
      return "lambda";
    case "IfExp":
      return "conditional expression";
    case "Dict":
      return "dict literal";
    case "Set":
      return "set display";
    case "JoinedStr":
      return "f-string expression";
    case "ListComp":
      return "list comprehension";
    case "GeneratorExp":
      return "generator expression";
    case "Tuple":
      return "tuple";
    case "List":
      return "list";
    case "NamedExpr":
      return "named expression";
    default:
      return "expression";
  }
}

function childrenOf(node: ast.Expr): readonly (ast.Expr | undefined)[] {
  switch (node.kind) {
    case "Call":
      return [node.func, ...node.args, ...node.keywords.map((k) => k.value)];
    case "BinOp":
      return [node.left, node.right];
    case "UnaryOp":
      return [node.operand];
    case "BoolOp":
      return node.values;
    case "Compare":
      return [node.left, ...node.comparators];
    case "IfExp":
      return [node.test, node.body, node.orelse];
    case "Attribute":
    case "Starred":
      return [node.value];
    case "Subscript":
      return [node.value, node.slice];
    case "Tuple":
    case "List":
    case "Set":
      return node.elts;
    case "Dict":
      return [...node.keys, ...node.values];
    case "NamedExpr":
      return [node.value];
    case "JoinedStr":
      return node.values.flatMap((part) => (part.kind === "FormattedValue" ? [part.value, part.formatSpec] : []));
    default:
      return [];
  }
}
