/**
 * Tensor pointers become what they stand for: a base pointer, shape, strides and offsets of which only the offsets change.
 *
 *     %p = tt.make_tensor_ptr %base, [%m], [%s], [%o]
 *     for ... iter_args(%q = %p) { %x = tt.load %q; %r = tt.advance %q, [%d]; yield %r }
 *     ->
 *     %o64 = extsi %o
 *     for ... iter_args(%off = %o64) { %x = tt.load (pointers made of %base, %s, %off); yield %off + extsi %d }
 *
 * Loops and ifs are rebuilt with the offsets in place of the pointers, then their insides are visited. Old ops go at the end,
 * as others may still use them. Source: lib/Dialect/Triton/Transforms/RewriteTensorPointer.cpp.
 */
import { AddIOp, ConstantOp, ExtSIOp } from "../../dialects/arith/ops/index.js";
import { buildFor, buildIf } from "../../dialects/scf/build.js";
import { ForOp, type ForView } from "../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../dialects/scf/ops/if.js";
import { YieldOp } from "../../dialects/scf/ops/yield.js";
import { getMakeTensorPtrOp } from "../../dialects/tt/make-tensor-ptr-of.js";
import { LoadOp, StoreOp } from "../../dialects/tt/ops/memory.js";
import { AdvanceOp, MakeTensorPtrOp } from "../../dialects/tt/ops/pointer.js";
import { SplatOp } from "../../dialects/tt/ops/shape.js";
import { isTensorPointerType, type PointerType } from "../../dialects/tt/types.js";
import type { Type } from "../../ir/attribute.js";
import { i64, type TensorType, tensorType } from "../../ir/builtin-types.js";
import { Mapping } from "../../ir/clone.js";
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import { definePass, type PassReport } from "../../pass/define-pass.js";
import { PassError } from "../../pass/pass-error.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { type BlockOfTensor, blockMask, blockPointers, expandedOffsetWithRange, paddingValue } from "./block-access.js";

export const rewriteTensorPointer = definePass("triton-rewrite-tensor-pointer", {
  name: "TritonRewriteTensorPointer",
  summary: "Rewrite load/stores with tensor pointers into legacy load/stores",
  source: "lib/Dialect/Triton/Transforms/RewriteTensorPointer.cpp",
  statistics: { accesses: "loads and stores rewritten" },
  run(root, { listener, report, count }) {
    const pass = new TensorPointerRewriter(new Rewriter(root.ctx, listener), report);
    pass.visit(root);
    if (!pass.failed) pass.eraseOld();
    count("accesses", pass.accesses);
  },
});

/** The block that a tensor pointer refers to. */
interface TensorPointer extends BlockOfTensor {
  readonly offsets: readonly Value[];
}
const isPointer = (value: Value): boolean => isTensorPointerType(value.type);

class TensorPointerRewriter {
  failed = false;
  accesses = 0;
  readonly #pointers = new Map<Value, TensorPointer>();
  readonly #old: Operation[] = [];
  constructor(
    readonly rw: Rewriter,
    readonly report: PassReport,
  ) {}

