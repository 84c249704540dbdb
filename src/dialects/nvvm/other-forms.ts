/** nvvm ops as the MLIR of Triton 3.9 writes them: without the space that was left before a keyword. */
import type { OlderForms } from "../../ir/spelling.js";
import { ReduxOp, ShflOp } from "./ops/warp.js";

export const NVVM_OTHER_FORMS: OlderForms = {
  "3.9": {
    "nvvm.shfl.sync": {
      kind: "print",
      print(op, p) {
        const { kind, val, res } = ShflOp.match(op)!;
        p.write(` ${kind} ${p.values(op.operands)}`);
        p.optAttrDict(op, ["kind"]);
        p.write(` : ${p.type(val.type)} -> ${p.type(res.type)}`);
      },
    },
    "nvvm.redux.sync": {
      kind: "print",
      print(op, p) {
        const { kind, val, res, abs, nan } = ReduxOp.match(op)!;
        p.write(` ${kind} ${p.values(op.operands)}`);
        p.optAttrDict(op, ["kind", ...(abs ? [] : ["abs"]), ...(nan ? [] : ["nan"])]);
        p.write(` : ${p.type(val.type)} -> ${p.type(res.type)}`);
      },
    },
  },
};
