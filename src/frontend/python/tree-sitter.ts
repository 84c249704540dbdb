/** The parser's runtime and its files, a chunk of its own (`dist/python.cjs`): only Python input loads it, through `import()`. */

export { Language, Parser, type TreeCursor } from "web-tree-sitter";
export { readTrees, readWasm } from "./wasm.js";
