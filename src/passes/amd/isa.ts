/** The instruction sets of AMD's GPUs as passes tell them apart. Source: third_party/amd/lib/TritonAMDGPUToLLVM/TargetUtils.cpp. */
import { enclosingModule } from "../../dialects/ttg/num-warps.js";
import { stringOf } from "../../ir/builtin-attrs.js";
import type { Operation } from "../../ir/operation.js";

export type IsaFamily = "CDNA1" | "CDNA2" | "CDNA3" | "CDNA4" | "RDNA1" | "RDNA2" | "RDNA3" | "RDNA4" | "GFX1250" | "unknown";

const NAMED: Readonly<Record<string, IsaFamily>> = {
  gfx908: "CDNA1",
  gfx90a: "CDNA2",
  gfx942: "CDNA3",
  gfx950: "CDNA4",
  gfx1250: "GFX1250",
};
/** The first and last number of a family of RDNA. */
const NUMBERED: readonly (readonly [IsaFamily, number, number])[] = [
  ["RDNA1", 1010, 1013],
  ["RDNA2", 1030, 1036],
  ["RDNA3", 1100, 1153],
  ["RDNA4", 1200, 1201],
];

/** The family of an architecture, `gfx942`. */
export function isaFamilyOf(arch: string): IsaFamily {
  const number = Number(/^gfx(\d{4})$/.exec(arch)?.[1]);
  return NAMED[arch] ?? NUMBERED.find(([, first, last]) => first <= number && number <= last)?.[0] ?? "unknown";
}
export const isCdna = (family: IsaFamily): boolean => family.startsWith("CDNA");
export const isRdna = (family: IsaFamily): boolean => family.startsWith("RDNA");

/** The architecture that the module around `op` is for: `gfx942` of `ttg.target = "hip:gfx942"`; undefined where it names none. */
export function archOfModule(op: Operation): string | undefined {
  return /^hip:(.*)$/.exec(stringOf(enclosingModule(op)?.attr("ttg.target")) ?? "")?.[1];
}
