/** The rules of ops that all vendors lower alike. A vendor's own rules come after them, and replace those of the same op. */
import { BARRIERS } from "./barrier.js";
import { CONTROL_FLOW } from "./control-flow.js";
import { CONVERT_LAYOUT } from "./convert-layout.js";
import { DEBUG } from "./debug.js";
import { ELEMENTWISE } from "./elementwise.js";
import { GATHERS } from "./gather.js";
import { HISTOGRAMS } from "./histogram.js";
import { INDEXED_MEMORY } from "./indexed-memory.js";
import { LOCAL_MEMORY } from "./local-memory.js";
import type { LoweringRule } from "./lowering.js";
import { MATH } from "./math.js";
import { PROGRAM_IDS } from "./program-ids.js";
import { REDUCTIONS } from "./reduce.js";
import { SCANS } from "./scan.js";
import { VIEWS } from "./views.js";

export const SHARED_RULES: readonly LoweringRule[] = [
  ...BARRIERS,
  ...CONTROL_FLOW,
  ...CONVERT_LAYOUT,
  ...DEBUG,
  ...ELEMENTWISE,
  ...GATHERS,
  ...HISTOGRAMS,
  ...INDEXED_MEMORY,
  ...LOCAL_MEMORY,
  ...MATH,
  ...PROGRAM_IDS,
  ...REDUCTIONS,
  ...SCANS,
  ...VIEWS,
];
