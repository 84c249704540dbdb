import { encodingOf } from "../../../ir/builtin-types.js";
import { defineOp } from "../../../ir/define-op.js";
import { SameOperandsAndResultElementType, SameOperandsAndResultShape } from "../../../ir/traits.js";
import { Tensor } from "../../tt/constraints.js";
import { VerifyTensorLayoutsTrait } from "../../tt/traits.js";
import { AutoEncoding } from "../attrs.js";

/** Says which layout a tensor without one gets; it is gone once layouts are inferred. Source: GluonOps.td; Dialect.cpp. */
export const SetAutoLayoutOp = defineOp("gluon.set_auto_layout", () => ({
  summary: "set auto encoding to a concrete encoding type",
  operands: { src: Tensor },
  results: { result: Tensor },
  traits: [SameOperandsAndResultShape, SameOperandsAndResultElementType, VerifyTensorLayoutsTrait],
  format: "$src attr-dict `:` type($src) `->` type($result)",
  verify({ src, result }, report) {
    const encoding = encodingOf(result.type);
    if (!AutoEncoding.is(encodingOf(src.type))) report.error("input tensor must have an auto layout type", "gluon.auto-layout");
    else if (!encoding) report.error("result tensor must have an encoding", "gluon.auto-layout");
    else if (AutoEncoding.is(encoding)) report.error("result type must not be auto layout", "gluon.auto-layout");
  },
}));
