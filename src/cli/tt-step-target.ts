/** Outputs that need NVIDIA's assembler or LLVM: machine code, its report, PTX by LLVM. */

import { defaultOptions, ptxVersionOf } from "../backend/nvidia/options.js";
import { assembles } from "../gpu/gpu.js";
import { capabilityOf } from "../gpu/nvidia.js";
import { tritonOrDefault } from "../support/triton-version.js";
import type { Trace } from "../trace/trace.js";
import { type AmdCode, amdReport, assembleForAmd, compileForAmd } from "./amd-llvm.js";
import type { Io, Programs } from "./io.js";
import { assembledPtx, NO_PTXAS, ptxasReport, translateWithLlc } from "./ptxas.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { artifactOf, type Shown } from "./tt-step-show.js";

/** Runs the programs; `error` is one line (or what the program said). */
export function showTarget(trace: Trace, args: TtStepArgs, io: Io): Shown | { readonly error: string } {
  const { programs } = io;
  if (!programs) return { error: "no program can be run here" };
  const isAmd = assembles(trace.target) === "llir";
  if (args.emit === "amdgcn" || args.emit === "hsaco" ? !isAmd : isAmd && args.emit === "cubin")
    return { error: `${trace.target ?? "the target"} has no ${args.emit}: its machine code is ${isAmd ? "amdgcn and hsaco" : "cubin"}` };
  if (isAmd && args.emit !== "ptx") return showAmd(trace, args, io);
  const ptx = args.llc ? byLlc(trace, args, programs, io) : artifactOf(trace, "ptx");
  if (typeof ptx !== "string") return ptx;
  if (args.emit === "ptx" && !args.ptxasReport) return { text: ptx, exact: true, code: 0 };
  const made = assembledPtx(ptx, args.options, io);
  if (!made) return { error: NO_PTXAS };
  if ("error" in made) return { error: `ptxas makes no cubin of the PTX:\n${made.error}` };
  const report = args.ptxasReport ? ptxasReport(made) : "";
  if (args.emit !== "cubin") return { text: args.emit === "ptx" ? report + ptx : report, code: 0 };
  if (report) io.stderr.write(report);
  return { text: made.cubin, exact: true, code: 0 };
}

function showAmd(trace: Trace, { emit, ptxasReport }: TtStepArgs, io: Io): Shown | { readonly error: string } {
  const made = amdCode(trace, emit === "hsaco" ? "hsaco" : "amdgcn", io);
  if ("error" in made) return made;
  const report = ptxasReport ? amdReport(made.assembly, trace) : "";
  if (emit !== "amdgcn" && emit !== "hsaco") return { text: report, code: 0 };
  if (report) io.stderr.write(report);
  return { text: made.hsaco ?? made.assembly, exact: true, code: 0 };
}

/** Code of the assembly that a cache folder has, else of the LLVM IR. */
function amdCode(trace: Trace, wanted: "amdgcn" | "hsaco", io: Io): AmdCode | { readonly error: string } {
  const cached = trace.steps.find(({ flag }) => flag === "amdgcn");
  if (cached) {
    const assembly = trace.lines.textOf(cached.text);
    return wanted === "amdgcn" ? { assembly } : assembleForAmd(assembly, trace.target!, io);
  }
  const llvmIr = artifactOf(trace, "llir");
  return typeof llvmIr === "string" ? compileForAmd(llvmIr, trace, io, wanted) : llvmIr;
}

function byLlc(trace: Trace, args: TtStepArgs, programs: Programs, io: Io): string | { readonly error: string } {
  const llvmIr = artifactOf(trace, "llir");
  if (typeof llvmIr !== "string") return llvmIr;
  const capability = capabilityOf(args.target ?? trace.target) ?? 80;
  const options = { ...defaultOptions(capability), ...args.options };
  const made = translateWithLlc(programs, io, llvmIr, {
    capability,
    version: ptxVersionOf(options, capability, tritonOrDefault(trace.triton)),
    fusion: options.enableFpFusion,
  });
  return "ptx" in made ? made.ptx : made;
}
