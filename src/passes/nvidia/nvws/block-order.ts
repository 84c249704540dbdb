import type { Operation } from "../../../ir/operation.js";
import { findAncestorInBlock } from "../../ttg/software-pipelining/pipelined-loops.js";

/**
 * The first (or last) of the ops, or of those around them in the innermost block that holds them all; undefined when there is none.
 * Source: lib/Dialect/TritonGPU/Transforms/Utility.cpp, findNearestCommonDominator, findNearestCommonPostDominator.
 */
export const firstOf = (ops: readonly Operation[]): Operation | undefined => pick(ops, (a, b) => a.isBeforeInBlock(b));
export const lastOf = (ops: readonly Operation[]): Operation | undefined => pick(ops, (a, b) => b.isBeforeInBlock(a));

function pick(ops: readonly Operation[], isBetter: (a: Operation, b: Operation) => boolean): Operation | undefined {
  for (let at: Operation | null | undefined = ops[0]; at; at = at.parentOp) {
    const { block } = at;
    const tops = ops.flatMap((op) => (block && findAncestorInBlock(block, op)) ?? []);
    if (tops.length === ops.length) return tops.reduce((best, top) => (isBetter(top, best) ? top : best));
  }
  return undefined;
}
