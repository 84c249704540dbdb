/** `cp.async`: taken when issued, put down when its group is waited for, or the mbarrier that it arrives at. */
import { addressing, countGlobal, countShared } from "../access.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import type { Step } from "../lanes.js";
import type { AsyncCopy, Warp } from "../warp.js";
import { CTA_WINDOW } from "../windows.js";
import { bulkCopy } from "./bulk-copy.js";

export const cp: Rule = (c) => {
  if (c.has("bulk")) return bulkCopy(c);
  if (!c.has("async")) throw new NotModelled("cp");
  if (c.has("commit_group"))
    return c.emit((warp) => {
      warp.copyGroups.push(warp.openCopies);
      warp.openCopies = [];
    });
  if (c.has("wait_group")) {
    const pending = c.immediate(c.operand(0));
    return c.emit((warp) => arrive(warp, pending));
  }
  if (c.has("wait_all"))
    return c.emit((warp) => {
      warp.copyGroups.push(warp.openCopies);
      warp.openCopies = [];
      arrive(warp, 0);
    });
  if (c.has("mbarrier")) return arriveWhenCopied(c);
  c.emit(asyncCopy(c));
};

function arrive(warp: Warp, pending: number): void {
  while (warp.copyGroups.length > pending) for (const copy of warp.copyGroups.shift()!) warp.cta.shared.arrive(copy, warp);
}

function asyncCopy(c: InstructionCompiler): Step {
  const [to, from] = [addressing(c, c.operand(0)), addressing(c, c.operand(1))];
  const bytes = c.immediate(c.operand(2));
  const third = c.op.operands[3];
  // The fourth operand is the source's size, unless a policy is all that is left.
  const hasSize = third !== undefined && !(c.has("L2::cache_hint") && c.op.operands.length === 4);
  const sizeRow = hasSize ? c.addressSource(third, 32) : -1;
  const { site } = c;
  // AMD's copies are aligned to words.
  const alignment = c.has("words") ? 4 : bytes;
  const targets = new Float64Array(32);
  const sources = new Float64Array(32);
  const sharedTargets = new Float64Array(32);
  c.cost = (warp, mask) => {
    to(warp, mask, targets);
    from(warp, mask, sources);
    let reads = mask;
    if (sizeRow >= 0) for (let l = 0; l < 32; l++) if (warp.I[sizeRow + l]! <= 0) reads &= ~(1 << l);
    asyncFacts(c, warp, mask, reads, sources, targets, bytes);
  };
  return (warp, mask) => {
    const { memory, shared, findings, facts } = warp.cta;
    to(warp, mask, targets);
    from(warp, mask, sources);
    let reads = 0;
    for (let l = 0; l < 32; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const at = targets[l]!;
      sharedTargets[l] = at;
      if (!shared.allows(at, bytes, warp, l, site, alignment)) continue;
      const size = sizeRow < 0 ? bytes : Math.min(Math.max(warp.I[sizeRow + l]!, 0), bytes);
      const data = new Uint8Array(bytes);
      const a = sources[l]!;
      if (size > 0) {
        reads |= 1 << l;
        const page = memory.page(a);
        if (page === undefined || !memory.permits(page, a, size))
          findings.add("out-of-bounds", site, `thread ${warp.thread(l)}: ${memory.outOfBounds(a, size) ?? "beyond its page"}`);
        if ((a & (alignment - 1)) !== 0)
          findings.add("misaligned", site, `thread ${warp.thread(l)}: address 0x${a.toString(16)} is not a multiple of ${alignment} bytes`);
        else if (page !== undefined) {
          const offset = a & 1023;
          page.flags.subarray(offset, offset + size).forEach((flags, i, all) => {
            all[i] = flags | 1;
          });
          data.set(page.u8.subarray(offset, offset + size));
        }
      }
      const copy: AsyncCopy = { to: at, bytes: data, lane: l, site: site.index };
      shared.noteCopy(copy, warp, site);
      warp.openCopies.push(copy);
    }
    if (facts) asyncFacts(c, warp, mask, reads, sources, sharedTargets, bytes);
  };
}

function asyncFacts(
  c: InstructionCompiler,
  warp: Warp,
  mask: number,
  reads: number,
  sources: Float64Array,
  targets: Float64Array,
  bytes: number,
): void {
  const { requests } = c.site;
  countGlobal(warp, c.site, reads, sources, bytes, "read");
  countShared(c.site, mask, targets, bytes);
  c.site.requests = requests + 1;
}

/** `cp.async.mbarrier.arrive{.noinc} [at]`: each thread arrives when its copies until now are done. */
function arriveWhenCopied(c: InstructionCompiler): void {
  const where = addressing(c, c.operand(0));
  const addresses = new Float64Array(32);
  const { site } = c;
  const announced = c.has("noinc");
  c.emit((warp, mask) => {
    const { shared } = warp.cta;
    where(warp, mask, addresses);
    const copies = [...warp.copyGroups.flat(), ...warp.openCopies];
    for (let l = 0; l < 32; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const at = addresses[l]! % CTA_WINDOW;
      if (!shared.allows(at, 8, warp, l, site)) continue;
      const mine = copies.filter(({ lane }) => lane === l);
      // Without .noinc the arrival is announced first, so that it changes no count.
      if (!announced) shared.mbarriers.arrive(at, -1, site);
      shared.mbarriers.later(at, site, "copy", () => {
        const time = shared.tick(at);
        for (const copy of mine) shared.arrive(copy, time);
        shared.mbarriers.arrive(at, 1, site);
      });
    }
  });
}
