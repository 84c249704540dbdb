/** Kernels as articles print them: without the imports, or even without `@triton.jit`. */
import type * as ast from "./python/ast.js";
import { parsePython } from "./python/parse.js";

/**
 * The file with what a listing leaves out, and in words what was assumed; as it is where it imports something, defines `triton` or `tl`,
 * or mentions neither.
 */
export function wholeListing(parsed: ast.Module): { readonly whole: ast.Module; readonly assumed: string | undefined } {
  const { body } = parsed;
  const mentions = (tree: unknown): boolean => mentionsName(tree, "tl") || mentionsName(tree, "triton");
  const isBound = body.some(
    (statement) =>
      statement.kind === "Import" ||
      statement.kind === "ImportFrom" ||
      (statement.kind === "Assign" && statement.targets.some(mentions)) ||
      statement.kind === "Try" ||
      statement.kind === "If",
  );
  if (isBound || !mentions(body)) return { whole: parsed, assumed: undefined };
  const functions = body.filter((statement) => statement.kind === "FunctionDef");
  const undecorated = functions.every(({ decorators }) => decorators.length === 0) ? functions.filter(mentions) : [];
  const jit = decorator();
  const whole = body.map((statement) =>
    statement.kind === "FunctionDef" && undecorated.includes(statement) ? { ...statement, decorators: [jit] } : statement,
  );
  const names = undecorated.map(({ name }) => name).join(", ");
  return {
    whole: { ...parsed, body: [...statementsOf("import triton\nimport triton.language as tl\n"), ...whole] },
    assumed: `imports nothing: 'import triton' and 'import triton.language as tl' are assumed${names === "" ? "" : `, and @triton.jit for ${names}`}`,
  };
}

function statementsOf(text: string): readonly ast.Stmt[] {
  const parsed = parsePython(text, "<listing>");
  return parsed.kind === "Module" ? parsed.body : [];
}

function decorator(): ast.Expr {
  const [statement] = statementsOf("@triton.jit\ndef f(): pass\n");
  return (statement as ast.FunctionDef).decorators[0]!;
}

function mentionsName(tree: unknown, name: string): boolean {
  if (typeof tree !== "object" || tree === null) return false;
  if ("kind" in tree && tree.kind === "Name" && "id" in tree) return tree.id === name;
  return Object.values(tree).some((inner) => mentionsName(inner, name));
}
