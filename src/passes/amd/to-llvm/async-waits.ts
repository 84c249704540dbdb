/**
 * Loads of shared memory that wait for asynchronous copies: neither barriers nor LLVM's alias analysis need to order them.
 * Source: third_party/amd/lib/TritonAMDGPUToLLVM/AsyncUtility.cpp, MembarUtility.cpp.
 */
import type { MembarFilter } from "../../../analysis/membar.js";
import * as amdg from "../../../dialects/amdg/ops/index.js";
import { BarrierOp } from "../../../dialects/gpu/ops/barrier.js";
import { AliasScopeAttr, AliasScopeDomainAttr } from "../../../dialects/llvm/attrs/memory.js";
import * as ttg from "../../../dialects/ttg/ops/async-copy.js";
import { LocalLoadOp } from "../../../dialects/ttg/ops/local-memory.js";
import { LocalBarrierOp } from "../../../dialects/ttg/ops/misc.js";
import type { AmdFamily } from "../../../gpu/amd.js";
import type { Attribute } from "../../../ir/attribute.js";
import { arrayAttr, boolAttr, stringAttr } from "../../../ir/builtin-attrs.js";
import type { Context } from "../../../ir/context.js";
import type { OpDef } from "../../../ir/define-op.js";
import { BranchOp } from "../../../ir/interfaces.js";
import type { Operation } from "../../../ir/operation.js";
import type { Value } from "../../../ir/value.js";
import type { Rewriter } from "../../../rewrite/rewriter.js";

import type { Lowering } from "./amd-lowering.js";

type AliasAttributes = Readonly<Record<string, Attribute>>;
const SYNCED = "ttg.amdg.syncedViaAsyncWait";
const COPIES: readonly OpDef[] = [ttg.AsyncCopyGlobalToLocalOp, amdg.BufferLoadToLocalOp];
const BARRIERS: readonly OpDef[] = [amdg.InitBarrierOp, amdg.ArriveBarrierOp, amdg.AsyncCopyMbarrierArriveOp, amdg.WaitBarrierOp];

/** LLVM has to be told which accesses an asynchronous copy does not alias. */
export const needsAliasScopes = (family: AmdFamily): boolean => family === "CDNA3" || family === "CDNA4";

/** Is the token a wait's, whichever way control came? */
function comesFromWait(token: Value): boolean {
  if (token.definingOp) return ttg.AsyncWaitOp.is(token.definingOp) || amdg.AsyncWaitOp.is(token.definingOp);
  const block = token.parentBlock!;
  return block.predecessors().every((from) => {
    const branch = from.lastOp!;
    const ranges = branch.def.interface(BranchOp);
    return (
      ranges !== undefined &&
      branch.successors.every(
        (to, i) => to.block !== block || comesFromWait(branch.operand(ranges.successorOperandRange(branch, i).start + token.index)),
      )
    );
  });
}

/** Notes on loads of shared memory whether they wait for copies. */
export function markSyncedLoads(module: Operation): void {
  module.walk((op) => {
    const load = LocalLoadOp.match(op) ?? amdg.LocalLoadPackedTransposedOp.match(op);
    if (!load || op.hasAttr(SYNCED)) return;
    const token = "token" in load ? load.token : undefined;
    op.setAttr(SYNCED, boolAttr(op.ctx, token !== undefined && comesFromWait(token)));
  });
}
const isSynced = (op: Operation): boolean => op.attr(SYNCED) === boolAttr(op.ctx, true);

const scope = (ctx: Context, id: string, description: string): Attribute =>
  AliasScopeAttr.get(ctx, {
    id: stringAttr(ctx, id),
    domain: AliasScopeDomainAttr.get(ctx, {
      id: stringAttr(ctx, "amdg.AsyncOps"),
      description: stringAttr(
        ctx,
        "Domain to hold alias scopes to specify aliasing information between AsyncCopyGlobalToLocal, BufferLoadToLocal and LocalLoad ops",
      ),
    }),
    description: stringAttr(ctx, description),
  });
const copies = (ctx: Context): Attribute =>
  arrayAttr(ctx, [scope(ctx, "amdg.AsyncCopies", "Scope containing all AsyncCopyGlobalToLocal and BufferLoadToLocal ops")]);
/** The attributes of an asynchronous copy. */
export const copyAliases = ({ ctx, target }: Lowering): AliasAttributes =>
  needsAliasScopes(target.family) ? { alias_scopes: copies(ctx) } : {};
/** The attributes of an access that no asynchronous copy under way aliases. */
export const loadAliases = ({ ctx, target }: Lowering): AliasAttributes =>
  needsAliasScopes(target.family)
    ? { alias_scopes: arrayAttr(ctx, [scope(ctx, "amdg.LocalLoads", "Scope containing all LocalLoad ops")]), noalias_scopes: copies(ctx) }
    : {};
/** The attributes of what the op that is lowered loads of shared memory. */
export const aliasesOfLoad = (lo: Lowering): AliasAttributes =>
  (LocalLoadOp.is(lo.op) || amdg.LocalLoadPackedTransposedOp.is(lo.op)) && isSynced(lo.op) ? loadAliases(lo) : {};

/** A wait is for the warp's own copies; a barrier after it is for those of the others. */
export function addBarriersAfterWaits(module: Operation, rw: Rewriter): void {
  const waits: Operation[] = [];
  module.walkPostOrder((op) => void (amdg.AsyncWaitOp.is(op) && waits.push(op)));
  for (const wait of waits) {
    if (wait.next && (BarrierOp.is(wait.next) || LocalBarrierOp.is(wait.next))) continue;
    rw.from(wait, () => rw.setAfter(wait).create(LocalBarrierOp, {}, { loc: wait.locRef }));
  }
}

/** Copies and the loads that waited for them need no barrier; neither do operations on barriers in shared memory. */
export const skipBarrier: MembarFilter = (before, after) => {
  const isCopy = (op: Operation): boolean => COPIES.includes(op.def);
  const waited = (op: Operation): boolean => LocalLoadOp.is(op) && isSynced(op);
  if (BARRIERS.includes(before.def) && BARRIERS.includes(after.def)) return true;
  return isCopy(before) !== isCopy(after) && (waited(before) || waited(after));
};
