/**
 * Tensor descriptors become 2 + 2 * rank values: the base pointer, the shape and the strides as 64-bit integers, and whether
 * NaN is loaded outside; since 3.7 one more, whether fp32 is rounded to tf32. Loops, ifs, calls and functions carry them so, and what loads or stores through a descriptor does it
 * through pointers. Source: lib/Dialect/Triton/Transforms/RewriteTensorDescriptorToPointer.cpp.
 */
import { AddIOp, AndIOp, CmpIOp, ConstantOp, ExtSIOp, SelectOp, ShRUIOp } from "../../dialects/arith/ops/index.js";
import { buildIf, valueLocation } from "../../dialects/scf/build.js";
import { YieldOp } from "../../dialects/scf/ops/index.js";
import { BitcastOp } from "../../dialects/tt/ops/cast.js";
import {
  DescriptorGatherOp,
  DescriptorLoadOp,
  DescriptorReduceOp,
  DescriptorScatterOp,
  DescriptorStoreOp,
} from "../../dialects/tt/ops/descriptor.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { AtomicRMWOp, LoadOp, StoreOp } from "../../dialects/tt/ops/memory.js";
import { MakeTensorDescOp } from "../../dialects/tt/ops/pointer.js";
import { pointerType, signlessBlockType, TensorDescType } from "../../dialects/tt/types.js";
import type { Attribute, Type } from "../../ir/attribute.js";
import { boolAttr, dictEntries, intAttr, splatOf } from "../../ir/builtin-attrs.js";
import { elementTypeOrSelf, FloatType, IntegerType, i1, i32, i64, isFloat, type TensorType, tensorType } from "../../ir/builtin-types.js";
import { FunctionOp } from "../../ir/interfaces.js";
import type { LocationRef } from "../../ir/location.js";
import type { Operation } from "../../ir/operation.js";
import { typeText } from "../../ir/text-hook.js";
import type { Value } from "../../ir/value.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";
import { type ConversionPattern, conversionPattern, rangeConversionPattern } from "../../rewrite/conversion-pattern.js";
import { ConversionTarget } from "../../rewrite/conversion-target.js";
import { applyPartialConversion } from "../../rewrite/dialect-conversion.js";
import type { Rewriter } from "../../rewrite/rewriter.js";
import { TypeConverter } from "../../rewrite/type-converter.js";
import {
  type BlockOfTensor,
  blockMask,
  blockPointers,
  expandedOffsetWithRange,
  expandOffsets,
  type Maker,
  paddingValue,
} from "./block-access.js";
import { structuralTypeConversions } from "./structural-type-conversions.js";

export const rewriteTensorDescriptorToPointer = definePass("triton-rewrite-tensor-descriptor-to-pointer", {
  name: "TritonRewriteTensorDescriptorToPointer",
  summary: "Rewrite load/stores of tensor descriptors into pointer load/stores",
  source: "lib/Dialect/Triton/Transforms/RewriteTensorDescriptorToPointer.cpp",
  run(root, { listener, report, fail }) {
    const hasDescriptor = (types: readonly Type[]): boolean => types.some((type) => TensorDescType.is(type));
    const target = new ConversionTarget()
      .addDynamicallyLegalDialect(
        ({ operandUses, results }) =>
          !operandUses.some(({ value }) => TensorDescType.is(value.type)) && !results.some(({ type }) => TensorDescType.is(type)),
        "arith",
        "scf",
        "tt",
      )
      .addDynamicallyLegalOp((op) => {
        const { inputs, results } = op.def.interface(FunctionOp)!.type(op);
        return !hasDescriptor(inputs) && !hasDescriptor(results);
      }, FuncOp);
    const converter = new TypeConverter()
      .addConversion((type) => type)
      .addConversion((type) => (TensorDescType.is(type) ? descriptorParts(type) : undefined));
    const names = root.ctx.triton.namesDescriptorParts ? partNames : undefined;
    const patterns = [...structuralTypeConversions(converter, names), ...accessPatterns(converter, report)];
    if (!applyPartialConversion(root, target, patterns, { listener, buildMaterializations: false }).ok) fail();
  },
});

