/** The rule of every op that can run at tensor level. */
import type { OpDef } from "../../../ir/define-op.js";
import type { Rule } from "../instructions.js";
import { AMD } from "./amd.js";
import { ARITH } from "./arith.js";
import { CHANNELS } from "./channels.js";
import { COMPUTE } from "./compute.js";
import { CONTROL_FLOW } from "./control-flow.js";
import { DESCRIPTORS } from "./descriptors.js";
import { INLINE_ASM } from "./inline-asm.js";
import { MATH } from "./math.js";
import { MBARRIERS } from "./mbarriers.js";
import { MEMORY } from "./memory.js";
import { SHAPE } from "./shape.js";
import { SHARED } from "./shared.js";
import { TENSOR_CORES } from "./tensor-cores.js";
import { TMA } from "./tma.js";

export const RULES: ReadonlyMap<OpDef, Rule> = new Map([
  ...ARITH,
  ...MATH,
  ...CONTROL_FLOW,
  ...SHAPE,
  ...MEMORY,
  ...COMPUTE,
  ...INLINE_ASM,
  ...DESCRIPTORS,
  ...SHARED,
  ...MBARRIERS,
  ...TMA,
  ...TENSOR_CORES,
  ...CHANNELS,
  ...AMD,
]);
