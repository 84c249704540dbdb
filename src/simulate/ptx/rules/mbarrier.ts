/** `mbarrier`: see `mbarriers.ts` for what their words hold. */
import { type AccessKind, access, addressing } from "../access.js";
import { Stop } from "../findings.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import { SharedMemory } from "../shared-memory.js";
import type { Warp } from "../warp.js";

export const mbarrier: Rule = (c) => {
  const [, operation] = c.mnemonic.split(".");
  const { site } = c;
  switch (operation) {
    case "init": {
      const count = c.source(c.operand(1), 32);
      return onBarrier(c, 0, "write", ({ I }, l, shared, at) => shared.mbarriers.init(at, I[count + l]!, site));
    }
    case "inval":
      return onBarrier(c, 0, "write", (_warp, _l, shared, at) => shared.mbarriers.invalidate(at, site));
    case "arrive":
      return arrive(c);
    case "expect_tx":
    case "complete_tx": {
      const bytes = c.source(c.operand(1), 32);
      const sign = operation === "expect_tx" ? 1 : -1;
      return onBarrier(c, 0, "atomic", ({ I }, l, shared, at) => shared.mbarriers.transfer(at, sign * I[bytes + l]!, site));
    }
    case "test_wait":
    case "try_wait":
      return wait(c);
    default:
      throw new NotModelled(`mbarrier.${operation}`);
  }
};

type OnBarrier = (warp: Warp, lane: number, shared: SharedMemory, at: number) => void;

/** A wait for what is no mbarrier would never end, so the run does: hardware stops there too. */
function onBarrier(c: InstructionCompiler, operand: number, kind: AccessKind, body: OnBarrier): void {
  const where = addressing(c, c.operand(operand));
  const space = c.op.modifiers.some((m) => m.startsWith("shared")) ? "shared" : "generic";
  const { site } = c;
  c.emit(
    access(c, space, where, 8, kind, (warp, l, memory, at) => {
      if (memory instanceof SharedMemory) return body(warp, l, memory, at);
      warp.cta.findings.add("barrier", site, `thread ${warp.thread(l)}: there is no place for an mbarrier at that address`);
      throw new Stop("mbarrier");
    }),
  );
}

/** `mbarrier.arrive{.expect_tx}.b64 state, [at]{, n}`; the state is the phase that is waited for. */
function arrive(c: InstructionCompiler): void {
  const { site } = c;
  const state = c.operand(0);
  const result = state.kind === "address" || (state.kind === "name" && state.name === "_") ? -1 : c.dest(state, 64);
  const base = state.kind === "address" ? 0 : 1;
  const extra = c.op.operands[base + 1];
  const row = extra === undefined ? -1 : c.source(extra, 32);
  const expects = c.has("expect_tx");
  onBarrier(c, base, "atomic", (warp, l, shared, at) => {
    const { mbarriers } = shared;
    if (expects) mbarriers.transfer(at, warp.I[row + l]!, site);
    shared.publish(at, warp);
    const phase = mbarriers.arrive(at, expects || row < 0 ? 1 : warp.I[row + l]!, site);
    if (result >= 0) {
      warp.I[result + 2 * l] = phase;
      warp.I[result + 2 * l + 1] = 0;
    }
  });
}

/** `mbarrier.try_wait{.parity}.b64 p, [at], phase`: whether that phase is over. Where not, the warp gives up its turn. */
function wait(c: InstructionCompiler): void {
  const { site } = c;
  const p = c.predicateDest(c.operand(0));
  const row = c.has("parity") ? c.source(c.operand(2), 32) : c.source(c.operand(2), 64);
  const step = c.has("parity") ? 1 : 2;
  c.emit((warp) => {
    warp.questions++;
  });
  onBarrier(c, 1, "atomic", (warp, l, shared, at) => {
    const parity = warp.I[row + step * l]! & 1;
    const over = shared.mbarriers.isOver(at, parity, warp, site);
    if (over) shared.learn(at, warp);
    else {
      warp.yielded = true;
      warp.stalled = `phase ${parity} of the mbarrier at ${at} (${shared.mbarriers.missing(at)} to come)`;
    }
    warp.P[p] = (warp.P[p]! & ~(1 << l)) | ((over ? 1 : 0) << l);
  });
}
