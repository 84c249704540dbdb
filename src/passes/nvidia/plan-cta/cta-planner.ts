/**
 * Carries a choice of CTA layouts through a function. An op that gets other layouts is surrounded by casts; casts wander
 * backwards to what defines their operand and forwards to what uses their result, giving those ops other layouts in turn, and
 * vanish where two of them meet (or become a `ttg.convert_layout` when they do not agree).
 * Source: lib/Dialect/TritonNvidiaGPU/Transforms/PlanCTA.cpp, CTAPlanner.
 */
import * as arith from "../../../dialects/arith/ops/index.js";
import { UnrealizedConversionCastOp } from "../../../dialects/builtin/ops/index.js";
import { valueLocation } from "../../../dialects/scf/build.js";
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { DescriptorStoreLikeOpInterface } from "../../../dialects/tt/op-interfaces.js";
import * as tt from "../../../dialects/tt/ops/index.js";
import { isTensorOrTensorPointerType, PointerType, pointerType } from "../../../dialects/tt/types.js";
import { encodingAttr, encodingParams } from "../../../dialects/ttg/encodings/define-encoding.js";
import { enclosingModule, getNumCTAs, getThreadsPerWarp } from "../../../dialects/ttg/num-warps.js";
import { ConvertLayoutOp } from "../../../dialects/ttg/ops/convert-layout.js";
import type { Attribute, Type } from "../../../ir/attribute.js";
import { DenseElementsAttr, stringAttr, stringOf } from "../../../ir/builtin-attrs.js";
import { RankedTensorType, type TensorType, withEncoding } from "../../../ir/builtin-types.js";
import type { LocationRef } from "../../../ir/location.js";
import type { Operation } from "../../../ir/operation.js";
import type { OpOperand, Value } from "../../../ir/value.js";
import type { BlockedParams, DistributedParams, SliceParams } from "../../../layout/encoding-params.js";
import { getContigPerThread, getCTALayout, getOrder, getNumCTAs as numCTAsOf } from "../../../layout/encoding-queries.js";
import { makeBlocked } from "../../../layout/encodings/blocked.js";
import { cgaFromSplitParams, getCTAOrder, getCTAsPerCGA } from "../../../layout/encodings/cga.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";
import { lookupNumWarps } from "../../ttg/memory-access.js";
import { isElementwiseForPlanning } from "./cta-elementwise.js";

/** Something that upstream's planner does not know either, and stops at. */
export interface PlanFailure {
  readonly op: Operation;
  readonly message: string;
}
class Unplannable {
  constructor(readonly failure: PlanFailure) {}
}

const MAX_STEPS = 10000;
const isCast = (op: Operation): boolean => UnrealizedConversionCastOp.is(op);
const direction = (cast: Operation): string | undefined => stringOf(cast.attr("direction"));

export class CTAPlanner {
  #tiled = false;
  #queue: Operation[] = [];
  #erased = new Set<Operation>();
  /** Rounds in which nothing moved: after a whole one, casts give way. */
  #stepsUnchanged = 0;

  constructor(readonly rw: Rewriter) {}

