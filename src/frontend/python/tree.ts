/** The concrete tree of a text, copied once out of the parser's memory: a node is then a plain object. */
import type { Parser, TreeCursor } from "./tree-sitter.js";

/** A node of the concrete tree; offsets count UTF-16 units of the text. */
export interface RawNode {
  readonly type: string;
  readonly named: boolean;
  readonly missing: boolean;
  readonly field: string | null;
  readonly start: number;
  readonly end: number;
  readonly children: readonly RawNode[];
}

/** Parses `text` and copies the tree; comments are left out. */
export function rawTree(parser: Parser, text: string): RawNode {
  const tree = parser.parse(text)!;
  const cursor = tree.walk();
  const root = copy(cursor);
  cursor.delete();
  tree.delete();
  return root;
}

function copy(cursor: TreeCursor): RawNode {
  const children: RawNode[] = [];
  const node: RawNode = {
    type: cursor.nodeType,
    named: cursor.nodeIsNamed,
    missing: cursor.nodeIsMissing,
    field: cursor.currentFieldName,
    start: cursor.startIndex,
    end: cursor.endIndex,
    children,
  };
  if (cursor.gotoFirstChild()) {
    do {
      const type = cursor.nodeType;
      if (type !== "comment" && type !== "line_continuation") children.push(copy(cursor));
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return node;
}

export const fieldOf = (node: RawNode, name: string): RawNode | undefined => node.children.find((c) => c.field === name);
export const fieldsOf = (node: RawNode, name: string): readonly RawNode[] => node.children.filter((c) => c.field === name);
export const namedOf = (node: RawNode): readonly RawNode[] => node.children.filter((c) => c.named);
