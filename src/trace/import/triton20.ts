/**
 * The passes that Triton 2.0.0 ran, in order. Its logs show only those that changed something, by name alone.
 * Source: python/triton/compiler.py of 2.0.0, optimize_triton_ir and ttir_to_ttgir; lib/Target/LLVMIR/LLVMIRTranslation.cpp.
 */
import { byName } from "../../support/by-name.js";
import type { PipelineStep, Stage } from "../stage.js";

/** Names in 2.0's dumps and the flags that its triton-opt had. */
const FLAGS: Readonly<Record<string, string>> = byName({
  CSE: "cse",
  Canonicalizer: "canonicalize",
  ConvertTritonGPUToLLVM: "convert-triton-gpu-to-llvm",
  ConvertTritonToTritonGPU: "convert-triton-to-tritongpu",
  Inliner: "inline",
  LoopInvariantCodeMotion: "loop-invariant-code-motion",
  SymbolDCE: "symbol-dce",
  TritonCombineOps: "triton-combine",
  TritonGPUCoalesce: "tritongpu-coalesce",
  TritonGPUCombineOps: "tritongpu-combine",
  TritonGPUDecomposeConversions: "tritongpu-decompose-conversions",
  TritonGPUPipeline: "tritongpu-pipeline",
  TritonGPUPrefetch: "tritongpu-prefetch",
  TritonGPUReorderInstructions: "tritongpu-reorder-instructions",
  // As the articles of the time call it.
  TritonGPUToLLVM: "convert-triton-gpu-to-llvm",
});

const steps = (stage: Stage, ...passes: readonly string[]): readonly PipelineStep[] =>
  passes.map((pass) => ({ stage, flag: FLAGS[pass]!, pass, options: "" }));

export const TRITON_20_PIPELINE: readonly PipelineStep[] = [
  ...steps("ttir", "Inliner", "TritonCombineOps", "Canonicalizer", "CSE", "LoopInvariantCodeMotion"),
  ...steps("ttgir", "ConvertTritonToTritonGPU", "TritonGPUCoalesce", "TritonGPUCombineOps", "TritonGPUPipeline", "TritonGPUPrefetch"),
  ...steps("ttgir", "Canonicalizer", "CSE", "TritonGPUCombineOps", "LoopInvariantCodeMotion", "TritonGPUCombineOps", "CSE"),
  ...steps("ttgir", "TritonGPUDecomposeConversions", "CSE", "SymbolDCE", "TritonGPUReorderInstructions"),
  ...steps("llir", "ConvertTritonGPUToLLVM", "Canonicalizer", "CSE", "SymbolDCE"),
];

/** The flag of a pass by the name that 2.0's dumps show. */
export const flagOfPass20 = (pass: string): string | undefined => FLAGS[pass];

/** The argument specializations that Triton 2.0 encodes in a kernel's name. */
export interface SpecializedName {
  readonly kernel: string;
  /** One entry an argument of the Python function, in order. */
  readonly args: readonly { readonly divisibleBy16: boolean; readonly constant: boolean }[];
}

/**
 * Reads the suffix of a kernel's name: `gemm_0d1d2d3d4c5` had arguments 0 to 3 divisible by 16, 4 folded as a constant, and
 * nothing known of 5. Undefined for a name without such a suffix. Source: compiler.py of 2.0.0, make_so_cache_key and
 * ast_to_ttir (`function_name`).
 */
export function decodeSpecialization(name: string): SpecializedName | undefined {
  const suffix = /_(0[cd0-9]*)$/.exec(name)?.[1];
  if (suffix === undefined) return undefined;
  const args: { divisibleBy16: boolean; constant: boolean }[] = [];
  for (let at = 0; at < suffix.length; ) {
    const index = String(args.length);
    if (!suffix.startsWith(index, at)) return undefined;
    at += index.length;
    const letter = suffix[at];
    const constant = letter === "c";
    const divisibleBy16 = letter === "d";
    if (constant || divisibleBy16) at++;
    args.push({ divisibleBy16, constant });
  }
  return { kernel: name.slice(0, -suffix.length - 1), args };
}

/** A line for people: `gemm: arguments 0, 1 divisible by 16; 4 folded as constant`. */
export function specializationText({ kernel, args }: SpecializedName): string {
  const list = (key: "divisibleBy16" | "constant") => args.flatMap((arg, i) => (arg[key] ? [i] : [])).join(", ");
  const [divisible, constant] = [list("divisibleBy16"), list("constant")];
  const parts = [divisible && `${divisible} divisible by 16`, constant && `${constant} folded as constants`].filter((part) => part !== "");
  return `${kernel} takes ${args.length} arguments${parts.length > 0 ? `: ${parts.join("; ")}` : ""}`;
}
