/**
 * `mbarrier`: a word of shared memory holds how many arrivals a phase expects (bits 0-14), how many are still pending
 * (15-29) and the phase's parity (30); the next word counts bytes on their way.
 */
import { type AccessKind, access, addressing, type LaneAccess } from "../access.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import type { Warp } from "../warp.js";

const COUNT = 0x7fff;

export const mbarrier: Rule = (c) => {
  const [, operation] = c.mnemonic.split(".");
  switch (operation) {
    case "init": {
      const count = c.source(c.operand(1), 32);
      return onBarrier(c, 0, "write", ({ I }, l, { i32 }, at) => {
        const n = I[count + l]! & COUNT;
        i32[at >> 2] = n | (n << 15);
        i32[(at >> 2) + 1] = 0;
      });
    }
    case "inval":
      return onBarrier(c, 0, "write", (_warp, _l, { i32 }, at) => {
        i32[at >> 2] = 0;
        i32[(at >> 2) + 1] = 0;
      });
    case "arrive":
      return arrive(c);
    case "expect_tx": {
      const bytes = c.source(c.operand(1), 32);
      return onBarrier(c, 0, "atomic", ({ I }, l, { i32 }, at) => void (i32[(at >> 2) + 1]! += I[bytes + l]!));
    }
    case "test_wait":
    case "try_wait":
      return wait(c);
    default:
      throw new NotModelled(`mbarrier.${operation}`);
  }
};

function onBarrier(c: InstructionCompiler, operand: number, kind: AccessKind, body: LaneAccess): void {
  const where = addressing(c, c.operand(operand));
  c.emit(access(c, c.op.modifiers.some((m) => m.startsWith("shared")) ? "shared" : "generic", where, 8, kind, body));
}

/** `mbarrier.arrive{.expect_tx}.b64 state, [at]{, n}`; the state is the phase that is waited for. */
function arrive(c: InstructionCompiler): void {
  const state = c.operand(0);
  const result = state.kind === "address" || (state.kind === "name" && state.name === "_") ? -1 : c.dest(state, 64);
  const base = state.kind === "address" ? 0 : 1;
  const extra = c.op.operands[base + 1];
  const row = extra === undefined ? -1 : c.source(extra, 32);
  const expects = c.has("expect_tx");
  onBarrier(c, base, "atomic", (warp, l, { i32 }, at) => {
    const w = at >> 2;
    const before = i32[w]!;
    if (expects) i32[w + 1]! += warp.I[row + l]!;
    const pending = ((before >>> 15) & COUNT) - (expects || row < 0 ? 1 : warp.I[row + l]!);
    i32[w] = (before & ~(COUNT << 15)) | ((pending & COUNT) << 15);
    publish(warp, at);
    if (result >= 0) {
      warp.I[result + 2 * l] = (before >>> 30) & 1;
      warp.I[result + 2 * l + 1] = 0;
    }
    complete(i32, w);
  });
}

/** Turns to the next phase when nothing is pending. */
function complete(i32: Int32Array, w: number): void {
  if (((i32[w]! >>> 15) & COUNT) !== 0 || i32[w + 1] !== 0) return;
  const count = i32[w]! & COUNT;
  i32[w] = ((i32[w]! ^ (1 << 30)) & ((1 << 30) | COUNT)) | (count << 15);
}

/** `mbarrier.try_wait{.parity}.b64 p, [at], phase`: whether that phase is over. Where not, the warp gives up its turn. */
function wait(c: InstructionCompiler): void {
  const p = c.predicateDest(c.operand(0));
  const row = c.has("parity") ? c.source(c.operand(2), 32) : c.source(c.operand(2), 64);
  const step = c.has("parity") ? 1 : 2;
  onBarrier(c, 1, "atomic", (warp, l, { i32 }, at) => {
    const over = ((i32[at >> 2]! >>> 30) & 1) !== (warp.I[row + step * l]! & 1);
    if (over) learn(warp, at);
    else warp.yielded = true;
    warp.P[p] = (warp.P[p]! & ~(1 << l)) | ((over ? 1 : 0) << l);
  });
}

/** What those that arrived knew, the warp that waits learns. */
const publish = (warp: Warp, at: number): void => warp.cta.shared.publish(at, warp);
const learn = (warp: Warp, at: number): void => warp.cta.shared.learn(at, warp);
