/** The texts made of a module after the last pass, as far as they are the same for all vendors. */

import { LLVMArrayType } from "../dialects/llvm/types/types.js";
import type { Type } from "../ir/attribute.js";
import { numElements, VectorType } from "../ir/builtin-types.js";
import { positionOfLocation } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import { untranslatable } from "../target/llvm-ir/instructions.js";
import type { LlvmIrTarget } from "../target/llvm-ir/target.js";
import { llvmIrText } from "../target/llvm-ir/translate.js";
import { type Artifacts, countOps } from "../trace/trace.js";
import type { ArtifactRequest } from "./backend.js";

/** Whether something is asked for, and the module is one that it can be made of: in the LLVM dialect, and not too large. */
export function translatable(module: Operation, { artifacts = [], maxArtifactOps = Number.POSITIVE_INFINITY }: ArtifactRequest): boolean {
  if (artifacts.length === 0 || !isLowered(module) || countOps(module) > maxArtifactOps) return false;
  const tooLarge = valueTooLarge(module);
  if (tooLarge) report(tooLarge, `'${tooLarge.name}' has a value of more than ${MAX_ELEMENTS} elements, which no thread holds`);
  return !tooLarge;
}

/** The LLVM IR of a module; nothing where it has ops that LLVM IR has nothing for. */
export function llvmIrOf(module: Operation, target: LlvmIrTarget): Pick<Artifacts, "llir"> {
  const unknown = untranslatable(module);
  for (const op of unknown) report(op, `'${op.name}' has no LLVM IR`);
  return unknown.length === 0 ? { llir: llvmIrText(module, target) } : {};
}

/** As many as a tensor has at most. */
const MAX_ELEMENTS = 2 ** 20;

/** An op with a vector or array that cannot be taken apart. */
function valueTooLarge(module: Operation): Operation | undefined {
  let found: Operation | undefined;
  module.walk((op) => {
    if (op.results.some((result) => elementsIn(result.type) > MAX_ELEMENTS)) found ??= op;
  });
  return found;
}
function elementsIn(type: Type): number {
  if (VectorType.is(type)) return numElements(type.params.shape);
  return LLVMArrayType.is(type) ? type.params.numElements * elementsIn(type.params.elementType) : 1;
}

/** Reports that an op has no translation. */
export function report(op: Operation, message: string): void {
  const position = positionOfLocation(op.ctx, op.locRef);
  op.ctx.emit({ severity: "error", code: "target.op", message, notes: [], ...(position ? { position } : {}) });
}

/** Whether the module is in the LLVM dialect: a function of it, and none of another dialect. */
export function isLowered(module: Operation): boolean {
  let lowered = false;
  for (const op of module.regions[0]?.firstBlock?.ops() ?? []) {
    if (op.name === "llvm.func") lowered = true;
    else if (op.name.endsWith(".func")) return false;
  }
  return lowered;
}
