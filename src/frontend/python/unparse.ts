/** An expression as `ast.unparse` writes it, for messages. */
import { floatRepr, stringRepr } from "../language/python-text.js";
import type * as ast from "./ast.js";

/** Strength of binding, weakest first, as CPython's unparser orders it. */
enum P {
  Test = 1,
  Or,
  And,
  Not,
  Compare,
  BitOr,
  BitXor,
  BitAnd,
  Shift,
  Sum,
  Term,
  Factor,
  Power,
  Atom,
}
const BINARY: Readonly<Record<ast.BinaryOperator, readonly [string, P]>> = {
  Add: ["+", P.Sum],
  Sub: ["-", P.Sum],
  Mult: ["*", P.Term],
  MatMult: ["@", P.Term],
  Div: ["/", P.Term],
  Mod: ["%", P.Term],
  FloorDiv: ["//", P.Term],
  LShift: ["<<", P.Shift],
  RShift: [">>", P.Shift],
  BitOr: ["|", P.BitOr],
  BitXor: ["^", P.BitXor],
  BitAnd: ["&", P.BitAnd],
  Pow: ["**", P.Power],
};
const COMPARE: Readonly<Record<ast.CompareOperator, string>> = {
  Eq: "==",
  NotEq: "!=",
  Lt: "<",
  LtE: "<=",
  Gt: ">",
  GtE: ">=",
  Is: "is",
  IsNot: "is not",
  In: "in",
  NotIn: "not in",
};
const UNARY: Readonly<Record<ast.UnaryOperator, string>> = { Invert: "~", Not: "not ", UAdd: "+", USub: "-" };

/** The text of an expression as CPython's `ast.unparse` writes it, with as few parentheses as `outer` allows. */
export function unparse(node: ast.Expr, outer: P = P.Test): string {
  const wrap = (own: P, text: string): string => (own < outer ? `(${text})` : text);
  const list = (nodes: readonly ast.Expr[]): string => nodes.map((n) => unparse(n)).join(", ");
  switch (node.kind) {
    case "Constant":
      return literal(node.value);
    case "Name":
      return node.id;
    case "Attribute":
      return `${unparse(node.value, P.Atom)}.${node.attr}`;
    case "Subscript":
      return `${unparse(node.value, P.Atom)}[${node.slice.kind === "Tuple" && node.slice.elts.length > 0 ? tupleInside(node.slice) : unparse(node.slice)}]`;
    case "Slice":
      return `${node.lower ? unparse(node.lower) : ""}:${node.upper ? unparse(node.upper) : ""}${node.step ? `:${unparse(node.step)}` : ""}`;
    case "Starred":
      return `*${unparse(node.value, P.Atom)}`;
    case "Tuple":
      return `(${tupleInside(node)})`;
    case "List":
      return `[${list(node.elts)}]`;
    case "Set":
      return `{${list(node.elts)}}`;
    case "Dict":
      return `{${node.keys.map((key, i) => (key ? `${unparse(key)}: ${unparse(node.values[i]!)}` : `**${unparse(node.values[i]!)}`)).join(", ")}}`;
    case "BinOp": {
      const [symbol, own] = BINARY[node.op];
      const right = node.op === "Pow";
      return wrap(own, `${unparse(node.left, right ? own + 1 : own)} ${symbol} ${unparse(node.right, right ? own : own + 1)}`);
    }
    case "UnaryOp": {
      const own = node.op === "Not" ? P.Not : P.Factor;
      return wrap(own, UNARY[node.op] + unparse(node.operand, own));
    }
    case "BoolOp": {
      const own = node.op === "And" ? P.And : P.Or;
      return wrap(own, node.values.map((v) => unparse(v, own + 1)).join(node.op === "And" ? " and " : " or "));
    }
    case "Compare":
      return wrap(
        P.Compare,
        unparse(node.left, P.Compare + 1) +
          node.ops.map((op, i) => ` ${COMPARE[op]} ${unparse(node.comparators[i]!, P.Compare + 1)}`).join(""),
      );
    case "Call":
      return `${unparse(node.func, P.Atom)}(${[
        ...node.args.map((a) => unparse(a)),
        ...node.keywords.map((k) => (k.arg === undefined ? `**${unparse(k.value)}` : `${k.arg}=${unparse(k.value)}`)),
      ].join(", ")})`;
    case "IfExp":
      return wrap(P.Test, `${unparse(node.body, P.Test + 1)} if ${unparse(node.test, P.Test + 1)} else ${unparse(node.orelse)}`);
    case "Lambda": {
      const names = node.args.args.map((a) => a.arg).join(", ");
      return wrap(P.Test, `lambda${names && ` ${names}`}: ${unparse(node.body)}`);
    }
    case "ListComp":
    case "SetComp":
    case "GeneratorExp": {
      const [open, close] = node.kind === "ListComp" ? "[]" : node.kind === "SetComp" ? "{}" : "()";
      return `${open}${unparse(node.elt)}${comprehensions(node.generators)}${close}`;
    }
    case "DictComp":
      return `{${unparse(node.key)}: ${unparse(node.value)}${comprehensions(node.generators)}}`;
    case "NamedExpr":
      return `(${unparse(node.target)} := ${unparse(node.value)})`;
    case "FormattedValue":
      return `{${unparse(node.value)}}`;
    case "JoinedStr":
      return `f'${node.values.map((v) => (v.kind === "Constant" ? String(v.value) : unparse(v))).join("")}'`;
    case "Unsupported":
      return node.name;
  }
}

const tupleInside = (node: ast.Tuple): string => node.elts.map((n) => unparse(n)).join(", ") + (node.elts.length === 1 ? "," : "");
const comprehensions = (generators: readonly ast.Comprehension[]): string =>
  generators.map((g) => ` for ${unparse(g.target)} in ${unparse(g.iter)}${g.ifs.map((i) => ` if ${unparse(i)}`).join("")}`).join("");

function literal(value: ast.Literal): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return floatRepr(value);
  if (typeof value === "string") return stringRepr(value);
  if (typeof value === "bigint") return value.toString();
  return value.kind === "ellipsis" ? "..." : value.kind === "bytes" ? `b${stringRepr(value.text)}` : `${value.imag}j`;
}
