/** Arithmetic of integers. */
import { NotExecutable } from "../function-text.js";
import { each, type Family, type Lane } from "./rule.js";

/** An integer instruction by signedness; 8 bits are computed in 16 and cut. */
const integer =
  (name: string, kind: "s" | "u" | "b", suffix = ""): Lane =>
  (f, { bits }, d, operands) => {
    if (bits === 1) throw new NotExecutable(`${name} of i1`);
    if (bits !== 8) return f.put(`${name}${suffix}.${kind}${bits} ${d}, ${operands.join(", ")}`);
    const wide = operands.map((o) => {
      if (kind !== "s") return o;
      const w = f.fresh(16);
      f.put(`cvt.s16.s8 ${w}, ${o}`);
      return w;
    });
    f.put(`${name}${suffix}.${kind}16 ${d}, ${wide.join(", ")}`);
    f.put(`and.b16 ${d}, ${d}, 255`);
  };

const logic =
  (name: string, otherwise: Lane): Lane =>
  (f, leaf, d, operands) =>
    leaf.bits === 1 ? f.put(`${name}.pred ${d}, ${operands.join(", ")}`) : otherwise(f, leaf, d, operands);

/** Shifts: the amount is a 32-bit register. */
const shift =
  (name: string, kind: "s" | "u" | "b"): Lane =>
  (f, leaf, d, [value, by]) => {
    let amount = by!;
    if (leaf.bits !== 32) {
      amount = f.fresh(32);
      f.put(`cvt.u32.u${leaf.bits} ${amount}, ${by}`);
    }
    let from = value!;
    if (leaf.bits === 8 && kind === "s") {
      from = f.fresh(16);
      f.put(`cvt.s16.s8 ${from}, ${value}`);
    }
    f.put(`${name}.${kind}${Math.max(leaf.bits, 16)} ${d}, ${from}, ${amount}`);
    if (leaf.bits === 8) f.put(`and.b16 ${d}, ${d}, 255`);
  };

const ctpop: Lane = (f, { bits }, d, [a]) => {
  const count = bits === 32 ? d : f.fresh(32);
  f.put(`popc.b${bits === 64 ? 64 : 32} ${count}, ${a}`);
  if (bits !== 32) f.put(`cvt.u${bits}.u32 ${d}, ${count}`);
};

export const INTEGER: Family = [
  ["llvm.add", each((f, leaf, d, o) => (leaf.bits === 1 ? f.put(`xor.pred ${d}, ${o.join(", ")}`) : integer("add", "s")(f, leaf, d, o)))],
  ["llvm.sub", each((f, leaf, d, o) => (leaf.bits === 1 ? f.put(`xor.pred ${d}, ${o.join(", ")}`) : integer("sub", "s")(f, leaf, d, o)))],
  ["llvm.mul", each(logic("and", integer("mul", "s", ".lo")))],
  ["llvm.sdiv", each(integer("div", "s"))],
  ["llvm.udiv", each(integer("div", "u"))],
  ["llvm.srem", each(integer("rem", "s"))],
  ["llvm.urem", each(integer("rem", "u"))],
  ["llvm.and", each(logic("and", integer("and", "b")))],
  ["llvm.or", each(logic("or", integer("or", "b")))],
  ["llvm.xor", each(logic("xor", integer("xor", "b")))],
  ["llvm.shl", each(shift("shl", "b"))],
  ["llvm.lshr", each(shift("shr", "u"))],
  ["llvm.ashr", each(shift("shr", "s"))],
  ["llvm.intr.smax", each(integer("max", "s"))],
  ["llvm.intr.smin", each(integer("min", "s"))],
  ["llvm.intr.umax", each(integer("max", "u"))],
  ["llvm.intr.umin", each(integer("min", "u"))],
  [
    "llvm.intr.abs",
    (f, op) => {
      const [d] = f.define(op.result(0));
      const [leaf] = f.leaves(op.result(0).type);
      integer("abs", "s")(f, leaf!, d!, [f.scalar(op.operand(0))]);
    },
  ],
  ["llvm.intr.ctpop", each(ctpop)],
  ["llvm.intr.bitreverse", each((f, leaf, d, [a]) => f.put(`brev.b${leaf.bits} ${d}, ${a}`))],
];
