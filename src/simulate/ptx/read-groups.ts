/** Groups of asynchronous reads of shared memory, by wgmma and by a thread's bulk copies. The bytes must stay until waited for. */
import type { AsyncRead } from "./shared-memory.js";
import type { ReadGroups, Warp } from "./warp.js";

/** A lane has issued one. */
export function addBulkRead(warp: Warp, lane: number, read: AsyncRead): void {
  let mine = warp.bulk.get(lane);
  if (mine === undefined) warp.bulk.set(lane, (mine = { open: [], groups: [] }));
  mine.open.push(read);
}

/** Closes the open group. */
export function commit(reads: ReadGroups): void {
  reads.groups.push(reads.open);
  reads.open = [];
}

/** All but the last `pending` groups have read. */
export function wait({ groups }: ReadGroups, warp: Warp, pending: number): void {
  while (groups.length > pending) for (const read of groups.shift()!) warp.cta.shared.endRead(read, warp);
}

/** `cp.async.bulk.commit_group` */
export function commitBulk(warp: Warp, mask: number): void {
  for (const [lane, mine] of warp.bulk) if ((mask >>> lane) & 1) commit(mine);
}

/** `cp.async.bulk.wait_group` */
export function waitBulk(warp: Warp, mask: number, pending: number): void {
  for (const [lane, mine] of warp.bulk) if ((mask >>> lane) & 1) wait(mine, warp, pending);
}

/** The warp is gone: what it has not waited for may find its memory given away. */
export function endBulkCopies(warp: Warp): void {
  for (const [lane, { open, groups }] of warp.bulk)
    for (const { site } of [...groups.flat(), ...open])
      warp.cta.findings.add("early-read", site, `thread ${warp.thread(lane)} ends before the wait for its bulk copy out of shared memory`);
  warp.bulk.clear();
}
