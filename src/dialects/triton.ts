/** The dialects of Triton's IR before it is lowered to LLVM. */
import type { DialectDef } from "../ir/define-dialect.js";
import { gpu } from "./gpu/index.js";
import { ttg } from "./ttg/index.js";
import { TTIR_DIALECTS } from "./ttir.js";
import { ttng } from "./ttng/index.js";

export const TRITON_DIALECTS: readonly DialectDef[] = [...TTIR_DIALECTS, gpu, ttg, ttng];
