/** Conversions between numbers, and other names for the same bits. */
import { STATE_SPACES } from "../../../ptx/llvm-names.js";
import type { FunctionText } from "../function-text.js";
import type { Leaf } from "../leaves.js";
import type { Family, Rule } from "./rule.js";

/** `to` is the result's scalar, `from` the operand's. */
const convert =
  (lane: (f: FunctionText, to: Leaf, from: Leaf, d: string, a: string) => void): Rule =>
  (f, op) => {
    const from = f.leaves(op.operand(0).type);
    const to = f.leaves(op.result(0).type);
    const sources = f.use(op.operand(0));
    f.define(op.result(0)).forEach((d, i) => lane(f, to[i]!, from[i]!, d, sources[i]!));
  };

const extend = (kind: "s" | "u") =>
  convert((f, to, from, d, a) => {
    if (from.bits !== 1) return f.put(`cvt.${kind}${Math.max(to.bits, 16)}.${kind}${from.bits} ${d}, ${a}`);
    f.put(`selp.b${Math.max(to.bits, 16)} ${d}, ${kind === "s" ? (to.bits === 8 ? 255 : -1) : 1}, 0, ${a}`);
  });

const toFloat = (kind: "s" | "u") =>
  convert((f, to, from, d, a) => {
    let source = a;
    let bits: number = from.bits;
    if (bits === 1) {
      source = f.fresh(32);
      bits = 32;
      f.put(`selp.b32 ${source}, ${kind === "s" ? -1 : 1}, 0, ${a}`);
    }
    f.put(`cvt.rn.${to.float}.${kind}${bits} ${d}, ${source}`);
  });

const toInteger = (kind: "s" | "u") =>
  convert((f, to, from, d, a) => {
    f.put(`cvt.rzi.${kind}${Math.max(to.bits, 16)}.${from.float} ${d}, ${a}`);
    if (to.bits === 8) f.put(`and.b16 ${d}, ${d}, 255`);
  });

const truncate = convert((f, to, from, d, a) => {
  if (to.bits !== 1) return f.put(`cvt.u${to.bits}.u${from.bits} ${d}, ${a}`);
  const low = f.fresh(from.bits);
  f.put(`and.b${Math.max(from.bits, 16)} ${low}, ${a}, 1`);
  f.put(`setp.ne.b${Math.max(from.bits, 16)} ${d}, ${low}, 0`);
});

const floatToFloat = convert((f, to, from, d, a) => {
  if (to.float === "bf16" || from.float === "bf16") {
    // bf16 converts from and to f32 only.
    if (from.float === "f64" || to.float === "f64") {
      const middle = f.fresh(32);
      f.put(from.float === "f64" ? `cvt.rn.f32.f64 ${middle}, ${a}` : `cvt.f32.bf16 ${middle}, ${a}`);
      return f.put(to.float === "f64" ? `cvt.f64.f32 ${d}, ${middle}` : `cvt.rn.bf16.f32 ${d}, ${middle}`);
    }
  }
  f.put(to.bits < from.bits ? `cvt.rn.${to.float}.${from.float} ${d}, ${a}` : `cvt.${to.float}.${from.float} ${d}, ${a}`);
});

/** Between integers and pointers of any width, and pointers of any space. */
const reinterpret = convert((f, to, from, d, a) => {
  if (to.bits === from.bits) f.move(d, a, to.bits);
  else f.put(`cvt.u${to.bits}.u${from.bits} ${d}, ${a}`);
});

const addressSpaceCast = convert((f, to, from, d, a) => {
  const [into, out] = [STATE_SPACES[to.space ?? 0], STATE_SPACES[from.space ?? 0]];
  let source = a;
  if (from.bits === 32) {
    source = f.fresh(64);
    f.put(`cvt.u64.u32 ${source}, ${a}`);
  }
  const result = to.bits === 32 ? f.fresh(64) : d;
  if (out !== undefined && into === undefined) f.put(`cvta.${out}.u64 ${result}, ${source}`);
  else if (into !== undefined && out === undefined) f.put(`cvta.to.${into}.u64 ${result}, ${source}`);
  else f.move(result, source, 64);
  if (to.bits === 32) f.put(`cvt.u32.u64 ${d}, ${result}`);
});

const bitcast: Rule = (f, op) => {
  const [from, to] = [f.leaves(op.operand(0).type), f.leaves(op.result(0).type)];
  f.bind(op.result(0), f.reshape(f.use(op.operand(0)), from[0]!.bits, to[0]!.bits));
};

export const CONVERT: Family = [
  ["llvm.zext", extend("u")],
  ["llvm.sext", extend("s")],
  ["llvm.trunc", truncate],
  ["llvm.sitofp", toFloat("s")],
  ["llvm.uitofp", toFloat("u")],
  ["llvm.fptosi", toInteger("s")],
  ["llvm.fptoui", toInteger("u")],
  ["llvm.fptrunc", floatToFloat],
  ["llvm.fpext", floatToFloat],
  ["llvm.ptrtoint", reinterpret],
  ["llvm.inttoptr", reinterpret],
  ["llvm.addrspacecast", addressSpaceCast],
  ["llvm.bitcast", bitcast],
  ["llvm.freeze", (f, op) => f.bind(op.result(0), f.use(op.operand(0)))],
];
