/** Whether what AxisInfo claims of integers and pointers holds for the values they really have. */
import { type AxisInfo, axisInfoText } from "../../analysis/axis-info.js";
import { moduleAxisInfo } from "../../analysis/module-axis-info.js";
import { PointerType } from "../../dialects/tt/types.js";
import { elementTypeOrSelf, RankedTensorType } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { elementOfType } from "./elements.js";
import type { Findings } from "./findings.js";
import type { ResultObserver } from "./machine.js";
import { rowMajorStrides, type Tensor } from "./value.js";

const HINTS = ["tt.contiguity", "tt.divisibility", "tt.constancy"];

/** Checks every result of a run against the claims; one that does not hold is a finding. */
export function axisInfoCheck(module: Operation, findings: Findings): ResultObserver {
  const analysis = moduleAxisInfo.compute(module);
  const claims = new Map<Value, AxisInfo | undefined>();
  let hintBroken = false;
  return (op, index, value) => {
    if (hintBroken) return;
    const result = op.result(index);
    // Vectors of a reduction's region are not the scalars of the claims.
    if (!RankedTensorType.is(result.type) && value.data.length !== 1) return;
    let claim = claims.get(result);
    if (!claims.has(result)) claims.set(result, (claim = analysis.get(result)));
    if (!claim) return;
    const problem = brokenClaim(claim, value, pointeeBytes(result));
    if (!problem) return;
    if (HINTS.some((hint) => op.hasAttr(hint))) {
      // A wrong hint is the kernel's own fault, and so is all that follows from it.
      hintBroken = true;
      findings.add("hint", op, `${problem}, but the kernel's hint says ${axisInfoText(claim)}`);
    } else findings.add("axis-info", op, `${problem}, but AxisInfo claims ${axisInfoText(claim)}`);
  };
}

/** The step between neighbouring addresses of a pointer; 1 for integers. */
function pointeeBytes(value: Value): number {
  const element = elementTypeOrSelf(value.type);
  return PointerType.is(element) ? (elementOfType(elementTypeOrSelf(element.params.pointeeType))?.bytes ?? 1) : 1;
}

/** The reason why a claim about these values is wrong; undefined if it holds. */
export function brokenClaim(
  { contiguity, divisibility, constancy, constantValue }: AxisInfo,
  value: Tensor,
  step: number,
): string | undefined {
  const { data } = value;
  const shape = value.shape.length === 0 ? [1] : value.shape;
  if (contiguity.length !== shape.length) return undefined;
  const numbers = Array.from(data as Int32Array, Number);
  if (constantValue !== undefined) {
    // Upstream extends some constants with zeros.
    const { width } = value.element;
    const constant = BigInt.asUintN(width, constantValue);
    const wrong = data.findIndex((n: number | bigint) => BigInt.asUintN(width, BigInt(n)) !== constant);
    if (wrong >= 0) return `element ${wrong} is ${numbers[wrong]}`;
  }
  const strides = rowMajorStrides(shape);
  for (let d = 0; d < shape.length; d++) {
    const [size, stride] = [shape[d]!, strides[d]!];
    const run = Math.min(contiguity[d]!, size);
    const equal = Math.min(constancy[d]!, size);
    for (let i = 0; i < numbers.length; i++) {
      const at = Math.floor(i / stride) % size;
      const n = numbers[i]!;
      if (at % run !== 0 && n !== numbers[i - stride]! + step)
        return `element ${i} is ${n}, and the one before it in dimension ${d} is ${numbers[i - stride]}`;
      if (at % equal !== 0 && n !== numbers[i - stride]!)
        return `element ${i} is ${n}, and the one before it in dimension ${d} is ${numbers[i - stride]}`;
      if (at % run === 0 && n % divisibility[d]! !== 0 && !fallsOnMultiple(value, i, divisibility[d]!)) return `element ${i} is ${n}`;
    }
  }
  return undefined;
}
/** For integers beyond 2^53. */
function fallsOnMultiple({ data }: Tensor, i: number, divisor: number): boolean {
  const n = data[i]!;
  return typeof n === "bigint" && n % BigInt(divisor) === 0n;
}