function descriptorParts(type: Type): Type[] {
  const { shape, elementType } = signlessBlockType(type).params;
  const flags = new Array<Type>(type.ctx.triton.descriptorsSayRounding ? 2 : 1).fill(i1(type.ctx));
  return [pointerType(elementType), ...new Array<Type>(2 * shape.length).fill(i64(type.ctx)), ...flags];
}

/** The names of these parts, but for the pointer, which keeps the descriptor's. */
function partNames(type: Type): (string | undefined)[] | undefined {
  if (!TensorDescType.is(type)) return undefined;
  const dims = [...signlessBlockType(type).params.shape.keys()];
  return [undefined, ...dims.map((d) => `shape.${d}`), ...dims.map((d) => `stride.${d}`), "padding", "roundF32ToTF32"];
}

/** The values that replace a descriptor, for a block of some shape. */
interface Descriptor extends BlockOfTensor {
  /** Whether to load NaN outside. */
  readonly paddingOption: Value;
  /** Whether to round fp32 to tf32; undefined where the version does not say. */
  readonly rounds: Value | undefined;
}
function unpack(type: Type, parts: readonly Value[], blockShape: readonly number[]): Descriptor {
  const rank = signlessBlockType(type).params.shape.length;
  return {
    base: parts[0]!,
    shape: parts.slice(1, 1 + rank),
    strides: parts.slice(1 + rank, 1 + 2 * rank),
    paddingOption: parts[1 + 2 * rank]!,
    rounds: parts[2 + 2 * rank],
    blockShape,
  };
}

/** Numbers as i64, each with its own location. */
function castToI64(rw: Rewriter, values: readonly Value[]): Value[] {
  return values.map((value) => rw.createOrFold(ExtSIOp, { in: value }, { types: [i64(rw.ctx)], loc: valueLocation(value) }));
}

/** Pointers and mask, each from ranges of its own; CSE unites them. */
function access(maker: Maker, descriptor: Descriptor, offsets: readonly Value[]): { ptr: Value; mask: Value | undefined } {
  const ranges = () => offsets.map((offset, dim) => expandedOffsetWithRange(maker, descriptor.blockShape, offset, dim));
  const forPointers = ranges();
  const ptr = blockPointers(maker, descriptor, (dim) => forPointers[dim]!);
  const forMask = ranges();
  return { ptr, mask: blockMask(maker, descriptor, (dim) => forMask[dim]!, [...offsets.keys()]) };
}
/** The same for rows given by a vector and columns that start at one number. */
function gatherAccess(maker: Maker, rw: Rewriter, descriptor: Descriptor, rows: Value, column: Value) {
  const expanded = expandOffsets(maker, 2, rows, 0);
  const [start] = castToI64(rw, [column]) as [Value];
  const { shape } = (expanded.type as TensorType).params;
  const wide = rw.value(ExtSIOp, { in: expanded }, { types: [tensorType(shape, start.type)], loc: maker.loc });
  const ranges = [wide, expandedOffsetWithRange(maker, descriptor.blockShape, start, 1)];
  const ptr = blockPointers(maker, descriptor, (dim) => ranges[dim]!);
  return { ptr, mask: blockMask(maker, descriptor, (dim) => ranges[dim]!, [0, 1]) };
}

/** The value that a load gives outside of the tensor. */
function other({ rw, loc }: Maker, elementType: Type, { blockShape, paddingOption }: Descriptor): Value {
  const type = tensorType(blockShape, elementType);
  const constant = (value: Attribute): Value => rw.value(ConstantOp, { value: splatOf(type, value) }, { loc });
  if (!FloatType.is(elementType)) return constant(paddingValue(elementType));
  const nan = constant(paddingValue(elementType, true));
  const zero = constant(paddingValue(elementType));
  return rw.value(SelectOp, { condition: paddingOption, true_value: nan, false_value: zero }, { loc });
}

