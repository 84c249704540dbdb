import { defineDialect } from "../../ir/define-dialect.js";
import * as ops from "./ops/index.js";

/** The profiler's marks in a kernel. Source: third_party/proton/Dialect/include/Dialect/Proton/IR/ProtonDialect.td. */
export const proton = defineDialect("proton", { ops: [ops] });
