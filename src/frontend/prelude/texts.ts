/** The Python texts of the prelude, by the name of the module. */
import { INDUCTOR_COMPAT, INDUCTOR_HELPERS } from "./inductor.js";
import { RANDOM } from "./random.js";
import { STANDARD } from "./standard.js";

export const PRELUDE: Readonly<Record<string, string>> = {
  "triton.language.standard": STANDARD,
  "triton.language.random": RANDOM,
  "torch._inductor.runtime.triton_helpers": INDUCTOR_HELPERS,
  "torch._inductor.runtime.triton_compat": INDUCTOR_COMPAT,
};
