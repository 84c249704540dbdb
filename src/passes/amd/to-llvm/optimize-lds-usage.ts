import { allocateSharedMemory as allocate } from "../../../analysis/allocation.js";
import { amdGpuOf } from "../../../gpu/amd.js";
import { definePass } from "../../../pass/define-pass.js";
import { option } from "../../../pass/options.js";
import { warnOfTooMuch } from "../../ttg/allocate-shared-memory.js";

/** Upstream tries to divide layout conversions in two where a kernel needs more memory than there is; here a warning says that it does. */
export const optimizeLdsUsage = definePass("optimize-amd-lds-usage", {
  name: "OptimizeAMDLDSUsage",
  summary: "Minimize LDS usage",
  source: "third_party/amd/lib/TritonAMDGPUToLLVM/OptimizeLDSUsage.cpp",
  options: {
    targetArch: option.string({ default: "", summary: "gfx target device architecture, e.g., gfx942" }),
    ldsLimit: option.int({ default: 0, summary: "custom limit of LDS consumption, if not provided, maximum LDS size is used" }),
  },
  run(root, { options: { targetArch, ldsLimit }, report }) {
    const limit = ldsLimit || amdGpuOf(targetArch)?.sharedMemoryPerCta;
    if (limit === undefined) return report.error(root, `no LDS size is known of '${targetArch}'`, "pass.shared-memory");
    warnOfTooMuch(allocate(root), `a workgroup of ${targetArch}`, limit, report);
  },
});