const isFp32 = ({ type }: Value): boolean => isFloat(elementTypeOrSelf(type), "f32");
/** fp32 rounded to tf32 in a branch, where the descriptor says so. */
function roundedWhere(rw: Rewriter, loc: LocationRef, { rounds }: Descriptor, value: Value): Value {
  if (!rounds || !isFp32(value)) return value;
  const { thenRegion, elseRegion, op } = buildIf(rw.builder, [value.type], rounds, true, { loc });
  rw.preserving(() => {
    rw.setStart(thenRegion.firstBlock!);
    const rounded = roundToTf32({ rw, loc }, value);
    rw.create(YieldOp, { results: [rounded] }, { loc });
    rw.setStart(elseRegion.firstBlock!).create(YieldOp, { results: [value] }, { loc });
  });
  return op.result(0);
}
/** The same without a branch. */
function selectedRounding(maker: Maker, { rounds }: Descriptor, value: Value): Value {
  if (!rounds || !isFp32(value)) return value;
  const rounded = roundToTf32(maker, value);
  return maker.rw.value(SelectOp, { condition: rounds, true_value: rounded, false_value: value }, { loc: maker.loc });
}
/** To the nearest tf32, ties to even; infinities and NaN stay. */
function roundToTf32({ rw, loc }: Maker, value: Value): Value {
  const { shape } = (value.type as TensorType).params;
  const type = tensorType(shape, i32(rw.ctx));
  const constant = (n: number): Value => rw.value(ConstantOp, { value: splatOf(type, intAttr(i32(rw.ctx), n)) }, { loc });
  const binary = (def: typeof AddIOp | typeof AndIOp | typeof ShRUIOp, lhs: Value, rhs: Value): Value =>
    rw.value(def, { lhs, rhs }, { loc });
  const cast = (src: Value, to: Type): Value => rw.value(BitcastOp, { src }, { loc, types: [to] });
  const bits = cast(value, type);
  const exponentMask = constant(0x7f800000);
  const exponent = binary(AndIOp, bits, exponentMask);
  const isSpecial = rw.value(CmpIOp, { predicate: "eq", lhs: exponent, rhs: exponentMask }, { loc });
  const last = binary(AndIOp, binary(ShRUIOp, bits, constant(13)), constant(1));
  const bias = binary(AddIOp, last, constant(0xfff));
  const rounded = binary(AndIOp, binary(AddIOp, bits, bias), constant(~0x1fff));
  return cast(rw.value(SelectOp, { condition: isSpecial, true_value: bits, false_value: rounded }, { loc }), value.type);
}

/** The attributes of `from` replace those of `to`, which keeps what it says of its own operands. */
function takeAttrs(to: Operation, from: Operation): void {
  for (const [name, value] of dictEntries(from.attrs)) if (name !== "operandSegmentSizes") to.setAttr(name, value);
}

