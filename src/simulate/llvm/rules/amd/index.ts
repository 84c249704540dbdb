/** The ROCDL dialect, LLVM's intrinsics of AMD's GPUs and ROCm's device library. */
import { type Family, nothing, type Rule } from "../rule.js";
import { BUFFER_INTRINSICS, BUFFERS } from "./buffers.js";
import { CONVERSION_INTRINSICS, CONVERSIONS } from "./conversions.js";
import { LANE_INTRINSICS, LANES } from "./lanes.js";
import { matrixRule } from "./matrices.js";

const special =
  (name: string): Rule =>
  (f, op) =>
    f.put(`mov.u32 ${f.define(op.result(0))[0]}, %${name}`);
const barrier: Rule = (f) => f.put("bar.sync 0");
/** Hints to the order of instructions. */
const HINTS = ["s.sleep", "s.setprio", "sched.barrier", "sched.group.barrier", "iglp.opt"];

export const ROCDL: Family = [
  ...["x", "y", "z"].flatMap(
    (axis): Family => [
      [`rocdl.workitem.id.${axis}`, special(`tid.${axis}`)],
      [`rocdl.workgroup.id.${axis}`, special(`ctaid.${axis}`)],
      [`rocdl.workgroup.dim.${axis}`, special(`ntid.${axis}`)],
      [`rocdl.grid.dim.${axis}`, special(`nctaid.${axis}`)],
    ],
  ),
  ["rocdl.barrier", barrier],
  ["rocdl.s.barrier", barrier],
  ...HINTS.map((name) => [`rocdl.${name}`, nothing] as const),
  ...LANES,
  ...BUFFERS,
  ...CONVERSIONS,
];

const named =
  (text: string): Rule =>
  (f, op) =>
    f.put(`${text} ${f.define(op.result(0))[0]}, ${op.operands.map((o) => f.scalar(o)).join(", ")}`);

/** Intrinsics and functions of ROCm's device library, by name. */
const INTRINSICS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["llvm.exp2.f32", named("ex2.approx.f32")],
  ["llvm.log2.f32", named("lg2.approx.f32")],
  ...["f16", "f32", "f64"].map((type) => [`llvm.fmuladd.${type}`, named(`fma.rn.${type}`)] as const),
  ["llvm.amdgcn.exp2.f32", named("ex2.approx.f32")],
  ["llvm.amdgcn.log.f32", named("lg2.approx.f32")],
  ["llvm.amdgcn.sqrt.f32", named("sqrt.rn.f32")],
  ["llvm.amdgcn.rsq.f32", named("rsqrt.approx.f32")],
  ["llvm.amdgcn.rcp.f32", named("rcp.rn.f32")],
  ["llvm.amdgcn.perm", named("amd.perm")],
  ["__ockl_mul_hi_u32", named("mul.hi.u32")],
  ["__ockl_mul_hi_u64", named("mul.hi.u64")],
  ["llvm.amdgcn.cluster.workgroup.id.x", special("cluster_ctaid.x")],
  ...LANE_INTRINSICS,
  ...BUFFER_INTRINSICS,
  ...CONVERSION_INTRINSICS,
]);
/** The rule of an op of a family, or of an intrinsic, by its name. */
export const amdRule = (name: string): Rule | undefined => INTRINSICS.get(name) ?? matrixRule(name);

/** The function of NVIDIA's math library that does what one of ROCm's does. */
export function ofDeviceLibrary(name: string): string | undefined {
  const found = /^__ocml_(\w+)_f(32|64)$/.exec(name);
  return found ? `__nv_${found[1]}${found[2] === "32" ? "f" : ""}` : undefined;
}
