/**
 * Which LLVM intrinsic an op of the nvvm dialect, or `llvm.intr.*`, stands for:
 *
 *     nvvm.shfl.sync bfly %mask, %x, %off, %clamp : i32 -> i32   is   call i32 @llvm.nvvm.shfl.sync.bfly.i32(...)
 *
 * Source: mlir/lib/Target/LLVMIR/Dialect/NVVM, mlir/lib/Dialect/LLVMIR/IR/NVVMDialect.cpp (get*IntrinsicID), NVVMOps.td.
 */

import { structType } from "../../dialects/llvm/types/types.js";
import { LdStMatrixShapeAttr } from "../../dialects/nvvm/attrs.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { IntegerAttr, intOf, keywordOf, stringOf } from "../../ir/builtin-attrs.js";
import { i1, i16, i32, isFloat } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { mangledType } from "../llvm-ir/types.js";
import { flag, type Immediate, type IntrinsicCall, resultOf } from "./call.js";
import { overloadedName, rocdlIntrinsic } from "./rocdl.js";

/** The intrinsic that an op calls; undefined when the op is no known intrinsic. */
export function intrinsicCallOf(op: Operation): IntrinsicCall | undefined {
  if (op.name === "llvm.call_intrinsic")
    return { name: overloadedName(stringOf(op.attr("intrin"))!, op), args: op.operands, type: resultOf(op) };
  if (op.name.startsWith("llvm.intr.")) return llvmIntrinsic(op);
  if (op.name.startsWith("rocdl.")) return rocdlIntrinsic(op);
  return op.name.startsWith("nvvm.") ? nvvmIntrinsic(op) : undefined;
}

/** An enum attribute's keyword. */
const keyword = (attr: Attribute | undefined): string => keywordOf(attr) ?? "";
// --- llvm.intr.* -----------------------------------------------------------------------------

/** Overloaded on operands, not (only) on the result. */
const OVERLOADS: Readonly<Record<string, (op: Operation) => readonly Type[]>> = {
  memcpy: (op) => op.operands.map((v) => v.type),
  memmove: (op) => op.operands.map((v) => v.type),
  memset: (op) => [op.operand(0).type, op.operand(2).type],
  "lifetime.start": (op) => [op.operands.at(-1)!.type],
  "lifetime.end": (op) => [op.operands.at(-1)!.type],
  "is.fpclass": (op) => [op.operand(0).type],
  powi: (op) => op.operands.map((v) => v.type),
  ldexp: (op) => op.operands.map((v) => v.type),
  lrint: (op) => [op.result().type, op.operand(0).type],
  llrint: (op) => [op.result().type, op.operand(0).type],
  lround: (op) => [op.result().type, op.operand(0).type],
  llround: (op) => [op.result().type, op.operand(0).type],
  "fptosi.sat": (op) => [op.result().type, op.operand(0).type],
  "fptoui.sat": (op) => [op.result().type, op.operand(0).type],
  scmp: (op) => [op.result().type, op.operand(0).type],
  ucmp: (op) => [op.result().type, op.operand(0).type],
};
/** Reductions return an element of the vector they are overloaded on. */
const BY_OPERAND = /^vector\.reduce\.|\.with\.overflow$/;
/** Attributes that are immediate arguments, after the operands. */
const IMMEDIATES: Readonly<Record<string, string>> = {
  abs: "is_int_min_poison",
  ctlz: "is_zero_poison",
  cttz: "is_zero_poison",
  memcpy: "isVolatile",
  memmove: "isVolatile",
  memset: "isVolatile",
};
const NOT_OVERLOADED = new Set(["assume", "trap", "debugtrap", "stacksave", "stackrestore", "donothing"]);

