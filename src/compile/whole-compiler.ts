import { ALL_DIALECTS } from "../dialects/index.js";
import { PASSES } from "../passes/index.js";
import { artifactsOf } from "./artifacts.js";
import type { Compiler } from "./compiler.js";

/** Every dialect, every pass, and what follows them. */
export const WHOLE_COMPILER: Compiler = { dialects: ALL_DIALECTS, passes: PASSES, artifactsOf };
