import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { TreeCursor } from "web-tree-sitter";
import { loadParser, type PythonParser } from "./parse.js";
import { WORDS } from "./tree-walk-module.js";

let parser: PythonParser;
beforeAll(async () => {
  parser = await loadParser();
});

/** What the library's own cursor sees, in the walk's numbers. */
function seen(cursor: TreeCursor, depth = 0): number[] {
  const { nodeTypeId, currentFieldId, startIndex, endIndex, nodeIsNamed, nodeIsMissing } = cursor;
  const nodes = [
    nodeTypeId | (currentFieldId << 16),
    startIndex,
    endIndex,
    (depth << 2) | (Number(nodeIsNamed) << 1) | Number(nodeIsMissing),
  ];
  if (!nodeIsNamed || !cursor.gotoFirstChild()) return nodes;
  do for (const number of seen(cursor, depth + 1)) nodes.push(number);
  while (cursor.gotoNextSibling());
  cursor.gotoParent();
  return nodes;
}

function agree(text: string): number {
  const tree = parser.parser.parse(text)!;
  const walked = [...parser.walk(tree)];
  const cursor = tree.walk();
  expect(walked).toEqual(seen(cursor));
  cursor.delete();
  tree.delete();
  return walked.length / WORDS;
}

test("the walk sees of kernels what the cursor sees", () => {
  const folder = "fixtures/frontend/kernels";
  const kernels = readdirSync(folder).filter((name) => name.endsWith(".py"));
  for (const name of kernels) expect(agree(readFileSync(`${folder}/${name}`, "utf8"))).toBeGreaterThan(50);
  expect(kernels.length).toBeGreaterThan(50);
});

test("the walk sees of broken texts what the cursor sees", () => {
  const parts = [
    "def f(",
    "a",
    "*",
    "):\n",
    "    ",
    "x = é😀",
    "print 1",
    "\n",
    '"',
    "f'{a}'",
    "is not",
    "# c\n",
    "[",
    "]",
    "\\\n",
    "lambda: 0",
    "@",
    "if",
  ];
  fc.assert(fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 40 }), (text) => void agree(text.join(" "))));
});

test("a deep tree and a large one", () => {
  agree(`x = ${"(".repeat(2000)}1${")".repeat(2000)}`);
  expect(agree("x = a + b\n".repeat(50_000))).toBeGreaterThan(300_000);
});
