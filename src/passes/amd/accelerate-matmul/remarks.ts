/** Remarks on dots: the matrix instruction that one was given, or why it was given none. */
import { typeText } from "../../../ir/text-hook.js";
import type { AmdMfmaParams, AmdWmmaParams } from "../../../layout/encoding-params.js";
import type { RemarkText } from "../../../pass/remark.js";
import type { MatrixInstruction } from "./matrix-instruction.js";

export const declined = (why: string): RemarkText => ({
  kind: "missed",
  message: `{0} is done without matrix instructions: ${why}`,
  fields: { notMet: [why] },
});

export function applied(
  { name, a, b }: Pick<MatrixInstruction, "name" | "a" | "b">,
  mma: AmdMfmaParams | AmdWmmaParams,
  kWidth: number,
): RemarkText {
  const { instrShape, warpsPerCTA, version } = mma;
  const types = a === b ? typeText(a) : `${typeText(a)} and ${typeText(b)}`;
  return {
    kind: "applied",
    message: `{0} is done by ${name} on ${types}: instruction shape ${instrShape.join("x")}, ${warpsPerCTA.join("x")} warps, kWidth ${kWidth}`,
    fields: { version, instrShape, warpsPerCTA, kWidth: [kWidth], instruction: name },
  };
}
