import { notBuiltPass, type PassDef } from "../pass/define-pass.js";
import { PASSES } from "../passes/index.js";
import type { Passes } from "../passes/ttir.js";
import { passName, UPSTREAM_PASSES } from "./pipelines/cuda.js";

/** Passes by their flag: those that are built, and those that upstream's pipelines name and that are not built yet. */
export const KNOWN_PASSES: Passes = new Map<string, PassDef>([
  ...[...UPSTREAM_PASSES].filter((flag) => !PASSES.has(flag)).map((flag) => [flag, notBuiltPass(flag, passName(flag))] as const),
  ...PASSES,
]);
