import { notBuiltPass, type PassDef } from "../pass/define-pass.js";
import { PASSES } from "../passes/index.js";
import { passName, UPSTREAM_PASSES } from "./pipelines/cuda.js";

const notBuilt = new Map<string, PassDef>();

/** A pass by its flag: built, or one that upstream's pipelines name and that is not built yet. */
export function findPass(flag: string): PassDef | undefined {
  const built = PASSES.get(flag);
  if (built) return built;
  if (!UPSTREAM_PASSES.has(flag)) return undefined;
  let pass = notBuilt.get(flag);
  if (!pass) notBuilt.set(flag, (pass = notBuiltPass(flag, passName(flag))));
  return pass;
}
