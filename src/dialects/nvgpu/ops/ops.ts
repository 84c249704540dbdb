/** All ops of nvg: PTX instructions that have no op in nvvm. Source: third_party/nvidia/include/Dialect/NVGPU/IR/NVGPUOps.td. */
import { bitWidth, type FloatKind, FloatType, isInteger } from "../../../ir/builtin-types.js";
import { anyOf, I1, I32, I32Attr, I64, i32EnumAttr, optional, typeConstraint } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { AllTypesMatch, InferTypeOpInterface, Pure } from "../../../ir/traits.js";
import { AnyStruct, pointerIn } from "../../llvm/type-constraints.js";

const MemSemantic = i32EnumAttr("MemSemantic", "", { relaxed: 1, acquire: 2, release: 3, acq_rel: 4 });
const MemSyncScope = i32EnumAttr("MemSyncScope", "", { gpu: 1, cta: 2, sys: 3 });
const WgmmaLayout = i32EnumAttr("WGMMALayout", "wgmma layout, either 'row' or 'col'", { row: 0, col: 1 });
const WgmmaEltType = i32EnumAttr(
  "WGMMAEltType",
  "wgmma operand type, either 's8', 's32', 'e4m3', 'e5m2', 'f16', 'bf16', 'tf32', or 'f32'",
  { s8: 0, s32: 1, e4m3: 2, e5m2: 3, f16: 4, bf16: 5, tf32: 6, f32: 7 },
);
const FLOAT_KINDS: ReadonlySet<FloatKind> = new Set(["f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f16", "bf16", "f32", "f64"]);
const INT_WIDTHS: ReadonlySet<number> = new Set([1, 8, 16, 32, 64]);
const ScalarLike = anyOf(
  "floating-point or integer",
  typeConstraint("floating-point", (t) => FloatType.is(t) && FLOAT_KINDS.has(t.params.kind)),
  typeConstraint("integer", (t) => isInteger(t) && INT_WIDTHS.has(bitWidth(t)!)),
);
/** Registers, or the descriptor of a matrix in shared memory. */
const WgmmaOperand = anyOf("wgmma operand A/B type", AnyStruct, I64);

/** Waits until at most `pendings` groups of wgmma are running. */
export const WGMMAWaitGroupOp = defineOp("nvg.wgmma_wait_group", () => ({
  operands: { input: AnyStruct },
  attrs: { pendings: I32Attr },
  results: { output: AnyStruct },
  traits: [InferTypeOpInterface, AllTypesMatch("input", "output")],
  format: "$input attr-dict `:` type($input)",
  inferTypes: ({ view }) => [view.input.type],
}));

/** One wgmma instruction of m x n x k: res = opA * opB, plus opC where `useC`. */
export const WGMMAOp = defineOp("nvg.wgmma", () => ({
  operands: { opA: WgmmaOperand, opB: WgmmaOperand, useC: I1, opC: optional(AnyStruct) },
  attrs: {
    m: I32Attr,
    n: I32Attr,
    k: I32Attr,
    eltTypeC: WgmmaEltType,
    eltTypeA: WgmmaEltType,
    eltTypeB: WgmmaEltType,
    layoutA: WgmmaLayout,
    layoutB: WgmmaLayout,
  },
  results: { res: AnyStruct },
  format: "$opA `,` $opB `,` $useC (`,` $opC^)? attr-dict `:` functional-type(operands, $res)",
}));

/** The rank of the CTA in its cluster. */
export const ClusterCTAIdOp = defineOp("nvg.cluster_id", () => ({
  results: { result: I32 },
  traits: [Pure],
  format: "attr-dict",
}));

export const LoadAcquireOp = defineOp("nvg.ld_acquire", () => ({
  operands: { addr: pointerIn(1), mask: optional(I1) },
  attrs: { sem: MemSemantic, scope: MemSyncScope },
  results: { result: ScalarLike },
  format: "$sem `,` $scope `,` $addr (`,` $mask^)? attr-dict `:` functional-type($addr, $result)",
  effects: ({ op }) => [{ kind: "read" }, ...(op.ctx.triton.keepsAcquires ? [{ kind: "write" } as const] : [])],
}));

/** The index of the warp in its CTA, the same for all its threads. */
export const WarpIdOp = defineOp("nvg.warp_id", () => ({
  results: { result: I32 },
  traits: [Pure],
  format: "attr-dict",
}));

/** Where the tensor memory of the kernel begins. */
export const TensorMemoryBaseAddress = defineOp("nvg.tensor_memory_base", () => ({
  results: { result: pointerIn(6) },
  traits: [Pure],
  format: "attr-dict",
}));
