/** Nests of scf.for, as loop fusion sees them. Source: lib/Dialect/TritonGPU/Transforms/FuseNestedLoops.cpp. */
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import type { Operation } from "../../../ir/operation.js";

/** A loop and the loops right below it. */
export interface LoopNestNode {
  /** Becomes the fused loop once it is fused. */
  loop: ForView;
  children: LoopNestNode[];
}
export interface LoopNest {
  readonly root: LoopNestNode;
  /** The loops of the nest, the root included. */
  readonly size: number;
}

/** The nests in an op. Any other op with a region ends a nest: what it holds is searched for nests of its own, which come first. */
export function findLoopNests(container: Operation): LoopNest[] {
  const nests: LoopNest[] = [];
  const search = (within: Operation): void =>
    void within.walk((op) => {
      const loop = ForOp.match(op);
      if (!loop) return undefined;
      let size = 0;
      const construct = (own: ForView): LoopNestNode => {
        size++;
        const node: LoopNestNode = { loop: own, children: [] };
        own.op.walk((nested) => {
          if (nested === own.op) return undefined;
          const inner = ForOp.match(nested);
          if (inner) node.children.push(construct(inner));
          else if (nested.regions.length > 0) search(nested);
          else return undefined;
          return "skip";
        });
        return node;
      };
      const root = construct(loop);
      nests.push({ root, size });
      return "skip";
    });
  search(container);
  return nests;
}
