/** Expressions of the concrete tree as `ast` nodes. */
import type * as ast from "./ast.js";
import { floatValue, integerValue, unescape } from "./literals.js";
import { placeOf, type SourceLines } from "./source-lines.js";
import { fieldOf, fieldsOf, namedOf, type RawNode } from "./tree.js";

/** The text of a name or number; Python takes names that look alike for the same. */
export function textOf(source: SourceLines, node: RawNode): string {
  const text = source.text.slice(node.start, node.end);
  return /[^\0-\x7f]/.test(text) ? text.normalize("NFKC") : text;
}
export const at = (source: SourceLines, node: RawNode): ast.Place => placeOf(source, node.start, node.end);

export function expression(source: SourceLines, node: RawNode, ctx: ast.Context = "Load"): ast.Expr {
  if (source.stars?.has(node.start) && node.type !== "expression_list")
    return { kind: "Starred", at: at(source, node), value: expression(source, withoutSign(node)), ctx };
  const place = at(source, node);
  const sub = (child: RawNode | undefined): ast.Expr => expression(source, child!);
  switch (node.type) {
    case "identifier":
    case "keyword_identifier":
      return { kind: "Name", at: place, id: textOf(source, node), ctx };
    case "dotted_name":
      return dotted(source, node);
    case "parenthesized_expression":
    case "type":
    case "as_pattern_target":
      return expression(source, namedOf(node)[0]!, ctx);
    case "integer":
      return { kind: "Constant", at: place, value: integerValue(textOf(source, node)) };
    case "float":
      return { kind: "Constant", at: place, value: floatValue(textOf(source, node)) };
    case "true":
      return { kind: "Constant", at: place, value: true };
    case "false":
      return { kind: "Constant", at: place, value: false };
    case "none":
      return { kind: "Constant", at: place, value: null };
    case "ellipsis":
      return { kind: "Constant", at: place, value: { kind: "ellipsis" } };
    case "string":
    case "concatenated_string":
      return string(source, node);
    case "attribute":
      return { kind: "Attribute", at: place, value: sub(fieldOf(node, "object")), attr: textOf(source, fieldOf(node, "attribute")!), ctx };
    case "member_type": {
      const [object, attribute] = namedOf(node);
      return { kind: "Attribute", at: place, value: sub(object), attr: textOf(source, attribute!), ctx };
    }
    case "subscript":
      return { kind: "Subscript", at: place, value: sub(fieldOf(node, "value")), slice: subscript(source, node), ctx };
    case "generic_type": {
      const [base, parameters] = namedOf(node);
      const types = namedOf(parameters!).map(sub);
      const slice: ast.Expr =
        types.length === 1
          ? types[0]!
          : { kind: "Tuple", at: placeOf(source, parameters!.start + 1, parameters!.end - 1), elts: types, ctx: "Load" };
      return { kind: "Subscript", at: place, value: sub(base), slice, ctx };
    }
    case "slice":
      return slice(source, node);
    case "list_splat":
    case "list_splat_pattern":
    case "splat_type":
      return { kind: "Starred", at: place, value: expression(source, namedOf(node)[0]!, ctx), ctx };
    case "tuple":
    case "tuple_pattern":
    case "pattern_list":
    case "expression_list":
      return { kind: "Tuple", at: place, elts: namedOf(node).map((n) => expression(source, n, ctx)), ctx };
    case "list":
    case "list_pattern":
      return { kind: "List", at: place, elts: namedOf(node).map((n) => expression(source, n, ctx)), ctx };
    case "set":
      return { kind: "Set", at: place, elts: namedOf(node).map(sub) };
    case "dictionary": {
      const keys: (ast.Expr | undefined)[] = [];
      const values: ast.Expr[] = [];
      for (const entry of namedOf(node)) {
        const splat = entry.type === "dictionary_splat";
        keys.push(splat ? undefined : sub(fieldOf(entry, "key")));
        values.push(sub(splat ? namedOf(entry)[0] : fieldOf(entry, "value")));
      }
      return { kind: "Dict", at: place, keys, values };
    }
    case "binary_operator":
      return {
        kind: "BinOp",
        at: place,
        left: sub(fieldOf(node, "left")),
        op: BINARY[fieldOf(node, "operator")!.type]!,
        right: sub(fieldOf(node, "right")),
      };
    case "union_type": {
      const [left, right] = namedOf(node);
      return { kind: "BinOp", at: place, left: sub(left), op: "BitOr", right: sub(right) };
    }
    case "unary_operator":
      return { kind: "UnaryOp", at: place, op: UNARY[fieldOf(node, "operator")!.type]!, operand: sub(fieldOf(node, "argument")) };
    case "not_operator":
      return { kind: "UnaryOp", at: place, op: "Not", operand: sub(fieldOf(node, "argument")) };
    case "boolean_operator":
      return boolean(source, node, place);
    case "comparison_operator": {
      const [left, ...comparators] = namedOf(node).filter((n) => n.field !== "operators");
      const ops = fieldsOf(node, "operators").map((op) => COMPARE[op.type]!);
      return { kind: "Compare", at: place, left: sub(left), ops, comparators: comparators.map(sub) };
    }
    case "call":
      return call(source, node, place);
    case "conditional_expression": {
      const [body, test, orelse] = namedOf(node);
      return { kind: "IfExp", at: place, test: sub(test), body: sub(body), orelse: sub(orelse) };
    }
    case "lambda": {
      const parameters = fieldOf(node, "parameters");
      return { kind: "Lambda", at: place, args: parameterList(source, parameters), body: sub(fieldOf(node, "body")) };
    }
    case "list_comprehension":
    case "set_comprehension":
    case "generator_expression": {
      const kind = node.type === "list_comprehension" ? "ListComp" : node.type === "set_comprehension" ? "SetComp" : "GeneratorExp";
      return { kind, at: place, elt: sub(fieldOf(node, "body")), generators: comprehensions(source, node) };
    }
    case "dictionary_comprehension": {
      const pair = fieldOf(node, "body")!;
      return {
        kind: "DictComp",
        at: place,
        key: sub(fieldOf(pair, "key")),
        value: sub(fieldOf(pair, "value")),
        generators: comprehensions(source, node),
      };
    }
    case "named_expression":
      return {
        kind: "NamedExpr",
        at: place,
        target: expression(source, fieldOf(node, "name")!, "Store"),
        value: sub(fieldOf(node, "value")),
      };
    default:
      if (node.type === "yield" && node.children.some((c) => c.type === "from"))
        return { kind: "Unsupported", at: place, name: "YieldFrom" };
      return { kind: "Unsupported", at: place, name: UNSUPPORTED[node.type] ?? node.type };
  }
}

