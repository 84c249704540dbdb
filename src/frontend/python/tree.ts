/** The concrete tree of a text, copied once out of the parser's memory: a node is then a plain object. */
import type { Parser } from "./tree-sitter.js";
import type { TreeWalk } from "./tree-walk.js";
import { WORDS } from "./tree-walk-module.js";

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

/** The library's parser with our way to its tree. */
export interface TreeParser {
  readonly parser: Parser;
  readonly walk: TreeWalk;
}

export interface RawTree {
  readonly root: RawNode;
  readonly hasErrors: boolean;
  /** Where the first error seems to be. */
  readonly errorAt: number;
}

/** Parses `text` and copies the tree; comments are left out. */
export function rawTree({ parser, walk }: TreeParser, text: string): RawTree {
  const tree = parser.parse(text)!;
  const { hasError: hasErrors } = tree.rootNode;
  const { types, fields } = tree.language;
  const numbers = walk(tree);
  tree.delete();
  const { root, isOld } = nodesOf(numbers, types, fields);
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

/** The nodes of a walk as a tree, and whether there are statements of Python 2, which the grammar takes. */
function nodesOf(
  numbers: Uint32Array,
  types: readonly string[],
  fields: readonly (string | null)[],
): { readonly root: RawNode; readonly isOld: boolean } {
  /** The children of the nodes that are open, from the root's on. */
  const open: RawNode[][] = [[]];
  let isOld = false;
  for (let i = 0; i < numbers.length; i += WORDS) {
    const kind = numbers[i]!;
    const place = numbers[i + 3]!;
    const children: RawNode[] = [];
    const type = types[kind & 0xffff] ?? "ERROR";
    const depth = place >> 2;
    isOld ||= type === "print_statement" || type === "exec_statement";
    open.length = depth + 1;
    open.push(children);
    if (type === "comment" || type === "line_continuation") continue;
    const [named, missing] = [(place & 2) !== 0, (place & 1) !== 0];
    open[depth]!.push({ type, named, missing, field: fields[kind >>> 16] ?? null, start: numbers[i + 1]!, end: numbers[i + 2]!, children });
  }
  return { root: open[0]![0]!, isOld };
}

export const fieldOf = (node: RawNode, name: string): RawNode | undefined => node.children.find((c) => c.field === name);
export const fieldsOf = (node: RawNode, name: string): readonly RawNode[] => node.children.filter((c) => c.field === name);
export const namedOf = (node: RawNode): readonly RawNode[] => node.children.filter((c) => c.named);
