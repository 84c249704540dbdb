/** Where versions of Triton know other things of values: one record a version. Source: lib/Analysis/AxisInfo.cpp of each. */
import { AddIOp, ConstantOp, DivSIOp, RemSIOp, SelectOp, SubIOp } from "../dialects/arith/ops/index.js";
import { AddPtrOp, ReshapeOp } from "../dialects/tt/ops/index.js";
import { IntegerType, type TensorType } from "../ir/builtin-types.js";
import type { OpDef } from "../ir/define-op.js";
import type { Operation } from "../ir/operation.js";
import type { TritonVersion } from "../support/triton-version.js";
import { type AxisInfo, axisInfo, gcd, multiplyDivisor } from "./axis-info.js";
import {
  ADDRESS,
  AXIS_INFO_RULES,
  type AxisInfoRule,
  type BinaryRule,
  binary,
  commonConstancy,
  constantInfo,
  constantWidened,
  DIFFERENCE,
  elementBytes,
  QUOTIENT,
  REMAINDER,
  SUM,
  select,
} from "./axis-info-rules.js";

export interface AxisInfoVersion {
  readonly rules: ReadonlyMap<OpDef, AxisInfoRule>;
  /** An op waits until its operands are known; else the worst is taken of them, and control flow begins with the best. */
  readonly waits: boolean;
  /** The numbers of a value, with what follows from them. */
  readonly finish: (info: AxisInfo) => AxisInfo;
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

/** Signed division rounds towards zero: a run that crosses zero has other neighbours. One that begins at a multiple of its length does not. */
const stayingOnOneSide = (rule: BinaryRule, property: "contiguity" | "constancy", otherwise: BinaryRule["constancy"]): AxisInfoRule =>
  binary({
    ...rule,
    [property]: (op: Operation, a: AxisInfo, b: AxisInfo, d: number) =>
      (a.divisibility[d]! >= a.contiguity[d]! ? rule : { [property]: otherwise })[property]!(op, a, b, d),
  });

/** The runs of the result may be shorter than those of its operands. */
const soundSelect: AxisInfoRule = (op, operands) => {
  const info = select(op, operands);
  if (!info || operands[0]!.constantValue !== undefined || IntegerType.is(op.operand(0).type)) return info;
  return { ...info, divisibility: info.divisibility.map((n, d) => gcd(n, info.contiguity[d]!)) };
};

/** Elements keep their order, row by row: what is known of a dimension holds as far as one of the result lies in it. */
const reshape: AxisInfoRule = (op, [source]) => {
  const shape = (op.result(0).type as TensorType).params.shape;
  if (source!.constantValue !== undefined) return constantInfo(op, shape.length, source!.constantValue);
  const from = (op.operand(0).type as TensorType).params.shape;
  const strides = (extents: readonly number[]) => [...extents, 1].map((_, d) => extents.slice(d).reduce((n, extent) => n * extent, 1));
  const [fromStrides, toStrides] = [strides(from), strides(shape)];
  const everywhere = globalDivisibility(source!);
  const [contiguity, divisibility, constancy] = [shape.map(() => 1), shape.map(() => everywhere), shape.map(() => 1)];
  shape.forEach((extent, d) => {
    const stride = toStrides[d + 1]!;
    const dim = Math.max(
      0,
      from.findIndex((_, i) => fromStrides[i + 1]! <= stride && stride < fromStrides[i]!),
    );
    const start = fromStrides[dim + 1]!;
    const run = source!.contiguity[dim]!;
    if (run > 1) {
      if (stride !== start) return;
      contiguity[d] = Math.min(run, extent);
      const first = source!.divisibility[dim]!;
      divisibility[d] = Math.max(everywhere, contiguity[d] === run ? first : Math.min(first, contiguity[d]));
      return;
    }
    const end = start * source!.constancy[dim]!;
    if (stride > end) return;
    let equal = Math.min(extent, Math.trunc(end / stride));
    let rest = Math.trunc(extent / equal);
    for (let i = dim - 1; source!.constancy[dim] === from[dim] && i >= 0 && rest > 1; i--) {
      const piece = Math.min(from[i]!, rest);
      const pieceEqual = Math.min(source!.constancy[i]!, piece);
      equal *= pieceEqual;
      if (pieceEqual < piece) break;
      rest = Math.trunc(rest / piece);
    }
    constancy[d] = equal;
  });
  return axisInfo(contiguity, divisibility, constancy);
};

/** Where a dimension has no runs, every element is a first one. */
const globalDivisibility = ({ contiguity, divisibility }: AxisInfo): number =>
  divisibility.reduce((most, n, d) => (contiguity[d] === 1 ? Math.max(most, n) : most), 1);
const everyElement = (info: AxisInfo): AxisInfo => {
  const everywhere = globalDivisibility(info);
  return info.divisibility.every((n) => n >= everywhere)
    ? info
    : { ...info, divisibility: info.divisibility.map((n) => Math.max(n, everywhere)) };
};

const RULES_3_8: ReadonlyMap<OpDef, AxisInfoRule> = new Map<OpDef, AxisInfoRule>([
  ...RULES_3_7,
  ...([
    [ConstantOp, constantWidened(BigInt.asIntN)],
    [DivSIOp, stayingOnOneSide(QUOTIENT, "constancy", (_, a, b, d) => commonConstancy(a, b, d))],
    [RemSIOp, stayingOnOneSide(REMAINDER, "contiguity", () => 1)],
    [SelectOp, soundSelect],
    [ReshapeOp, reshape],
  ] as unknown as readonly (readonly [OpDef, AxisInfoRule])[]),
]);

const same = (info: AxisInfo): AxisInfo => info;
const VERSIONS = {
  "3.6": { rules: AXIS_INFO_RULES, waits: false, finish: same },
  "3.7": { rules: RULES_3_7, waits: true, finish: same },
  "3.8": { rules: RULES_3_8, waits: true, finish: everyElement },
} as const satisfies Readonly<Record<TritonVersion["axisInfo"], AxisInfoVersion>>;
export const axisInfoVersion = ({ axisInfo }: TritonVersion): AxisInfoVersion => VERSIONS[axisInfo];