/** The parameters of a function or lambda. */
export function parameterList(source: SourceLines, node: RawNode | undefined): ast.Arguments {
  const posonlyargs: ast.Arg[] = [];
  const args: ast.Arg[] = [];
  const kwonlyargs: ast.Arg[] = [];
  const kwDefaults: (ast.Expr | undefined)[] = [];
  const defaults: ast.Expr[] = [];
  let vararg: ast.Arg | undefined;
  let kwarg: ast.Arg | undefined;
  let keywordOnly = false;
  const add = (arg: ast.Arg, dflt: ast.Expr | undefined): void => {
    if (keywordOnly) {
      kwonlyargs.push(arg);
      kwDefaults.push(dflt);
    } else {
      args.push(arg);
      if (dflt) defaults.push(dflt);
    }
  };
  for (const parameter of node ? namedOf(node) : []) {
    const annotation = fieldOf(parameter, "type");
    const name = fieldOf(parameter, "name") ?? (parameter.type === "identifier" ? parameter : namedOf(parameter)[0]);
    const splat = parameter.type === "typed_parameter" ? name!.type : parameter.type;
    const plain = name && name !== parameter && splat.endsWith("splat_pattern") && name.type !== "identifier" ? namedOf(name)[0]! : name;
    const arg = (): ast.Arg => ({
      kind: "arg",
      at: placeOf(source, plain!.start, (annotation ?? plain!).end),
      arg: textOf(source, plain!),
      annotation: annotation && expression(source, annotation),
    });
    if (parameter.type === "keyword_separator") keywordOnly = true;
    else if (parameter.type === "positional_separator") posonlyargs.push(...args.splice(0));
    else if (splat === "list_splat_pattern") {
      vararg = arg();
      keywordOnly = true;
    } else if (splat === "dictionary_splat_pattern") kwarg = arg();
    else {
      const value = fieldOf(parameter, "value");
      add(arg(), value && expression(source, value));
    }
  }
  return { posonlyargs, args, vararg, kwonlyargs, kwDefaults, kwarg, defaults };
}

