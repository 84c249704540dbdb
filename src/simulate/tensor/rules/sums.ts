/** Sums of floats; a product that one takes may stay unrounded, as where the compiler makes one fused operation of the two. */

import * as arith from "../../../dialects/arith/ops/index.js";
import * as tt from "../../../dialects/tt/ops/index.js";
import type { Block } from "../../../ir/block.js";
import { elementTypeOrSelf, FloatType } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import type { Rule } from "../instructions.js";
import { loop } from "../loops.js";
import { functionOf } from "../roundings.js";
import { type Tensor, tensor, tensorSpec } from "../value.js";
import { alike, elementwise, readable } from "./elementwise.js";

/** Which operand of a sum or difference is a product. Of f64 a product has more bits than a number here: none is found. */
export function productInSum(op: Operation): 0 | 1 | undefined {
  if (!(arith.AddFOp.is(op) || arith.SubFOp.is(op)) || tensorSpec(op.result(0).type).element.name === "f64") return undefined;
  return arith.MulFOp.is(op.operand(0).definingOp) ? 0 : arith.MulFOp.is(op.operand(1).definingOp) ? 1 : undefined;
}

/**
 * Whether an op adds up floats, or multiplies them, in an order that the source leaves open: what comes out may be rounded
 * otherwise, and no more. Other reductions may depend on the order of their elements: theirs stays.
 */
export function addsUp(op: Operation): boolean {
  if (op.name === "tt.dot") return FloatType.is(elementTypeOrSelf(op.result(0).type));
  if (op.name !== "tt.reduce" || op.numResults !== 1) return false;
  return isSum(op.regions[0]!.firstBlock!);
}
/** Whether a block answers the sum or product of its two arguments; as the front end leaves it, by a call. */
function isSum(block: Block): boolean {
  const { firstOp, lastOp } = block;
  if (!firstOp || firstOp.next !== lastOp || firstOp.numOperands !== 2 || firstOp.operand(0) === firstOp.operand(1)) return false;
  const callee = tt.CallOp.match(firstOp)?.callee;
  const body = callee === undefined ? undefined : functionOf(firstOp, callee)?.regions[0];
  // Behind its return the front end may leave a block that nothing reaches.
  if (body) return isSum(body.firstBlock!);
  return arith.AddFOp.is(firstOp) || arith.MulFOp.is(firstOp);
}

/** A product of two numbers of up to 24 bits is exact in a double. */
export const sum =
  (symbol: "+" | "-"): Rule =>
  (instruction, program) => {
    const { op, ins, outs } = instruction;
    const rounded = elementwise(() => `a ${symbol} b`)(instruction, program);
    const product = productInSum(op);
    if (product === undefined) return rounded;
    const factors = op.operand(product).definingOp!.operands.map((v) => program.slot(v));
    const slots = [...factors, ins[1 - product]!];
    const { element } = tensorSpec(op.result(0).type);
    const fused = loop(element, [element, element, element], product === 0 ? `a * b ${symbol} c` : `c ${symbol} a * b`);
    return (frame, machine) => {
      if (!machine.contract) return rounded(frame, machine);
      const [a, b, c] = alike(slots.map((slot) => readable(machine, op, frame.env[slot]!))) as [Tensor, Tensor, Tensor];
      const data = element.alloc(a.data.length);
      machine.charge(op, data.length);
      fused(data.length, data, a.data, b.data, c.data);
      frame.env[outs[0]!] = tensor(element, a.shape, data);
    };
  };
