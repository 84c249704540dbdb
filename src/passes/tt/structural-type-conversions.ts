/**
 * Control flow under a conversion that turns one value into several: loops, ifs, functions, calls and selects carry them.
 * Source: mlir/lib/Dialect/SCF/Transforms/StructuralTypeConversions.cpp,
 * lib/Dialect/Triton/Transforms/ArithTypeConversion.cpp.
 */
import { SelectOp } from "../../dialects/arith/ops/select.js";
import { buildIf } from "../../dialects/scf/build.js";
import { ForOp } from "../../dialects/scf/ops/for.js";
import { IfOp } from "../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp } from "../../dialects/scf/ops/while.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import type { Value } from "../../ir/value.js";
import { type ConversionPattern, rangeConversionPattern } from "../../rewrite/conversion-pattern.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";
import { functionTypeConversions, type PartNames, replaceResults } from "./function-type-conversions.js";

/** The patterns, for a converter that may turn a type into several. */
export function structuralTypeConversions(converter: TypeConverter, names?: PartNames): ConversionPattern[] {
  const options = { converter };
  return [
    ...functionTypeConversions(converter, names),
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
        return replaceResults(converter, op, fresh.op, conversion);
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
        return replaceResults(converter, op, fresh.op, conversion);
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
        return replaceResults(converter, op, fresh.op, conversion);
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
