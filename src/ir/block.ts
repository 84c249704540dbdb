import type { Attribute, Type } from "./attribute.js";
import type { Context } from "./context.js";
import { type LocationRef, resolveLocation } from "./location.js";
import type { BlockOperand, Operation } from "./operation.js";
import type { Region } from "./region.js";
import { RIGHT_ANYWHERE, Value } from "./value.js";

/** Between the order numbers of neighbours, so that ops fit in between. Blocks of up to two million ops stay within 32 bits. */
const STRIDE = 1024;

/** A list of operations with arguments; the last op is its terminator where the region asks for one. */
export class Block {
  readonly isOperation = false;
  region: Region | null = null;
  prev: Block | null = null;
  next: Block | null = null;
  firstOp: Operation | null = null;
  lastOp: Operation | null = null;
  /** Terminator operands that name this block, newest first. */
  firstUse: BlockOperand | null = null;
  args: Value[] = [];
  /** Whether the `order` fields of the ops are ascending. */
  orderValid = true;
  /** The printer's number; meaningless outside one print. */
  scratch = 0;

  constructor(
    readonly ctx: Context,
    readonly id: number = ctx.nextId(),
  ) {}

  get parentOp(): Operation | null {
    return this.region?.parentOp ?? null;
  }
  get empty(): boolean {
    return this.firstOp === null;
  }
  get terminator(): Operation | null {
    return this.lastOp?.def.isTerminator ? this.lastOp : null;
  }

  /** Ops in order. The visited op may be erased or moved, and ops may be inserted before it. */
  *ops(): Iterable<Operation> {
    for (let op = this.firstOp; op; ) {
      const next: Operation | null = op.next;
      yield op;
      op = next;
    }
  }
  *opsReversed(): Iterable<Operation> {
    for (let op = this.lastOp; op; ) {
      const prev: Operation | null = op.prev;
      yield op;
      op = prev;
    }
  }
  opsWithoutTerminator(): Operation[] {
    const ops = [...this.ops()];
    if (this.terminator) ops.pop();
    return ops;
  }

  addArgument(type: Type, loc: LocationRef): Value {
    return this.insertArgument(this.args.length, type, loc);
  }
  insertArgument(index: number, type: Type, loc: LocationRef): Value {
    this.ctx.version++;
    const value = new Value(this.ctx.nextId(), type, this, index, loc);
    this.args.splice(index, 0, value);
    for (let i = index + 1; i < this.args.length; i++) this.args[i]!.index = i;
    return value;
  }
  /** Removes an argument that has no uses left. */
  eraseArgument(index: number): void {
    this.ctx.version++;
    this.args.splice(index, 1);
    for (let i = index; i < this.args.length; i++) this.args[i]!.index = i;
  }
  /** The location attribute of one of this block's arguments. */
  argumentLocation(arg: Value): Attribute {
    return (arg.argLoc = resolveLocation(this.ctx, arg.argLoc!)) as Attribute;
  }

  /** Puts a detached op at the end, or before `before`. */
  insert(op: Operation, before: Operation | null = null): void {
    this.ctx.version++;
    if (op.checkedAt !== RIGHT_ANYWHERE) op.checkedAt = -1;
    if (op.regions.length > 0) this.ctx.surroundings++;
    op.block = this;
    const after = before ? before.prev : this.lastOp;
    op.prev = after;
    op.next = before;
    if (after) after.next = op;
    else this.firstOp = op;
    if (before) {
      before.prev = op;
      // Halfway between its neighbours; where they leave no room all are numbered anew when next asked for.
      op.order = after ? Math.floor((after.order + before.order) / 2) : before.order - STRIDE;
      if (after && op.order === after.order) this.orderValid = false;
    } else {
      this.lastOp = op;
      op.order = after ? after.order + STRIDE : 0;
    }
  }
  append(op: Operation): void {
    this.insert(op, null);
  }
  /** Takes an op out of this block without erasing it. */
  unlink(op: Operation): void {
    this.ctx.version++;
    if (op.prev) op.prev.next = op.next;
    else this.firstOp = op.next;
    if (op.next) op.next.prev = op.prev;
    else this.lastOp = op.prev;
    op.prev = op.next = null;
    op.block = null;
  }

  /** Moves the ops from `from` to the end into a new block placed after this one, and returns it. */
  splitBefore(from: Operation): Block {
    const rest = new Block(this.ctx);
    this.region!.insertBlock(rest, this.next);
    rest.adopt(from, this.lastOp!, this.orderValid);
    this.lastOp = from.prev;
    if (from.prev) from.prev.next = null;
    else this.firstOp = null;
    from.prev = null;
    return rest;
  }
  /** Moves all ops of `other` to the end of this block, or before `before`. */
  takeOpsOf(other: Block, before: Operation | null = null): void {
    const { firstOp, lastOp } = other;
    if (!firstOp) return;
    if (before) {
      for (let op: Operation | null = firstOp; op; ) {
        const next: Operation | null = op.next;
        other.unlink(op);
        this.insert(op, before);
        op = next;
      }
      return;
    }
    other.firstOp = other.lastOp = null;
    const after = this.lastOp;
    this.adopt(firstOp, lastOp!, other.orderValid && (!after || after.order < firstOp.order));
  }
  /** Appends a chain of ops from another block; `ordered`: whether `order` still ascends. One by one would take three times as long. */
  private adopt(first: Operation, last: Operation, ordered: boolean): void {
    this.ctx.version++;
    this.ctx.surroundings++;
    for (let op: Operation | null = first; op; op = op.next) op.block = this;
    if (!ordered) this.orderValid = false;
    const after = this.lastOp;
    if (after) {
      after.next = first;
      first.prev = after;
    } else this.firstOp = first;
    this.lastOp = last;
  }
  /** Moves this block within or between regions: before `before`, or to the end. */
  moveTo(region: Region, before: Block | null = null): void {
    this.region?.unlinkBlock(this);
    region.insertBlock(this, before);
  }

  /** The successors of the terminator. */
  successors(): Block[] {
    return this.lastOp ? this.lastOp.successors.map((s) => s.block) : [];
  }
  /** Blocks whose terminator names this one: newest use first, once for each use. */
  predecessors(): Block[] {
    const blocks: Block[] = [];
    for (let use = this.firstUse; use; use = use.nextUse) if (use.owner.block) blocks.push(use.owner.block);
    return blocks;
  }
  singlePredecessor(): Block | undefined {
    return this.firstUse && !this.firstUse.nextUse ? (this.firstUse.owner.block ?? undefined) : undefined;
  }
  get isEntry(): boolean {
    return this.region?.firstBlock === this;
  }

  /** Erases this block and its ops; nothing may use them any more. */
  erase(): void {
    this.dropAllReferences();
    while (this.lastOp) this.lastOp.erase();
    this.region?.unlinkBlock(this);
  }
  /** Makes the ops in here (and nested) use nothing, so that they can be erased in any order. */
  dropAllReferences(): void {
    for (let op = this.firstOp; op; op = op.next) op.dropAllReferences();
  }

  /** Gives the ops ascending `order` numbers. */
  renumber(): void {
    let order = 0;
    for (let op = this.firstOp; op; op = op.next, order += STRIDE) op.order = order;
    this.orderValid = true;
  }
}
