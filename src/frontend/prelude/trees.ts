/** The prelude's syntax trees, where the build has left them: reading them takes a tenth of parsing the texts. */
import type { Module } from "../python/ast.js";

/** Trees as JSON; integers are `{"$int": "10"}`. */
export function treesText(trees: Readonly<Record<string, Module>>): string {
  return JSON.stringify(trees, (key, value: unknown) =>
    typeof value === "bigint" ? { $int: String(value) } : key === "lines" ? [] : value,
  );
}

let trees: Readonly<Record<string, Module>> | undefined;

/** The tree of a module of the prelude, if the build has left it; `read` gives what it has left. */
export function preludeTree(name: string, read: () => string | undefined): Module | undefined {
  if (trees === undefined) {
    const text = read();
    trees = text === undefined ? {} : (JSON.parse(text) as Record<string, Module>);
    restoreIntegers(trees as unknown as Record<string, unknown>);
  }
  return trees[name];
}

function restoreIntegers(node: Record<string, unknown>): void {
  for (const key of Object.keys(node)) {
    const value = node[key];
    if (typeof value !== "object" || value === null || key === "at") continue;
    const inner = value as Record<string, unknown>;
    if (typeof inner["$int"] === "string") node[key] = BigInt(inner["$int"]);
    else restoreIntegers(inner);
  }
}
