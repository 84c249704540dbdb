/** Rules that translate each op of the LLVM and NVVM dialects to PTX, to one instruction or a few, without optimizing. */
import { AGGREGATES } from "./aggregates.js";
import { ROCDL } from "./amd/index.js";
import { CALLS } from "./calls.js";
import { COMPARE } from "./compare.js";
import { CONVERT } from "./convert.js";
import { FLOAT } from "./float.js";
import { INTEGER } from "./integer.js";
import { MEMORY } from "./memory.js";
import { NVGPU } from "./nvgpu.js";
import { NVVM } from "./nvvm.js";
import type { Rule } from "./rule.js";

export const RULES: ReadonlyMap<string, Rule> = new Map([
  ...AGGREGATES,
  ...INTEGER,
  ...FLOAT,
  ...COMPARE,
  ...CONVERT,
  ...MEMORY,
  ...CALLS,
  ...NVVM,
  ...NVGPU,
  ...ROCDL,
]);
