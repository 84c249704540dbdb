/** The parser's runtime. */
export { Language, Parser } from "web-tree-sitter";
