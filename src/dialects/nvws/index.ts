import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";
import * as types from "./types.js";

/** Warp specialization on its way to ttg.warp_specialize. Source: third_party/nvidia/lib/Dialect/NVWS/IR/Dialect.cpp. */
export const nvws = defineDialect("nvws", { ops: [ops], attrs: [types], types: [types] });
