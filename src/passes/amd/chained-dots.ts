/** Dots of which one takes the result of another, as in attention. Source: third_party/amd/lib/TritonAMDGPUToLLVM/Utility.cpp. */
import { getBackwardSlice, getForwardSlice } from "../../analysis/slices.js";
import { DotOpInterface } from "../../dialects/tt/op-interfaces.js";
import type { Operation } from "../../ir/operation.js";

const isBeside = (dot: Operation) => (op: Operation) => op.block?.region === dot.block?.region;

/** Whether the result goes to operand `opIdx` of another dot of the region. */
export function isChainDotHead(dot: Operation, opIdx: 0 | 1 = 0): boolean {
  const slice = new Set(getForwardSlice(dot, { filter: isBeside(dot) }));
  for (const op of slice) {
    const other = op.def.interface(DotOpInterface);
    const operand = other && (opIdx === 0 ? other.a(op) : other.b(op)).definingOp;
    if (operand && slice.has(operand)) return true;
  }
  return false;
}

/** Whether operand a comes of another dot of the region. */
export function isChainDotTail(dot: Operation): boolean {
  const a = dot.def.interface(DotOpInterface)!.a(dot).definingOp;
  if (!a) return false;
  return getBackwardSlice(a, { omitBlockArguments: true, filter: isBeside(dot) }).some((op) => op.def.interface(DotOpInterface));
}
