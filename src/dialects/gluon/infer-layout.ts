/** An open layout stays open through every shape operation. Source: lib/Dialect/Gluon/IR/Dialect.cpp, GluonInferLayoutInterface. */
import type { Attribute } from "../../ir/attribute.js";
import type { InferLayout } from "../tt/infer-layout.js";

const same = (encoding: Attribute): Attribute => encoding;

export const inferLayout: InferLayout = {
  inferTransOpEncoding: same,
  inferReduceOpEncoding: same,
  inferExpandDimsOpEncoding: same,
  inferDotOpEncoding: () => true,
  inferReshapeOpEncoding: (_srcShape, src) => src,
  verifyLayoutsAreEqual: (_shape, expected, got) => expected === got,
  inferDefaultJoinOpEncoding: same,
  inferSplitOpEncoding: same,
  verifyDotOpEncodingCompatibility: () => true,
  catProblem: () => undefined,
  inferFp4ToFpOpEncoding: (_shape, _axis, input) => input,
};
