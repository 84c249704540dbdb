/**
 * Which LLVM intrinsic an op of the rocdl dialect stands for:
 *
 *     rocdl.readlane %x, %lane : (f32, i32) -> f32   is   call float @llvm.amdgcn.readlane.f32(...)
 *
 * Source: mlir/include/mlir/Dialect/LLVMIR/ROCDLOps.td.
 */
import { ConstantRangeAttr } from "../../dialects/llvm/attrs/index.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { intOf } from "../../ir/builtin-attrs.js";
import { i1, i16, i32, i64 } from "../../ir/builtin-types.js";
import type { Operation } from "../../ir/operation.js";
import { mangledType } from "../llvm-ir/types.js";
import { flag, type Immediate, type IntrinsicCall, resultOf } from "./call.js";

/** Types that are part of the intrinsic's name. */
const OVERLOADS: readonly (readonly [RegExp, (op: Operation) => readonly Type[]])[] = [
  [/^make\.buffer\.rsrc$/, (op) => [op.result().type, op.operand(0).type]],
  [/^raw\.ptr\.buffer\.load\.lds$/, () => []],
  [/^raw\.ptr\.buffer\.store$/, (op) => [op.operand(0).type]],
  [/^mfma\.scale\./, (op) => [op.operand(0).type, op.operand(1).type]],
  [/^(raw\.ptr\.buffer\.|ds\.(read|load)\.tr|update\.dpp$|readlane$|readfirstlane$|permlanex16$|ballot$)/, (op) => [op.result().type]],
];
function mangled(base: string, op: Operation): string {
  const types = OVERLOADS.find(([names]) => names.test(base))?.[1](op) ?? [];
  return [base, ...types.map(mangledType)].join(".");
}

/** The name of an intrinsic that `llvm.call_intrinsic` calls by a name without the types that it is overloaded on. */
export function overloadedName(name: string, op: Operation): string {
  if (name === "llvm.is.fpclass") return `${name}.${mangledType(op.operand(0).type)}`;
  const base = /^llvm\.amdgcn\.(.*)$/.exec(name)?.[1];
  return base === undefined ? name : `llvm.amdgcn.${mangled(base, op)}`;
}

/** Attributes that are arguments after the operands, in order. */
const IMMEDIATES: readonly (readonly [attr: string, type: (op: Operation) => Type])[] = [
  ["bitfield", ({ ctx }) => i32(ctx)],
  ["count", ({ ctx }) => i32(ctx)],
  ["priority", ({ ctx }) => i16(ctx)],
  ["mask", ({ ctx }) => i32(ctx)],
  ["size", ({ ctx }) => i32(ctx)],
  ["groupId", ({ ctx }) => i32(ctx)],
  ["variant", ({ ctx }) => i32(ctx)],
  ["offset", ({ ctx }) => i32(ctx)],
  ["aux", ({ ctx }) => i32(ctx)],
  ["dppCtrl", ({ ctx }) => i32(ctx)],
  ["rowMask", ({ ctx }) => i32(ctx)],
  ["bankMask", ({ ctx }) => i32(ctx)],
  ["boundCtrl", ({ ctx }) => i1(ctx)],
  ["fi", ({ ctx }) => i1(ctx)],
  ["boundControl", ({ ctx }) => i1(ctx)],
  ["wordSel", ({ ctx }) => i1(ctx)],
  ["srcLoHiSel", ({ ctx }) => i1(ctx)],
  ["dstLoHiSel", ({ ctx }) => i1(ctx)],
  ["srcSelIndex", ({ ctx }) => i32(ctx)],
];
function immediatesOf(op: Operation): readonly Immediate[] {
  return IMMEDIATES.flatMap(([name, typeOf]) => {
    const attr = op.attr(name);
    if (!attr) return [];
    const type = typeOf(op);
    return [{ type, value: type === i1(op.ctx) ? (flag(attr) ? -1n : 0n) : BigInt(intOf(attr)!) }];
  });
}

const rangeText = (attr: Attribute): string => {
  const { type, lower, upper } = ConstantRangeAttr.params(attr);
  return `range(i${mangledType(type)!.slice(1)} ${lower}, ${upper})`;
};

/** Sizes of a launch, which a function of ROCm's library reads. */
const LIBRARY: Readonly<Record<string, string>> = { "grid.dim": "__ockl_get_num_groups", "workgroup.dim": "__ockl_get_local_size" };

export function rocdlIntrinsic(op: Operation): IntrinsicCall {
  const base = op.name.slice("rocdl.".length).replace("ds_", "ds.");
  const [, what, axis] = /^(\w+\.dim)\.([xyz])$/.exec(base) ?? [];
  const library = LIBRARY[what ?? ""];
  if (library !== undefined) {
    const type = i64(op.ctx);
    const truncated = resultOf(op) === type ? {} : { truncated: resultOf(op)! };
    return { name: library, args: [{ type: i32(op.ctx), value: BigInt("xyz".indexOf(axis!)) }], type, ...truncated };
  }
  const range = op.attr("range");
  return {
    name: `llvm.amdgcn.${base === "barrier" ? "s.barrier" : mangled(base, op)}`,
    args: [...op.operands, ...immediatesOf(op)],
    type: resultOf(op),
    ...(range ? { range: rangeText(range) } : {}),
    ...(base === "barrier" ? { fenced: "workgroup" } : {}),
  };
}
