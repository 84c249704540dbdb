/** The dialects of Triton's IR before it is lowered to LLVM, which most commands need no more than. */
import type { DialectDef } from "../ir/define-dialect.js";
import { arith } from "./arith/index.js";
import { builtin } from "./builtin/index.js";
import { cf } from "./cf/index.js";
import { gpu } from "./gpu/index.js";
import { math } from "./math/index.js";
import { scf } from "./scf/index.js";
import { tt } from "./tt/index.js";
import { ttg } from "./ttg/index.js";
import { ttng } from "./ttng/index.js";
import { ub } from "./ub/index.js";

export const TRITON_DIALECTS: readonly DialectDef[] = [builtin, arith, math, ub, scf, cf, gpu, tt, ttg, ttng];

const OTHERS = "nvws|llvm|nvvm|nvgpu|nvg|func|tensor|triton_gpu|triton_nvidia_gpu";
/** Triton before 2.1 wrote `func` without its dialect. */
const NAMES_OTHERS = new RegExp(`\\b(?:${OTHERS})\\.|[#!](?:${OTHERS})<|(?<![.\\w])func\\b`);

/** The dialects that the IR of a text may need: loading them all takes a quarter of a short command's time. */
export async function dialectsFor(text: string): Promise<readonly DialectDef[]> {
  return NAMES_OTHERS.test(text) ? (await import("./index.js")).ALL_DIALECTS : TRITON_DIALECTS;
}
