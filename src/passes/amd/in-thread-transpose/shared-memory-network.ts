/**
 * The ops that a buffer in shared memory reaches, also through loops and ifs.
 * Source: third_party/amd/lib/TritonAMDGPUTransforms/InThreadTranspose.cpp, findReachableSMemOps and what it calls.
 */
import { ForOp } from "../../../dialects/scf/ops/for.js";
import { IfOp } from "../../../dialects/scf/ops/if.js";
import { ConditionOp, WhileOp } from "../../../dialects/scf/ops/while.js";
import { YieldOp } from "../../../dialects/scf/ops/yield.js";
import { ReturnOp } from "../../../dialects/tt/ops/function.js";
import { LocalAllocOp, LocalDeallocOp, LocalLoadOp, LocalStoreOp } from "../../../dialects/ttg/ops/local-memory.js";
import { MemDescIndexOp } from "../../../dialects/ttg/ops/memdesc-views.js";
import { RegionBranch } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";

/** Thrown where values cannot be followed; the message is the reason. Caught by `searched`. */
class Lost extends Error {}

/** The result of a search, or the reason why it ended without one. */
export function searched<T>(search: () => T): T | string {
  try {
    return search();
  } catch (error) {
    if (error instanceof Lost) return error.message;
    throw error;
  }
}

/** The values that `value` may be, with the results and arguments that carry them; `seen` ones are left out. */
export function sourcesOf(value: Value, seen = new Set<Value>()): Value[] {
  if (seen.has(value)) return [];
  seen.add(value);
  const { definingOp: op, argOwner, index } = value;
  const through = (...values: (Value | undefined)[]): Value[] => [...values.flatMap((from) => (from ? sourcesOf(from, seen) : [])), value];
  if (op?.def.interface(RegionBranch)) {
    const yields = op.regions.flatMap((region) => [...region.blocks()].map((block) => block.lastOp)).filter((last) => YieldOp.is(last));
    return through(...yields.map((last) => last!.operand(index)));
  }
  if (op) return [value];
  const parent = argOwner!.parentOp!;
  if (ForOp.is(parent))
    return index === 0 ? through(parent.operand(0)) : through(argOwner!.lastOp!.operand(index - 1), parent.operand(index + 2));
  if (WhileOp.is(parent)) return through(parent.regions[1]!.firstBlock!.lastOp!.operand(index), parent.operand(index));
  throw new Lost("a buffer or its data is an argument, whose source is not known");
}

/** The ops that use `value`, and in `carriers` the arguments and results that carry it to them. */
function usersOf(value: Value, carriers: Value[], seen: Set<Value>): Operation[] {
  if (seen.has(value)) return [];
  seen.add(value);
  const users: Operation[] = [];
  const follow = (...carried: (Value | undefined)[]): void => {
    for (const next of carried) {
      if (!next) continue;
      users.push(...usersOf(next, carriers, seen));
      carriers.push(next);
    }
  };
  for (const { owner: user, index } of value.uses()) {
    const parent = user.parentOp!;
    if (ReturnOp.is(user)) throw new Lost("the function returns the buffer");
    if (YieldOp.is(user)) {
      if (ForOp.is(parent)) follow(parent.result(index), parent.regions[0]!.firstBlock!.args[index + 1]);
      else if (IfOp.is(parent)) follow(parent.result(index));
      else if (WhileOp.is(parent)) follow(parent.regions[0]!.firstBlock!.args[index]);
      else throw new Lost(`${parent.name} carries the buffer`);
    } else if (ForOp.is(user)) follow(user.regions[0]!.firstBlock!.args[index - 2]);
    else if (WhileOp.is(user)) follow(user.regions[0]!.firstBlock!.args[index]);
    else if (ConditionOp.is(user)) follow(parent.regions[1]!.firstBlock!.args[index - 1], parent.result(index - 1));
    else if (user.name.startsWith("scf.")) throw new Lost(`${user.name} carries the buffer`);
    else users.push(user);
  }
  return users;
}

/** The ops and values around a buffer in shared memory. */
export interface SharedMemoryNetwork {
  /** `ttg.local_alloc` and `ttg.local_store`. */
  readonly stores: ReadonlySet<Operation>;
  /** Descriptors of the buffer: results of ops, and the arguments and results that carry them. */
  readonly buffers: readonly Value[];
}

/** The network that `load` belongs to. */
export function networkOf(load: Operation): SharedMemoryNetwork {
  const stores = new Set<Operation>();
  const buffers: Value[] = [];
  const visited = new Set<Operation>();
  const [seenBackward, seenForward] = [new Set<Value>(), new Set<Value>()];
  for (let step = [load]; step.length > 0; ) {
    const next: Operation[] = [];
    for (const op of step) {
      if (visited.has(op)) continue;
      visited.add(op);
      if (LocalAllocOp.is(op) || LocalStoreOp.is(op)) stores.add(op);
      else if (![MemDescIndexOp, LocalLoadOp, LocalDeallocOp].some((def) => def.is(op))) throw new Lost(`${op.name} uses the buffer`);
      const from = LocalAllocOp.is(op) ? undefined : op.operand(LocalStoreOp.is(op) ? 1 : 0);
      if (from)
        for (const source of sourcesOf(from, seenBackward)) {
          buffers.push(source);
          const made = source.definingOp;
          if (made && (MemDescIndexOp.is(made) || LocalAllocOp.is(made))) next.push(made);
        }
      if (LocalAllocOp.is(op) || MemDescIndexOp.is(op)) next.push(...usersOf(op.result(0), buffers, seenForward));
    }
    step = next;
  }
  return { stores, buffers };
}
