/** The figures of machine code, by the program that makes it: ptxas, or LLVM for AMD. */

import { archOf } from "../gpu/amd.js";
import { machineCodeOfAmd } from "../trace/amd-assembly.js";
import type { MachineCode, Trace } from "../trace/trace.js";
import { compileForAmd } from "./amd-llvm.js";
import { type Assembling, assembledPtx, machineCodeOf } from "./ptxas.js";

/** The Trace with what becomes of its PTX, or of its LLVM IR for AMD, where the program for it is found. */
export function withMachineCode(trace: Trace, io: Assembling): Trace {
  const machine = machineCode(trace, io);
  return machine ? { ...trace, artifacts: { ...trace.artifacts, machine } } : trace;
}
function machineCode(trace: Trace, io: Assembling): MachineCode | undefined {
  const { ptx, llir } = trace.artifacts;
  if (llir !== undefined && archOf(trace.target ?? "") !== undefined) {
    const made = compileForAmd(llir, trace, io, "amdgcn");
    return "error" in made ? undefined : machineCodeOfAmd(made.assembly);
  }
  const made = ptx === undefined ? undefined : assembledPtx(ptx, trace.options, io);
  return made && !("error" in made) ? machineCodeOf(made) : undefined;
}
