/** Interfaces of tt ops that generic code asks for, with their verifiers. Source: TritonOpInterfaces.td, OpInterfaces.cpp. */
import { isShaped } from "../../ir/builtin-types.js";
import { defineInterface } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { defineTrait } from "../../ir/traits.js";
import type { Value } from "../../ir/value.js";

/** Ops that permute dimensions: result dimension i is dimension `order[i]` of the source. */
export interface TransposeOpInterface {
  src(op: Operation): Value;
  order(op: Operation): readonly number[];
}
export const TransposeOpInterface = defineInterface<TransposeOpInterface>("TransposeOpInterface");
/** The interface's verifier. */
export const TransposeOpTrait = defineTrait("TransposeOpInterface", {
  dependsOn: "types and attributes",
  verify(op, report) {
    const view = op.def.interface(TransposeOpInterface)!;
    const order = view.order(op);
    if (shapeOf(view.src(op)).length !== order.length)
      report.plain("order must have the same size as the rank of the operand and result", "tt.transpose");
    else if (!isPermutation(order)) report.plain("order must be a permutation of [0, ..., rank - 1]", "tt.transpose");
  },
});

/** Ops that multiply matrices: operand 2 is the accumulator. */
export interface DotOpInterface {
  a(op: Operation): Value;
  b(op: Operation): Value;
  d(op: Operation): Value;
  /** Whether the shapes of a and b fit each other. */
  verifyDims(op: Operation): boolean;
  /** Whether the accumulator's shape fits theirs; default: rows of a, columns of b. */
  verifyOutputDims?(op: Operation): boolean;
}
export const DotOpInterface = defineInterface<DotOpInterface>("DotOpInterface");
export const DotOpTrait = defineTrait("DotOpInterface", {
  dependsOn: "types and attributes",
  verify(op, report) {
    const dot = op.def.interface(DotOpInterface)!;
    const error = (message: string) => void report.error(message, "tt.dot");
    if (op.numOperands < 3) return error("expected at least 3 operands");
    const [a, b, c] = [0, 1, 2].map((i) => shapeOf(op.operand(i))) as [number[], number[], number[]];
    if (a.length !== 2 && a.length !== 3) return error("expected operands to be 2d or 3d");
    if (a.length !== b.length || a.length !== c.length) return error("expected all operands to have the same rank");
    if (!dot.verifyDims(op))
      return error("expected the last dimension of the first operand to be equal to the second-to-last dimension of the second operand");
    if (a.length === 3 && (a[0] !== c[0] || b[0] !== c[0]))
      return error("expected the first dimension of the first operand to be equal to the first dimension of the result");
    if (!(dot.verifyOutputDims ?? defaultOutputDims)(op))
      return error(
        "expected the output shape to be the concatenation of the last dimension of the first operand and the last dimension of the second ",
      );
  },
});
function defaultOutputDims(op: Operation): boolean {
  const dot = op.def.interface(DotOpInterface)!;
  const a = shapeOf(dot.a(op));
  const b = shapeOf(dot.b(op));
  const c = shapeOf(op.operand(2));
  return c.at(-2) === a.at(-2) && c.at(-1) === b[a.length - 1];
}

/** Ops on tensor descriptors. */
export interface DescriptorOpInterface {
  desc(op: Operation): Value;
}
export const DescriptorOpInterface = defineInterface<DescriptorOpInterface>("DescriptorOpInterface");
/** Those that write a tensor through the descriptor. */
export interface DescriptorStoreLikeOpInterface extends DescriptorOpInterface {
  src(op: Operation): Value;
  /** The index of the operand that `src` is. */
  srcIndex(op: Operation): number;
}
export const DescriptorStoreLikeOpInterface = defineInterface<DescriptorStoreLikeOpInterface>("DescriptorStoreLikeOpInterface");

/** The shape of a value that holds elements; ttg's memdesc has a `shape` of the same name. */
export function shapeOf(value: Value): readonly number[] {
  const { type } = value;
  return isShaped(type) ? type.params.shape : [];
}

/** Whether `order` holds 0 .. n-1, each once. */
export function isPermutation(order: readonly number[]): boolean {
  return [...order].sort((x, y) => x - y).every((dim, i) => dim === i);
}
/** `values` in the order given: element i is `values[order[i]]`. */
export function applyPermutation<T>(values: readonly T[], order: readonly number[]): T[] {
  return order.map((from) => values[from]!);
}
