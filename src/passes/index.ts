/** Every pass by its flag, found through the groups' index files. */
import * as llvm from "./llvm/index.js";
import * as nvidia from "./nvidia/to-llvm/index.js";
import * as ttgToLLVM from "./ttg-to-llvm/index.js";
import { TTGIR_PASSES } from "./ttgir.js";
import { type Passes, passesIn } from "./ttir.js";

export const PASSES: Passes = new Map([...TTGIR_PASSES, ...passesIn(llvm, nvidia, ttgToLLVM)]);
