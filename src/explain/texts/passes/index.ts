/** The texts of all passes by flag. */
import type { PassText } from "../records.js";
import { AMD } from "./amd.js";
import { COMMON } from "./common.js";
import { CONVERT } from "./convert.js";
import { GLUON } from "./gluon.js";
import { INSTRUMENTATION } from "./instrumentation.js";
import { LLVM } from "./llvm.js";
import { NVIDIA } from "./nvidia.js";
import { TT } from "./tt.js";
import { TTG } from "./ttg.js";
import { WARP_SPECIALIZATION } from "./warp-specialization.js";

export const PASS_TEXTS: Readonly<Record<string, PassText>> = {
  ...COMMON,
  ...TT,
  ...CONVERT,
  ...TTG,
  ...NVIDIA,
  ...AMD,
  ...WARP_SPECIALIZATION,
  ...LLVM,
  ...GLUON,
  ...INSTRUMENTATION,
};
