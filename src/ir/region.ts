import { Block } from "./block.js";
import type { Context } from "./context.js";
import type { Operation } from "./operation.js";

/** A list of blocks that belongs to an operation; the first one is the entry. */
export class Region {
  firstBlock: Block | null = null;
  lastBlock: Block | null = null;
  constructor(
    readonly ctx: Context,
    public parentOp: Operation | null,
    public index: number,
  ) {}

  get empty(): boolean {
    return this.firstBlock === null;
  }
  get entry(): Block | undefined {
    return this.firstBlock ?? undefined;
  }
  /** Whether there is exactly one block. */
  get hasOneBlock(): boolean {
    return this.firstBlock !== null && this.firstBlock === this.lastBlock;
  }
  *blocks(): Iterable<Block> {
    for (let block = this.firstBlock; block; ) {
      const next: Block | null = block.next;
      yield block;
      block = next;
    }
  }
  numBlocks(): number {
    let count = 0;
    for (let block = this.firstBlock; block; block = block.next) count++;
    return count;
  }
  /** The region around the op that holds this one. */
  get parentRegion(): Region | null {
    return this.parentOp?.block?.region ?? null;
  }
  /** Whether this region is `other` or lies inside it. */
  isInside(other: Region): boolean {
    for (let region: Region | null = this; region; region = region.parentRegion) if (region === other) return true;
    return false;
  }

  /** A new block at the end. */
  addBlock(): Block {
    const block = new Block(this.ctx);
    this.insertBlock(block);
    return block;
  }
  insertBlock(block: Block, before: Block | null = null): void {
    this.ctx.version++;
    if (block.firstOp) this.ctx.surroundings++;
    block.region = this;
    const after = before ? before.prev : this.lastBlock;
    block.prev = after;
    block.next = before;
    if (after) after.next = block;
    else this.firstBlock = block;
    if (before) before.prev = block;
    else this.lastBlock = block;
  }
  unlinkBlock(block: Block): void {
    this.ctx.version++;
    if (block.prev) block.prev.next = block.next;
    else this.firstBlock = block.next;
    if (block.next) block.next.prev = block.prev;
    else this.lastBlock = block.prev;
    block.prev = block.next = null;
    block.region = null;
  }
  /** Moves all blocks of `other` to the end, or before `before`. */
  takeBlocksOf(other: Region, before: Block | null = null): void {
    for (let block = other.firstBlock; block; ) {
      const next: Block | null = block.next;
      block.moveTo(this, before);
      block = next;
    }
  }
  dropAllReferences(): void {
    for (let block = this.firstBlock; block; block = block.next) block.dropAllReferences();
  }
}