function llvmIntrinsic(op: Operation): IntrinsicCall | undefined {
  const base = op.name.slice("llvm.intr.".length);
  const result = resultOf(op);
  const types = OVERLOADS[base]?.(op) ?? (BY_OPERAND.test(base) ? [op.operand(0).type] : result ? [result] : []);
  const mangled = NOT_OVERLOADED.has(base) ? [] : types.map(mangledType);
  if (mangled.includes(undefined)) return undefined;
  const suffix = mangled.map((name) => `.${name}`).join("");
  const immediate = IMMEDIATES[base];
  const args: (Value | Immediate)[] = base === "vector.reduce.fadd" || base === "vector.reduce.fmul" ? op.operands : [...op.operands];
  if (immediate !== undefined) args.push({ type: i1(op.ctx), value: flag(op.attr(immediate)) ? -1n : 0n });
  if (base === "is.fpclass") args.push({ type: i32(op.ctx), value: BigInt(intOf(op.attr("bit")) ?? 0) });
  return { name: `llvm.${base}${suffix}`, args, type: result };
}

// --- nvvm ------------------------------------------------------------------------------------

function nvvmIntrinsic(op: Operation): IntrinsicCall {
  const base = op.name.slice("nvvm.".length);
  const type = resultOf(op);
  const make = SPECIAL[base];
  const made = make?.(op);
  return {
    name: `llvm.nvvm.${made?.name ?? base}`,
    args: made?.args ?? op.operands,
    type: made?.type ?? type,
    ...(made?.extract === undefined ? {} : { extract: made.extract }),
  };
}

type Special = { readonly name: string; readonly args?: readonly (Value | Immediate)[]; readonly type?: Type; readonly extract?: number };
const word = (op: Operation, value: number): Immediate => ({ type: i32(op.ctx), value: BigInt(value) });
const immediate =
  (name: string, attr: string) =>
  (op: Operation): Special => ({ name, args: [word(op, intOf(op.attr(attr)) ?? 0)] });