  /** Returns the reason for stopping, if there is one. */
  run(func: Operation): PlanFailure | undefined {
    try {
      this.#processDots(func);
      this.#processReduces(func);
      if (!this.#tiled) this.#processStores(func);
      for (let step = 0; ; step++) {
        const cast = this.#queue.shift();
        if (!cast) return undefined;
        if (this.#erased.has(cast)) continue;
        if (step > MAX_STEPS) return { op: cast, message: "Maximum number of steps exceeded" };
        if (direction(cast) === "backward" ? this.#propagateBackward(cast) : this.#propagateForward(cast)) this.#stepsUnchanged = 0;
        else {
          this.#queue.push(cast);
          this.#stepsUnchanged++;
        }
      }
    } catch (error) {
      if (error instanceof Unplannable) return error.failure;
      throw error;
    }
  }

  // --- where layouts are chosen ----------------------------------------------------------------

  /** Each CTA gets a tile of at least 64 x 64, if there is enough, tall ones first. */
  #processDots(func: Operation): void {
    func.walkPostOrder((op) => {
      const dot = tt.DotOp.match(op);
      const result = dot && paramsOf(dot.d);
      if (!dot || result?.kind !== "blocked") return;
      const { shape } = (dot.d.type as TensorType).params;
      const [splitM, splitN] = ctaTiling(shape[0]!, shape[1]!, numCTAsOf(result));
      this.#tiled = true;
      const cga = cgaFromSplitParams([splitM, splitN], [splitM, splitN], [1, 0]);
      const layout = this.#blockedLike(op, result, shape, cga);
      const operand = (opIdx: number) => encodingAttr(op.ctx, { kind: "dot_op", opIdx, parent: layout, kWidth: 0 });
      const d = encodingAttr(op.ctx, layout);
      this.#insertCasts(op, [operand(0), operand(1), d], [d]);
    });
  }

  /** CTAs share the dimensions that are not reduced; what cannot be shared is computed by each. */
  #processReduces(func: Operation): void {
    const numCTAs = getNumCTAs(enclosingModule(func));
    func.walkPostOrder((op) => {
      const reduce = tt.ReduceOp.match(op);
      if (!reduce) return;
      const { axis } = reduce;
      const src = reduce.srcs[0]!;
      const { shape } = (src.type as TensorType).params;
      const layout = distributedOf(src);
      const order = getOrder(layout, shape);
      const sizePerThread = getContigPerThread(layout, shape);
      const CTAsPerCGA = shape.map(() => 0);
      let remaining = numCTAs;
      for (const dim of [...order].reverse()) {
        if (dim === axis) CTAsPerCGA[dim] = 1;
        else {
          CTAsPerCGA[dim] = Math.min(Math.trunc(shape[dim]! / sizePerThread[dim]!), remaining);
          remaining = Math.trunc(remaining / CTAsPerCGA[dim]!);
        }
      }
      const slowest = [...order].reverse().find((dim) => dim !== axis);
      if (slowest !== undefined) CTAsPerCGA[slowest]! *= remaining;
      const CTASplitNum = [...CTAsPerCGA];
      const last = order.at(-1)!;
      if (remaining > 0) CTAsPerCGA[last]! *= remaining;
      if (op.ctx.triton.convertsAcrossCTAs) CTASplitNum[last] = CTAsPerCGA[last]!;
      const cga = cgaFromSplitParams(CTAsPerCGA, CTASplitNum, getCTAOrder(getCTALayout(layout)!));
      this.#tiled = true;
      const replaced = this.#replaceCTALayout(op, layout, shape, cga);
      const srcAttr = encodingAttr(op.ctx, replaced);
      const resultAttr = encodingAttr(op.ctx, { kind: "slice", dim: axis, parent: replaced });
      this.#insertCasts(
        op,
        op.operands.map(() => srcAttr),
        op.results.map(() => resultAttr),
      );
    });
  }