/** What a star unpacks, of a node that begins with the sign in its place. */
function withoutSign(node: RawNode): RawNode {
  if (node.type === "unary_operator") return { ...fieldOf(node, "argument")!, field: node.field };
  const [first, ...rest] = node.children;
  const inner = withoutSign(first!);
  return { ...node, start: inner.start, children: [inner, ...rest] };
}

function dotted(source: SourceLines, node: RawNode): ast.Expr {
  const [first, ...rest] = namedOf(node);
  return rest.reduce<ast.Expr>(
    (value, name) => ({ kind: "Attribute", at: placeOf(source, node.start, name.end), value, attr: textOf(source, name), ctx: "Load" }),
    { kind: "Name", at: at(source, first!), id: textOf(source, first!), ctx: "Load" },
  );
}

function subscript(source: SourceLines, node: RawNode): ast.Expr {
  const parts = fieldsOf(node, "subscript");
  const tuple = parts.length > 1 || node.children.some((c) => c.type === ",");
  if (!tuple) return expression(source, parts[0]!);
  const last = node.children.findLast((c) => c.type !== "]")!;
  return {
    kind: "Tuple",
    at: placeOf(source, parts[0]!.start, last.end),
    elts: parts.map((p) => expression(source, p)),
    ctx: "Load",
  };
}

function slice(source: SourceLines, node: RawNode): ast.Slice {
  const parts: (ast.Expr | undefined)[] = [undefined, undefined, undefined];
  let index = 0;
  for (const child of node.children) {
    if (child.type === ":") index++;
    else parts[index] = expression(source, child);
  }
  return { kind: "Slice", at: at(source, node), lower: parts[0], upper: parts[1], step: parts[2] };
}

/** `a and b and c` is one node in CPython; the grammar nests to the left. */
function boolean(source: SourceLines, node: RawNode, place: ast.Place): ast.BoolOp {
  const operator = fieldOf(node, "operator")!.type;
  const values: ast.Expr[] = [];
  const collect = (side: RawNode): void => {
    if (side.type === "boolean_operator" && fieldOf(side, "operator")!.type === operator) {
      collect(fieldOf(side, "left")!);
      values.push(expression(source, fieldOf(side, "right")!));
    } else values.push(expression(source, side));
  };
  collect(fieldOf(node, "left")!);
  values.push(expression(source, fieldOf(node, "right")!));
  return { kind: "BoolOp", at: place, op: operator === "and" ? "And" : "Or", values };
}

function call(source: SourceLines, node: RawNode, place: ast.Place): ast.Call {
  const list = fieldOf(node, "arguments")!;
  const func = expression(source, fieldOf(node, "function")!);
  if (list.type === "generator_expression") return { kind: "Call", at: place, func, args: [expression(source, list)], keywords: [] };
  return { kind: "Call", at: place, func, ...callArguments(source, list) };
}

/** Positional and keyword arguments of a call or a class's bases. */
export function callArguments(source: SourceLines, list: RawNode): { args: readonly ast.Expr[]; keywords: readonly ast.Keyword[] } {
  const args: ast.Expr[] = [];
  const keywords: ast.Keyword[] = [];
  for (const argument of namedOf(list)) {
    if (argument.type === "keyword_argument") {
      const value = expression(source, fieldOf(argument, "value")!);
      keywords.push({ kind: "keyword", at: at(source, argument), arg: textOf(source, fieldOf(argument, "name")!), value });
    } else if (argument.type === "dictionary_splat")
      keywords.push({ kind: "keyword", at: at(source, argument), arg: undefined, value: expression(source, namedOf(argument)[0]!) });
    else args.push(expression(source, argument));
  }
  return { args, keywords };
}

