import { DenseArrayAttr, IntegerAttr, UnitAttr } from "../../ir/builtin-attrs.js";
import { defineDialect } from "../../ir/define-dialect.js";
import * as attrs from "./attrs.js";
import * as ops from "./ops/index.js";
import { ENVIRONMENT_REGISTERS } from "./ops/registers.js";
import { NVVM_OTHER_FORMS } from "./other-forms.js";

export const nvvm = defineDialect("nvvm", {
  ops: [ops, ENVIRONMENT_REGISTERS],
  olderForms: () => NVVM_OTHER_FORMS,
  attrs: [attrs],
  // Attributes of kernels. Source: NVVMDialect.cpp, verifyOperationAttribute.
  verifyAttr(op, name, value, report) {
    if (name === "nvvm.kernel") {
      if (op.name !== "llvm.func") report.error("'nvvm.kernel' attribute attached to unexpected op");
    } else if (name === "nvvm.maxntid" || name === "nvvm.reqntid" || name === "nvvm.cluster_dim") {
      // A number of threads before 2023.
      if (op.ctx.spelling?.before2023 && IntegerAttr.is(value)) return;
      const size = DenseArrayAttr.is(value) ? value.params.elements.length : 0;
      if (size < 1 || size > 3) report.error(`'${name}' attribute must be integer array with maximum 3 index`);
    } else if (["nvvm.minctasm", "nvvm.maxnreg", "nvvm.cluster_max_blocks"].includes(name)) {
      if (!IntegerAttr.is(value)) report.error(`'${name}' attribute must be integer constant`);
    } else if (name === "nvvm.blocksareclusters" && !(op.hasAttr("nvvm.reqntid") && op.hasAttr("nvvm.cluster_dim")))
      report.error(`'${name}' attribute must be used along with 'nvvm.reqntid' and 'nvvm.cluster_dim'`);
  },
  verifyArgAttr(op, _index, name, value, report) {
    if (name !== "nvvm.grid_constant") return;
    if (op.name !== "llvm.func") report.error(`'${name}' attribute must be present only on llvm.func ops`);
    else if (!UnitAttr.is(value)) report.error(`'${name}' attribute must be a unit attribute`);
  },
});
