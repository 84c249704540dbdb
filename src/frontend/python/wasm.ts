/** The parser's two WebAssembly modules; the bundle reads them beside itself instead, see build.js. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { resolve } = createRequire(import.meta.url);

/** The prelude's trees, which only a build has. */
export const readTrees = (): string | undefined => undefined;

export const readWasm = (): { readonly runtime: Buffer; readonly grammar: Buffer } => ({
  runtime: readFileSync(resolve("web-tree-sitter/web-tree-sitter.wasm")),
  grammar: readFileSync(resolve("tree-sitter-python/tree-sitter-python.wasm")),
});
