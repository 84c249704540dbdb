/** The parser's two WebAssembly modules, and ours; the bundle reads them beside itself instead, see build.js. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { treeWalkModule } from "./tree-walk-module.js";

const { resolve } = createRequire(import.meta.url);

/** The prelude's trees, which only a build has. */
export const readTrees = (): string | undefined => undefined;

export const readWasm = (): { readonly runtime: Buffer; readonly grammar: Buffer; readonly walk: Uint8Array } => ({
  runtime: readFileSync(resolve("web-tree-sitter/web-tree-sitter.wasm")),
  grammar: readFileSync(resolve("tree-sitter-python/tree-sitter-python.wasm")),
  walk: treeWalkModule(),
});
