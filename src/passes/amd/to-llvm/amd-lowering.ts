/** The lowering for AMD's GPUs: rules that know the architecture. */

import type { AmdFamily } from "../../../gpu/amd.js";
import type * as shared from "../../ttg-to-llvm/lowering.js";

export interface AmdTarget extends shared.LoweringTarget {
  /** As in `gfx942`. */
  readonly arch: string;
  readonly family: AmdFamily;
  /** Powers of two and roots flush denormal numbers to 0. */
  readonly ftz: boolean;
}
export type Lowering = shared.Lowering<AmdTarget>;
export type LoweringRule = shared.LoweringRule<AmdTarget>;
