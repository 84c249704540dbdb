/** Random expressions over the rows and columns of a tensor of integers, of which everything is known. */
import fc from "fast-check";

export const [ROWS, COLUMNS] = [4, 16];
const TYPE = `tensor<${ROWS}x${COLUMNS}xi32>`;

/** An expression over the rows and columns of a tensor. */
export type Expr =
  | { readonly leaf: "row" | "column"; readonly start: number }
  | { readonly leaf: "splat"; readonly value: number }
  | { readonly op: keyof typeof OPS; readonly a: Expr; readonly b: Expr };

const OPS = {
  "arith.addi": (a: number, b: number) => a + b,
  "arith.subi": (a: number, b: number) => a - b,
  "arith.muli": (a: number, b: number) => a * b,
  "arith.divsi": (a: number, b: number) => (b === 0 ? undefined : Math.trunc(a / b)),
  "arith.remsi": (a: number, b: number) => (b === 0 ? undefined : a % b),
  "arith.maxsi": (a: number, b: number) => Math.max(a, b),
  "arith.shli": (a: number, b: number) => (b < 0 || b > 8 ? undefined : a * 2 ** b),
  "arith.andi": (a: number, b: number) => a & b,
  "arith.ori": (a: number, b: number) => a | b,
} as const;

export const exprs = fc.letrec<{ expr: Expr }>((tie) => ({
  expr: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ leaf: fc.constantFrom("row", "column"), start: fc.constantFrom(0, 1, 3, 4, 16) }),
    fc.record({ leaf: fc.constant("splat" as const), value: fc.constantFrom(0, 1, 2, 3, 4, 8, 12, 16, 64) }),
    fc.record({ op: fc.constantFrom(...(Object.keys(OPS) as (keyof typeof OPS)[])), a: tie("expr"), b: tie("expr") }),
  ),
})).expr;

/** The numbers in row-major order; undefined where one is, or does not fit. */
export function evaluate(expr: Expr): number[] | undefined {
  if ("leaf" in expr)
    return Array.from({ length: ROWS * COLUMNS }, (_, i) => {
      if (expr.leaf === "splat") return expr.value;
      return expr.start + (expr.leaf === "row" ? Math.trunc(i / COLUMNS) : i % COLUMNS);
    });
  const [a, b] = [evaluate(expr.a), evaluate(expr.b)];
  if (!a || !b) return undefined;
  const values = a.map((x, i) => OPS[expr.op](x, b[i]!));
  return values.every((v) => v !== undefined && Math.abs(v) < 2 ** 30) ? (values as number[]) : undefined;
}

/** A function that computes it; its last op, which has `out`, uses it. */
export function source(expr: Expr): string {
  const lines: string[] = [];
  const emit = (e: Expr): string => {
    const name = `%v${lines.length}`;
    if ("op" in e) {
      const [a, b] = [emit(e.a), emit(e.b)];
      const own = `%v${lines.length}`;
      lines.push(`${own} = ${e.op} ${a}, ${b} : ${TYPE}`);
      return own;
    }
    if (e.leaf === "splat") lines.push(`${name} = arith.constant dense<${e.value}> : ${TYPE}`);
    else {
      const [size, axis, wide] = e.leaf === "row" ? [ROWS, 1, `tensor<${ROWS}x1xi32>`] : [COLUMNS, 0, `tensor<1x${COLUMNS}xi32>`];
      lines.push(
        `${name}r = tt.make_range {end = ${e.start + size} : i32, start = ${e.start} : i32} : tensor<${size}xi32>\n` +
          `${name}e = tt.expand_dims ${name}r {axis = ${axis} : i32} : tensor<${size}xi32> -> ${wide}\n` +
          `${name} = tt.broadcast ${name}e : ${wide} -> ${TYPE}`,
      );
    }
    return name;
  };
  const result = emit(expr);
  return `tt.func public @f() {\n${lines.join("\n")}\n%out = arith.addi ${result}, ${result} {out} : ${TYPE}\ntt.return\n}`;
}
