/**
 * A warp group's products (`wgmma.mma_async`) read registers while the threads go on: what they read must be written before the
 * `wgmma.fence` before them. Source: the PTX ISA, wgmma.fence.
 */
import type { Block, Graph, Node } from "./graph.js";

const textOf = ({ data }: Node<"effect">): string => (data.kind === "asm" ? data.text : data.kind === "instruction" ? data.form : "");

/** The products between a fence and the next one; none where `effects[index]` is no fence. */
export function productsAfter(effects: readonly Node<"effect">[], index: number): readonly Node<"effect">[] {
  if (!textOf(effects[index]!).startsWith("wgmma.fence")) return [];
  const products: Node<"effect">[] = [];
  for (let i = index + 1; i < effects.length; i++) {
    const text = textOf(effects[i]!);
    if (text.startsWith("wgmma.fence")) break;
    if (text.startsWith("wgmma.mma_async")) products.push(effects[i]!);
  }
  return products;
}

/** Gives each accumulator that comes from elsewhere a copy of its own, for the result's register: made here, it can be made before the fence. */
export function copyAccumulators(graph: Graph, order: readonly Block[]): void {
  for (const { effects } of order)
    for (let i = 0; i < effects.length; i++) {
      const products = productsAfter(effects, i);
      const together = new Set<Node>(products);
      for (const product of products) {
        const { data } = product;
        if (data.kind !== "asm") continue;
        graph.loc = product.loc;
        product.inputs = product.inputs.map((input, k) => {
          const isOther = data.copied[k] && !(input.kind === "result" && together.has(input.inputs[0]!));
          return isOther ? graph.pure("copy", input.width, [input], { effect: product.id, operand: k }) : input;
        });
      }
    }
}
