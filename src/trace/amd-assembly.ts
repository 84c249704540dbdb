/** The figures of an AMD kernel in the metadata of its assembly. */
import type { MachineCode } from "./trace.js";

/** The figures that LLVM leaves in the metadata of an assembly. */
export function machineCodeOfAmd(assembly: string): MachineCode {
  const figure = (name: string): number => figureOf(assembly, name);
  return {
    registers: figure("vgpr_count"),
    spilled: 4 * figure("vgpr_spill_count"),
    wave: {
      accumulators: figure("agpr_count"),
      scalars: figure("sgpr_count"),
      spilledScalars: figure("sgpr_spill_count"),
      scratch: figure("private_segment_fixed_size"),
      lds: figure("group_segment_fixed_size"),
    },
  };
}

const figureOf = (assembly: string, name: string): number =>
  Number(new RegExp(`^\\s*(?:- )?\\.${name}:\\s+(\\d+)`, "m").exec(assembly)?.[1] ?? 0);
