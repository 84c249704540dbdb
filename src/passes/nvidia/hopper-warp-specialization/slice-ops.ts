/** Makes the part of each op of a scheme that one consumer needs. Source: WarpSpecialization/WSDataPartition.cpp, sliceOp. */
import { ConstantOp } from "../../../dialects/arith/ops/constant.js";
import { AddIOp } from "../../../dialects/arith/ops/integer.js";
import { buildFor, buildIf } from "../../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { FpToFpOp } from "../../../dialects/tt/ops/cast.js";
import { DescriptorLoadOp, DescriptorStoreOp } from "../../../dialects/tt/ops/descriptor.js";
import { AtomicRMWOp, LoadOp, StoreOp } from "../../../dialects/tt/ops/memory.js";
import { MakeTensorDescOp } from "../../../dialects/tt/ops/pointer.js";
import { MakeRangeOp } from "../../../dialects/tt/ops/program.js";
import { ReduceOp } from "../../../dialects/tt/ops/reduce.js";
import { BroadcastOp, ExpandDimsOp, SplatOp } from "../../../dialects/tt/ops/shape.js";
import { TensorDescType } from "../../../dialects/tt/types.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import { LocalAllocOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescType, memDescType } from "../../../dialects/ttg/types.js";
import { ReinterpretTensorDescOp } from "../../../dialects/ttng/ops/tma.js";
import { WarpGroupDotOp } from "../../../dialects/ttng/ops/warp-group-dot.js";
import type { Type } from "../../../ir/attribute.js";
import { DenseElementsAttr, denseElements, i32Attr } from "../../../ir/builtin-attrs.js";
import { RankedTensorType, type TensorType, tensorType } from "../../../ir/builtin-types.js";
import { Mapping } from "../../../ir/clone.js";
import type { OpDef } from "../../../ir/define-op.js";
import type { Operation } from "../../../ir/operation.js";
import { Elementwise } from "../../../ir/traits.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { refuse } from "../not-specializable.js";
import { getAsyncTaskIds, setAsyncTaskIds, TaskBuilder } from "./async-task-ids.js";
import { isDividedSplit, isTransposition, type PartitionScheme, shapeOf, WHOLE } from "./partition-scheme.js";
import { takeBody } from "./take-body.js";

/** Ops that are copied with their operands cut, and whose (first) result is cut as they are. */
const COPIED: readonly OpDef[] = [
  ...[ConvertLayoutOp, BroadcastOp, SplatOp, ExpandDimsOp, FpToFpOp, AtomicRMWOp, LocalAllocOp, StoreOp, LoadOp],
];

/** Makes part `offset` of all ops of the scheme, beside them; loops and ifs get the part's values in addition. */
export function sliceOps(rw: Rewriter, scheme: PartitionScheme, offset: number): void {
  const slicer = new Slicer(rw, scheme, offset);
  for (const op of [...scheme.ops]) slicer.slice(op);
  for (const op of slicer.replaced) {
    scheme.ops.delete(op);
    rw.erase(op);
  }
}

class Slicer {
  /** Loops and ifs that others took the place of. */
  readonly replaced: Operation[] = [];
  /** From values and ops to those of the part. */
  readonly #mapping = new Mapping({ ops: true });
  readonly #made = new Set<Operation>();
  constructor(
    readonly rw: Rewriter,
    readonly scheme: PartitionScheme,
    readonly offset: number,
  ) {}

  /** The part of an op: the op itself when it is not cut. */
  slice(op: Operation): Operation {
    const { scheme } = this;
    if (!scheme.ops.has(op)) return op;
    const known = this.#mapping.ops!.get(op);
    if (known) return known;
    if (this.#made.has(op)) return op;
    const part = this.rw.from(op, () => this.#sliceByKind(op));
    this.#mapping.ops!.set(op, part);
    this.#made.add(part);
    return part;
  }
  #sliceValue(value: Value): Operation {
    return this.slice(value.definingOp ?? value.argOwner!.parentOp!);
  }
  #map(from: Value, to: Value): void {
    this.#mapping.map(from, to);
  }

