/** Ops of older Tritons as those of 3.6. Types and attributes are today's already. */
import {
  AddFOp,
  AddIOp,
  CmpFOp,
  CmpIOp,
  MaxNumFOp,
  MaxSIOp,
  MaxUIOp,
  MinNumFOp,
  MinSIOp,
  MinUIOp,
  SelectOp,
  XOrIOp,
} from "../dialects/arith/ops/index.js";
import { FuncCallOp, FuncFuncOp, FuncReturnOp } from "../dialects/func/ops/index.js";
import { nvgpuBefore36 } from "../dialects/nvgpu/index.js";
import * as old from "../dialects/triton_gpu/ops/index.js";
import { OldReduceOp } from "../dialects/tt/older-reduce.js";
import {
  CallOp,
  DotOp,
  ExtElemwiseOp,
  ExternElementwiseOp,
  FuncOp,
  PrintfOp,
  PrintOp,
  ReduceOp,
  ReduceReturnOp,
  ReshapeOp,
  ReturnOp,
  TransOp,
  ViewOp,
} from "../dialects/tt/ops/index.js";
import { sharedParams } from "../dialects/ttg/encodings/define-encoding.js";
import * as ttg from "../dialects/ttg/ops/index.js";
import { AsyncTokenType, MemDescType, memDescType, sameShape } from "../dialects/ttg/types.js";
import type { Attribute, Type } from "../ir/attribute.js";
import { boolAttr, dictAttr, i32ArrayAttr, i32Attr, unitAttr } from "../ir/builtin-attrs.js";
import { elementTypeOrSelf, IntegerType, RankedTensorType } from "../ir/builtin-types.js";
import { BoolAttr } from "../ir/constraints.js";
import type { OpDef } from "../ir/define-op.js";
import { constantInt } from "../ir/match.js";
import { Operation } from "../ir/operation.js";
import { Region } from "../ir/region.js";

type Rule = (op: Operation) => void;

/** The same op under another name. */
const renamed =
  (def: OpDef): Rule =>
  (op) =>
    void replace(op, def);

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [FuncFuncOp.name, renamed(FuncOp)],
  [FuncCallOp.name, renamed(CallOp)],
  [FuncReturnOp.name, renamed(ReturnOp)],
  [old.OldCmpIOp.name, renamed(CmpIOp)],
  [old.OldCmpFOp.name, renamed(CmpFOp)],
  [old.OldSelectOp.name, renamed(SelectOp)],
  [old.OldConvertLayoutOp.name, convertLayout],
  [old.OldAsyncWaitOp.name, withToken(ttg.AsyncWaitOp)],
  [old.OldAsyncCommitGroupOp.name, withToken(ttg.AsyncCommitGroupOp)],
  [old.OldAsyncCopyGlobalToLocalOp.name, renamed(ttg.AsyncCopyGlobalToLocalOp)],
  [old.OldLocalAllocOp.name, renamed(ttg.LocalAllocOp)],
  [old.OldLocalDeallocOp.name, renamed(ttg.LocalDeallocOp)],
  [old.OldLocalLoadOp.name, renamed(ttg.LocalLoadOp)],
  [old.OldLocalStoreOp.name, renamed(ttg.LocalStoreOp)],
  [old.OldMemDescTransOp.name, renamed(ttg.MemDescTransOp)],
  [old.OldMemDescSubviewOp.name, memDescSubview],
  [TransOp.name, trans],
  [ViewOp.name, (op) => void replace(op, ReshapeOp, { attrs: [...entries(op), ["allow_reorder", unitAttr(op.ctx)]] })],
  [ExtElemwiseOp.name, (op) => void replace(op, ExternElementwiseOp, { attrs: [...entries(op), ["pure", boolAttr(op.ctx, true)]] })],
  [PrintfOp.name, printf],
  [DotOp.name, dot],
  [ReduceOp.name, reduce],
  ...["fence_async_shared", "cluster_arrive", "cluster_wait", "warp_group_dot", "warp_group_dot_wait", "async_tma_store_wait"].map(
    underToday,
  ),
  ...["init_barrier", "inval_barrier", "barrier_expect"].map(underToday),
  ...nvgpuBefore36.ops.map((def): [string, Rule] => [def.name, nvgpu]),
  ...["llvm.extractvalue", "llvm.insertvalue"].map((name): [string, Rule] => [name, (op) => op.removeAttr("position_type")]),
]);

export function rewriteOp(op: Operation): void {
  RULES.get(op.name)?.(op);
}

interface Change {
  readonly types?: readonly Type[];
  readonly operands?: readonly Operation["operands"][number][];
  readonly attrs?: readonly (readonly [string, Attribute])[];
}

/** Puts an op of kind `def` in the place of `op`, with its parts as far as `change` says nothing else. */
function replace(op: Operation, def: OpDef, change: Change = {}): Operation {
  const { ctx } = op;
  const attrs: [string, Attribute][] = (change.attrs ?? entries(op)).map(([name, value]) => [name, value]);
  for (const spec of def.attrs) if (spec.default && !attrs.some(([name]) => name === spec.name)) attrs.push([spec.name, spec.default(ctx)]);
  const made = new Operation(ctx, def, {
    loc: op.locRef,
    operands: change.operands ?? op.operands,
    resultTypes: change.types ?? op.resultTypes,
    attrs: dictAttr(ctx, attrs),
    successors: op.successors.map((s) => s.block),
    numRegions: op.regions.length,
  });
  op.regions.forEach((region, i) => made.regions[i]!.takeBlocksOf(region));
  made.moveBefore(op);
  op.results.forEach((result, i) => result.replaceAllUsesWith(made.result(i)));
  op.erase();
  return made;
}
const entries = (op: Operation): [string, Attribute][] => op.attrs.params.names.map((name, i) => [name, op.attrs.params.values[i]!]);

