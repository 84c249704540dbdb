import { AddIOp, CmpIOp, ConstantOp, SelectOp, XOrIOp } from "../../../dialects/arith/ops/index.js";
import { ArefStageInterface } from "../../../dialects/nvws/interfaces.js";
import { ArefBufferOp, ArefCreateOp, ArefGetEnterOp, ArefPutEnterOp } from "../../../dialects/nvws/ops/aref.js";
import { ForOp, type ForView } from "../../../dialects/scf/ops/for.js";
import { IfOp, type IfView } from "../../../dialects/scf/ops/if.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import type { Block } from "../../../ir/block.js";
import { i32ArrayAttr, i32Attr } from "../../../ir/builtin-attrs.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { addIterArgsToLoop, appendToYield, replaceIfOpWithNewSignature } from "../../ttg/replace-with-new-signature.js";
import {
  getPartitionIds,
  getPartitionOutputs,
  getStageCluster,
  getWarpSpecializeTag,
  hasPartition,
  insertAll,
  place,
  setPartition,
  setPartitionOutputs,
  setWarpSpecializeTag,
} from "../automatic-warp-specialization/partition.js";
import { refuse } from "../not-specializable.js";
import { arefDepth, buffersOf } from "./buffers.js";
import { assignDefaultPartitionToResults } from "./default-partition-results.js";

export const assignStagePhase = definePass("nvws-assign-stage-phase", {
  name: "NVWSAssignStagePhase",
  summary: "Assign buffer stage to nvws.aref.*.",
  source: "third_party/nvidia/lib/Dialect/NVWS/Transforms/AssignStagePhase.cpp",
  run(root, pass) {
    const rw = new Rewriter(root.ctx, pass.listener);
    const arefs: Operation[] = [];
    root.walkPostOrder((op) => void (ArefCreateOp.is(op) && arefs.push(op)));
    for (const aref of arefs)
      rw.from(aref, () => {
        new StagePhases(rw, aref, ArefPutEnterOp).assign(0);
        new StagePhases(rw, aref, ArefGetEnterOp).assign(1);
      });
    assignDefaultPartitionToResults(root);
  },
});

type EnterOp = typeof ArefPutEnterOp | typeof ArefGetEnterOp;
/** The buffer that was entered last, with its phase and the token of entering it. */
interface Index {
  readonly stage: Value;
  readonly phase: Value;
  readonly token: Value | undefined;
}
const bodyOf = (loop: ForView): Block => loop.region.firstBlock!;

class StagePhases {
  readonly #aref: Value;
  #partition = 0;
  /** For a loop or yield, and a token that it carries: the number of the value beside it that is the token's stage. */
  #stageNumber = new Map<Operation, Map<Value | undefined, number>>();

  constructor(
    private readonly rw: Rewriter,
    private readonly create: Operation,
    private readonly kind: EnterOp,
  ) {
    this.#aref = create.result(0);
  }

