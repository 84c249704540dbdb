/**
 * A walk over the parser's tree inside WebAssembly. The library's own cursor is asked six times a node from outside, and each question
 * crosses over: that took longer than parsing. A module of our own (`tree-walk-module.ts`) is linked to the parser's runtime, and leaves
 * all nodes in its memory.
 */
import { WORDS } from "./tree-walk-module.js";

/** Nodes in the order of the text, `WORDS` numbers each. */
export type TreeWalk = (tree: Tree) => Uint32Array;

/** What is used of a tree; the library's number of it, its address, is what the runtime's functions take. */
interface Tree {
  readonly rootNode: { readonly descendantCount: number };
}

/** What is used of it here: the library with its types is the browser's. */
declare const WebAssembly: { readonly Instance: new (module: object, imports: object) => Instance };
export interface Instance {
  readonly exports: Readonly<Record<string, (...args: number[]) => number>>;
}

/** Links the walk to an instance of the parser's runtime and its memory. */
export function treeWalk(module: object, { exports: runtime }: Instance, memory: { readonly buffer: ArrayBuffer }): TreeWalk {
  const { walk } = new WebAssembly.Instance(module, { runtime, env: { memory } }).exports;
  return (tree) => {
    const address = (tree as unknown as readonly number[])[0]!;
    const out = runtime["malloc"]!(tree.rootNode.descendantCount * WORDS * 4);
    const end = walk!(address, out);
    const nodes = new Uint32Array(memory.buffer.slice(out, end));
    runtime["free"]!(out);
    return nodes;
  };
}
