/** The parser's runtime. */
export { Language, Parser, type TreeCursor } from "web-tree-sitter";
