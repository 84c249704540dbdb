/** Attributes of amdg. Source: third_party/amd/include/Dialect/TritonAMDGPU/IR/TritonAMDGPUAttrDefs.td. */
import { defineAttr } from "../../ir/attribute.js";
import type { AttrConstraint } from "../../ir/constraints.js";

/** On a conversion of layouts: it goes through memory whose rows are padded, and not swizzled. */
export const PADDED_SCRATCH = "amdg.use_padded_scratch_shmem";

export const SCHED_HINTS = ["none", "attention"] as const;
export type SchedHint = (typeof SCHED_HINTS)[number];

/** `#amdg.SchedHintVariant<attention>`: how LLVM is to order the instructions of a loop. */
export const SchedHintVariant = defineAttr<{ readonly value: SchedHint }>("amdg.SchedHintVariant", {
  parse(p) {
    p.punct("<");
    const at = p.pos;
    const word = p.optAnyKeyword();
    const value = SCHED_HINTS.find((hint) => hint === word);
    if (value === undefined)
      return p.fail(`expected ::mlir::triton::amdgpu::SchedHint to be one of: ${SCHED_HINTS.join(", ")}`, at, "parse.enum");
    p.punct(">");
    return { value };
  },
  print: ({ value }) => `<${value}>`,
});
export const SchedHintVariantAttr: AttrConstraint<SchedHint> = {
  description: "Instruction Scheduling Hints for AMD GPUs",
  test: (a) => SchedHintVariant.is(a),
  read: (a) => SchedHintVariant.params(a).value,
  write: (ctx, value) => SchedHintVariant.get(ctx, { value }),
  stripped: SchedHintVariant.name,
};

/** `#amdg.amdgcn.set.fp8.clamping`: conversions to fp8 clamp what is too large. */
export const SetFP8Clamping = defineAttr<Record<string, never>>("amdg.amdgcn.set.fp8.clamping");