function accessPatterns(converter: TypeConverter, report: PassReport): ConversionPattern[] {
  const options = { converter };
  const shapeOf = (type: Type): readonly number[] => (type as TensorType).params.shape;
  return [
    conversionPattern(
      "rewrite-make-tensor-desc",
      MakeTensorDescOp,
      ({ op, padding }, { base, shape, strides }, rw, conversion) => {
        const sizes = castToI64(rw, shape);
        const flag = (value: boolean) => rw.value(ConstantOp, { value: boolAttr(rw.ctx, value) }, { loc: op.locRef });
        const nanOutside = flag(padding === "nan");
        const rounds = rw.ctx.triton.descriptorsSayRounding ? [flag(false)] : [];
        return conversion.replaceWithMultiple(op, [[base, ...sizes, ...strides, nanOutside, ...rounds]]);
      },
      options,
    ),
    rangeConversionPattern(
      "rewrite-descriptor-load",
      DescriptorLoadOp,
      ({ op, desc, indices }, [parts], rw) => {
        const maker = { rw, loc: op.locRef };
        const block = signlessBlockType(desc.type);
        const descriptor = unpack(desc.type, parts!, shapeOf(block));
        const offsets = castToI64(rw, indices);
        const outside = other(maker, elementTypeOrSelf(block), descriptor);
        const load = rw.create(LoadOp, { ...access(maker, descriptor, offsets), other: outside }, { loc: op.locRef });
        takeAttrs(load.op, op);
        return rw.replace(op, roundedWhere(rw, op.locRef, descriptor, load.result));
      },
      options,
    ),
    rangeConversionPattern(
      "rewrite-descriptor-store",
      DescriptorStoreOp,
      ({ op, desc, src, indices }, [parts], rw) => {
        const descriptor = unpack(desc.type, parts!, shapeOf(signlessBlockType(desc.type)));
        const offsets = castToI64(rw, indices);
        const store = rw.replaceWith(op, StoreOp, { ...access({ rw, loc: op.locRef }, descriptor, offsets), value: src });
        takeAttrs(store.op, op);
        return true;
      },
      options,
    ),
    rangeConversionPattern(
      "rewrite-descriptor-gather",
      DescriptorGatherOp,
      ({ op, desc, x_offsets, y_offset, result }, [parts], rw) => {
        const maker = { rw, loc: op.locRef };
        const descriptor = unpack(desc.type, parts!, shapeOf(result.type));
        const places = gatherAccess(maker, rw, descriptor, x_offsets, y_offset);
        const outside = other(maker, elementTypeOrSelf(signlessBlockType(desc.type)), descriptor);
        const load = rw.create(LoadOp, { ...places, other: outside }, { loc: op.locRef });
        takeAttrs(load.op, op);
        return rw.replace(op, selectedRounding(maker, descriptor, load.result));
      },
      options,
    ),
    rangeConversionPattern(
      "rewrite-descriptor-scatter",
      DescriptorScatterOp,
      ({ op, desc, x_offsets, y_offset, src }, [parts], rw) => {
        const descriptor = unpack(desc.type, parts!, shapeOf(src.type));
        const places = gatherAccess({ rw, loc: op.locRef }, rw, descriptor, x_offsets, y_offset);
        const store = rw.replaceWith(op, StoreOp, { ...places, value: src });
        takeAttrs(store.op, op);
        return true;
      },
      options,
    ),
    rangeConversionPattern(
      "rewrite-descriptor-reduce",
      DescriptorReduceOp,
      ({ op, desc, src, indices, kind }, [parts], rw) => {
        const block = signlessBlockType(desc.type);
        const descriptor = unpack(desc.type, parts!, shapeOf(block));
        const offsets = castToI64(rw, indices);
        const element = elementOf(desc.type);
        const atomic_rmw_op = reductionOf(kind, element);
        if (!atomic_rmw_op) {
          report.error(op, `Cannot fallback on descriptor atomic op, unsupported for type ${typeText(element)}`);
          return false;
        }
        const places = access({ rw, loc: op.locRef }, descriptor, offsets);
        rw.create(AtomicRMWOp, { ...places, val: src, atomic_rmw_op, sem: "release", scope: "gpu" }, { types: [block] });
        return rw.erase(op);
      },
      options,
    ),
  ];
}

/** The elements of a descriptor's block; integers may say here whether they have a sign. */
function elementOf(desc: Type): Type {
  return TensorDescType.is(desc) ? desc.params.blockType.params.elementType : desc;
}
/** The atomic that does what a reducing store does; of signless integers upstream knows no minimum or maximum. */
function reductionOf(kind: string, element: Type): "add" | "fadd" | "and" | "or" | "xor" | "min" | "max" | "umin" | "umax" | undefined {
  switch (kind) {
    case "add":
      return IntegerType.is(element) ? "add" : "fadd";
    case "min":
    case "max": {
      const signedness = IntegerType.is(element) ? element.params.signedness : undefined;
      return signedness === "unsigned" ? `u${kind}` : signedness === "signed" ? kind : undefined;
    }
    case "and":
    case "or":
    case "xor":
      return kind;
    default:
      return undefined;
  }
}
