import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

/** Ops that the concurrency sanitizer puts into a kernel. Source: include/triton/Dialect/TritonInstrument/IR/TritonInstrumentDialect.td. */
export const tti = defineDialect("tti", { ops: [ops] });
