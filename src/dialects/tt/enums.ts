/** The enums of tt, kept as 32-bit integers. Source: include/triton/Dialect/Triton/IR/TritonAttrDefs.td. */
import { i32EnumAttr } from "../../ir/constraints.js";

export const CacheModifierAttr = i32EnumAttr("CacheModifier", "", { none: 1, ca: 2, cg: 3, wb: 4, cs: 5, wt: 6, cv: 7 });
export const MemSemanticAttr = i32EnumAttr("MemSemantic", "", { relaxed: 1, acquire: 2, release: 3, acq_rel: 4 });
export const EvictionPolicyAttr = i32EnumAttr("EvictionPolicy", "", { evict_normal: 1, evict_first: 2, evict_last: 3 });
export const PaddingOptionAttr = i32EnumAttr("PaddingOption", "", { zero: 1, nan: 2 });
export const AtomicRMWAttr = i32EnumAttr("RMWOp", "", {
  and: 1,
  or: 2,
  xor: 3,
  add: 4,
  fadd: 5,
  max: 6,
  min: 7,
  umax: 8,
  umin: 9,
  exch: 10,
});
export const DescriptorReduceKindAttr = i32EnumAttr("DescriptorReduceKind", "", {
  add: 1,
  min: 2,
  max: 3,
  inc: 4,
  dec: 5,
  and: 6,
  or: 7,
  xor: 8,
});
export const MemSyncScopeAttr = i32EnumAttr("MemSyncScope", "", { gpu: 1, cta: 2, sys: 3 });
export const ProgramDim = i32EnumAttr("ProgramIDDim", "", { x: 0, y: 1, z: 2 });
export const RoundingModeAttr = i32EnumAttr("RoundingMode", "", { rtz: 0, rtne: 1 });
export const PropagateNanAttr = i32EnumAttr("PropagateNan", "", { none: 0, all: 0xffff });
export const InputPrecisionAttr = i32EnumAttr("InputPrecision", "", { tf32: 0, tf32x3: 1, ieee: 2, bf16x3: 3, bf16x6: 4 });
export const ScaleDotElemTypeAttr = i32EnumAttr("ScaleDotElemType", "", {
  e4m3: 0,
  e5m2: 1,
  e2m3: 2,
  e3m2: 3,
  e2m1: 4,
  bf16: 5,
  fp16: 6,
});
