/**
 * The result of `getSlice` without filters for many ops, without walking everything for each: ops that use each other's values
 * form a group, and all ops of a group have the same slice.
 */
import type { Operation } from "../ir/operation.js";
import { ownerOfArgument } from "./slices.js";

/** A group of ops connected by values. */
export interface SliceGroup {
  /** Groups found from this one: those nested in its ops, and those of loops whose arguments it uses. */
  readonly next: Set<SliceGroup>;
}

/** Groups of ops that uses and definitions connect. */
export class SliceGroups {
  readonly #parent = new Map<Operation, Operation>();
  readonly #groups = new Map<Operation, SliceGroup>();
  readonly #reachable = new Map<SliceGroup, ReadonlySet<SliceGroup>>();

  constructor(root: Operation) {
    root.walk((op) => {
      for (const { value } of op.operandUses) if (value.definingOp) this.#unite(op, value.definingOp);
    });
    root.walk((op) => {
      const group = this.groupOf(op);
      for (const region of op.regions)
        for (const block of region.blocks()) for (const nested of block.ops()) group.next.add(this.groupOf(nested));
      for (const { value } of op.operandUses) {
        const owner = value.definingOp ? undefined : ownerOfArgument(value);
        if (owner && !owner.def.isIsolated) group.next.add(this.groupOf(owner));
      }
    });
  }

  groupOf(op: Operation): SliceGroup {
    const root = this.#find(op);
    let group = this.#groups.get(root);
    if (!group) this.#groups.set(root, (group = { next: new Set() }));
    return group;
  }
  /** The groups that make up the slice of any op of a group, that group included. */
  reachable(group: SliceGroup): ReadonlySet<SliceGroup> {
    let found = this.#reachable.get(group) as Set<SliceGroup> | undefined;
    if (found) return found;
    found = new Set([group]);
    for (const at of found) for (const next of at.next) found.add(next);
    this.#reachable.set(group, found);
    return found;
  }

  #find(op: Operation): Operation {
    let root = op;
    for (let up = this.#parent.get(root); up; up = this.#parent.get(root)) root = up;
    for (let at = op; at !== root; ) {
      const up = this.#parent.get(at)!;
      this.#parent.set(at, root);
      at = up;
    }
    return root;
  }
  #unite(a: Operation, b: Operation): void {
    const [x, y] = [this.#find(a), this.#find(b)];
    if (x !== y) this.#parent.set(x, y);
  }
}
