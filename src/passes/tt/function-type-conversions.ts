/**
 * Functions, calls and returns under a conversion that may turn one value into several.
 * Source: lib/Dialect/Triton/Transforms/FunctionTypeConversion.cpp.
 */
import { CallOp, FuncOp, ReturnOp } from "../../dialects/tt/ops/function.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { ArrayAttr, arrayAttr, emptyDict } from "../../ir/builtin-attrs.js";
import { FunctionOp } from "../../ir/interfaces.js";
import { NameLoc, nameLoc } from "../../ir/location.js";
import { Operation } from "../../ir/operation.js";
import type { Conversion } from "../../rewrite/conversion.js";
import { type ConversionPattern, conversionPattern, rangeConversionPattern } from "../../rewrite/conversion-pattern.js";
import { convertFunctionTypes } from "../../rewrite/function-conversion.js";
import type { TypeConverter } from "../../rewrite/type-converter.js";

/** The names of what an argument becomes, after the argument's own and a dot; undefined keeps that name. */
export type PartNames = (type: Type) => readonly (string | undefined)[] | undefined;

export function functionTypeConversions(converter: TypeConverter, names?: PartNames): ConversionPattern[] {
  const options = { converter };
  return [
    functionPattern(converter, names),
    rangeConversionPattern(
      "convert-call-types",
      CallOp,
      ({ op }, operands, rw, conversion) => {
        const resultTypes = converter.convertTypes(op.resultTypes);
        if (!resultTypes) return rw.noMatch("a result type cannot be converted", op);
        const call = new Operation(rw.ctx, op.def, { loc: op.locRef, operands: operands.flat(), resultTypes, attrs: op.attrs });
        return replaceResults(converter, op, rw.insert(call), conversion);
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
  ];
}

/** Replaces each result of `op` by as many results of `fresh` as its type became types. */
export function replaceResults(converter: TypeConverter, op: Operation, fresh: Operation, conversion: Conversion): true {
  let next = 0;
  const values = op.resultTypes.map((type) => {
    const { length } = converter.convert(type)!;
    next += length;
    return fresh.results.slice(next - length, next);
  });
  return conversion.replaceWithMultiple(op, values);
}

/** The new arguments of a function say in their locations which part of the old ones they are. */
function nameParts(op: Operation, inputs: readonly Type[], converter: TypeConverter, names: PartNames): void {
  const args = op.regions[0]!.firstBlock?.args;
  if (!args) return;
  let first = 0;
  inputs.forEach((type, i) => {
    const { loc } = args[first]!;
    const base = NameLoc.is(loc) ? loc.params.name : `arg_${i}`;
    names(type)?.forEach((name, k) => {
      if (name !== undefined) args[first + k]!.argLoc = nameLoc(`${base}.${name}`, loc);
    });
    first += converter.convert(type)!.length;
  });
}

/** Arguments and results; the attributes of an argument go to the first of those it becomes. */
function functionPattern(converter: TypeConverter, names: PartNames | undefined): ConversionPattern {
  return conversionPattern(
    "convert-function-types",
    FuncOp,
    ({ op }, _, rw, conversion) => {
      const { inputs } = op.def.interface(FunctionOp)!.type(op);
      const argAttrs = op.attr("arg_attrs");
      if (!convertFunctionTypes(op, converter, rw, conversion)) return false;
      if (names) nameParts(op, inputs, converter, names);
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
