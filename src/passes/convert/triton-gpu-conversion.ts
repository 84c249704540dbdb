/**
 * Shared code of conversions into TritonGPU: every tensor without a layout gets the default one, and ttg.convert_layout is inserted
 * where a value comes in another layout than its user expects.
 * Source: lib/Dialect/TritonGPU/Transforms/TritonGPUConversion.cpp.
 */
import { ExecuteRegionOp } from "../../dialects/scf/ops/execute-region.js";
import { ParallelOp, ReduceOp as ScfReduceOp, ReduceReturnOp as ScfReduceReturnOp } from "../../dialects/scf/ops/parallel.js";
import { DotOp } from "../../dialects/tt/ops/dot.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { PointerType } from "../../dialects/tt/types.js";
import { encodingAttr } from "../../dialects/ttg/encodings/define-encoding.js";
import { DotOperandEncoding } from "../../dialects/ttg/encodings/dot-op.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp, maybeLookupNumWarps } from "../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../dialects/ttg/ops/convert-layout.js";
import type { Type } from "../../ir/attribute.js";
import { dictEntries } from "../../ir/builtin-attrs.js";
import { encodingOf, RankedTensorType, type TensorType, withEncoding } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import { FunctionOp } from "../../ir/interfaces.js";
import type { Operation } from "../../ir/operation.js";
import { getDefaultBlockedEncoding } from "../../layout/encodings/blocked.js";
import { cgaFromSplitParams } from "../../layout/encodings/cga.js";
import { PassError } from "../../pass/pass-error.js";
import { type ConversionPattern, kindConversionPattern } from "../../rewrite/conversion-pattern.js";
import { ConversionTarget } from "../../rewrite/conversion-target.js";
import { TypeConverter } from "../../rewrite/type-converter.js";
import { unrealizedCast } from "../../rewrite/unrealized-casts.js";

/** The machine that layouts are made for. */
export interface GpuShape {
  readonly numWarps: number;
  readonly threadsPerWarp: number;
  readonly numCTAs: number;
}

/** Gives tensors, and tensors behind pointers, the default layout, unless they have one. */
export function tritonGpuTypeConverter({ numWarps, threadsPerWarp, numCTAs }: GpuShape, enableSourceRemat: boolean): TypeConverter {
  const withLayout = (type: TensorType): TensorType => {
    if (type.params.encoding) return type;
    return withEncoding(type, encodingAttr(type.ctx, getDefaultBlockedEncoding(type.params.shape, numWarps, threadsPerWarp, numCTAs)));
  };
  const converter = new TypeConverter()
    .addConversion((type) => type)
    .addConversion((type) => (RankedTensorType.is(type) ? withLayout(type) : undefined))
    .addConversion((type) => {
      if (!PointerType.is(type)) return undefined;
      const { pointeeType, addressSpace } = type.params;
      return RankedTensorType.is(pointeeType) ? PointerType.get(type.ctx, { pointeeType: withLayout(pointeeType), addressSpace }) : type;
    })
    .addTargetMaterialization((rw, types, inputs, loc) =>
      RankedTensorType.is(types[0]) ? rw.value(ConvertLayoutOp, { src: inputs[0]! }, { types, loc }) : undefined,
    );
  if (enableSourceRemat)
    converter.addSourceMaterialization((rw, types, inputs, loc) =>
      RankedTensorType.is(types[0]) ? rw.insert(unrealizedCast(rw.ctx, loc, inputs, types)).result() : undefined,
    );
  return converter;
}

/** The ops that are legal after a conversion into TritonGPU: tensors have layouts, and operands of dots have dot operand layouts. */
export function tritonGpuConversionTarget(converter: TypeConverter): ConversionTarget {
  return new ConversionTarget()
    .addLegalDialect("ttg")
    .addIllegalOp(ExecuteRegionOp, ParallelOp, ScfReduceOp, ScfReduceReturnOp)
    .addDynamicallyLegalDialect((op) => hasLegalTypes(op, converter), "arith", "math", "tt", "cf", "scf", "ub")
    .addDynamicallyLegalOp((op) => isDotOperand(op.operand(0).type) && isDotOperand(op.operand(1).type), DotOp)
    .addDynamicallyLegalOp((op) => {
      const args = (op.regions[0]!.firstBlock?.args ?? []).map(({ type }) => type);
      const { inputs, results } = op.def.interface(FunctionOp)!.type(op);
      const types = op.ctx.triton.functionsTakeTensors ? [...inputs, ...results] : args;
      return types.every((type) => !RankedTensorType.is(type) || type.params.encoding !== undefined);
    }, FuncOp);
}
/** Whether an op uses, gives and hands to its blocks only what the converter leaves as it is. */
export function hasLegalTypes(op: Operation, converter: TypeConverter): boolean {
  for (const region of op.regions)
    for (const block of region.blocks()) if (!block.args.every((arg) => converter.isLegalType(arg.type))) return false;
  return converter.isLegal(op);
}
const isDotOperand = (type: Type): boolean => DotOperandEncoding.is(encodingOf(type));

/** Copies the discardable attributes of the op that `made` replaces: hints such as tt.contiguity. */
export function addNamedAttrs(made: Operation, op: Operation): void {
  for (const [name, value] of dictEntries(op.attrs)) if (!op.def.inherent.has(name) && !made.hasAttr(name)) made.setAttr(name, value);
}

/**
 * For gathers and scatters by TMA, whose rows are operand `indices`: every thread that issues an instruction needs four
 * consecutive row numbers, and all warps take part.
 */
export function gatherScatterPattern(root: OpDef, indices: number, converter: TypeConverter): ConversionPattern {
  return kindConversionPattern(
    root,
    (op, operands, rw) => {
      let changed = false;
      rw.modify(op, () => {
        operands.flat().forEach((value, i) => op.setOperand(i, value));
        op.results.forEach((result, i) => op.setResultType(i, converter.convertType(result.type)!));
        const rows = op.operand(indices);
        const type = indicesType(rows.type as TensorType, op);
        if (type === rows.type) return;
        op.setOperand(indices, rw.value(ConvertLayoutOp, { src: rows }, { types: [type] }));
        changed = true;
      });
      return changed || rw.noMatch("the rows have their layout already", op);
    },
    { converter },
  );
}
function indicesType(type: TensorType, op: Operation): TensorType {
  const numCTAs = getNumCTAs(enclosingModule(op));
  if (numCTAs > 1 && !type.ctx.triton.sharesRowNumbers)
    throw new PassError(op, `the layout of row numbers is for 1 CTA, and a cluster has ${numCTAs}`, "tt.tensor-layout");
  const parent = {
    kind: "blocked",
    sizePerThread: [1, 4],
    threadsPerWarp: [getThreadsPerWarp(enclosingModule(op)), 1],
    warpsPerCTA: [1, maybeLookupNumWarps(op) ?? 1],
    order: [1, 0],
    cga: cgaFromSplitParams([1, numCTAs], [1, numCTAs], [1, 0]),
  } as const;
  return withEncoding(type, encodingAttr(type.ctx, { kind: "slice", dim: 0, parent }));
}
