/** The passes up to TTGIR, by flag: none of them needs the LLVM dialect. */
import * as convert from "./convert/index.js";
import * as gluon from "./gluon/index.js";
import * as nvidia from "./nvidia/index.js";
import * as print from "./print/index.js";
import * as ttg from "./ttg/index.js";
import { type Passes, passesIn, TTIR_PASSES } from "./ttir.js";

export const TTGIR_PASSES: Passes = new Map([...TTIR_PASSES, ...passesIn(convert, gluon, nvidia, print, ttg)]);
