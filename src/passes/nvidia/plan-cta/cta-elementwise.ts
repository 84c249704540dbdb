/** The ops that the CTA planner knows to work element by element. Source: PlanCTA.cpp, CTAPlanner::isElementwiseOp. */
import { ExternElementwiseOp } from "../../../dialects/tt/ops/elementwise.js";
import type { Operation } from "../../../ir/operation.js";

const ops = (dialect: string, names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${dialect}.${name}`);

const ELEMENTWISE: ReadonlySet<string> = new Set([
  ...ops(
    "arith",
    `addf addi andi ceildivsi ceildivui divf divsi divui extf extsi extui floordivsi fptosi fptoui maximumf maxnumf maxsi maxui
     minimumf minnumf minsi minui mulf muli mului_extended mulsi_extended negf ori remf remsi remui shli shrsi shrui sitofp subf subi
     truncf trunci uitofp xori cmpi cmpf select`,
  ),
  ...ops(
    "math",
    `absf absi atan atan2 ceil copysign cos sin ctlz cttz ctpop erf exp exp2 floor expm1 fma log log10 log1p log2 powf sqrt rsqrt tanh`,
  ),
  ...ops("tt", "int_to_ptr ptr_to_int bitcast fp_to_fp addptr precise_sqrt precise_divf"),
]);

/** Whether operands and results of the op can have any layout, as long as it is one and the same. */
export function isElementwiseForPlanning(op: Operation): boolean {
  return ELEMENTWISE.has(op.name) || ExternElementwiseOp.match(op)?.pure === true;
}
