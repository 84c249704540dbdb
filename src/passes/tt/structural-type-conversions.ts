/**
 * Control flow under a conversion that turns one value into several: loops, ifs, functions, calls and selects carry them.
 * Source: mlir/lib/Dialect/SCF/Transforms/StructuralTypeConversions.cpp, lib/Dialect/Triton/Transforms/FunctionTypeConversion.cpp,
 * ArithTypeConversion.cpp.
 */
import { SelectOp } from "../../dialects/arith/ops/select.js";
import { buildIf } from "../../dialects/scf/build.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp } from "../../dialects/scf/ops/while.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { CallOp, FuncOp, ReturnOp } from "../../dialects/tt/ops/function.js";
import type { Attribute } from "../../ir/attribute.js";
import { ArrayAttr, arrayAttr, emptyDict } from "../../ir/builtin-attrs.js";
import { FunctionOp } from "../../ir/interfaces.js";
import { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import type { Conversion } from "../../rewrite/conversion.js";
import { type ConversionPattern, conversionPattern, rangeConversionPattern } from "../../rewrite/conversion-pattern.js";
import { convertFunctionTypes } from "../../rewrite/function-conversion.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";

/** The patterns, for a converter that may turn a type into several. */
export function structuralTypeConversions(converter: TypeConverter): ConversionPattern[] {
  const options = { converter };
  /** Replaces each result of `op` by as many results of `fresh` as its type became types. */
  const replaceResults = (op: Operation, fresh: Operation, conversion: Conversion): true => {
    let next = 0;
    const values = op.resultTypes.map((type) => {
      const { length } = converter.convert(type)!;
      next += length;
      return fresh.results.slice(next - length, next);
    });
    return conversion.replaceWithMultiple(op, values);
  };
  return [
    functionPattern(converter),
    rangeConversionPattern(
      "convert-call-types",
      CallOp,
      ({ op }, operands, rw, conversion) => {
        const resultTypes = converter.convertTypes(op.resultTypes);
        if (!resultTypes) return rw.noMatch("a result type cannot be converted", op);
        const call = new Operation(rw.ctx, op.def, { loc: op.locRef, operands: operands.flat(), resultTypes, attrs: op.attrs });
        return replaceResults(op, rw.insert(call), conversion);
      },
      options,
    ),
    rangeConversionPattern(
      "convert-return-types",
      ReturnOp,
      ({ op }, operands, rw) => {
        const fresh = rw.create(ReturnOp, { srcs: operands.flat() });
        fresh.op.setAttrs(op.attrs);
        return rw.replace(op, []);
      },
      options,
    ),
    rangeConversionPattern(
      "convert-for-types",
      ForOp,
      ({ op, region }, operands, rw, conversion) => {
        const types = converter.convertTypes(op.resultTypes);
        if (!types || !conversion.convertRegionTypes(region, converter)) return rw.noMatch("a type cannot be converted", op);
        const [[lowerBound], [upperBound], [step], ...inits] = operands as [[Value], [Value], [Value], ...Value[][]];
        const fresh = rw.create(ForOp, { lowerBound, upperBound, step, initArgs: inits.flat() }, { types });
        fresh.op.setAttrs(op.attrs);
        rw.inlineRegionBefore(region, fresh.region);
        return replaceResults(op, fresh.op, conversion);
      },
      options,
    ),
    rangeConversionPattern(
      "convert-if-types",
      IfOp,
      ({ op, thenRegion, elseRegion }, operands, rw, conversion) => {
        const types = converter.convertTypes(op.resultTypes);
        if (!types) return rw.noMatch("a result type cannot be converted", op);
        const fresh = rw.create(IfOp, { condition: operands[0]![0]! }, { types });
        fresh.op.setAttrs(op.attrs);
        rw.inlineRegionBefore(thenRegion, fresh.thenRegion);
        rw.inlineRegionBefore(elseRegion, fresh.elseRegion);
        return replaceResults(op, fresh.op, conversion);
      },
      options,
    ),
    rangeConversionPattern(
      "convert-yield-types",
      YieldOp,
      ({ op }, operands, rw) => {
        rw.create(YieldOp, { results: operands.flat() });
        return rw.replace(op, []);
      },
      options,
    ),
    rangeConversionPattern(
      "convert-while-types",
      WhileOp,
      ({ op }, operands, rw, conversion) => {
        const types = converter.convertTypes(op.resultTypes);
        if (!types) return rw.noMatch("a result type cannot be converted", op);
        const fresh = rw.create(WhileOp, { inits: operands.flat() }, { types });
        for (const region of op.regions) {
          if (!conversion.convertRegionTypes(region, converter)) return rw.noMatch("a block cannot be converted", op);
          rw.inlineRegionBefore(region, fresh.op.regions[region.index]!);
        }
        return replaceResults(op, fresh.op, conversion);
      },
      options,
    ),
    rangeConversionPattern(
      "convert-condition-types",
      ConditionOp,
      (condition, operands, rw) => rw.modify(condition, (op) => op.setOperands(operands.flat())),
      options,
    ),
    rangeConversionPattern(
      "convert-select-types",
      SelectOp,
      ({ op, condition }, [, whenTrue, whenFalse], rw, conversion) => {
        // One value became several: an if gives them all.
        const types = whenTrue!.map((value) => value.type);
        const fresh = buildIf(rw.builder, types, condition, true);
        fresh.op.setAttrs(op.attrs);
        rw.preserving(() => {
          rw.setStart(fresh.thenRegion.firstBlock!).create(YieldOp, { results: whenTrue! });
          rw.setStart(fresh.elseRegion.firstBlock!).create(YieldOp, { results: whenFalse! });
        });
        return conversion.replaceWithMultiple(op, [fresh.op.results]);
      },
      options,
    ),
  ];
}

/** Arguments and results; the attributes of an argument go to the first of those it becomes. */
function functionPattern(converter: TypeConverter): ConversionPattern {
  return conversionPattern(
    "convert-function-types",
    FuncOp,
    ({ op }, _, rw, conversion) => {
      const { inputs } = op.def.interface(FunctionOp)!.type(op);
      const argAttrs = op.attr("arg_attrs");
      if (!convertFunctionTypes(op, converter, rw, conversion)) return false;
      const converted = inputs.flatMap((type, i): (Attribute | undefined)[] => {
        const attrs = ArrayAttr.is(argAttrs) ? argAttrs.params.elements[i] : undefined;
        return converter.convert(type)!.map((_, k) => (k === 0 ? attrs : undefined));
      });
      if (!argAttrs || converted.length === inputs.length) return true;
      const none = emptyDict(rw.ctx);
      const anyAttrs = converted.some((attrs) => attrs !== undefined && attrs !== none);
      return rw.setAttr(
        op,
        "arg_attrs",
        anyAttrs
          ? arrayAttr(
              rw.ctx,
              converted.map((attrs) => attrs ?? none),
            )
          : undefined,
      );
    },
    { converter },
  );
}
