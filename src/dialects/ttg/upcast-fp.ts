/** Ops of vendors that make wider floats of narrow ones, and how layouts go through them. Source: TritonGPUOpInterfaces.td. */
import type { Attribute } from "../../ir/attribute.js";
import { defineInterface } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";

export interface UpcastFpOpInterface {
  /** The layout of the result where operand `i` has that one. */
  inferDstEncoding(op: Operation, i: number, encoding: Attribute): Attribute | undefined;
  /** The layout of operand `i` for a result with that one. */
  inferSrcEncoding(op: Operation, i: number, encoding: Attribute): Attribute | undefined;
}
export const UpcastFpOpInterface = defineInterface<UpcastFpOpInterface>("UpcastFpOpInterface");
