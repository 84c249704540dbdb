/**
 * Where a loop needs more registers than there are, the descriptors that tcgen05.mma reads are computed in the block that needs them: each
 * is a sum of an address that the loop has and a number, and takes two registers for as long as it is kept.
 *
 *     a = p | 2^62; loop: mma a          loop: a = p | 2^62; mma a
 */
import { type Block, type Graph, type Node, valueOf } from "./graph.js";

/** Returns whether there are any. */
export function makeDescriptorsNear(graph: Graph, order: readonly Block[]): boolean {
  let count = 0;
  for (const block of order) {
    const near = new Map<Node, Node>();
    for (const effect of block.effects) {
      if (effect.data.kind !== "asm" || !effect.data.text.includes("tcgen05.mma")) continue;
      effect.inputs = effect.inputs.map((input) => {
        if (!isDescriptor(input) || input.block === block) return input;
        const known = near.get(input);
        const made = known ?? graph.inPlaceOf(effect, () => graph.copyOf(input));
        made.block = block;
        made.uses++;
        near.set(input, made);
        input.uses--;
        return made;
      });
    }
    count += near.size;
  }
  return count > 0;
}

/** Whether a number is added that has more than a word: the fields of a descriptor besides the address. */
function isDescriptor({ kind, width, inputs }: Node): boolean {
  const fields = kind === "or" || kind === "add" ? valueOf(inputs[1]) : undefined;
  return width === 64 && fields !== undefined && BigInt.asIntN(32, fields) !== fields;
}
