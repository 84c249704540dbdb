/** Asynchronous references: buffers handed between producers and consumers. Source: NVWSOps.td; lib/Dialect/NVWS/IR/Ops.cpp. */
import type { Type } from "../../../ir/attribute.js";
import { isShaped, RankedTensorType } from "../../../ir/builtin-types.js";
import { I32, optional, variadic } from "../../../ir/constraints.js";
import { defineOp, type OpReport } from "../../../ir/define-op.js";
import { AttrSizedOperandSegments, PredOpTrait, Pure } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { encodingParams } from "../../ttg/encodings/define-encoding.js";
import { AsyncToken, MemDescOperand, MemDescType } from "../../ttg/types.js";
import { hasStage } from "../interfaces.js";
import { Aref, ArefType, AsyncOpArrayAttr } from "../types.js";

const CODE = "nvws.aref";
/** The types of the buffers that an aref holds. */
const baseTypesOf = (aref: Value): readonly Type[] => (ArefType.is(aref.type) ? aref.type.params.baseType : []);

export const ArefCreateOp = defineOp("nvws.aref.create", () => ({
  summary: "Create an asynchronous reference.",
  operands: { buffers: variadic(MemDescOperand) },
  results: { result: Aref },
  traits: [
    PredOpTrait("input types match Aref output type", (op) => {
      const types = baseTypesOf(op.result(0));
      return types.length === op.numOperands && types.every((type, i) => type === op.operand(i).type);
    }),
    Pure,
  ],
  format: "$buffers attr-dict `:` type($result)",
  verify({ buffers }, report) {
    const leading = new Set<number | undefined>();
    for (const buffer of buffers) {
      for (const { owner } of buffer.uses())
        if (owner.name !== "nvws.aref.create" && owner.name !== "ttg.local_dealloc") {
          report.plain("Aref buffer is used elsewhere, Aref cannot guarantee async safety", CODE);
          return;
        }
      if (isShaped(buffer.type)) leading.add(buffer.type.params.shape[0]);
    }
    if (leading.size > 1) report.plain("Leading dims of sliced aref inputs don't match.", CODE);
  },
}));

export const ArefBufferOp = defineOp("nvws.aref.buffer", () => ({
  summary: "Get buffer from aref",
  operands: { aref: Aref, token: AsyncToken, stage: optional(I32) },
  results: { buffers: variadic(MemDescOperand) },
  interfaces: [hasStage],
  format: "$aref (`[` $stage^ `]`)? `,` $token attr-dict `:` type($aref) `,` type($token) `->` type(results)",
}));

export const ArefGetEnterOp = defineOp("nvws.aref.get.enter", () => ({
  summary: "Enter ArefGet region where the buffer can be used to read data",
  operands: { aref: Aref, stage: optional(I32), phase: optional(I32) },
  results: { buffers: variadic(MemDescOperand), token: AsyncToken },
  traits: [AttrSizedOperandSegments],
  interfaces: [hasStage],
  format: "$aref ( `[` $stage^ `,` $phase `]`)? attr-dict `:` type($aref) `->` type(results)",
  verify: ({ aref, buffers }, report) => verifyEnter(baseTypesOf(aref), buffers, report),
}));

export const ArefPutEnterOp = defineOp("nvws.aref.put.enter", () => ({
  summary: "Enter ArefPut region where the buffer can be used to read data",
  operands: { aref: Aref, stage: optional(I32), phase: optional(I32) },
  results: { buffers: variadic(MemDescOperand), token: AsyncToken },
  traits: [AttrSizedOperandSegments],
  interfaces: [hasStage],
  format: "$aref ( `[` $stage^ `,` $phase `]`)? attr-dict `:` type($aref) `->` type(results)",
  verify: ({ aref, buffers }, report) => verifyEnter(baseTypesOf(aref), buffers, report),
}));

export const ArefGetExitOp = defineOp("nvws.aref.get.exit", () => ({
  summary: "Exit ArefGet region, where the buffer should no longer be used",
  operands: { aref: Aref, token: AsyncToken, stage: optional(I32) },
  attrs: { async_ops: AsyncOpArrayAttr },
  interfaces: [hasStage],
  format: "$aref (`[` $stage^ `]`)? `,` $token $async_ops attr-dict `:` type($aref) `,` type($token)",
}));

export const ArefPutExitOp = defineOp("nvws.aref.put.exit", () => ({
  summary: "Exit ArefPut region, where the buffer should no longer be used",
  operands: { aref: Aref, token: AsyncToken, stage: optional(I32) },
  attrs: { async_ops: AsyncOpArrayAttr },
  interfaces: [hasStage],
  format: "$aref (`[` $stage^ `]`)? `,` $token $async_ops attr-dict `:` type($aref) `,` type($token)",
}));

/** Each result is one stage of a buffer of the aref. */
function verifyEnter(types: readonly Type[], buffers: readonly Value[], report: OpReport): void {
  if (types.length !== buffers.length) return void report.plain("Aref has different number of arguments than enter", CODE);
  for (let i = 0; i < types.length; i++) {
    const problem = sliceProblem(types[i]!, buffers[i]!.type);
    if (problem !== undefined) return void report.plain(problem, CODE);
  }
}
function sliceProblem(whole: Type, stage: Type): string | undefined {
  if (!RankedTensorType.is(whole) && !MemDescType.is(whole)) return "Slicing not Implemented for this type";
  if (stage.def !== (whole.def as unknown) || !isShaped(stage)) return "MLIR Types don't match";
  const isScales = encodingParams(whole.params.encoding)?.kind === "tensor_memory_scales_encoding";
  const suffix = isScales ? " for TensorMemoryScalesEncodingAttr" : "";
  // Scales have one buffer only, which all stages share.
  const wanted = isScales ? whole.params.shape : whole.params.shape.slice(1);
  const { shape, elementType } = stage.params;
  if (whole.params.elementType !== elementType || wanted.length !== shape.length) return `Ranks don't match${suffix}`;
  return wanted.some((extent, i) => extent !== shape[i]) ? `Dimensions don't match${suffix}` : undefined;
}
