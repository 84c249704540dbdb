/** The prelude's syntax trees, where the build has left them: reading them takes a tenth of parsing the texts. */
import type { Module, Stmt } from "../python/ast.js";

/** A module as it is written: the bodies of its functions are JSON for themselves, as a kernel calls few of them. */
interface Written extends Omit<Module, "body"> {
  readonly body: readonly (Stmt | (Omit<Stmt, "body"> & { readonly body: string }))[];
}

/** Trees as JSON; integers are `{"$int": "10"}`. */
export function treesText(trees: Readonly<Record<string, Module>>): string {
  const text = (tree: unknown): string =>
    JSON.stringify(tree, (_, value: unknown) => (typeof value === "bigint" ? { $int: String(value) } : value));
  const written = ({ body, ...module }: Module): Written => ({
    ...module,
    lines: [],
    body: body.map((stmt) => (stmt.kind === "FunctionDef" ? { ...stmt, body: text(stmt.body) } : stmt)),
  });
  return text(Object.fromEntries(Object.entries(trees).map(([name, module]) => [name, text(written(module))])));
}

let texts: Readonly<Record<string, string>> | undefined;

/** The tree of a module of the prelude, if the build has left it; `read` gives what it has left. */
export function preludeTree(name: string, read: () => string | undefined): Module | undefined {
  texts ??= JSON.parse(read() ?? "{}") as Record<string, string>;
  const text = texts[name];
  if (text === undefined) return undefined;
  const module = tree<Written>(text);
  for (const stmt of module.body) {
    const { body } = stmt as { readonly body?: unknown };
    if (typeof body !== "string") continue;
    let known: readonly Stmt[] | undefined;
    Object.defineProperty(stmt, "body", { get: () => (known ??= tree<readonly Stmt[]>(body)) });
  }
  return module as Module;
}

function tree<T extends object>(text: string): T {
  const made = JSON.parse(text) as T;
  restoreIntegers(made as Record<string, unknown>);
  return made;
}

function restoreIntegers(node: Record<string, unknown>): void {
  for (const key in node) {
    const value = node[key];
    if (typeof value !== "object" || value === null || key === "at") continue;
    const inner = value as Record<string, unknown>;
    if (typeof inner["$int"] === "string") node[key] = BigInt(inner["$int"]);
    else restoreIntegers(inner);
  }
}
