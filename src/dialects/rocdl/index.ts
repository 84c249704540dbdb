import { defineDialect } from "../../ir/define-dialect.js";
import { CONVERSIONS, CvtPkRtzOp } from "./ops/conversions.js";
import { IDS } from "./ops/ids.js";
import * as ops from "./ops/index.js";
import { MATRIX, TRANSPOSED_READS } from "./ops/matrix.js";

/** Instructions of AMD's GPUs beside the LLVM dialect. Source: mlir/include/mlir/Dialect/LLVMIR/ROCDLOps.td. */
export const rocdl = defineDialect("rocdl", { ops: [ops, { CvtPkRtzOp }, CONVERSIONS, IDS, MATRIX, TRANSPOSED_READS] });