  #sliceByKind(op: Operation): Operation {
    const dim = this.scheme.dimOf(op);
    const tasks = this.#tasksOf(op);
    const loop = ForOp.match(op);
    const branch = IfOp.match(op);
    if (dim === WHOLE || op.def.traits.has(Elementwise) || COPIED.includes(op.def) || isDividedSplit(op)) {
      for (const operand of op.operands) this.#sliceValue(operand);
      return this.#copy(op, dim, tasks);
    }
    if (ConstantOp.is(op)) return this.#sliceConstant(op, dim);
    if (MakeRangeOp.is(op)) return this.#sliceRange(op, tasks);
    if (DescriptorLoadOp.is(op) || DescriptorStoreOp.is(op)) return this.#sliceAccess(op, dim, tasks);
    if (MakeTensorDescOp.is(op) || ReinterpretTensorDescOp.is(op)) return this.#copy(op, dim, tasks);
    if (isTransposition(op)) {
      this.#sliceValue(op.operand(0));
      return this.#copy(op, dim, tasks);
    }
    if (WarpGroupDotOp.is(op)) {
      const cut = this.scheme.dotOperandOf(op);
      this.#sliceValue(op.operand(cut));
      if (this.scheme.isAlongK(op)) this.#sliceValue(op.operand(1 - cut));
      this.#sliceValue(op.operand(2));
      return this.#copy(op, dim, tasks);
    }
    if (loop) return this.#sliceLoop(loop, tasks);
    if (branch) return this.#sliceIf(branch);
    if (YieldOp.is(op)) return this.#sliceYield(op);
    const reduce = ReduceOp.match(op);
    if (!reduce) refuse(op, `'${op.name}' cannot be cut in ${this.scheme.numPartitions} parts for as many warp groups`);
    if (reduce.axis === dim) refuse(op, "a reduction along the dimension that is cut needs all warp groups");
    for (const operand of op.operands) this.#sliceValue(operand);
    const copy = this.#copy(op, dim, tasks);
    copy.walk((nested) => setAsyncTaskIds(nested, tasks));
    return copy;
  }

  /** The tasks of the part: of several consumers this one. */
  #tasksOf(op: Operation): number[] {
    const ids = getAsyncTaskIds(op);
    const { numPartitions } = this.scheme;
    if (ids.length === numPartitions) return [ids[this.offset]!];
    if (ids.length === 1) return ids;
    if (ids.length > numPartitions) return [ids[0]!, ids[this.offset + 1]!];
    if (ids.length === 0) refuse(op, `no store needs '${op.name}', so that no warp group was given it`);
    refuse(op, `'${op.name}' is to be cut for ${numPartitions} warp groups but belongs to ${ids.length}`);
  }

  /** A copy that uses the parts of the operands. */
  #copy(op: Operation, dim: number, tasks: readonly number[]): Operation {
    const copy = this.rw.setBefore(op).clone(op, this.#mapping);
    setAsyncTaskIds(copy, tasks);
    const keepsType = dim === WHOLE || (WarpGroupDotOp.is(op) && this.scheme.isAlongK(op));
    const cut = keepsType ? 0 : op.ctx.triton.dividesThroughSplits ? op.numResults : Math.min(op.numResults, 1);
    for (let i = 0; i < cut; i++) copy.setResultType(i, this.#typeOfPart(op, op.result(i).type, dim));
    return copy;
  }
  #typeOfPart(op: Operation, type: Type, dim: number): Type {
    const whole = shapeOf(type);
    if (dim < whole.length) return withShape(type, whole.with(dim, Math.trunc(whole[dim]! / this.scheme.numPartitions)));
    if (whole.length === 0) return type;
    refuse(op, `'${op.name}' has no dimension ${dim} that could be cut`);
  }

  #sliceConstant(op: Operation, dim: number): Operation {
    const value = op.attr("value")!;
    if (!DenseElementsAttr.is(value) || !value.params.splat)
      refuse(op, "only constants with one value for all elements can be cut for warp groups");
    const { rw } = this;
    const part = denseElements(this.#typeOfPart(op, value.params.type, dim), value.params.elements);
    const { op: made } = rw.setBefore(op).create(ConstantOp, { value: part }, { loc: op.locRef });
    // It may be united with another one: all that need either keep it.
    setAsyncTaskIds(made, getAsyncTaskIds(op));
    this.#map(op.result(0), made.result(0));
    return made;
  }
  #sliceRange(op: Operation, tasks: readonly number[]): Operation {
    const { rw, scheme, offset } = this;
    const { start, end, result } = MakeRangeOp.match(op)!;
    const size = Math.trunc((end - start) / scheme.numPartitions);
    const from = start + offset * size;
    const types = [withShape(result.type, [size])];
    const builder = new TaskBuilder(rw.setBefore(op)).inTasks(tasks);
    const { op: made } = builder.create(MakeRangeOp, { start: from, end: from + size }, { loc: op.locRef, types });
    this.#map(result, made.result(0));
    return made;
  }
  /** A load or store through a descriptor: of a smaller block, further along for parts after the first. */
  #sliceAccess(op: Operation, dim: number, tasks: readonly number[]): Operation {
    const { rw, offset } = this;
    this.#sliceValue(op.operand(0));
    const load = DescriptorLoadOp.match(op);
    const { indices } = load ?? DescriptorStoreOp.match(op)!;
    const shape = shapeOf((load ? load.result : op.operand(1)).type);
    const coord = indices[dim]!;
    if (offset !== 0) {
      if (!coord.definingOp) refuse(op, `coordinate ${dim} is to be cut for warp groups, but no op computes it`);
      const builder = new TaskBuilder(rw.setAfter(coord.definingOp)).inTasks(tasks);
      const along = Math.trunc((offset * shape[dim]!) / this.scheme.numPartitions);
      const rhs = builder.value(ConstantOp, { value: i32Attr(rw.ctx, along) }, { loc: op.locRef });
      this.#map(coord, builder.value(AddIOp, { lhs: coord, rhs }, { loc: op.locRef }));
    }
    return this.#copy(op, dim, tasks);
  }

  #sliceLoop({ op, lowerBound, upperBound, step, initArgs, region }: ForView, tasks: readonly number[]): Operation {
    const { rw } = this;
    const body = region.firstBlock!;
    const all = [...initArgs];
    const parts: { readonly whole: number; readonly part: number }[] = [];
    initArgs.forEach((init, whole) => {
      if (!init.definingOp)
        refuse(op, "the loop begins with an argument of the kernel or of a loop around it: no op computes a part of that");
      this.#sliceValue(init);
      const part = this.#mapping.values.get(init);
      if (!part) return;
      parts.push({ whole, part: all.push(part) - 1 });
      body.addArgument(part.type, op.locRef);
    });
    const builder = new TaskBuilder(rw.setBefore(op)).inTasks(tasks);
    const made = buildFor(rw.builder, { lowerBound, upperBound, step, initArgs: all }, { loc: op.locRef, ...builder.options });
    made.op.setAttrs(op.attrs);
    this.#takePlaceOf(op, made.op);
    for (const { whole, part } of parts) {
      this.#map(made.op.result(whole), made.op.result(part));
      this.#map(body.args[whole + 1]!, body.args[part + 1]!);
    }
    return made.op;
  }
  #sliceIf({ op, condition, thenRegion, elseRegion }: IfView): Operation {
    const { rw } = this;
    const ends = [thenRegion, elseRegion].map((region) => region.firstBlock!.lastOp!);
    for (const end of ends) this.slice(end);
    const yielded = ends[0]!.operands;
    const types = yielded.map((value) => value.type);
    const made = buildIf(rw.setBefore(op).builder, types, condition, true, { loc: op.locRef });
    made.op.setAttrs(op.attrs);
    this.#takePlaceOf(op, made.op);
    yielded.forEach((value, i) => {
      const part = this.#mapping.values.get(value);
      const at = part ? yielded.indexOf(part) : -1;
      if (at >= 0) this.#map(made.op.result(i), made.op.result(at));
    });
    return made.op;
  }
  /** Moves the regions of an op to one with more results, which is used from now on. */
  #takePlaceOf(op: Operation, made: Operation): void {
    takeBody(this.rw, made, op);
    this.rw.replaceOpUses(op, made.results.slice(0, op.numResults));
    this.scheme.ops.add(made);
    this.replaced.push(op);
  }
  #sliceYield(op: Operation): Operation {
    const parts = op.operands.flatMap((operand) => {
      this.#sliceValue(operand);
      return this.#mapping.values.get(operand) ?? [];
    });
    op.appendOperands(parts);
    return op;
  }
}

function withShape(type: Type, shape: readonly number[]): Type {
  if (MemDescType.is(type)) {
    const { elementType, encoding, memorySpace, mutableMemory } = type.params;
    return memDescType(shape, elementType, encoding, memorySpace, mutableMemory);
  }
  if (TensorDescType.is(type)) return TensorDescType.get(type.ctx, { blockType: withShape(type.params.blockType, shape) as TensorType });
  if (RankedTensorType.is(type)) return tensorType(shape, type.params.elementType, type.params.encoding);
  return type;
}