/** A conversion to or from a tensor in shared memory (2.0) is none today: such tensors became buffers. */
function convertLayout(op: Operation): void {
  const inShared = [op.operand(0), op.result()].some((v) => RankedTensorType.is(v.type) && sharedParams(v.type.params.encoding));
  if (!inShared) replace(op, ttg.ConvertLayoutOp);
}

/** 2.0's waits and groups had no token. */
function withToken(def: OpDef): Rule {
  return (op) => void replace(op, def, { types: [AsyncTokenType.get(op.ctx, {})] });
}

/** One buffer of several, or a part of a buffer at a constant place: the two that 3.6 has. */
function memDescSubview(op: Operation): void {
  const [src, ...offsets] = op.operands;
  const from = src!.type;
  const to = op.result().type;
  if (!MemDescType.is(from) || !MemDescType.is(to)) return;
  const values = offsets.map((offset) => constantInt(offset));
  const { shape, elementType, encoding, memorySpace, mutableMemory } = to.params;
  if (
    from.params.shape.length === shape.length + 1 &&
    values.slice(1).every((v) => v === 0n) &&
    sameShape(from.params.shape.slice(1), shape)
  ) {
    replace(op, ttg.MemDescIndexOp, { operands: [src!, offsets[0]!] });
  } else if (from.params.shape.length === shape.length && values.every((v) => v !== undefined)) {
    const type = memDescType(shape, elementType, encoding, memorySpace, mutableMemory, from.params.allocShape);
    replace(op, ttg.MemDescSubsliceOp, {
      operands: [src!],
      types: [type],
      attrs: [["offsets", i32ArrayAttr(op.ctx, values.map(Number))], ...entries(op)],
    });
  }
}

/** 3.1 transposed buffers with tt.trans. */
function trans(op: Operation): void {
  if (MemDescType.is(op.operand(0).type)) replace(op, ttg.MemDescTransOp);
}

/** `allowTF32` is an input precision; transposed operands were never made. */
function dot(op: Operation): void {
  const allow = op.attr("allowTF32");
  if (!allow) return;
  const tf32 = BoolAttr.test(allow) && BoolAttr.read(allow);
  for (const name of ["allowTF32", "transA", "transB"]) op.removeAttr(name);
  op.setAttr("inputPrecision", i32Attr(op.ctx, tf32 ? 0 : 2));
}

/** The op that combines two elements, by 2.0's keyword. Reductions to an index have no region of their own. */
const COMBINERS: Readonly<Record<string, OpDef>> = {
  add: AddIOp,
  fadd: AddFOp,
  min: MinSIOp,
  max: MaxSIOp,
  umin: MinUIOp,
  umax: MaxUIOp,
  fmin: MinNumFOp,
  fmax: MaxNumFOp,
  xor: XOrIOp,
};
function reduce(op: Operation): void {
  const view = OldReduceOp.match(op);
  const combiner = view && COMBINERS[view.redOp];
  if (!combiner) return;
  const { ctx } = op;
  const made = new Operation(ctx, ReduceOp, {
    loc: op.locRef,
    operands: op.operands,
    resultTypes: op.resultTypes,
    attrs: dictAttr(
      ctx,
      entries(op).filter(([name]) => name !== "redOp"),
    ),
    regions: [new Region(ctx, null, 0)],
  });
  const block = made.regions[0]!.addBlock();
  const element = elementTypeOrSelf(op.operand(0).type);
  const args = [block.addArgument(element, op.locRef), block.addArgument(element, op.locRef)];
  const defaults: [string, Attribute][] = combiner.attrs.flatMap((spec) => (spec.default ? [[spec.name, spec.default(ctx)]] : []));
  const combined = new Operation(ctx, combiner, { loc: op.locRef, operands: args, resultTypes: [element], attrs: dictAttr(ctx, defaults) });
  block.append(combined);
  block.append(new Operation(ctx, ReduceReturnOp, { loc: op.locRef, operands: combined.results }));
  made.moveBefore(op);
  op.result().replaceAllUsesWith(made.result());
  op.erase();
}

/** Integers carried no sign: they were printed as signed ones. */
function printf(op: Operation): void {
  const isSigned = op.operands.map((v) => (IntegerType.is(elementTypeOrSelf(v.type)) ? 1 : 0));
  replace(op, PrintOp, { attrs: [...entries(op), ["isSigned", i32ArrayAttr(op.ctx, isSigned)]] });
}

/** An op of triton_nvidia_gpu that ttng has with the same operands. */
function underToday(name: string): [string, Rule] {
  return [
    `triton_nvidia_gpu.${name}`,
    (op) => {
      const def = op.ctx.ops.get(`ttng.${name}`);
      if (def) replace(op, def);
    },
  ];
}

/** nvgpu is nvg now. */
function nvgpu(op: Operation): void {
  const def = op.ctx.ops.get(op.name.replace("nvgpu.", "nvg."));
  if (def) replace(op, def);
}
