import { defineDialect } from "../../ir/define-dialect.js";
import * as attrs from "./attrs.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";

/** The profiler's buffers and counters. Source: third_party/proton/Dialect/include/Dialect/ProtonGPU/IR/ProtonGPUDialect.td. */
export const protonGpu = defineDialect("proton_gpu", { ops: [ops], attrs: [attrs], types: [types] });
