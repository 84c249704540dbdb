/** Every pass by its flag, found through the groups' index files. */
import type { PassDef } from "../pass/define-pass.js";
import * as amd from "./amd/index.js";
import * as amdToLLVM from "./amd/to-llvm/index.js";
import * as common from "./common/index.js";
import * as convert from "./convert/index.js";
import * as gluon from "./gluon/index.js";
import * as llvm from "./llvm/index.js";
import * as nvidia from "./nvidia/index.js";
import * as nvidiaToLLVM from "./nvidia/to-llvm/index.js";
import * as print from "./print/index.js";
import * as proton from "./proton/index.js";
import * as tt from "./tt/index.js";
import * as ttg from "./ttg/index.js";

const GROUPS: readonly Readonly<Record<string, unknown>>[] = [
  common,
  tt,
  convert,
  gluon,
  nvidia,
  amd,
  print,
  ttg,
  llvm,
  nvidiaToLLVM,
  amdToLLVM,
  proton,
];

export const PASSES: ReadonlyMap<string, PassDef> = new Map(
  GROUPS.flatMap((group) => Object.values(group).filter(isPass)).map((pass) => [pass.flag, pass]),
);

function isPass(value: unknown): value is PassDef {
  return typeof value === "function" && "flag" in value && "statistics" in value;
}
