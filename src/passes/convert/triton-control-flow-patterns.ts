/**
 * Control flow that carries tensors: the types change, the ops stay.
 * Source: lib/Conversion/TritonToTritonGPU/TritonToTritonGPUPass.cpp.
 */
import { BranchOp, CondBranchOp } from "../../dialects/cf/ops/branch.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp } from "../../dialects/scf/ops/while.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { Operation } from "../../ir/operation.js";
import { type ConversionPattern, conversionPattern } from "../../rewrite/conversion-pattern.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { SignatureConversion, type TypeConverter } from "../../rewrite/type-converter.js";
import { addNamedAttrs } from "./triton-gpu-conversion.js";

export function tritonControlFlowPatterns(converter: TypeConverter): ConversionPattern[] {
  const options = { converter };
  /** An op as `op` on converted operands, with its regions. */
  const retyped = (op: Operation, operands: readonly Operation["results"][number][], rw: Rewriter, keepAttrs: boolean) => {
    const resultTypes = converter.convertTypes(op.resultTypes);
    if (!resultTypes) return undefined;
    const attrs = keepAttrs ? { attrs: op.attrs } : {};
    const made = new Operation(rw.ctx, op.def, { loc: op.locRef, operands, resultTypes, ...attrs, numRegions: op.regions.length });
    rw.insert(made);
    for (const region of op.regions) rw.inlineRegionBefore(region, made.regions[region.index]!);
    return made;
  };
  return [
    conversionPattern(
      "convert-for",
      ForOp,
      ({ op }, { operands }, rw, conversion) => {
        const made = retyped(op, operands, rw, true);
        if (!made || !conversion.convertRegionTypes(made.regions[0]!, converter)) return rw.noMatch("could not convert body types", op);
        return rw.replace(op, made.results);
      },
      options,
    ),
    conversionPattern(
      "convert-if",
      IfOp,
      ({ op }, { operands }, rw) => {
        const made = retyped(op, operands, rw, true);
        return made ? rw.replace(op, made.results) : rw.noMatch("not a 1:1 type conversion", op);
      },
      options,
    ),
    conversionPattern(
      "convert-while",
      WhileOp,
      ({ op }, { operands }, rw, conversion) => {
        // Upstream drops the attributes.
        const made = retyped(op, operands, rw, false);
        if (!made?.regions.every((region) => conversion.convertRegionTypes(region, converter)))
          return rw.noMatch("could not convert body types", op);
        return rw.replace(op, made.results);
      },
      options,
    ),
    conversionPattern(
      "convert-condition",
      ConditionOp,
      (condition, { operands }, rw) => rw.modify(condition, (op) => op.setOperands(operands)),
      options,
    ),
    conversionPattern(
      "convert-br",
      BranchOp,
      ({ op, dest }, { operands }, rw, conversion) => {
        const made = rw.replaceWith(op, BranchOp, { dest, destOperands: operands });
        return conversion.convertRegionTypes(made.op.region!, converter) !== undefined;
      },
      options,
    ),
    conversionPattern(
      "convert-cond-br",
      CondBranchOp,
      ({ op, trueDest, falseDest }, { condition, trueDestOperands, falseDestOperands }, rw, conversion) => {
        const made = rw.replaceWith(op, CondBranchOp, { condition, trueDest, trueDestOperands, falseDest, falseDestOperands });
        addNamedAttrs(made.op, op);
        return conversion.convertRegionTypes(made.op.region!, converter) !== undefined;
      },
      options,
    ),
  ];
}

/** Before 3.8 upstream gives the entry block no arguments for those that are tensors: such a function fails to convert. */
export function functionWithoutTensors(converter: TypeConverter): ConversionPattern {
  return conversionPattern(
    "convert-func",
    FuncOp,
    ({ op, sym_name, function_type, body }, _, rw, conversion) => {
      const made = rw.create(FuncOp, { sym_name, function_type });
      addNamedAttrs(made.op, op);
      rw.replace(op, []);
      rw.inlineRegionBefore(body, made.body);
      const entry = made.body.firstBlock;
      if (entry) conversion.applySignatureConversion(entry, new SignatureConversion(entry.args.length), converter);
      return true;
    },
    { converter },
  );
}
