/** Comparisons and selections. */
import * as llvm from "../../../dialects/llvm/ops/index.js";
import { FLOAT_COMPARISONS, INTEGER_COMPARISONS } from "../../../ptx/llvm-names.js";
import type { Family, Rule } from "./rule.js";

const icmp: Rule = (f, op) => {
  const { predicate, lhs, rhs } = llvm.ICmpOp.match(op)!;
  const [name, kind] = INTEGER_COMPARISONS[predicate]!;
  const leaves = f.leaves(lhs.type);
  const [a, b] = [f.use(lhs), f.use(rhs)];
  f.define(op.result(0)).forEach((d, i) => {
    const { bits } = leaves[i]!;
    if (bits !== 1 && bits !== 8) return f.put(`setp.${name}.${kind}${bits} ${d}, ${a[i]}, ${b[i]}`);
    const wide = [a[i]!, b[i]!].map((x) => {
      const w = f.fresh(32);
      f.put(bits === 1 ? `selp.b32 ${w}, ${kind === "s" ? -1 : 1}, 0, ${x}` : `cvt.${kind === "s" ? "s32.s8" : "u32.u8"} ${w}, ${x}`);
      return w;
    });
    f.put(`setp.${name}.${kind}32 ${d}, ${wide.join(", ")}`);
  });
};

const fcmp: Rule = (f, op) => {
  const { predicate, lhs, rhs } = llvm.FCmpOp.match(op)!;
  const leaves = f.leaves(lhs.type);
  const [a, b] = [f.use(lhs), f.use(rhs)];
  f.define(op.result(0)).forEach((d, i) => {
    const name = FLOAT_COMPARISONS[predicate];
    if (name === undefined) return f.put(`mov.pred ${d}, ${predicate === "_true" ? -1 : 0}`);
    f.put(`setp.${name}.${leaves[i]!.float} ${d}, ${a[i]}, ${b[i]}`);
  });
};

const select: Rule = (f, op) => {
  const { condition, trueValue, falseValue } = llvm.SelectOp.match(op)!;
  const leaves = f.leaves(op.result(0).type);
  const [conditions, yes, no] = [f.use(condition), f.use(trueValue), f.use(falseValue)];
  f.define(op.result(0)).forEach((d, i) => {
    const c = conditions[conditions.length === 1 ? 0 : i]!;
    const { bits } = leaves[i]!;
    if (bits !== 1) return f.put(`selp.b${Math.max(bits, 16)} ${d}, ${yes[i]}, ${no[i]}, ${c}`);
    const [first, second, none] = [f.fresh(1), f.fresh(1), f.fresh(1)];
    f.put(`and.pred ${first}, ${c}, ${yes[i]}`);
    f.put(`not.pred ${none}, ${c}`);
    f.put(`and.pred ${second}, ${none}, ${no[i]}`);
    f.put(`or.pred ${d}, ${first}, ${second}`);
  });
};

export const COMPARE: Family = [
  ["llvm.icmp", icmp],
  ["llvm.fcmp", fcmp],
  ["llvm.select", select],
];