  /** Without dots and reductions: all as the first store. */
  #processStores(func: Operation): void {
    const stores: Operation[] = [];
    func.walkPostOrder((op) => {
      const isStore =
        tt.StoreOp.is(op) || tt.AtomicRMWOp.is(op) || tt.AtomicCASOp.is(op) || op.def.interface(DescriptorStoreLikeOpInterface);
      if (isStore) stores.push(op);
    });
    let cga: LinearLayout | undefined;
    for (const store of stores) {
      const value = store.def.interface(DescriptorStoreLikeOpInterface)?.src(store) ?? store.operand(0);
      if (!RankedTensorType.is(value.type)) continue;
      const layout = distributedOf(value);
      cga ??= getCTALayout(layout)!;
      this.#surround(store, encodingAttr(store.ctx, this.#replaceCTALayout(store, layout, value.type.params.shape, cga)));
    }
    this.#tiled = true;
  }

  // --- casts on their way ------------------------------------------------------------------------

  #propagateBackward(cast: Operation): boolean {
    const input = cast.operand(0);
    if (input.numUses() > 1) return this.#processMultiUsersBackward(input, cast);
    const layout = layoutOf(cast.result(0).type)!;
    const op = input.definingOp;
    if (!op) this.#processBlockArgBackward(input, cast);
    else if (isCast(op)) this.#eliminateAdjacentCasts(op, cast);
    else if (isLoadStore(op)) this.#processLoadStore(op, layout);
    else if (isElementwiseForPlanning(op) || tt.AdvanceOp.is(op)) this.#surround(op, layout);
    else if (arith.ConstantOp.is(op)) this.#processConstant(op, layout);
    else if (tt.SplatOp.is(op) || tt.MakeRangeOp.is(op) || tt.MakeTensorPtrOp.is(op) || tt.BroadcastOp.is(op)) this.#surround(op, layout);
    else if (tt.ExpandDimsOp.is(op)) this.#processExpandDims(op, layout);
    else if (IfOp.is(op)) this.#processIf(op, input.index, cast.result(0).type);
    else if (ForOp.is(op)) this.#processFor(op, input.index, cast.result(0).type);
    else if (ConvertLayoutOp.is(op)) {
      input.replaceAllUsesWith(op.operand(0));
      this.rw.erase(op);
      this.#queue.push(cast);
    } else this.#processFallback(op);
    return true;
  }

  #propagateForward(cast: Operation): boolean {
    const output = cast.result(0);
    const users = output.users();
    if (users.length === 0) this.#erase(cast);
    else if (users.length > 1) this.#processMultiUsersForward(cast);
    else {
      const layout = layoutOf(cast.operand(0).type)!;
      const [op] = users as [Operation];
      const newType = cast.operand(0).type;
      if (isCast(op)) this.#eliminateAdjacentCasts(cast, op);
      else if (isLoadStore(op)) this.#processLoadStore(op, layout);
      else if (isElementwiseForPlanning(op) || tt.AdvanceOp.is(op)) this.#surround(op, layout);
      else if (ConvertLayoutOp.is(op)) {
        output.setType(op.result(0).type);
        this.rw.replaceAllUses(op.result(0), output);
        this.rw.erase(op);
        this.#queue.push(cast);
      } else if (ForOp.is(op)) this.#processFor(op, output.firstUse!.index - 3, newType);
      else if (YieldOp.is(op)) {
        const around = op.parentOp!;
        const { index } = output.firstUse!;
        if (IfOp.is(around)) this.#processIf(around, index, newType);
        else if (ForOp.is(around)) this.#processFor(around, index, newType);
        else throw new Unplannable({ op, message: "Unexpected parent op of YieldOp" });
      } else this.#processFallback(op);
    }
    return true;
  }

  /** A value used with several layouts is made several times, once for each. */
  #processMultiUsersBackward(input: Value, cast: Operation): boolean {
    const loc = valueLocation(input);
    const byType = new Map<Type, Operation[]>();
    for (const use of [...input.uses()]) {
      const { owner } = use;
      let brother = owner;
      if (!isCast(owner)) {
        // Perhaps a cast comes by that use yet.
        if (this.#stepsUnchanged <= this.#queueLength()) return false;
        this.rw.setBefore(owner);
        brother = this.#cast(cast.result(0).type, input, "backward", loc);
        const forward = this.#cast(input.type, brother.result(0), "forward", loc);
        use.set(forward.result(0));
        this.#queue.push(brother, forward);
      }
      const { type } = brother.result(0);
      const known = byType.get(type);
      if (known) known.push(brother);
      else byType.set(type, [brother]);
      // Upstream's iterator follows the use to its new value, and ends: the other uses wait for their turn.
      if (brother !== owner) break;
    }
    let first = true;
    // Upstream iterates over a hash map of types, by their pointers. The order varies from run to run, but is the same for all values
    // in one run. Here the newest type comes first.
    for (const [type, casts] of [...byType].sort(([a], [b]) => b.id - a.id)) {
      let value = input;
      const def = input.definingOp;
      if (!first) {
        if (!def) throw new Unplannable({ op: cast, message: "Layout conflict for block arg" });
        this.rw.setAfter(def);
        value = this.rw.clone(def).result(0);
      }
      first = false;
      this.rw.builder.setAfterValue(value);
      const made = this.#cast(type, value, "backward", loc);
      this.#queue.push(made);
      for (const brother of casts) {
        this.rw.replaceAllUses(brother.result(0), made.result(0));
        this.#erase(brother);
      }
    }
    return true;
  }
  /** One cast for each user. */
  #processMultiUsersForward(cast: Operation): void {
    const output = cast.result(0);
    this.rw.setAfter(cast);
    for (let use: OpOperand | null = output.firstUse; use; use = output.firstUse) {
      const made = this.#cast(output.type, cast.operand(0), "forward", cast.locRef);
      use.set(made.result(0));
      this.#queue.push(made);
    }
    this.#erase(cast);
  }
  #eliminateAdjacentCasts(forward: Operation, backward: Operation): void {
    const input = forward.operand(0);
    const output = backward.result(0);
    let value = input;
    if (input.type !== output.type) {
      this.rw.setBefore(backward);
      value = this.rw.value(ConvertLayoutOp, { src: input }, { loc: backward.locRef, types: [output.type] });
    }
    this.rw.replaceAllUses(output, value);
    this.#erase(backward);
    this.#erase(forward);
  }
  #erase(cast: Operation): void {
    this.#erased.add(cast);
    this.rw.erase(cast);
  }
  #queueLength(): number {
    return this.#queue.filter((cast) => !this.#erased.has(cast)).length;
  }
  #cast(type: Type, value: Value, way: "forward" | "backward", loc: LocationRef): Operation {
    const { op } = this.rw.create(UnrealizedConversionCastOp, { inputs: [value] }, { loc, types: [type] });
    op.setAttr("direction", stringAttr(op.ctx, way));
    return op;
  }

  // --- ops that get other layouts ----------------------------------------------------------------

  /** The op works in the layouts given, with casts around it. */
  #insertCasts(op: Operation, operandLayouts: readonly Attribute[], resultLayouts: readonly Attribute[]): void {
    const loc = op.locRef;
    this.rw.setBefore(op);
    for (const use of op.operandUses) {
      if (!isTensorOrTensorPointerType(use.value.type)) continue;
      const cast = this.#cast(replaceLayout(use.value.type, operandLayouts[use.index]!), use.value, "backward", loc);
      use.set(cast.result(0));
      this.#queue.push(cast);
    }
    this.rw.setAfter(op);
    op.results.forEach((result, i) => {
      if (isTensorOrTensorPointerType(result.type)) this.#retype(result, replaceLayout(result.type, resultLayouts[i]!), loc);
    });
  }
  #surround(op: Operation, layout: Attribute): void {
    this.#insertCasts(
      op,
      op.operands.map(() => layout),
      op.results.map(() => layout),
    );
  }
  /** Gives a value another type; its users see the old one through a cast at the insertion point. */
  #retype(value: Value, type: Type, loc: LocationRef): void {
    const cast = this.#cast(value.type, value, "forward", loc);
    value.setType(type);
    this.rw.replaceUsesWhere(value, cast.result(0), (use) => use.owner !== cast);
    this.#queue.push(cast);
  }
  /** An operand is wanted in another type. */
  #wantOperand(use: OpOperand, type: Type, loc: LocationRef): void {
    const cast = this.#cast(type, use.value, "backward", loc);
    use.set(cast.result(0));
    this.#queue.push(cast);
  }

  /** A slice whose CTAs hold the same is loaded in its old layout, and exchanged between CTAs. */
  #processLoadStore(op: Operation, layout: Attribute): void {
    const params = encodingParams(layout) as DistributedParams;
    if (params.kind === "slice" && getCTAsPerCGA(getCTALayout(params.parent)!)[params.dim]! > 1) {
      const value = op.numResults > 0 ? op.result(0) : op.operand(0);
      return this.#processLoadStore(op, layoutOf(value.type)!);
    }
    const cga = getCTALayout(params)!;
    const replaced = ({ type }: Value): Attribute => {
      const tensor = pointeeOrSelf(type);
      if (!RankedTensorType.is(tensor)) return layout;
      const old = encodingParams(tensor.params.encoding) as DistributedParams;
      return encodingAttr(op.ctx, this.#replaceCTALayout(op, old, tensor.params.shape, cga));
    };
    this.#insertCasts(op, op.operands.map(replaced), op.results.map(replaced));
  }
  #processConstant(op: Operation, layout: Attribute): void {
    const value = op.attr("value");
    const { type } = op.result(0);
    if (RankedTensorType.is(type) && DenseElementsAttr.is(value) && value.params.splat)
      op.setAttr("value", DenseElementsAttr.get(op.ctx, { ...value.params, type: withEncoding(type, layout) }));
    this.#surround(op, layout);
  }
  #processExpandDims(op: Operation, layout: Attribute): void {
    const parent = encodingParams(layout) as DistributedParams;
    const slice: SliceParams = { kind: "slice", dim: tt.ExpandDimsOp.match(op)!.axis, parent };
    this.#insertCasts(op, [encodingAttr(op.ctx, slice)], [layout]);
  }
  #processBlockArgBackward(arg: Value, cast: Operation): void {
    const loop = arg.argOwner!.parentOp!;
    if (!ForOp.is(loop)) throw new Unplannable({ op: cast, message: "Unexpected parent op of block argument" });
    this.#processFor(loop, arg.index - 1, cast.result(0).type);
  }
  #processIf(op: Operation, index: number, type: Type): void {
    const loc = op.locRef;
    this.rw.setAfter(op);
    this.#retype(op.result(index), type, loc);
    for (const region of op.regions) {
      const yieldOp = region.lastBlock!.lastOp!;
      this.rw.setBefore(yieldOp);
      this.#wantOperand(yieldOp.operandUses[index]!, type, loc);
    }
  }
  #processFor(op: Operation, index: number, type: Type): void {
    const loc = op.locRef;
    const body = op.regions[0]!.firstBlock!;
    this.rw.setBefore(op);
    this.#wantOperand(op.operandUses[index + 3]!, type, loc);
    this.rw.setStart(body);
    this.#retype(body.args[index + 1]!, type, loc);
    const yieldOp = body.lastOp!;
    this.rw.setBefore(yieldOp);
    this.#wantOperand(yieldOp.operandUses[index]!, type, loc);
    this.rw.setAfter(op);
    this.#retype(op.result(index), type, loc);
  }
  /** An op about which nothing is known keeps its layouts. */
  #processFallback(op: Operation): void {
    const loc = op.locRef;
    this.rw.setBefore(op);
    for (const use of op.operandUses) if (isTensorOrTensorPointerType(use.value.type)) this.#wantOperand(use, use.value.type, loc);
    this.rw.setAfter(op);
    for (const result of op.results) if (isTensorOrTensorPointerType(result.type)) this.#retype(result, result.type, loc);
  }

  // --- layouts -----------------------------------------------------------------------------------

  #blockedLike(op: Operation, { sizePerThread, order }: BlockedParams, shape: readonly number[], cga: LinearLayout): BlockedParams {
    const threadsPerWarp = getThreadsPerWarp(enclosingModule(op));
    return makeBlocked({ shape, sizePerThread, order, numWarps: lookupNumWarps(op), threadsPerWarp }, cga);
  }
  #replaceCTALayout(op: Operation, layout: DistributedParams, shape: readonly number[], cga: LinearLayout): BlockedParams | SliceParams {
    if (layout.kind === "blocked") return this.#blockedLike(op, layout, shape, cga);
    if (layout.kind === "slice") return { ...layout, parent: this.#replaceCTALayout(op, layout.parent, shape, cga) };
    throw new Unplannable({ op, message: `tensors with the layout ${layout.kind} cannot be divided among the CTAs of a cluster` });
  }
}

