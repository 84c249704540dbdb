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

export interface RawTree {
  readonly root: RawNode;
  readonly hasErrors: boolean;
  /** Where the first error seems to be. */
  readonly errorAt: number;
}

/** Parses `text` and copies the tree; comments are left out. */
export function rawTree(parser: Parser, text: string): RawTree {
  const tree = parser.parse(text)!;
  const cursor = tree.walk();
  const { hasError: hasErrors } = tree.rootNode;
  const known: Known = { kinds: [], fields: [], hasErrors };
  const root = copy(cursor, known);
  cursor.delete();
  tree.delete();
  // The grammar takes statements of Python 2.
  const isOld = known.kinds.some((kind) => kind?.type === "print_statement" || kind?.type === "exec_statement");
  return { root, hasErrors: hasErrors || isOld, errorAt: (hasErrors && firstError(root)?.start) || 0 };
}

/** A newline that is missing between two statements is no node of the tree. */
function firstError(node: RawNode): RawNode | undefined {
  if (node.type === "ERROR" || node.missing) return node;
  for (const child of node.children) {
    const inner = firstError(child);
    if (inner) return inner;
  }
  return undefined;
}

/** What has been asked of the grammar already: every question crosses into WebAssembly. */
interface Known {
  readonly kinds: { readonly type: string; readonly named: boolean }[];
  readonly fields: (string | null)[];
  readonly hasErrors: boolean;
}

function copy(cursor: TreeCursor, known: Known): RawNode {
  const children: RawNode[] = [];
  const { nodeTypeId, currentFieldId } = cursor;
  const kind = (known.kinds[nodeTypeId] ??= { type: cursor.nodeType, named: cursor.nodeIsNamed });
  let field = known.fields[currentFieldId];
  if (field === undefined) known.fields[currentFieldId] = field = cursor.currentFieldName;
  const node: RawNode = {
    type: kind.type,
    named: kind.named,
    missing: known.hasErrors && cursor.nodeIsMissing,
    field,
    start: cursor.startIndex,
    end: cursor.endIndex,
    children,
  };
  // What is not named is a token.
  if (kind.named && cursor.gotoFirstChild()) {
    do {
      const child = copy(cursor, known);
      if (child.type !== "comment" && child.type !== "line_continuation") children.push(child);
    } while (cursor.gotoNextSibling());
    cursor.gotoParent();
  }
  return node;
}

export const fieldOf = (node: RawNode, name: string): RawNode | undefined => node.children.find((c) => c.field === name);
export const fieldsOf = (node: RawNode, name: string): readonly RawNode[] => node.children.filter((c) => c.field === name);
export const namedOf = (node: RawNode): readonly RawNode[] => node.children.filter((c) => c.named);
