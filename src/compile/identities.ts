/**
 * Matches the ops after a pass with those before it. A new op that has the kind, the place in the source and the role of an op
 * that the pass removed is the same op: `tt.dot` with operands of other layouts is still that dot, whatever conversions were put
 * around it. In a Trace it keeps its id.
 */
import { type LocationRef, UnknownLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";
import type { Origins } from "./record-rewrites.js";

/** An op and the id of the op that it is in. */
interface Live {
  readonly op: Operation;
  readonly parent: number;
}

export class Identities {
  /** Ids of ops that keep the id of another, by their own. */
  readonly #kept = new Map<number, number>();
  #live: readonly Live[] = [];
  #lastSeen = 0;

  /** The id in the Trace of the op with this id. */
  readonly of = (op: number): number => this.#kept.get(op) ?? op;

  /** Finds out which new ops of `module` are ops that are gone. `gone`: where ops came from that were made and erased since the last time. */
  settle(module: Operation, gone: Origins): void {
    const last = this.#lastSeen;
    this.#lastSeen = module.ctx.nextId();
    const ops: Operation[] = [];
    const fresh: Operation[] = [];
    module.walk((op) => {
      ops.push(op);
      if (op.id > last) fresh.push(op);
    });
    if (fresh.length > 0 && last > 0) {
      const ids = new Set<number>();
      for (const op of ops) ids.add(op.id);
      const lost = this.#live.filter(({ op }) => !ids.has(op.id));
      if (lost.length > 0) this.match(fresh, lost, gone);
    }
    this.#live = ops.map((op) => ({ op, parent: this.parentOf(op) }));
  }

  private parentOf({ block }: Operation): number {
    const parent = block?.parentOp;
    return parent ? this.of(parent.id) : 0;
  }

  private match(fresh: readonly Operation[], lost: readonly Live[], gone: Origins): void {
    const byId = new Map(lost.map((live) => [live.op.id, live]));
    const byPlace = new Map<LocationRef, Live[]>();
    for (const live of lost) {
      const { locRef } = live.op;
      if (isUnknown(locRef)) continue;
      const list = byPlace.get(locRef);
      if (list) list.push(live);
      else byPlace.set(locRef, [live]);
    }
    const madeFrom = new Map(fresh.map((op) => [op, ancestors(op, byId, gone)]));
    const atPlace = (op: Operation): readonly Live[] => (isUnknown(op.locRef) ? [] : (byPlace.get(op.locRef) ?? []));
    const taken = new Set<Live>();
    const left = new Set(fresh);
    const round = (wanted: (op: Operation) => boolean, candidates: (op: Operation) => readonly Live[], same: SameRole): void => {
      for (const op of left) {
        if (!wanted(op)) continue;
        const parent = this.parentOf(op);
        const found = candidates(op).find((live) => !taken.has(live) && sameKind(op, live.op) && same(op, parent, live));
        if (!found) continue;
        taken.add(found);
        left.delete(op);
        this.#kept.set(op.id, this.of(found.op.id));
      }
    };
    const origins = (op: Operation) => madeFrom.get(op)!;
    // Loops and functions first: the role of what is in them depends on them.
    for (const wanted of [(op: Operation) => op.regions.length > 0, () => true]) {
      for (const same of [inPlace, samePlace]) {
        round(wanted, origins, same);
        round(wanted, atPlace, (op, parent, live) => same(op, parent, live) && sameConstant(op, live.op));
      }
      round(wanted, atPlace, inPlace);
      round(wanted, origins, sameParent);
      round(wanted, origins, () => true);
    }
  }
}

type SameRole = (op: Operation, parent: number, live: Live) => boolean;
const samePlace: SameRole = (op, _, live) => op.locRef === live.op.locRef;
const sameParent: SameRole = (_, parent, live) => parent === live.parent;
const inPlace: SameRole = (op, parent, live) => samePlace(op, parent, live) && sameParent(op, parent, live);

const sameKind = (a: Operation, b: Operation): boolean => a.def === b.def;
/** Constants of one line are told apart by what they say. */
const sameConstant = (a: Operation, b: Operation): boolean => !a.def.isConstantLike || a.attrs === b.attrs;
const isUnknown = (loc: LocationRef): boolean => loc === 0 || (typeof loc !== "number" && UnknownLoc.is(loc));

/** The ops that are gone and that `op` came from, nearest first. */
function ancestors({ origin }: Operation, lost: ReadonlyMap<number, Live>, gone: Origins): Live[] {
  if (origin === undefined) return [];
  const found: Live[] = [];
  const seen = new Set(typeof origin === "number" ? [origin] : origin);
  for (const id of seen) {
    const live = lost.get(id);
    if (live) found.push(live);
    const above = gone.get(id);
    if (typeof above === "number") seen.add(above);
    else for (const next of above ?? []) seen.add(next);
    if (seen.size > MOST_ORIGINS) break;
  }
  return found;
}
/** A constant can replace thousands of ops; more origins than this are not recorded. */
const MOST_ORIGINS = 64;
