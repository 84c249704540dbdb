/** Options in a comment above a kernel: `# tt-step: target=cuda:90, num_warps=8`. */
import { CUDA_OPTIONS, type CudaOptions } from "../backend/nvidia/options.js";
import type { CommentSetting } from "../frontend/kernel-comment.js";
import { CAPABILITIES, knownCapability } from "../gpu/nvidia.js";
import { nearest } from "../support/nearest.js";
import type { SourceDefaults } from "./source.js";

/** Triton's options by their Python names. */
const NAMES = new Map(
  Object.entries(CUDA_OPTIONS).map(([key, spec]) => [key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), { key, spec }]),
);

/** The target and Triton's options; an error is one line. */
export function readOptions(settings: readonly CommentSetting[]): SourceDefaults | { readonly error: string } {
  const cuda: Record<string, unknown> = {};
  let capability: number | undefined;
  for (const { key, value } of settings) {
    const option = NAMES.get(key);
    if (key === "target") {
      capability = knownCapability(value);
      if (capability === undefined)
        return { error: `unknown target '${value}'; known are ${CAPABILITIES.map((c) => `cuda:${c}`).join(", ")}` };
    } else if (option) {
      cuda[option.key] = option.spec.parse(value);
      if (cuda[option.key] === undefined) return { error: `${key} cannot be '${value}'` };
    } else {
      const near = nearest(key, ["target", ...NAMES.keys()]);
      return { error: `unknown option '${key}'${near === undefined ? "" : `; did you mean '${near}'?`}` };
    }
  }
  return { capability, cuda: cuda as Partial<CudaOptions> };
}
