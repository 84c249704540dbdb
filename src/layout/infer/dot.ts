/** Checks on the operands of tt.dot. Source: Dialect.cpp, inferDotOpEncoding, verifyDotOpEncodingCompatibility. */
import type { EncodingParams } from "../encoding-params.js";
import { encodingsEqual } from "../encoding-text.js";
import { isHopper } from "../encodings/nvidia-mma.js";

/** Complaints about operand `opIdx` of a dot whose result has the encoding `result`. */
export function verifyDotOperandEncoding(operand: EncodingParams, opIdx: number, result: EncodingParams): string[] {
  if (result.kind === "nvidia_mma" && isHopper(result)) {
    const inSharedMemory = operand.kind === "nvmma_shared" || operand.kind === "shared_linear";
    const inRegisters = opIdx === 0 && operand.kind === "dot_op" && operand.opIdx === 0 && operand.parent.kind === "nvidia_mma";
    return inSharedMemory || inRegisters ? [] : ["unexpected operand layout for NvidiaMmaEncodingAttr v3"];
  }
  if (operand.kind !== "dot_op") return ["Dot's a/b's encoding should be of DotOperandEncodingAttr"];
  if (operand.opIdx !== opIdx) return ["Wrong opIdx"];
  return encodingsEqual(result, operand.parent) ? [] : ["Incompatible parent encoding"];
}

/**
 * Complaints about the operands taken together. `supportsMma(version)` says whether the element types of this dot run on that
 * version of the tensor cores.
 */
export function verifyDotOpEncodingCompatibility(
  a: EncodingParams,
  b: EncodingParams,
  result: EncodingParams,
  supportsMma: (version: number) => boolean,
): string[] {
  if (a.kind !== "dot_op" && b.kind !== "dot_op") return [];
  if (a.kind !== "dot_op" || b.kind !== "dot_op") return ["mismatching encoding between A and B operands"];
  if (a.kWidth !== b.kWidth) return ["mismatching kWidth between A and B operands"];
  const mmas = [a.parent, b.parent, result].filter((params) => params.kind === "nvidia_mma");
  if (mmas.length === 0) return [];
  if (mmas.length < 3) return ["mismatching MMA encoding"];
  const version = mmas[2]!.versionMajor;
  if (mmas.some((mma) => mma.versionMajor !== version)) return ["mismatched MMA version."];
  return supportsMma(version) ? [] : ["unsupported MMA version"];
}
