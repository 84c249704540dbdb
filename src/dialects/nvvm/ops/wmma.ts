/**
 * `wmma`: matrix fragments of a warp whose layout is not specified. The ISA section "Matrix multiply-accumulate operation using
 * wmma instructions" has the shapes and types. Source: mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td, NVVMDialect.cpp.
 */

import type { Type } from "../../../ir/attribute.js";
import { f16, f32, i32, VectorType } from "../../../ir/builtin-types.js";
import { I32, I32Attr, variadic } from "../../../ir/constraints.js";
import type { Context } from "../../../ir/context.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { typeText } from "../../../ir/text-hook.js";
import { AnyStruct, LLVMType, Pointer } from "../../llvm/type-constraints.js";
import { LLVMPointerType, structType } from "../../llvm/types/types.js";
import * as A from "../attrs.js";

const mnk = { m: I32Attr, n: I32Attr, k: I32Attr };
const Layout = A.enumC(A.MMALayoutAttr);
const Types = A.enumC(A.MMATypesAttr);

export const WMMALoadOp = defineOp("nvvm.wmma.load", () => ({
  operands: { ptr: Pointer, stride: I32 },
  attrs: { ...mnk, layout: Layout, eltype: Types, frag: A.enumC(A.MMAFragAttr) },
  results: { res: AnyStruct },
  format: "$ptr `,` $stride attr-dict `:` functional-type($ptr, $res)",
  verify({ op, ptr, res, m, n, k, eltype, frag }, report) {
    if (!isInMemory(ptr.type, "source", report)) return;
    const fragment = fragmentOf(op.ctx, { m, n, k }, eltype, frag);
    if (!fragment) return void report.error("invalid attribute combination");
    checkStruct(op.ctx, res.type, fragment, report);
  },
}));
export const WMMAStoreOp = defineOp("nvvm.wmma.store", () => ({
  operands: { ptr: Pointer, args: variadic(LLVMType), stride: I32 },
  attrs: { ...mnk, layout: Layout, eltype: Types },
  format: "$ptr `,` $stride `,` $args attr-dict `:` qualified(type($ptr)) `,` type($args)",
  verify({ op, ptr, args, m, n, k, eltype }, report) {
    if (!isInMemory(ptr.type, "operands to be a source", report)) return;
    const fragment = fragmentOf(op.ctx, { m, n, k }, eltype, "c");
    if (!fragment) return void report.error("invalid attribute combination");
    const { count, type } = fragment;
    if (args.length !== count) report.error(`expected ${count} data operands`);
    else if (args.some((arg) => arg.type !== type)) report.error(`expected data operands of type '${typeText(type)}'`);
  },
}));
export const WMMAMmaOp = defineOp("nvvm.wmma.mma", () => ({
  operands: { args: variadic(LLVMType) },
  /** `eltypeA` is the type of A and B, `eltypeB` that of the accumulator. */
  attrs: { ...mnk, layoutA: Layout, layoutB: Layout, eltypeA: Types, eltypeB: Types },
  results: { res: AnyStruct },
  format: "$args attr-dict `:` functional-type($args, $res)",
  verify({ op, args, res, m, n, k, eltypeA, eltypeB }, report) {
    const a = fragmentOf(op.ctx, { m, n, k }, eltypeA, "a");
    const b = fragmentOf(op.ctx, { m, n, k }, eltypeA, "b");
    const c = KINDS[eltypeA]?.accumulators.includes(eltypeB) ? fragmentOf(op.ctx, { m, n, k }, eltypeB, "c") : undefined;
    if (!a || !b || !c) return void report.error("invalid attribute combination");
    const types = [a, b, c].flatMap(({ count, type }) => Array.from({ length: count }, () => type));
    if (args.length !== types.length) return void report.error(`expected ${types.length} arguments`);
    const wrong = types.findIndex((type, i) => args[i]!.type !== type);
    if (wrong >= 0) return void report.error(`expected argument ${wrong} to be of type '${typeText(types[wrong]!)}'`);
    checkStruct(op.ctx, res.type, c, report);
  },
}));

function isInMemory(type: Type, what: string, report: OpReport): boolean {
  const space = LLVMPointerType.params(type).addressSpace;
  const known = space === 0 || space === 1 || space === 3;
  if (!known) report.error(`expected ${what} pointer in memory space 0, 1, 3`);
  return known;
}

/** The registers that a lane holds of a matrix. */
interface Fragment {
  readonly count: number;
  readonly type: Type;
}
interface Shape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

function checkStruct(ctx: Context, type: Type, { count, type: element }: Fragment, report: OpReport): void {
  const elements = Array.from({ length: count }, () => element);
  if (type !== structType(ctx, elements))
    report.error(`expected destination type is a structure of ${count} elements of type '${typeText(element)}'`);
}

const LARGE = ["16x16x16", "32x8x16", "8x32x16"];
/** By the type of A and B: shapes as MxNxK, and types of the accumulator. */
const KINDS: Readonly<Record<string, { readonly shapes: readonly string[]; readonly accumulators: readonly string[] }>> = {
  f16: { shapes: LARGE, accumulators: ["f16", "f32"] },
  s8: { shapes: LARGE, accumulators: ["s32"] },
  u8: { shapes: LARGE, accumulators: ["s32"] },
  tf32: { shapes: ["16x16x8"], accumulators: ["f32"] },
};

/** A lane's part of A (M x K), B (K x N) or C (M x N); undefined if no instruction has that shape with that type. */
function fragmentOf(ctx: Context, { m, n, k }: Shape, type: string, frag: string): Fragment | undefined {
  const name = `${m}x${n}x${k}`;
  const of = (accumulator: boolean) =>
    Object.entries(KINDS).some(
      ([operand, { shapes, accumulators }]) => shapes.includes(name) && (accumulator ? accumulators.includes(type) : operand === type),
    );
  if (!of(frag === "c")) return undefined;
  const half = VectorType.get(ctx, { shape: [2], elementType: f16(ctx), scalable: undefined });
  if (frag === "c") return type === "f16" ? { count: 4, type: half } : { count: 8, type: type === "f32" ? f32(ctx) : i32(ctx) };
  // A and B of f16 are held twice.
  if (type === "f16") return { count: 8, type: half };
  const bits = (type === "tf32" ? 32 : 8) * k * (frag === "a" ? m : n);
  return { count: bits / (32 * 32), type: i32(ctx) };
}
