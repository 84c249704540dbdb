/** The dialects of TTIR, and which others a text needs: loading them all takes a quarter of a short command's time. */
import type { DialectDef } from "../ir/define-dialect.js";
import { arith } from "./arith/index.js";
import { builtin } from "./builtin/index.js";
import { cf } from "./cf/index.js";
import { math } from "./math/index.js";
import { scf } from "./scf/index.js";
import { tt } from "./tt/index.js";
import { ub } from "./ub/index.js";

export const TTIR_DIALECTS: readonly DialectDef[] = [builtin, arith, math, ub, scf, cf, tt];

/** Whether a text names one of some dialects. */
const naming = (dialects: string): RegExp => new RegExp(`\\b(?:${dialects})\\.|[#!](?:${dialects})<`);
const NAMES_TRITON_GPU = naming("gpu|ttg|ttng");
const NAMES_OTHERS = naming("nvws|llvm|nvvm|nvgpu|nvg|func|tensor|triton_gpu|triton_nvidia_gpu");
/** Triton before 2.1 wrote `func` without its dialect. */
const NAMES_FUNC = /(?<![.\w])func\b/;

/** The dialects that the IR of a text may need, with those that passes on TTGIR make (`ttgir`). */
export async function dialectsFor(text: string, ttgir: boolean): Promise<readonly DialectDef[]> {
  if (NAMES_OTHERS.test(text) || NAMES_FUNC.test(text)) return (await import("./index.js")).ALL_DIALECTS;
  return ttgir || NAMES_TRITON_GPU.test(text) ? (await import("./triton.js")).TRITON_DIALECTS : TTIR_DIALECTS;
}
