import type { OpParser, OpPrinter, ParsedArgument } from "../../../ir/asm.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { ArrayAttr, denseArray, i32ArrayAttr, intsOf } from "../../../ir/builtin-attrs.js";
import { i64, indexType, isIndex } from "../../../ir/builtin-types.js";
import {
  AnyRankedTensor,
  AnyType,
  ArrayAttrC,
  type AttrConstraint,
  DenseI64ArrayAttr,
  Index,
  optionalAttr,
  SizedRegion1,
  variadic,
} from "../../../ir/constraints.js";
import { defineOp, type View } from "../../../ir/define-op.js";
import { ensureTerminator } from "../../../ir/implicit-terminator.js";
import { implement, LoopLike, RegionBranch } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import {
  AttrSizedOperandSegments,
  AutomaticAllocationScope,
  HasParent,
  NoTerminator,
  Pure,
  RecursiveMemoryEffects,
  SingleBlock,
  SingleBlockImplicitTerminator,
  Terminator,
} from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import { parseAssignmentList, printAssignmentList, withTypes } from "./assignment-list.js";

/** Stands in static index lists where the value is an operand (ShapedType::kDynamic). */
const DYNAMIC_INDEX = -(2n ** 63n);
const isDynamic = (value: number): boolean => value === Number(DYNAMIC_INDEX);

const DeviceMappingArrayAttr: AttrConstraint<readonly Attribute[]> = {
  ...ArrayAttrC,
  description: "Device Mapping array attribute",
  test: (a) => ArrayAttr.is(a),
};

/** Says how the iterations' results come together; holds only `tensor.parallel_insert_slice` ops. Source: SCFOps.td, InParallelOp. */
export const InParallelOp = defineOp("scf.forall.in_parallel", () => ({
  summary: "terminates a `forall` block",
  regions: { region: SizedRegion1 },
  traits: [SingleBlock, NoTerminator, Pure, Terminator, HasParent("scf.forall")],
  parse(p) {
    const region = p.region();
    if (region.empty) region.addBlock();
    p.optAttrDict();
  },
  print({ op, region }, p) {
    p.write(" ");
    p.region(region, { entryArgs: false, terminators: false });
    p.optAttrDict(op);
  },
  verify({ region }, report) {
    // The ops allowed belong to the tensor dialect, which is none of ours.
    if (!region.firstBlock!.empty) report.error("expected only ParallelCombiningOpInterface ops", "scf.forall.in_parallel");
  },
}));

const rankOf = (op: Operation): number => intsOf(op.attr("staticLowerBound"))?.length ?? 0;

