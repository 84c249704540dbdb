/**
 * Python's abstract syntax as CPython's `ast` module has it: node and field names are the same, so that what is said about
 * code generation in Triton's own terms can be read here. Only what no kernel and no kernel's module needs is missing
 * (`match`, loops and contexts of `async`): it is kept as `Unsupported` and named when somebody comes across it.
 */

/** The position of a node: 1-based lines; columns count UTF-8 bytes from 0, as CPython's. */
export interface Place {
  readonly line: number;
  readonly col: number;
  readonly endLine: number;
  readonly endCol: number;
}

export type Context = "Load" | "Store" | "Del";
export type BinaryOperator =
  | "Add"
  | "Sub"
  | "Mult"
  | "MatMult"
  | "Div"
  | "Mod"
  | "Pow"
  | "LShift"
  | "RShift"
  | "BitOr"
  | "BitXor"
  | "BitAnd"
  | "FloorDiv";
export type UnaryOperator = "Invert" | "Not" | "UAdd" | "USub";
export type CompareOperator = "Eq" | "NotEq" | "Lt" | "LtE" | "Gt" | "GtE" | "Is" | "IsNot" | "In" | "NotIn";

/** The value of a literal: integers are bigint, floats number. */
export type Literal =
  | null
  | boolean
  | bigint
  | number
  | string
  | { readonly kind: "bytes"; readonly text: string }
  | { readonly kind: "complex"; readonly imag: number }
  | { readonly kind: "ellipsis" };

interface N<K extends string> {
  readonly kind: K;
  /** Missing where Triton makes a node that has no place of its own: the location then stays what it was. */
  readonly at: Place | undefined;
}

export interface Constant extends N<"Constant"> {
  readonly value: Literal;
}
export interface Name extends N<"Name"> {
  readonly id: string;
  readonly ctx: Context;
}
export interface Attribute extends N<"Attribute"> {
  readonly value: Expr;
  readonly attr: string;
  readonly ctx: Context;
}
export interface Subscript extends N<"Subscript"> {
  readonly value: Expr;
  readonly slice: Expr;
  readonly ctx: Context;
}
export interface Slice extends N<"Slice"> {
  readonly lower: Expr | undefined;
  readonly upper: Expr | undefined;
  readonly step: Expr | undefined;
}
export interface Starred extends N<"Starred"> {
  readonly value: Expr;
  readonly ctx: Context;
}
export interface Tuple extends N<"Tuple"> {
  readonly elts: readonly Expr[];
  readonly ctx: Context;
}
export interface List extends N<"List"> {
  readonly elts: readonly Expr[];
  readonly ctx: Context;
}
export interface PySet extends N<"Set"> {
  readonly elts: readonly Expr[];
}
export interface Dict extends N<"Dict"> {
  /** A missing key stands for `**value`. */
  readonly keys: readonly (Expr | undefined)[];
  readonly values: readonly Expr[];
}
export interface BinOp extends N<"BinOp"> {
  readonly left: Expr;
  readonly op: BinaryOperator;
  readonly right: Expr;
}
export interface UnaryOp extends N<"UnaryOp"> {
  readonly op: UnaryOperator;
  readonly operand: Expr;
}
export interface BoolOp extends N<"BoolOp"> {
  readonly op: "And" | "Or";
  readonly values: readonly Expr[];
}
export interface Compare extends N<"Compare"> {
  readonly left: Expr;
  readonly ops: readonly CompareOperator[];
  readonly comparators: readonly Expr[];
}
export interface Keyword extends N<"keyword"> {
  /** Missing for `**value`. */
  readonly arg: string | undefined;
  readonly value: Expr;
}
export interface Call extends N<"Call"> {
  readonly func: Expr;
  readonly args: readonly Expr[];
  readonly keywords: readonly Keyword[];
}
export interface IfExp extends N<"IfExp"> {
  readonly test: Expr;
  readonly body: Expr;
  readonly orelse: Expr;
}
export interface Lambda extends N<"Lambda"> {
  readonly args: Arguments;
  readonly body: Expr;
}
export interface Comprehension {
  readonly target: Expr;
  readonly iter: Expr;
  readonly ifs: readonly Expr[];
}
export interface ListComp extends N<"ListComp" | "SetComp" | "GeneratorExp"> {
  readonly elt: Expr;
  readonly generators: readonly Comprehension[];
}
export interface DictComp extends N<"DictComp"> {
  readonly key: Expr;
  readonly value: Expr;
  readonly generators: readonly Comprehension[];
}
export interface FormattedValue extends N<"FormattedValue"> {
  readonly value: Expr;
  /** `r`, `s`, `a`, or missing. */
  readonly conversion: string | undefined;
  readonly formatSpec: JoinedStr | undefined;
}
export interface JoinedStr extends N<"JoinedStr"> {
  readonly values: readonly (Constant | FormattedValue)[];
}
export interface NamedExpr extends N<"NamedExpr"> {
  readonly target: Expr;
  readonly value: Expr;
}
/** A construct with a CPython name that is not looked into: `Await`, `Yield`, `Match`, ... */
export interface Unsupported extends N<"Unsupported"> {
  readonly name: string;
}

