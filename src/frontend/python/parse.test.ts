import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Module } from "./ast.js";
import { parsePython } from "./parse.js";

/** Sources with what CPython 3.11's `ast` says of them: each node's name and place, in the order of `ast.walk` by fields. */
const CASES: readonly { readonly name: string; readonly source: string; readonly nodes: readonly string[] }[] = JSON.parse(
  readFileSync("fixtures/frontend/python-ast.json", "utf8"),
);

/** `Name 1:4` of every node that has a place, depth first in the order of the text. */
function places(module: Module): string[] {
  const out: string[] = [];
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(walk);
    if (typeof node !== "object" || node === null) return;
    const { kind, at } = node as { readonly kind?: string; readonly at?: { readonly line: number; readonly col: number } };
    // Parts of strings have places of their own in CPython, which nothing asks for.
    if (kind !== undefined && at && kind !== "FormattedValue") out.push(`${kind} ${at.line}:${at.col}`);
    if (kind === "JoinedStr") return;
    for (const [key, child] of Object.entries(node)) if (key !== "at") walk(child);
  };
  walk(module.body);
  return out.sort();
}

test.each(CASES)("$name has CPython's nodes at CPython's places", ({ source, nodes }) => {
  const parsed = parsePython(source, "case.py");
  expect(parsed.kind === "Module" ? places(parsed) : parsed).toEqual(nodes);
});

test("a line directive numbers the lines that follow", () => {
  const parsed = parsePython("#line 40\nx = 1\n\n#line 7\ny = 2\n", "case.py", true) as Module;
  expect(parsed.body.map((s) => s.at!.line)).toEqual([40, 7]);
});