  assign(firstPhase: number): void {
    const { rw, create } = this;
    const options = { loc: create.locRef };
    const enters = (): Operation[] => this.#aref.users().filter((user) => this.kind.is(user));
    const ids = new Set(enters().flatMap((user) => (hasPartition(user) ? [...getPartitionIds(user)] : [])));
    // Outside of loops the phases count too.
    if (ids.size === 0) ids.add(0);
    rw.setAfter(create);
    // The first one to enter goes on to buffer 0, and to the other phase.
    const stage = rw.value(ConstantOp, { value: i32Attr(rw.ctx, arefDepth(buffersOf(this.#aref)) - 1) }, options);
    const phase = rw.value(ConstantOp, { value: i32Attr(rw.ctx, firstPhase) }, options);
    for (const id of [...ids].sort((a, b) => a - b)) {
      this.#partition = id;
      this.#stageNumber = new Map();
      this.#inBlock(create.block!, { stage, phase, token: undefined });
      for (const enter of enters()) {
        if (hasPartition(enter) && [...getPartitionIds(enter)][0] !== id) continue;
        const { token, stage } = this.kind.match(enter)!;
        if (stage) this.#propagate(token, stage, new Set());
      }
    }
  }

  #isEnter(op: Operation): boolean {
    return this.kind.is(op) && op.operand(0) === this.#aref && (!hasPartition(op) || getPartitionIds(op).has(this.#partition));
  }
  #isUsedIn(block: Block, token: Value | undefined): boolean {
    for (const op of block.ops()) {
      const buffer = ArefBufferOp.match(op);
      if (this.#isEnter(op) || (buffer?.aref === this.#aref && buffer.token === token)) return true;
      if (!ForOp.is(op) && !IfOp.is(op)) continue;
      const inner = ForOp.is(op) ? carriedAs(op, token) : token;
      for (const region of op.regions) if (!region.empty && this.#isUsedIn(region.firstBlock!, inner)) return true;
    }
    return false;
  }

  #inBlock(block: Block, before: Index): Index {
    let index = before;
    for (const op of block.ops()) {
      if (this.#isEnter(op)) index = this.#enter(op, index);
      else if (ForOp.is(op)) index = this.#inLoop(ForOp.match(op)!, index);
      else if (IfOp.is(op)) index = this.#inBranch(IfOp.match(op)!, index);
    }
    return index;
  }

  /** The next buffer; after the last one the first, in the other phase. */
  #enter(op: Operation, before: Index): Index {
    const { rw } = this;
    const options = { loc: op.locRef };
    const ids = hasPartition(op) ? getPartitionIds(op) : undefined;
    const [tag, at] = [getWarpSpecializeTag(op), getStageCluster(op)];
    const made = (view: { readonly op: Operation }): Value => {
      if (tag !== undefined) setWarpSpecializeTag(view.op, tag);
      return place(view, ids, at).op.result(0);
    };
    const i32 = (n: number): Value => made(rw.create(ConstantOp, { value: i32Attr(rw.ctx, n) }, options));
    rw.setBefore(op);
    const next = made(rw.create(AddIOp, { lhs: before.stage, rhs: i32(1) }, options));
    const condition = made(rw.create(CmpIOp, { predicate: "eq", lhs: next, rhs: i32(arefDepth(buffersOf(this.#aref))) }, options));
    const stage = made(rw.create(SelectOp, { condition, true_value: i32(0), false_value: next }, options));
    const flipped = made(rw.create(XOrIOp, { lhs: before.phase, rhs: i32(1) }, options));
    const phase = made(rw.create(SelectOp, { condition, true_value: flipped, false_value: before.phase }, options));
    if (op.numOperands === 3) {
      op.setOperand(1, stage);
      op.setOperand(2, phase);
    } else {
      // All its uses are new then: the order in which arefs are lowered depends on that.
      op.setOperands([this.#aref, stage, phase]);
      op.setAttr("operandSegmentSizes", i32ArrayAttr(op.ctx, [1, 1, 1]));
    }
    return { stage, phase, token: this.kind.match(op)!.token };
  }

  #inLoop(before: ForView, index: Index): Index {
    const carried = carriedAs(before.op, index.token);
    if (!this.#isUsedIn(bodyOf(before), carried)) return index;
    const ids = getPartitionIds(before.op);
    const outputs = getPartitionOutputs(before.op);
    const numCarried = before.initArgs.length;
    const loop = addIterArgsToLoop(this.rw, before, [index.stage, index.phase]);
    const [stage, phase] = bodyOf(loop).args.slice(-2) as [Value, Value];
    const inner: Index = { stage, phase, token: carried ?? index.token };
    const end = this.#inBlock(bodyOf(loop), inner);
    appendToYield(loop, [end.stage, end.phase]);
    this.#note(loop.op, inner.token, numCarried);
    this.#note(bodyOf(loop).lastOp!, end.token, numCarried);
    for (const value of [end.stage, end.phase]) {
      const needed = partitionsOf(value);
      insertAll(ids, needed);
      outputs.push(needed);
    }
    setPartition(loop.op, ids);
    setPartitionOutputs(loop.op, outputs);
    const [stageAfter, phaseAfter] = loop.op.results.slice(-2) as [Value, Value];
    return { stage: stageAfter, phase: phaseAfter, token: carried ? loop.op.result(carried.index - 1) : index.token };
  }

  #inBranch(before: IfView, index: Index): Index {
    const used = before.op.regions.map((region) => !region.empty && this.#isUsedIn(region.firstBlock!, index.token));
    if (!used.includes(true)) return index;
    const { rw } = this;
    const ids = getPartitionIds(before.op);
    const outputs = getPartitionOutputs(before.op);
    const made = replaceIfOpWithNewSignature(rw, before, [index.stage.type, index.phase.type]);
    rw.replace(before, made.op.results.slice(0, -2));
    const ends = made.op.regions.map((region) => ({ end: region.firstBlock!.lastOp!, after: this.#inBlock(region.firstBlock!, index) }));
    let { token } = index;
    for (const { end } of ends) {
      const at = index.token ? end.operands.indexOf(index.token) : -1;
      if (at >= 0) token = made.op.result(at);
    }
    for (const { end, after } of ends) {
      this.#note(end, after.token, end.numOperands);
      end.setOperands([...end.operands, after.stage, after.phase]);
    }
    for (const which of ["stage", "phase"] as const) {
      const needed = new Set<number>();
      for (const { after } of ends) if (after[which].definingOp) insertAll(needed, getPartitionIds(after[which].definingOp));
      outputs.push(needed);
    }
    setPartition(made.op, ids);
    setPartitionOutputs(made.op, outputs);
    const [stage, phase] = made.op.results.slice(-2) as [Value, Value];
    return { stage, phase, token };
  }

  #note(op: Operation, token: Value | undefined, stageNumber: number): void {
    let numbers = this.#stageNumber.get(op);
    if (!numbers) this.#stageNumber.set(op, (numbers = new Map()));
    numbers.set(token, stageNumber);
  }

  /** Sets the number of a buffer on the ops that have the token of entering it. */
  #propagate(token: Value, stage: Value, seen: Set<Operation>): void {
    for (const { owner, index } of token.uses()) {
      if (seen.has(owner)) continue;
      seen.add(owner);
      const staged = owner.def.interface(ArefStageInterface);
      const numberOf = (by: Value): number =>
        this.#stageNumber.get(owner)?.get(by) ?? refuse(owner, "a token is handed on without the number of its buffer");
      if (staged) {
        if (stage.argOwner) needCarried(stage, getPartitionIds(owner));
        staged.setStage(owner, stage);
      } else if (ForOp.is(owner)) {
        const { args } = owner.regions[0]!.firstBlock!;
        const carried = args[index - 2]!;
        this.#propagate(carried, args[numberOf(carried) + 1]!, seen);
      } else if (YieldOp.is(owner)) {
        const { results } = owner.parentOp!;
        this.#propagate(results[index]!, results[numberOf(token)]!, seen);
      }
    }
  }
}

/** The argument in a loop's body for a value that the loop starts with. */
function carriedAs(loop: Operation, value: Value | undefined): Value | undefined {
  const at = value ? loop.operands.indexOf(value, 3) : -1;
  return at < 0 ? undefined : loop.regions[0]!.firstBlock!.args[at - 2];
}

/** The partitions that compute a value; of a carried one those that use it. */
function partitionsOf(value: Value): Set<number> {
  const { definingOp } = value;
  if (definingOp) return definingOp.regions.length > 0 ? getPartitionOutputs(definingOp)[value.index]! : getPartitionIds(definingOp);
  const ids = new Set<number>();
  for (const user of value.users()) if (!YieldOp.is(user)) insertAll(ids, getPartitionIds(user));
  return ids;
}

/** Further partitions need a stage that a loop carries, and the phase after it. */
function needCarried(stage: Value, ids: Iterable<number>): void {
  const loop = stage.argOwner!.parentOp!;
  const outputs = getPartitionOutputs(loop);
  for (const number of [stage.index - 1, stage.index]) insertAll(outputs[number]!, ids);
  setPartition(loop, insertAll(getPartitionIds(loop), ids));
  setPartitionOutputs(loop, outputs);
}
