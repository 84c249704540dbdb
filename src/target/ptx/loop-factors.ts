/**
 * Where a loop needs a few registers too many, products of words that sums before and after it need are computed by each sum, if it fits
 * then: it keeps a word for each, not two.
 *
 *     p = wide(x) * 2; a + p; loop; b + p          mad.wide a, x, 2; loop; mad.wide b, x, 2
 */
import type { Block, Node } from "./graph.js";
import { fuseAlways, wideFactor } from "./select.js";

/** Returns whether there are such products, enough for the words that are too many. */
export function fuseAcrossLoops(nodes: readonly Node[], tooMany: number): boolean {
  const sums = new Map(nodes.flatMap((node): [Node, Node[]][] => (wideFactor(node) ? [[node, []]] : [])));
  for (const node of nodes) if (node.kind === "add") for (const input of node.inputs) sums.get(input)?.push(node);
  const across = [...sums].filter(([product, users]) => users.length === product.uses && areAcrossLoop(product.block!, users));
  if (across.length < tooMany) return false;
  for (const [product, users] of across) fuseAlways(product, users);
  return true;
}

/** Whether some users come after a loop that has none of them, and the value before it. */
function areAcrossLoop(block: Block, users: readonly Node[]): boolean {
  const isAfterLoop = (user: Block): boolean => {
    for (let at = user; at !== block; at = at.dominator!) if (at.loopDepth > user.loopDepth) return true;
    return false;
  };
  return users.every((user) => user.block!.loopDepth <= block.loopDepth) && users.some((user) => isAfterLoop(user.block!));
}