function comprehensions(source: SourceLines, node: RawNode): readonly ast.Comprehension[] {
  const out: { target: ast.Expr; iter: ast.Expr; ifs: ast.Expr[] }[] = [];
  for (const clause of namedOf(node)) {
    if (clause.type === "for_in_clause") {
      const rights = fieldsOf(clause, "right").filter((n) => n.named);
      const iter: ast.Expr =
        rights.length === 1
          ? expression(source, rights[0]!)
          : {
              kind: "Tuple",
              at: placeOf(source, rights[0]!.start, rights.at(-1)!.end),
              elts: rights.map((r) => expression(source, r)),
              ctx: "Load",
            };
      out.push({ target: expression(source, fieldOf(clause, "left")!, "Store"), iter, ifs: [] });
    } else if (clause.type === "if_clause") out.at(-1)!.ifs.push(expression(source, namedOf(clause)[0]!));
  }
  return out;
}

function string(source: SourceLines, node: RawNode): ast.Expr {
  const pieces = node.type === "string" ? [node] : namedOf(node);
  const place = at(source, node);
  const values: (ast.Constant | ast.FormattedValue)[] = [];
  let formatted = false;
  let bytes = false;
  let pending = "";
  const flush = (): void => {
    if (pending) values.push({ kind: "Constant", at: place, value: pending });
    pending = "";
  };
  for (const piece of pieces) {
    const prefix = textOf(source, piece.children[0]!)
      .replace(/["']+$/, "")
      .toLowerCase();
    const raw = prefix.includes("r");
    const isFormat = prefix.includes("f");
    formatted ||= isFormat;
    bytes ||= prefix.includes("b");
    let from = piece.children[0]!.end;
    const literal = (to: number): void => {
      let inside = source.text.slice(from, to).replaceAll("\r\n", "\n");
      if (!raw) inside = unescape(inside);
      if (isFormat) inside = inside.replaceAll("{{", "{").replaceAll("}}", "}");
      pending += inside;
    };
    for (const child of piece.children) {
      if (child.type !== "interpolation") continue;
      literal(child.start);
      from = child.end;
      const written = interpolationText(source, child);
      if (written !== undefined) pending += written;
      flush();
      values.push(interpolation(source, child));
    }
    literal(piece.children.at(-1)!.start);
  }
  if (formatted) {
    flush();
    return { kind: "JoinedStr", at: place, values };
  }
  return { kind: "Constant", at: place, value: bytes ? { kind: "bytes", text: pending } : pending };
}

/** `{x = }` writes its own text as well. */
function interpolationText(source: SourceLines, node: RawNode): string | undefined {
  const equals = node.children.find((c) => c.type === "=");
  if (!equals) return undefined;
  const next = node.children[node.children.indexOf(equals) + 1]!;
  return source.text.slice(node.start + 1, next.start);
}

function interpolation(source: SourceLines, node: RawNode): ast.FormattedValue {
  const conversion = fieldOf(node, "type_conversion");
  const spec = fieldOf(node, "format_specifier");
  const selfNamed = node.children.some((c) => c.type === "=");
  return {
    kind: "FormattedValue",
    at: at(source, node),
    value: expression(source, fieldOf(node, "expression")!),
    conversion: conversion ? textOf(source, conversion).slice(1) : selfNamed && !spec ? "r" : undefined,
    formatSpec: spec && formatSpec(source, spec),
  };
}

function formatSpec(source: SourceLines, node: RawNode): ast.JoinedStr {
  const values: (ast.Constant | ast.FormattedValue)[] = [];
  let from = node.start + 1;
  const literal = (to: number): void => {
    if (to > from) values.push({ kind: "Constant", at: at(source, node), value: source.text.slice(from, to) });
  };
  for (const child of node.children) {
    if (child.type !== "format_expression") continue;
    literal(child.start);
    from = child.end;
    values.push(interpolation(source, child));
  }
  literal(node.end);
  return { kind: "JoinedStr", at: at(source, node), values };
}

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
const UNARY: Readonly<Record<string, ast.UnaryOperator>> = { "~": "Invert", "+": "UAdd", "-": "USub" };
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
/** CPython's names for what is not looked into. */
const UNSUPPORTED: Readonly<Record<string, string>> = { await: "Await", yield: "Yield" };