  visit(op: Operation): void {
    for (const region of op.regions)
      for (const block of region.blocks())
        for (const nested of block.ops()) {
          if (this.failed) return;
          const inside = this.rw.from(nested, () => this.rewrite(nested));
          if (inside && inside.regions.length > 0) this.visit(inside);
        }
  }
  eraseOld(): void {
    while (this.#old.length > 0) this.rw.erase(this.#old.pop()!);
  }

  /** Returns the op whose regions are to be visited. */
  private rewrite(op: Operation): Operation | undefined {
    this.rw.setBefore(op).loc = op.locRef;
    const made = MakeTensorPtrOp.match(op);
    if (made) return this.makeTensorPtr(made);
    const advance = AdvanceOp.match(op);
    if (advance) return this.advance(advance);
    const load = LoadOp.match(op);
    if (load) return this.load(load);
    const store = StoreOp.match(op);
    if (store) return this.store(store);
    const { dialect } = op.def;
    if (dialect !== "scf" && dialect !== "cf") return op;
    const conditional = IfOp.match(op);
    if (conditional) return this.if(conditional);
    if (!op.operands.some(isPointer)) return op;
    const loop = ForOp.match(op);
    if (loop) return this.for(loop);
    if (YieldOp.is(op)) return this.yield(op);
    this.report.error(op, "tensor pointers are supported inside scf.for and scf.if only, not in other control flow");
    this.failed = true;
    return undefined;
  }

  /** The block that a pointer refers to; an error is reported if it is not known. */
  private pointer(value: Value, user: Operation): TensorPointer | undefined {
    const known = this.#pointers.get(value);
    if (!known) {
      this.report.error(user, "cannot find the tt.make_tensor_ptr of a tensor pointer");
      this.failed = true;
    }
    return known;
  }
  /** Values with the offsets in place of each tensor pointer. */
  private expand(values: readonly Value[], user: Operation): Value[] {
    return values.flatMap((value) => (isPointer(value) ? (this.pointer(value, user)?.offsets ?? []) : [value]));
  }

  private makeTensorPtr({ op, base, shape, strides, offsets, result }: View<typeof MakeTensorPtrOp>): undefined {
    const { pointeeType } = (result.type as ReturnType<typeof PointerType.get>).params;
    const blockShape = (pointeeType as TensorType).params.shape;
    this.#pointers.set(result, { base, shape, strides, blockShape, offsets: offsets.map((offset) => this.widen(offset)) });
    this.#old.push(op);
  }
  private widen(offset: Value): Value {
    return this.rw.value(ExtSIOp, { in: offset }, { types: [i64(this.rw.ctx)] });
  }

  private advance({ op, ptr, offsets, result }: View<typeof AdvanceOp>): undefined {
    const pointer = this.pointer(ptr, op);
    if (!pointer) return;
    const moved = pointer.offsets.map((lhs, i) => this.rw.value(AddIOp, { lhs, rhs: this.widen(offsets[i]!) }));
    this.#pointers.set(result, { ...pointer, offsets: moved });
    this.#old.push(op);
  }

  private load({ op, ptr, boundaryCheck, padding, cache, evict, isVolatile }: View<typeof LoadOp>): undefined {
    const access = this.access(op, ptr, boundaryCheck);
    if (!access) return;
    const { rw } = this;
    let other: Value | undefined;
    if (padding) {
      if (!access.mask) {
        // Upstream makes a load that does not verify.
        this.report.error(op, "padding needs a mask, and without boundary_check there is none: real Triton fails here too");
        this.failed = true;
        return;
      }
      const elementType = (access.base.type as ReturnType<typeof PointerType.get>).params.pointeeType;
      const src = rw.value(ConstantOp, { value: paddingValue(elementType, padding === "nan") });
      other = rw.value(SplatOp, { src }, { types: [tensorType(access.blockShape, elementType)] });
    }
    const loaded = rw.value(LoadOp, { ptr: access.ptr, mask: access.mask, other, cache, evict, isVolatile });
    rw.replaceOpUses(op, [loaded]);
    this.#old.push(op);
  }
  private store({ op, ptr, value, boundaryCheck, cache, evict }: View<typeof StoreOp>): undefined {
    const access = this.access(op, ptr, boundaryCheck);
    if (!access) return;
    this.rw.create(StoreOp, { ptr: access.ptr, value, mask: access.mask, cache, evict });
    this.#old.push(op);
  }
  /** Pointers and mask of a load or store; undefined when it is not through a tensor pointer. */
  private access(op: Operation, ptr: Value, boundaryCheck: readonly number[]) {
    const pointer = isPointer(ptr) ? this.pointer(ptr, op) : undefined;
    if (!pointer) return undefined;
    this.accesses++;
    const rank = pointer.blockShape.length;
    const outside = boundaryCheck.find((dim) => dim < 0 || dim >= rank);
    if (outside !== undefined)
      throw new PassError(op, `boundaryCheck names dimension ${outside} of a block of ${rank}`, "pass.boundary-check");
    const maker = { rw: this.rw, loc: op.locRef };
    const ranges = new Map<number, Value>();
    const range = (dim: number): Value => {
      let known = ranges.get(dim);
      if (!known) ranges.set(dim, (known = expandedOffsetWithRange(maker, pointer.blockShape, pointer.offsets[dim]!, dim)));
      return known;
    };
    const pointers = blockPointers(maker, pointer, range);
    const mask = blockMask(maker, pointer, range, boundaryCheck);
    return { ptr: pointers, mask, base: pointer.base, blockShape: pointer.blockShape };
  }

  private if({ op, condition, thenRegion, elseRegion }: IfView): Operation | undefined {
    const yielded = thenRegion.firstBlock!.lastOp!.operands;
    if (!yielded.some(isPointer)) return op;
    const pointers = yielded.map((value) => {
      const origin = isPointer(value) ? getMakeTensorPtrOp(value) : undefined;
      return isPointer(value) ? this.pointer(origin?.result ?? value, op) : undefined;
    });
    if (this.failed) return undefined;
    const { rw } = this;
    const types = yielded.flatMap((value, i): readonly Type[] => pointers[i]?.offsets.map(() => i64(rw.ctx)) ?? [value.type]);
    const fresh = buildIf(rw.builder, types, condition, !elseRegion.empty);
    const mapping = new Mapping();
    for (const nested of thenRegion.firstBlock!.ops()) rw.setEnd(fresh.thenRegion.firstBlock!).clone(nested, mapping);
    if (!elseRegion.empty)
      for (const nested of elseRegion.firstBlock!.ops()) rw.setEnd(fresh.elseRegion.firstBlock!).clone(nested, mapping);
    this.replaceResults(op, fresh.op, pointers);
    return fresh.op;
  }

  private for(loop: ForView): Operation | undefined {
    const { op, initArgs, lowerBound, upperBound, step, region } = loop;
    const pointers = initArgs.map((init) => (isPointer(init) ? this.pointer(init, op) : undefined));
    if (this.failed) return undefined;
    const { rw } = this;
    const fresh = buildFor(rw.builder, { lowerBound, upperBound, step, initArgs: this.expand(initArgs, op) });
    fresh.op.setAttrs(op.attrs);
    const body = fresh.region.firstBlock!;
    const [iv, ...args] = region.firstBlock!.args as [Value, ...Value[]];
    const mapping = new Mapping();
    let next = 1;
    args.forEach((arg, i) => {
      const pointer = pointers[i];
      if (!pointer) return void mapping.map(arg, body.args[next++]!);
      // The copies use the old argument until they are rewritten themselves.
      const count = pointer.offsets.length;
      this.#pointers.set(arg, { ...pointer, offsets: body.args.slice(next, next + count) });
      next += count;
    });
    mapping.map(iv, body.args[0]!);
    rw.setStart(body);
    for (const nested of region.firstBlock!.ops()) rw.clone(nested, mapping);
    this.replaceResults(op, fresh.op, pointers);
    return fresh.op;
  }

  /** Hands the results of `fresh` to the users of `op`, or notes them as the offsets of the pointers that `op` gave. */
  private replaceResults(op: Operation, fresh: Operation, pointers: readonly (TensorPointer | undefined)[]): void {
    let next = 0;
    op.results.forEach((result, i) => {
      const pointer = pointers[i];
      if (!pointer) return this.rw.replaceAllUses(result, fresh.result(next++));
      const count = pointer.offsets.length;
      this.#pointers.set(result, { ...pointer, offsets: fresh.results.slice(next, next + count) });
      next += count;
    });
    this.#old.push(op);
  }

  private yield(op: Operation): undefined {
    const operands = this.expand(op.operands, op);
    this.rw.modify(op, () => op.setOperands(operands));
  }
}