function paramsOf(value: Value) {
  const layout = layoutOf(value.type);
  return layout && encodingParams(layout);
}
const distributedOf = (value: Value): DistributedParams => paramsOf(value) as DistributedParams;
const pointeeOrSelf = (type: Type): Type => (PointerType.is(type) ? type.params.pointeeType : type);
/** The layout of a tensor, or of the tensor behind a pointer. */
function layoutOf(type: Type): Attribute | undefined {
  const tensor = pointeeOrSelf(type);
  return RankedTensorType.is(tensor) ? tensor.params.encoding : undefined;
}
function replaceLayout(type: Type, layout: Attribute): Type {
  const tensor = withEncoding(pointeeOrSelf(type) as TensorType, layout);
  return PointerType.is(type) ? pointerType(tensor, type.params.addressSpace) : tensor;
}

function ctaTiling(m: number, n: number, numCTAs: number): [number, number] {
  let split: [number, number] = [1, numCTAs];
  for (let chunk = 128; chunk >= 64; chunk /= 2) {
    const splitM = Math.max(1, Math.min(Math.trunc(m / chunk), numCTAs));
    split = [splitM, Math.trunc(numCTAs / splitM)];
    if (Math.trunc(n / split[1]) >= 64) break;
  }
  return split;
}

const LOAD_STORE = [tt.LoadOp, tt.StoreOp, tt.AtomicRMWOp, tt.AtomicCASOp, tt.DescriptorLoadOp, tt.DescriptorGatherOp];
const isLoadStore = (op: Operation): boolean =>
  LOAD_STORE.some((def) => def.is(op)) || op.def.interface(DescriptorStoreLikeOpInterface) !== undefined;
