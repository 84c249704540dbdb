/** The Python texts of the prelude, by the name of the module. */
import { RANDOM } from "./random.js";
import { STANDARD } from "./standard.js";

export const PRELUDE: Readonly<Record<string, string>> = {
  "triton.language.standard": STANDARD,
  "triton.language.random": RANDOM,
};
