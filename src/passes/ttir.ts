/** The passes that TTIR needs no more than, by flag. */
import type { PassDef } from "../pass/define-pass.js";
import * as common from "./common/index.js";
import * as tt from "./tt/index.js";

export type Passes = ReadonlyMap<string, PassDef>;

export const TTIR_PASSES: Passes = passesIn(common, tt);

/** The passes among the exports of modules. */
export function passesIn(...modules: readonly Readonly<Record<string, unknown>>[]): Passes {
  return new Map(modules.flatMap((module) => Object.values(module).filter(isPass)).map((pass) => [pass.flag, pass]));
}

function isPass(value: unknown): value is PassDef {
  return typeof value === "function" && "flag" in value && "statistics" in value;
}
