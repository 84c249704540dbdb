/** The prelude's syntax trees, where the build has left them: reading them takes a tenth of parsing the texts. */
import type { Module, Stmt } from "../python/ast.js";

/** A module as it is written: of the bodies of functions, of which a kernel calls few, it has the number of the line that each stands in. */
interface Written extends Omit<Module, "body"> {
  readonly body: readonly (Stmt | (Omit<Stmt, "body"> & { readonly body: number }))[];
}

/** Trees as lines of JSON, the first with the number of each module's line; integers are `{"$int": "10"}`. */
export function treesText(trees: Readonly<Record<string, Module>>): string {
  const lines = [""];
  const write = (tree: unknown): number =>
    lines.push(JSON.stringify(tree, (_, value: unknown) => (typeof value === "bigint" ? { $int: String(value) } : value))) - 1;
  const writeModule = ({ body, ...module }: Module): number =>
    write({ ...module, body: body.map((stmt) => (stmt.kind === "FunctionDef" ? { ...stmt, body: write(stmt.body) } : stmt)) });
  lines[0] = JSON.stringify(Object.fromEntries(Object.entries(trees).map(([name, module]) => [name, writeModule(module)])));
  return lines.join("\n");
}

/** SHA-256 of Triton 3.6.0's own texts. The prelude makes the same of them, names and places included: they need not be parsed. */
const UPSTREAM_TEXTS: Readonly<Record<string, string>> = {
  "triton.language.standard": "1a2a7b1706fe99659dd86b29d6397d603d7d0cfef4f827fe902a494728ccddc1",
  "triton.language.random": "f44a43511b97420e82438746d1730db6aea312619032077687fb36ffe23727ba",
};
export const isUpstreamText = (name: string, text: string): boolean =>
  // Loaded for this alone.
  process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex") === UPSTREAM_TEXTS[name];

let lines: readonly string[] | undefined;

/** The tree of a module of the prelude, if the build has left it; `read` gives what it has left. */
export function preludeTree(name: string, read: () => string | undefined): Module | undefined {
  lines ??= (read() ?? "{}").split("\n");
  const line = treeIn<Readonly<Record<string, number>>>(lines, 0)[name];
  return line === undefined ? undefined : moduleIn(lines, line);
}

function moduleIn(lines: readonly string[], line: number): Module {
  const module = treeIn<Written>(lines, line);
  for (const stmt of module.body) {
    const { body } = stmt as { readonly body?: unknown };
    if (typeof body !== "number") continue;
    let known: readonly Stmt[] | undefined;
    Object.defineProperty(stmt, "body", { get: () => (known ??= treeIn<readonly Stmt[]>(lines, body)) });
  }
  return module as Module;
}

function treeIn<T extends object>(lines: readonly string[], line: number): T {
  const tree = JSON.parse(lines[line]!) as T;
  restoreIntegers(tree as Record<string, unknown>);
  return tree;
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
