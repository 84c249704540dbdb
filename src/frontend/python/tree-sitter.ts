/** The parser's runtime and its files. */

export { Language, Parser, type TreeCursor } from "web-tree-sitter";
export { readTrees, readWasm } from "./wasm.js";
