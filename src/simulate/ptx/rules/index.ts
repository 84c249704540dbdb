/** The rule of each instruction, by opcode. `compile.ts` handles branches, calls and CTA barriers, which end blocks. */
import type { InstructionCompiler, Rule } from "../instruction-compiler.js";
import { amd } from "./amd.js";
import { cp } from "./async-copy.js";
import { atom } from "./atomic.js";
import { getctarank, mapa } from "./cluster.js";
import { selp, set, setp, slct, testp } from "./compare.js";
import { fence } from "./fence.js";
import { copySign, floatArithmetic, signBit } from "./float.js";
import { bitField, byteDot, divide, funnelShift, integerArithmetic, lop3, multiply, multiply24, prmt, shift } from "./integer.js";
import { mbarrier } from "./mbarrier.js";
import { createpolicy, ld, ldmatrix, nothingToDo, st, stmatrix } from "./memory.js";
import { mma, movmatrix } from "./mma.js";
import { cvt, cvta, isspacep, mov } from "./move.js";
import { tcgen05 } from "./tcgen05.js";
import { tensormap } from "./tensormap.js";
import { activemask, elect, fns, match, redux, shfl, vote, warpBarrier } from "./warp.js";
import { wave32 } from "./wave.js";
import { wgmma } from "./wgmma.js";

const isFloat = (c: InstructionCompiler): boolean => c.types.some((t) => /^(?:f|bf)\d/.test(t));
/** Opcodes that floats and integers share. */
const byKind =
  (float: Rule, integer: Rule): Rule =>
  (c) =>
    (isFloat(c) ? float : integer)(c);
/** `fma` of floats, `mad` of either. */
const arithmetic = byKind(floatArithmetic, integerArithmetic);
export const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...(["add", "sub", "min", "max"] as const).map((name) => [name, arithmetic] as const),
  ...(["neg", "abs"] as const).map((name) => [name, byKind(signBit, integerArithmetic)] as const),
  ...(["addc", "subc", "and", "or", "xor", "not", "cnot", "sad"] as const).map((name) => [name, integerArithmetic] as const),
  ...(["fma", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"] as const).map((name) => [name, floatArithmetic] as const),
  ["mul", byKind(floatArithmetic, multiply)],
  ["mad", byKind(floatArithmetic, multiply)],
  ["madc", multiply],
  ["mul24", multiply24],
  ["mad24", multiply24],
  ["div", byKind(floatArithmetic, divide)],
  ["rem", divide],
  ["copysign", copySign],
  ["shl", shift],
  ["shr", shift],
  ["shf", funnelShift],
  ...(["bfe", "bfi", "popc", "clz", "brev", "bfind"] as const).map((name) => [name, bitField] as const),
  ["fns", fns],
  ["lop3", lop3],
  ["prmt", prmt],
  ["dp4a", byteDot],
  ["dp2a", byteDot],
  ["setp", setp],
  ["set", set],
  ["selp", selp],
  ["slct", slct],
  ["testp", testp],
  ["mov", mov],
  ["cvt", cvt],
  ["cvta", cvta],
  ["isspacep", isspacep],
  ["ld", ld],
  ["ldu", ld],
  ["st", st],
  ["atom", atom],
  ["red", atom],
  ["cp", cp],
  ["ldmatrix", ldmatrix],
  ["stmatrix", stmatrix],
  ["movmatrix", movmatrix],
  ["mma", mma],
  ["shfl", shfl],
  ["vote", vote],
  ["activemask", activemask],
  ["redux", redux],
  ["elect", elect],
  ["match", match],
  ["bar", warpBarrier],
  ["barrier", warpBarrier],
  ["mbarrier", mbarrier],
  ["createpolicy", createpolicy],
  ...(
    ["prefetch", "prefetchu", "discard", "applypriority", "nanosleep", "griddepcontrol", "setmaxnreg", "pmevent", "call", "trap"] as const
  ).map((name) => [name, nothingToDo] as const),
  ["wgmma", wgmma],
  ["tcgen05", tcgen05],
  ["tensormap", tensormap],
  ["fence", fence],
  ["membar", fence],
  ["mapa", mapa],
  ["getctarank", getctarank],
  ["amd", amd],
  ["wave32", wave32],
]);
