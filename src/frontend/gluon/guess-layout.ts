/** Layouts, and descriptors that have one, for parameters of Gluon kernels that nobody has given, from how they are used. */
import { lastName, walk } from "../launches.js";
import type * as ast from "../python/ast.js";

/** The entries of a signature for parameters that are used as layouts or descriptors, for four warps. */
export function guessLayouts(body: readonly ast.Stmt[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const note = (node: ast.Expr | undefined, text: string): void => {
    if (node?.kind === "Name" && !found.has(node.id)) found.set(node.id, text);
  };
  // Uses that show the rank come first; `x.load(layout)` does not.
  const ofUnknownRank: ast.Expr[] = [];
  let usesMma = false;
  walk(body, (node) => {
    usesMma ||= node.kind === "Call" && lastName(node.func) === "mma_v2";
  });
  walk(body, (node) => {
    if (node.kind === "Attribute" && node.value.kind === "Name" && /^(?:block_type|block_shape|layout)$/.test(node.attr))
      note(node.value, DESCRIPTOR);
    if (node.kind !== "Call") return;
    const name = lastName(node.func) ?? "";
    const layout = (position: number): ast.Expr | undefined =>
      node.keywords.find(({ arg }) => arg === "layout")?.value ?? node.args[position];
    const rankOf = (shape: ast.Expr | undefined): number => (shape?.kind === "List" || shape?.kind === "Tuple" ? shape.elts.length : 1);
    const parent = node.keywords.find(({ arg }) => arg === "parent")?.value ?? node.args[1];
    if (name === "SliceLayout") note(parent, blocked(2));
    else if (name === "arange") note(layout(2), blocked(1));
    else if (name === "full") note(layout(3), blocked(rankOf(node.args[0])));
    else if (name === "zeros") note(layout(2), blocked(rankOf(node.args[0])));
    else if (name === "allocate_shared_memory") note(layout(2), shared(rankOf(node.args[1])));
    else if (name === "DotOperandLayout" && parent?.kind === "Name" && usesMma) found.set(parent.id, MMA);
    else if (name === "convert_layout" || name === "set_auto_layout") ofUnknownRank.push(layout(1)!);
    else if (name === "load" && node.func.kind === "Attribute") ofUnknownRank.push(layout(0)!);
    else if (/^async_copy_(?:global_to_shared|shared_to_global)$/.test(name) && node.args.length > 2 && node.args[1]?.kind === "List")
      note(node.args[0], DESCRIPTOR);
  });
  const isMatrix = [...found.values()].some((text) => text === DESCRIPTOR || text.endsWith("[1, 0])"));
  for (const node of ofUnknownRank) note(node, blocked(isMatrix ? 2 : 1));
  return found;
}

/** The layout of a parameter that only its name says anything of. */
export const layoutCalled = (name: string): string | undefined =>
  /layout|encoding/i.test(name) ? (/shared|smem/i.test(name) ? shared(2) : blocked(1)) : undefined;

const DESCRIPTOR = "tensordesc<fp16[64, 64],NVMMASharedLayout(128, 16)>";
const MMA = "gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])";
const blocked = (rank: number): string =>
  rank === 1 ? "gl.BlockedLayout([1], [32], [4], [0])" : "gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])";
const shared = (rank: number): string => `gl.SwizzledSharedLayout(1, 1, 1, ${rank === 1 ? "[0]" : "[1, 0]"})`;