export type Expr =
  | Constant
  | Name
  | Attribute
  | Subscript
  | Slice
  | Starred
  | Tuple
  | List
  | PySet
  | Dict
  | BinOp
  | UnaryOp
  | BoolOp
  | Compare
  | Call
  | IfExp
  | Lambda
  | ListComp
  | DictComp
  | FormattedValue
  | JoinedStr
  | NamedExpr
  | Unsupported;

export interface Arg extends N<"arg"> {
  readonly arg: string;
  readonly annotation: Expr | undefined;
}
export interface Arguments {
  readonly posonlyargs: readonly Arg[];
  readonly args: readonly Arg[];
  readonly vararg: Arg | undefined;
  readonly kwonlyargs: readonly Arg[];
  readonly kwDefaults: readonly (Expr | undefined)[];
  readonly kwarg: Arg | undefined;
  /** Defaults for the last parameters of `posonlyargs` and `args`. */
  readonly defaults: readonly Expr[];
}
export interface FunctionDef extends N<"FunctionDef"> {
  readonly name: string;
  readonly args: Arguments;
  readonly body: readonly Stmt[];
  readonly decorators: readonly Expr[];
  readonly returns: Expr | undefined;
}
export interface AsyncFunctionDef extends Omit<FunctionDef, "kind"> {
  readonly kind: "AsyncFunctionDef";
}
export interface ClassDef extends N<"ClassDef"> {
  readonly name: string;
  readonly bases: readonly Expr[];
  readonly keywords: readonly Keyword[];
  readonly body: readonly Stmt[];
  readonly decorators: readonly Expr[];
}
export interface Return extends N<"Return"> {
  readonly value: Expr | undefined;
}
export interface Delete extends N<"Delete"> {
  readonly targets: readonly Expr[];
}
export interface Assign extends N<"Assign"> {
  readonly targets: readonly Expr[];
  readonly value: Expr;
}
export interface AugAssign extends N<"AugAssign"> {
  readonly target: Expr;
  readonly op: BinaryOperator;
  readonly value: Expr;
}
export interface AnnAssign extends N<"AnnAssign"> {
  readonly target: Expr;
  readonly annotation: Expr;
  readonly value: Expr | undefined;
}
export interface For extends N<"For"> {
  readonly target: Expr;
  readonly iter: Expr;
  readonly body: readonly Stmt[];
  readonly orelse: readonly Stmt[];
}
export interface While extends N<"While"> {
  readonly test: Expr;
  readonly body: readonly Stmt[];
  readonly orelse: readonly Stmt[];
}
export interface If extends N<"If"> {
  readonly test: Expr;
  readonly body: readonly Stmt[];
  readonly orelse: readonly Stmt[];
}
export interface WithItem {
  readonly contextExpr: Expr;
  readonly optionalVars: Expr | undefined;
}
export interface With extends N<"With"> {
  readonly items: readonly WithItem[];
  readonly body: readonly Stmt[];
}
export interface Raise extends N<"Raise"> {
  readonly exc: Expr | undefined;
  readonly cause: Expr | undefined;
}
export interface ExceptHandler {
  readonly type: Expr | undefined;
  readonly name: string | undefined;
  readonly body: readonly Stmt[];
}
export interface Try extends N<"Try"> {
  readonly body: readonly Stmt[];
  readonly handlers: readonly ExceptHandler[];
  readonly orelse: readonly Stmt[];
  readonly finalbody: readonly Stmt[];
}
export interface Assert extends N<"Assert"> {
  readonly test: Expr;
  readonly msg: Expr | undefined;
}
export interface Alias {
  readonly name: string;
  readonly asname: string | undefined;
}
export interface Import extends N<"Import"> {
  readonly names: readonly Alias[];
}
export interface ImportFrom extends N<"ImportFrom"> {
  /** Empty for `from . import x`. */
  readonly module: string;
  readonly names: readonly Alias[];
  /** The number of leading dots. */
  readonly level: number;
}
export interface Global extends N<"Global" | "Nonlocal"> {
  readonly names: readonly string[];
}
export interface ExprStmt extends N<"Expr"> {
  readonly value: Expr;
}
export interface Simple extends N<"Pass" | "Break" | "Continue"> {}

export type Stmt =
  | FunctionDef
  | AsyncFunctionDef
  | ClassDef
  | Return
  | Delete
  | Assign
  | AugAssign
  | AnnAssign
  | For
  | While
  | If
  | With
  | Raise
  | Try
  | Assert
  | Import
  | ImportFrom
  | Global
  | ExprStmt
  | Simple
  | Unsupported;

/** Any node that can be visited. */
export type Node = Expr | Stmt | Keyword | Arg;

/** A parsed file. */
export interface Module {
  readonly kind: "Module";
  readonly body: readonly Stmt[];
  readonly file: string;
}