const copiesArrive = (op: Operation): Special => {
  const space = mangledType(op.operand(0).type) === "p3" ? ".shared" : "";
  return { name: `cp.async.mbarrier.arrive${flag(op.attr("noinc")) ? ".noinc" : ""}${space}` };
};
const SPECIAL: Readonly<Record<string, (op: Operation) => Special>> = {
  barrier0: (op) => ({ name: "barrier.cta.sync.aligned.all", args: [word(op, 0)] }),
  barrier(op) {
    if (op.numOperands === 0) return { name: "barrier.cta.sync.aligned.all", args: [word(op, 0)] };
    return { name: `barrier.cta.sync.aligned.${op.numOperands === 2 ? "count" : "all"}` };
  },
  "fence.proxy": (op) => ({
    name: `fence.proxy.${keyword(op.attr("kind")).replace("async.shared", `async.shared_${keyword(op.attr("space"))}`)}`,
  }),
  "barrier.arrive": (op) => ({
    name: "barrier.cta.arrive.aligned.count",
    args: op.numOperands === 1 ? [word(op, 0), ...op.operands] : op.operands,
  }),
  "bar.warp.sync": () => ({ name: "bar.warp.sync" }),
  "shfl.sync"(op) {
    const pair = op.hasAttr("return_value_and_is_valid") ? "p" : "";
    return { name: `shfl.sync.${keyword(op.attr("kind"))}.${isFloat(op.operand(1).type) ? "f32" : "i32"}${pair}` };
  },
  "vote.sync": (op) => ({ name: `vote.${keyword(op.attr("kind"))}.sync` }),
  "match.sync"(op) {
    const kind = keyword(op.attr("kind"));
    return { name: `match.${kind}.sync.${mangledType(op.operand(1).type)}${kind === "all" ? "p" : ""}` };
  },
  "redux.sync"(op) {
    const suffix = `${flag(op.attr("abs")) ? ".abs" : ""}${flag(op.attr("nan")) ? ".NaN" : ""}`;
    return { name: `redux.sync.${keyword(op.attr("kind"))}${suffix}` };
  },
  "elect.sync": (op) => ({
    name: "elect.sync",
    args: op.numOperands === 1 ? op.operands : [word(op, -1)],
    type: structType(op.ctx, [i32(op.ctx), i1(op.ctx)]),
    extract: 1,
  }),
  ldmatrix: (op) => ({ name: `ldmatrix.sync.aligned.${matrixText(op, intOf(op.attr("num")) ?? 0)}` }),
  stmatrix: (op) => ({ name: `stmatrix.sync.aligned.${matrixText(op, op.numOperands - 1)}` }),
  "cp.async.wait.group": immediate("cp.async.wait.group", "n"),
  "cp.async.bulk.wait_group": (op) => ({
    name: op.hasAttr("read") ? "cp.async.bulk.wait.group.read" : "cp.async.bulk.wait.group",
    args: [word(op, intOf(op.attr("group")) ?? 0)],
  }),
  "wgmma.fence.aligned": () => ({ name: "wgmma.fence.sync.aligned" }),
  "wgmma.commit.group.sync.aligned": () => ({ name: "wgmma.commit_group.sync.aligned" }),
  "wgmma.wait.group.sync.aligned": (op) => ({
    name: "wgmma.wait_group.sync.aligned",
    args: [{ ...word(op, intOf(op.attr("group")) ?? 0), type: i64Of(op) }],
  }),
  setmaxregister: (op) => ({
    name: `setmaxnreg.${keyword(op.attr("action")) === "decrease" ? "dec" : "inc"}.sync.aligned.u32`,
    args: [word(op, intOf(op.attr("regCount")) ?? 0)],
  }),
  "tcgen05.wait": (op) => ({ name: `tcgen05.wait.${keyword(op.attr("kind")) === "load" ? "ld" : "st"}` }),
  "tcgen05.fence": (op) => ({ name: `tcgen05.fence.${keyword(op.attr("kind"))}.thread.sync` }),
  "cluster.arrive": (op) => ({ name: `barrier.cluster.arrive${op.hasAttr("aligned") ? ".aligned" : ""}` }),
  "cluster.arrive.relaxed": (op) => ({ name: `barrier.cluster.arrive.relaxed${op.hasAttr("aligned") ? ".aligned" : ""}` }),
  "cluster.wait": (op) => ({ name: `barrier.cluster.wait${op.hasAttr("aligned") ? ".aligned" : ""}` }),
  mapa: (op) => ({ name: `mapa${mangledType(op.operand(0).type) === "p3" ? ".shared.cluster" : ""}` }),
  griddepcontrol: (op) => ({ name: `griddepcontrol.${keyword(op.attr("kind")).replace("_", ".")}` }),
  nanosleep: immediate("nanosleep", "duration"),
  pmevent: (op) => ({
    name: "pm.event.mask",
    args: [{ type: i16(op.ctx), value: BigInt(intOf(op.attr("maskedEventId")) ?? 1 << (intOf(op.attr("eventId")) ?? 0)) }],
  }),
  "cp.async.mbarrier.arrive": copiesArrive,
  "cp.async.mbarrier.arrive.shared": copiesArrive,
  "mbarrier.init": (op) => ({ name: "mbarrier.init", args: op.operands.slice(0, 2) }),
  "mbarrier.init.shared": (op) => ({ name: "mbarrier.init.shared", args: op.operands.slice(0, 2) }),
  "mbarrier.arrive.nocomplete": (op) => ({ name: "mbarrier.arrive.noComplete", args: op.operands }),
  "mbarrier.arrive.nocomplete.shared": (op) => ({ name: "mbarrier.arrive.noComplete.shared", args: op.operands }),
  "rcp.approx.ftz.f": () => ({ name: "rcp.approx.ftz.f" }),
};
function i64Of(op: Operation): Type {
  return IntegerAttr.params(op.attr("group")!).type;
}

/** `m8n8.x4.trans.b16.p3` */
function matrixText(op: Operation, num: number): string {
  const { m, n } = LdStMatrixShapeAttr.params(op.attr("shape")!);
  const element = keyword(op.attr("eltType"));
  const trans = keyword(op.attr("layout")) === "col" ? ".trans" : "";
  return `m${m}n${n}.x${num}${trans}.${element}.${mangledType(op.operand(0).type)}`;
}
