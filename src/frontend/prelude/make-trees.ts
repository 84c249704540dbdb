/** Run by the build: writes the trees of the prelude to the file that it is given. */
import { writeFileSync } from "node:fs";
import type { Module } from "../python/ast.js";
import { loadParser, parsePython } from "../python/parse.js";
import { PRELUDE } from "./texts.js";
import { treesText } from "./trees.js";

void loadParser().then((parser) => {
  const trees: Record<string, Module> = {};
  for (const [name, text] of Object.entries(PRELUDE)) {
    const parsed = parsePython(parser, text(), "", true);
    if (parsed.kind === "Module") trees[name] = parsed;
    else throw new Error(`${name}:${parsed.line}: ${parsed.message}`);
  }
  writeFileSync(process.argv[2]!, treesText(trees));
});
