/**
 * Gives every tensor a layout. Most ops only change types; where two layouts meet, a ttg.convert_layout is put between them:
 *
 *     %1 = tt.expand_dims %0 {axis = 1} : tensor<128xi32> -> tensor<128x1xi32>
 *     ->
 *     %c = ttg.convert_layout %0 : tensor<128xi32, #b> -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #b1}>>
 *     %1 = tt.expand_dims %c {axis = 1} : ... -> tensor<128x1xi32, #b1>
 *
 * Source: lib/Conversion/TritonToTritonGPU/TritonToTritonGPUPass.cpp.
 */
import * as arith from "../../dialects/arith/ops/index.js";
import * as math from "../../dialects/math/ops/index.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import * as tt from "../../dialects/tt/ops/index.js";
import { NUM_CTAS, NUM_WARPS, TARGET, THREADS_PER_WARP } from "../../dialects/ttg/num-warps.js";
import { PoisonOp } from "../../dialects/ub/ops/poison.js";
import { DenseElementsAttr, i32Attr, stringAttr } from "../../ir/builtin-attrs.js";
import { encodingOf, FunctionType, RankedTensorType } from "../../ir/builtin-types.js";
import type { OpDef } from "../../ir/define-op.js";
import { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { type ConversionPattern, conversionPattern, kindConversionPattern } from "../../rewrite/conversion-pattern.js";
import { applyPartialConversion } from "../../rewrite/dialect-conversion.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";
import type { TritonVersion } from "../../support/triton-version.js";
import { functionTypeConversions } from "../tt/function-type-conversions.js";
import { explainElements } from "./explain-elements.js";
import { functionWithoutTensors, tritonControlFlowPatterns } from "./triton-control-flow-patterns.js";
import {
  addNamedAttrs,
  type GpuShape,
  gatherScatterPattern,
  tritonGpuConversionTarget,
  tritonGpuTypeConverter,
} from "./triton-gpu-conversion.js";
import { tritonShapePatterns } from "./triton-shape-patterns.js";

export const convertTritonToTritonGpu = definePass("convert-triton-to-tritongpu", {
  name: "ConvertTritonToTritonGPU",
  summary: "Convert Triton to TritonGPU",
  source: "lib/Conversion/TritonToTritonGPU/TritonToTritonGPUPass.cpp",
  options: {
    target: option.string({ default: "", summary: "the GPU target, e.g., cuda:80, hip:gfx942" }),
    numWarps: option.size({ default: 4, summary: "number of warps" }),
    threadsPerWarp: option.size({ default: 32, summary: "number of threads per warp" }),
    numCTAs: option.size({ default: 1, text: "num-ctas", summary: "number of ctas in a cga" }),
    enableSourceRemat: option.bool({ default: false, summary: "enable trivial source rematerialization" }),
    maxnreg: option.optional(option.int({ default: 0, min: 1, ours: true, summary: "registers of a thread at most: ttg.maxnreg" })),
  },
  run(root, { options, listener, report, fail, explain }) {
    const { numWarps, threadsPerWarp, numCTAs } = options;
    if (options.target === "") return report.error(root, "'convert-triton-to-tritongpu' requires 'target' option to be set");
    const handsOn = root.ctx.triton.functionsTakeTensors ? undefined : functionWithTensors(root);
    if (handsOn)
      return report.error(
        handsOn,
        "a function that takes or returns tensors must be inlined before: its type has no layouts",
        "pass.layout",
      );
    const { ctx } = root;
    if (options.maxnreg !== undefined) root.setAttr("ttg.maxnreg", i32Attr(ctx, options.maxnreg));
    root.setAttr(NUM_WARPS, i32Attr(ctx, numWarps));
    root.setAttr(THREADS_PER_WARP, i32Attr(ctx, threadsPerWarp));
    root.setAttr(NUM_CTAS, i32Attr(ctx, numCTAs));
    root.setAttr(TARGET, stringAttr(ctx, options.target));
    const converter = tritonGpuTypeConverter({ numWarps, threadsPerWarp, numCTAs }, options.enableSourceRemat);
    const target = tritonGpuConversionTarget(converter);
    if (!applyPartialConversion(root, target, patterns(converter, { numWarps, threadsPerWarp, numCTAs }, root.ctx.triton), { listener }).ok)
      return fail();
    if (explain) explainElements(explain, root, numWarps * threadsPerWarp);
  },
});

/** Before 3.8 upstream converts what such a function returns and not its type, and gives its entry block no arguments that are tensors: neither verifies. */
function functionWithTensors(root: Operation): Operation | undefined {
  let found: Operation | undefined;
  root.walk((op) => {
    const type = tt.FuncOp.match(op)?.function_type;
    if (!FunctionType.is(type)) return undefined;
    // An argument with uses is left out: its users cannot be converted, and the error is reported there.
    const taken = op.regions[0]!.firstBlock?.args.filter((arg) => !encodingOf(arg.type) && !arg.firstUse) ?? [];
    if (![...taken.map((arg) => arg.type), ...type.params.results].some((t) => RankedTensorType.is(t))) return "skip";
    found = op;
    return "interrupt";
  });
  return found;
}

function patterns(converter: TypeConverter, gpu: GpuShape, triton: TritonVersion): ConversionPattern[] {
  return [
    constantPattern(converter),
    ...[...RETYPED, ...(triton.negatesFloats ? [arith.NegFOp] : []), ...(triton.functionsTakeTensors ? [] : [tt.CallOp, tt.ReturnOp])].map(
      (root) => retypePattern(root, converter),
    ),
    ...tritonShapePatterns(converter, gpu),
    ...regionPatterns(converter),
    gatherScatterPattern(tt.DescriptorGatherOp, 1, converter),
    gatherScatterPattern(tt.DescriptorScatterOp, 1, converter),
    ...tritonControlFlowPatterns(converter),
    ...(triton.functionsTakeTensors ? functionTypeConversions(converter) : [functionWithoutTensors(converter)]),
  ];
}

/** Ops of which only the types change. */
const RETYPED: readonly OpDef[] = [
  arith.AddIOp,
  arith.SubIOp,
  arith.MulIOp,
  arith.DivUIOp,
  arith.DivSIOp,
  arith.CeilDivUIOp,
  arith.CeilDivSIOp,
  arith.FloorDivSIOp,
  arith.RemUIOp,
  arith.RemSIOp,
  arith.AndIOp,
  arith.OrIOp,
  arith.XOrIOp,
  arith.ShLIOp,
  arith.ShRUIOp,
  arith.ShRSIOp,
  arith.AddFOp,
  arith.SubFOp,
  arith.MaximumFOp,
  arith.MaxNumFOp,
  arith.MaxSIOp,
  arith.MaxUIOp,
  arith.MinimumFOp,
  arith.MinNumFOp,
  arith.MinSIOp,
  arith.MinUIOp,
  arith.MulFOp,
  arith.DivFOp,
  arith.RemFOp,
  arith.CmpIOp,
  arith.CmpFOp,
  arith.SelectOp,
  arith.TruncIOp,
  arith.TruncFOp,
  arith.ExtUIOp,
  arith.ExtSIOp,
  arith.ExtFOp,
  arith.SIToFPOp,
  arith.FPToSIOp,
  arith.FPToUIOp,
  arith.UIToFPOp,
  math.ExpOp,
  math.Exp2Op,
  math.FloorOp,
  math.CeilOp,
  math.CosOp,
  math.SinOp,
  math.LogOp,
  math.Log2Op,
  math.ErfOp,
  math.AbsFOp,
  math.AbsIOp,
  math.SqrtOp,
  math.RsqrtOp,
  math.FmaOp,
  tt.AdvanceOp,
  tt.MakeTensorPtrOp,
  tt.ReshapeOp,
  tt.BitcastOp,
  tt.FpToFpOp,
  tt.IntToPtrOp,
  tt.PtrToIntOp,
  tt.SplatOp,
  tt.UnsplatOp,
  tt.AddPtrOp,
  tt.ClampFOp,
  tt.PreciseSqrtOp,
  tt.PreciseDivFOp,
  tt.MulhiUIOp,
  tt.ElementwiseInlineAsmOp,
  tt.ReduceReturnOp,
  tt.ScanReturnOp,
  tt.MakeRangeOp,
  tt.LoadOp,
  tt.StoreOp,
  tt.HistogramOp,
  tt.GatherOp,
  tt.ExternElementwiseOp,
  tt.PrintOp,
  tt.AssertOp,
  tt.AtomicCASOp,
  tt.AtomicRMWOp,
  tt.DescriptorLoadOp,
  tt.DescriptorStoreOp,
  tt.DescriptorReduceOp,
  // Its layouts are set right later.
  tt.DotScaledOp,
  YieldOp,
  PoisonOp,
];
function retypePattern(root: OpDef, converter: TypeConverter): ConversionPattern {
  return kindConversionPattern(
    root,
    (op, operands, rw) => {
      const resultTypes = converter.convertTypes(op.resultTypes);
      if (!resultTypes) return rw.noMatch("a result type cannot be converted", op);
      const made = new Operation(rw.ctx, root, { loc: op.locRef, operands: operands.flat(), resultTypes, attrs: op.attrs });
      return rw.replace(op, rw.insert(made).results);
    },
    { converter },
  );
}

function constantPattern(converter: TypeConverter): ConversionPattern {
  return conversionPattern(
    "convert-constant",
    arith.ConstantOp,
    ({ op, value, result }, _, rw) => {
      const type = converter.convertType(result.type)!;
      if (!DenseElementsAttr.is(value)) return rw.noMatch("no dense elements", op);
      addNamedAttrs(rw.replaceWith(op, arith.ConstantOp, { value: DenseElementsAttr.get(rw.ctx, { ...value.params, type }) }).op, op);
      return true;
    },
    { converter },
  );
}

/** Ops with a region of scalars, which is copied. */
function regionPatterns(converter: TypeConverter): ConversionPattern[] {
  const options = { converter };
  return [
    conversionPattern(
      "convert-reduce",
      tt.ReduceOp,
      ({ op, axis, combineOp }, { operands }, rw) => {
        const made = rw.create(tt.ReduceOp, { srcs: operands, axis });
        addNamedAttrs(made.op, op);
        rw.cloneRegionBefore(combineOp, made.combineOp);
        return rw.replace(op, made.op.results);
      },
      options,
    ),
    conversionPattern(
      "convert-scan",
      tt.ScanOp,
      ({ op, axis, reverse, combineOp }, { operands }, rw) => {
        const made = rw.create(tt.ScanOp, { srcs: operands, axis, reverse });
        addNamedAttrs(made.op, op);
        rw.cloneRegionBefore(combineOp, made.combineOp);
        return rw.replace(op, made.op.results);
      },
      options,
    ),
    conversionPattern(
      "convert-map-elementwise",
      tt.MapElementwiseOp,
      ({ op, pack, scalarOp }, { operands }, rw) => {
        const types = converter.convertTypes(op.resultTypes);
        if (!types) return rw.noMatch("a result type cannot be converted", op);
        const made = rw.create(tt.MapElementwiseOp, { srcs: operands, pack }, { types });
        addNamedAttrs(made.op, op);
        rw.cloneRegionBefore(scalarOp, made.scalarOp);
        return rw.replace(op, made.op.results);
      },
      options,
    ),
  ];
}
