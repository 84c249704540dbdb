/** The figures of machine code, by the program that makes it: ptxas, or LLVM for AMD. */

import { assembles } from "../gpu/gpu.js";
import { machineCodeOfAmd } from "../trace/amd-assembly.js";
import type { MachineCode, Trace } from "../trace/trace.js";
import type { Assembled, ToAssemble } from "../tui/second-thread.js";
import { compileForAmd } from "./amd-llvm.js";
import { type Assembling, assembledPtx, machineCodeOf, NO_PTXAS, noAssembler } from "./ptxas.js";

const isAmd = ({ target }: Pick<Trace, "target">): boolean => assembles(target) === "llir";

/** The Trace with what becomes of its PTX, or of its LLVM IR for AMD, where the program for it is found. */
export function withMachineCode(trace: Trace, io: Assembling): Trace {
  const { ptx, llir } = trace.artifacts;
  const text = llir !== undefined && isAmd(trace) ? llir : ptx;
  const made = text === undefined ? undefined : assembled({ ...trace, text }, io);
  return !made || "error" in made ? trace : { ...trace, artifacts: { ...trace.artifacts, machine: made } };
}

/** The machine code of PTX; of LLVM IR for AMD the figures, and the assembly's lines where they are wanted. */
export function assembled(code: ToAssemble, io: Assembling, wantsLines = false): Assembled {
  if (isAmd(code)) {
    const made = compileForAmd(code.text, code, io, "amdgcn");
    if ("error" in made) return made;
    const machine: MachineCode = machineCodeOfAmd(made.assembly);
    return wantsLines
      ? {
          ...machine,
          sass: made.assembly
            .trimEnd()
            .split("\n")
            .map((text) => ({ text })),
        }
      : machine;
  }
  const made = assembledPtx(code.text, code.options, io);
  return !made ? { error: NO_PTXAS } : "error" in made ? made : machineCodeOf(made);
}

/** Why it cannot be assembled here. LLVM is looked for when it is needed. */
export const noAssemblerFor = (code: ToAssemble, io: Assembling): string | undefined =>
  isAmd(code) ? undefined : noAssembler(code.text, io);
