/** The Python texts of the prelude; the bundle carries them inside, see build.js. */
import { readFileSync } from "node:fs";

const read = (name: string): string => readFileSync(new URL(`./${name}.py`, import.meta.url), "utf8");

/** By name of the module, read when asked for. */
export const PRELUDE: Readonly<Record<string, () => string>> = {
  "triton.language.standard": () => read("standard"),
  "triton.language.random": () => read("random"),
};
