/**
 * Syntax of the C++ that `cute-layout eval` understands: expressions, types (which parse as expressions) and simple
 * statements. Offsets are characters into the source text.
 */

/** Where a node is in the source: `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One part of a qualified name, with its template arguments if it has any. */
export interface Segment {
  readonly name: string;
  readonly templateArgs: readonly Expr[] | undefined;
  readonly span: Span;
}

export type Expr = Span &
  (
    | { readonly kind: "number"; readonly value: number; readonly isFloat: boolean; readonly isStatic: boolean }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "name"; readonly path: readonly Segment[] }
    | { readonly kind: "call"; readonly callee: Expr; readonly args: readonly Expr[] }
    | { readonly kind: "brace"; readonly type: Expr | undefined; readonly args: readonly Expr[] }
    | { readonly kind: "member"; readonly object: Expr; readonly member: Segment }
    | { readonly kind: "scope"; readonly type: Expr; readonly member: Segment }
    | { readonly kind: "index"; readonly object: Expr; readonly index: Expr }
    | { readonly kind: "unary"; readonly op: string; readonly operand: Expr }
    | { readonly kind: "postfix"; readonly op: string; readonly operand: Expr }
    | { readonly kind: "binary"; readonly op: string; readonly left: Expr; readonly right: Expr }
    | { readonly kind: "assign"; readonly op: string; readonly target: Expr; readonly value: Expr }
    | { readonly kind: "conditional"; readonly test: Expr; readonly yes: Expr; readonly no: Expr }
    | { readonly kind: "cast"; readonly type: Expr; readonly value: Expr }
    | { readonly kind: "decltype"; readonly value: Expr }
    | { readonly kind: "sizeof"; readonly value: Expr }
    | { readonly kind: "pointer"; readonly to: Expr }
    | { readonly kind: "lambda"; readonly parameters: readonly string[]; readonly body: readonly Stmt[] }
  );

export type Stmt = Span &
  (
    | { readonly kind: "expression"; readonly value: Expr }
    | {
        readonly kind: "declare";
        /** More than one name: a structured binding. */
        readonly names: readonly string[];
        readonly type: Expr | undefined;
        readonly init: Expr | undefined;
        readonly array: Expr | undefined;
        readonly shared: boolean;
      }
    | { readonly kind: "using"; readonly name: string; readonly type: Expr }
    | {
        readonly kind: "for";
        readonly init: Stmt | undefined;
        readonly test: Expr | undefined;
        readonly step: Expr | undefined;
        readonly body: Stmt;
      }
    | { readonly kind: "while"; readonly test: Expr; readonly body: Stmt }
    | { readonly kind: "if"; readonly test: Expr; readonly yes: Stmt; readonly no: Stmt | undefined }
    | { readonly kind: "block"; readonly body: readonly Stmt[] }
    | { readonly kind: "return"; readonly value: Expr | undefined }
  );