/** A block evaluated for many indices in parallel. Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, ForallOp. */
export const ForallOp = defineOp("scf.forall", () => ({
  summary: "evaluate a block multiple times in parallel",
  operands: {
    dynamicLowerBound: variadic(Index),
    dynamicUpperBound: variadic(Index),
    dynamicStep: variadic(Index),
    outputs: variadic(AnyRankedTensor),
  },
  attrs: {
    staticLowerBound: DenseI64ArrayAttr,
    staticUpperBound: DenseI64ArrayAttr,
    staticStep: DenseI64ArrayAttr,
    mapping: optionalAttr(DeviceMappingArrayAttr),
  },
  results: { results: variadic(AnyType) },
  regions: { region: SizedRegion1 },
  traits: [
    AttrSizedOperandSegments,
    SingleBlockImplicitTerminator("scf.forall.in_parallel"),
    AutomaticAllocationScope,
    RecursiveMemoryEffects,
  ],
  interfaces: [
    implement(LoopLike, {
      loopRegions: (op) => op.regions,
      inits: (op): readonly Value[] => ForallOp.match(op)!.outputs,
      regionIterArgs: (op) => op.regions[0]!.firstBlock!.args.slice(rankOf(op)),
      inductionVars: (op) => op.regions[0]!.firstBlock!.args.slice(0, rankOf(op)),
    }),
    implement(RegionBranch, {
      successors: (op) => [op.regions[0]!, "parent"],
      entryOperands: () => [],
      inputs: () => [],
    }),
  ],

  parse(p) {
    const index = indexType(p.ctx);
    const ivs = p.list("(", ")", () => p.argument());
    const { operands } = p.state;
    const sizes: number[] = [];
    const read = (): bigint[] => {
      const before = operands.length;
      const list = parseIndexList(p, operands, index);
      sizes.push(operands.length - before);
      return list;
    };
    let lower: bigint[];
    let upper: bigint[];
    let step: bigint[];
    if (p.optKeyword("in")) {
      lower = ivs.map(() => 0n);
      sizes.push(0);
      upper = read();
      step = ivs.map(() => 1n);
      sizes.push(0);
    } else {
      p.punct("=");
      lower = read();
      p.keyword("to");
      upper = read();
      p.keyword("step");
      step = read();
    }
    let outs: readonly ParsedArgument[] = [];
    if (p.optKeyword("shared_outs")) {
      const list = parseAssignmentList(p);
      p.state.types.push(...p.optArrowTypes());
      operands.push(...p.resolveAll(list.inits, p.state.types));
      outs = withTypes(list.args, p.state.types);
    }
    sizes.push(outs.length);
    const region = p.region([...ivs.map((iv) => ({ ...iv, type: index })), ...outs]);
    const terminator = ensureTerminator(region, InParallelOp, p.opLoc);
    terminator?.addRegion().addBlock();
    p.optAttrDict();
    const i64Type = i64(p.ctx);
    p.setAttr("staticLowerBound", denseArray(i64Type, lower));
    p.setAttr("staticUpperBound", denseArray(i64Type, upper));
    p.setAttr("staticStep", denseArray(i64Type, step));
    p.setAttr("operandSegmentSizes", i32ArrayAttr(p.ctx, sizes));
  },
  print(view, p) {
    const { op, outputs, region, staticLowerBound, staticUpperBound, staticStep } = view;
    const args = region.firstBlock!.args;
    const rank = staticLowerBound.length;
    p.write(` (${p.values(args.slice(0, rank))})`);
    if (staticLowerBound.every((v) => v === 0) && staticStep.every((v) => v === 1)) p.write(" in ");
    else {
      p.write(" = ");
      printIndexList(p, staticLowerBound, view.dynamicLowerBound);
      p.write(" to ");
    }
    printIndexList(p, staticUpperBound, view.dynamicUpperBound);
    if (!staticLowerBound.every((v) => v === 0) || !staticStep.every((v) => v === 1)) {
      p.write(" step ");
      printIndexList(p, staticStep, view.dynamicStep);
    }
    printAssignmentList(p, " shared_outs", args.slice(rank), outputs);
    p.write(" ");
    if (outputs.length > 0) p.write(`-> (${p.types(op.resultTypes)}) `);
    p.region(region, { entryArgs: false, terminators: op.results.length > 0 });
    p.optAttrDict(op, ["operandSegmentSizes", "staticLowerBound", "staticUpperBound", "staticStep"]);
  },

  verify(view, report) {
    const { op, outputs, region, mapping } = view;
    const error = (message: string): void => void report.error(message, "scf.forall");
    const { results } = op;
    const rank = view.staticLowerBound.length;
    if (results.length !== outputs.length) return error(`produces ${results.length} results, but has only ${outputs.length} outputs`);
    const { args } = region.firstBlock!;
    if (args.length !== rank + outputs.length) return error(`region expects ${rank} arguments`);
    for (let i = 0; i < rank; i++) if (!isIndex(args[i]!.type)) return error(`expects ${i}-th block argument to be an index`);
    for (let i = 0; i < outputs.length; i++)
      if (args[rank + i]!.type !== outputs[i]!.type) return error(`type mismatch between ${i}-th output and corresponding block argument`);
    if (mapping && mapping.length > 0 && mapping.length !== rank) return error("mapping attribute size must match op rank");
    const lists: readonly (readonly [string, readonly number[], readonly Value[]])[] = [
      ["lower bound", view.staticLowerBound, view.dynamicLowerBound],
      ["upper bound", view.staticUpperBound, view.dynamicUpperBound],
      ["step", view.staticStep, view.dynamicStep],
    ];
    for (const [name, fixed, dynamic] of lists) {
      if (fixed.length !== rank) return void report.plain(`expected ${rank} ${name} values, got ${fixed.length}`, "scf.forall");
      if (fixed.filter(isDynamic).length !== dynamic.length)
        return error(`expected ${fixed.filter(isDynamic).length} dynamic ${name} values`);
    }
  },
}));
export type ForallView = View<typeof ForallOp>;

/** Reads `(%a, 3, ...)`: operands are added to `operands`, integers are returned. */
function parseIndexList(p: OpParser, operands: Value[], index: Type): bigint[] {
  return p.list("(", ")", () => {
    const operand = p.optOperand();
    if (!operand) return p.integer();
    operands.push(p.resolve(operand, index));
    return DYNAMIC_INDEX;
  });
}
function printIndexList(p: OpPrinter, fixed: readonly number[], dynamic: readonly Value[]): void {
  let next = 0;
  p.write(`(${fixed.map((value) => (isDynamic(value) ? p.value(dynamic[next++]!) : `${value}`)).join(", ")})`);
}
