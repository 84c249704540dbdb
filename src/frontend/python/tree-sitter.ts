/** The parser's runtime and its files: only Python input loads them, through `import()`. */

export { Language, Parser, type TreeCursor } from "web-tree-sitter";
export { readTrees, readWasm } from "./wasm.js";
