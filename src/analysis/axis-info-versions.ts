/** Where versions of Triton know other things of values: one record a version. Source: lib/Analysis/AxisInfo.cpp of each. */
import { AddIOp, SubIOp } from "../dialects/arith/ops/index.js";
import { AddPtrOp } from "../dialects/tt/ops/index.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { TritonVersion } from "../support/triton-version.js";
import { gcd, multiplyDivisor } from "./axis-info.js";
import { ADDRESS, AXIS_INFO_RULES, type AxisInfoRule, type BinaryRule, binary, DIFFERENCE, elementBytes, SUM } from "./axis-info-rules.js";

export interface AxisInfoVersion {
  readonly rules: ReadonlyMap<OpDef, AxisInfoRule>;
  /** An op waits until its operands are known; else the worst is taken of them, and control flow begins with the best. */
  readonly waits: boolean;
}

/** Where runs meet, their first elements are others: the sum is as divisible as its own runs allow. */
function soundSum(rule: BinaryRule, bytes: (op: Operation) => number, equalRunsCancel = false): AxisInfoRule {
  return binary({
    ...rule,
    divisibility(op, a, b, d) {
      const [runA, runB] = [a.contiguity[d]!, b.contiguity[d]!];
      const [divA, divB] = [a.divisibility[d]!, multiplyDivisor(b.divisibility[d]!, bytes(op))];
      if (runA > 1 && runB > 1 && !(equalRunsCancel && runA === runB)) return divA % 2 === 0 && divB % 2 === 0 ? 2 : 1;
      if (runA > 1 !== runB > 1) return gcd(divA, divB, multiplyDivisor(rule.contiguity!(op, a, b, d), bytes(op)));
      return gcd(divA, divB);
    },
  });
}
const RULES_3_7: ReadonlyMap<OpDef, AxisInfoRule> = new Map<OpDef, AxisInfoRule>([
  ...AXIS_INFO_RULES,
  [AddPtrOp as unknown as OpDef, soundSum(ADDRESS, elementBytes)],
  [AddIOp as unknown as OpDef, soundSum(SUM, () => 1)],
  [SubIOp as unknown as OpDef, soundSum(DIFFERENCE, () => 1, true)],
]);

const VERSIONS = {
  "3.6": { rules: AXIS_INFO_RULES, waits: false },
  "3.7": { rules: RULES_3_7, waits: true },
} as const satisfies Readonly<Record<TritonVersion["axisInfo"], AxisInfoVersion>>;
export const axisInfoVersion = ({ axisInfo }: TritonVersion): AxisInfoVersion => VERSIONS[axisInfo];
