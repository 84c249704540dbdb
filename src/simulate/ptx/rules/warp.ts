/** Instructions by which the lanes of a warp talk: shuffles, votes, matches, reductions, elections. */
import type { Operand } from "../../../ptx/instruction.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import type { Warp } from "../warp.js";

/** Lanes of the member mask that are not here. */
function checkMembers(c: InstructionCompiler, warp: Warp, mask: number, row: number): void {
  const lane = 31 - Math.clz32(mask & -mask);
  const members = warp.I[row + lane]!;
  if (members & ~mask & warp.live)
    warp.cta.findings.add(
      "absent-lanes",
      c.site,
      `lanes 0x${((members & ~mask) >>> 0).toString(16)} of warp ${warp.index} are named but not here`,
    );
}

/** `shfl.sync.MODE.b32 d{|p}, a, b, c, members` */
export const shfl: Rule = (c) => {
  const mode = c.oneOf("up", "down", "bfly", "idx");
  if (mode === undefined) throw new NotModelled("no mode is named");
  const target = c.operand(0);
  const [a, b, clamp] = [c.source(c.operand(1), 32), c.source(c.operand(2), 32), c.source(c.operand(3), 32)];
  const members = c.has("sync") ? c.source(c.operand(4), 32) : c.file.constant(-1n, false);
  const d = c.dest(target.kind === "pair" ? target.first : target, 32);
  const p = target.kind === "pair" ? c.predicateDest(target.second) : -1;
  const values = new Int32Array(32);
  c.emit((warp, mask) => {
    const { I, P } = warp;
    checkMembers(c, warp, mask, members);
    for (let l = 0; l < 32; l++) values[l] = I[a + l]!;
    let valid = 0;
    for (let l = 0; l < 32; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const by = I[b + l]! & 31;
      const limit = I[clamp + l]! & 31;
      const segment = (I[clamp + l]! >>> 8) & 31;
      const most = (l & segment) | (limit & ~segment & 31);
      const least = l & segment;
      let from: number;
      let inside: boolean;
      if (mode === "up") {
        from = l - by;
        inside = from >= most;
      } else if (mode === "down") {
        from = l + by;
        inside = from <= most;
      } else if (mode === "bfly") {
        from = l ^ by;
        inside = from <= most;
      } else {
        from = least | (by & ~segment);
        inside = from <= most;
      }
      if (!inside) from = l;
      else valid |= 1 << l;
      I[d + l] = values[from]!;
    }
    if (p >= 0) P[p] = (P[p]! & ~mask) | (valid & mask);
  });
};

/** `vote.sync.all.pred p, q, members`, `.any`, `.uni`, `.ballot.b32 d`; `activemask.b32 d` */
export const vote: Rule = (c) => {
  const mode = c.oneOf("all", "any", "uni", "ballot");
  const source = c.predicateSource(c.operand(1));
  const members = c.has("sync") ? c.source(c.operand(2), 32) : c.file.constant(-1n, false);
  const ballot = mode === "ballot" ? c.dest(c.operand(0), 32) : -1;
  const p = mode === "ballot" ? -1 : c.predicateDest(c.operand(0));
  c.emit((warp, mask) => {
    const { I, P } = warp;
    checkMembers(c, warp, mask, members);
    const value = source & 1 ? ~P[source >> 1]! : P[source >> 1]!;
    const here = mask & I[members + lowest(mask)]!;
    const votes = value & here;
    if (ballot >= 0) {
      for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) I[ballot + l] = votes;
      return;
    }
    const holds = mode === "all" ? votes === here : mode === "any" ? votes !== 0 : votes === here || votes === 0;
    P[p] = holds ? P[p]! | mask : P[p]! & ~mask;
  });
};

export const activemask: Rule = (c) => {
  const d = c.dest(c.operand(0), 32);
  c.emit(({ I }, mask) => {
    for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) I[d + l] = mask;
  });
};

const lowest = (mask: number): number => 31 - Math.clz32(mask & -mask);

/** `redux.sync.OP.type d, a, members` */
export const redux: Rule = (c) => {
  const operation = c.oneOf("add", "min", "max", "and", "or", "xor");
  if (operation === undefined) throw new NotModelled("no operation is named");
  const [d, a, members] = [c.dest(c.operand(0), 32), c.source(c.operand(1), 32), c.source(c.operand(2), 32)];
  const { type } = c;
  const nan = c.has("NaN");
  const absolute = c.has("abs");
  c.emit((warp, mask) => {
    const { I, U, F } = warp;
    checkMembers(c, warp, mask, members);
    const here = mask & I[members + lowest(mask)]!;
    if (type === "f32") {
      let best = Number.NaN;
      for (let l = 0; l < 32; l++) {
        if (((here >>> l) & 1) === 0) continue;
        const x = absolute ? Math.abs(F[a + l]!) : F[a + l]!;
        if (nan && Number.isNaN(x)) {
          best = x;
          break;
        }
        if (Number.isNaN(best)) best = x;
        else if (!Number.isNaN(x)) best = operation === "min" ? Math.min(best, x) : Math.max(best, x);
      }
      for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) F[d + l] = best;
      return;
    }
    const from = type === "u32" ? U : I;
    let result = from[a + lowest(here)]!;
    for (let l = lowest(here) + 1; l < 32; l++) {
      if (((here >>> l) & 1) === 0) continue;
      const x = from[a + l]!;
      if (operation === "add") result = (result + x) | 0;
      else if (operation === "min") result = Math.min(result, x);
      else if (operation === "max") result = Math.max(result, x);
      else if (operation === "and") result &= x;
      else if (operation === "or") result |= x;
      else result ^= x;
    }
    for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) I[d + l] = result;
  });
};

/** `elect.sync d|p, members`: the lowest lane that is here. */
export const elect: Rule = (c) => {
  const target = c.operand(0);
  const members = c.source(c.operand(1), 32);
  const d = target.kind === "pair" ? c.dest(target.first, 32) : -1;
  const p = c.predicateDest(target.kind === "pair" ? target.second : target);
  c.emit((warp, mask) => {
    checkMembers(c, warp, mask, members);
    const leader = lowest(mask);
    if (d >= 0) for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) warp.I[d + l] = leader;
    warp.P[p] = (warp.P[p]! & ~mask) | (1 << leader);
  });
};

/** `match.any.sync.b32 d, a, members`, `match.all.sync.b32 d|p, a, members` */
export const match: Rule = (c) => {
  const target: Operand = c.operand(0);
  const wide = c.type === "b64";
  const all = c.has("all");
  const [a, members] = [c.source(c.operand(1), wide ? 64 : 32), c.source(c.operand(2), 32)];
  const d = c.dest(target.kind === "pair" ? target.first : target, 32);
  const p = target.kind === "pair" ? c.predicateDest(target.second) : -1;
  const masks = new Int32Array(32);
  c.emit((warp, mask) => {
    const { I, P } = warp;
    checkMembers(c, warp, mask, members);
    const same = (x: number, y: number) =>
      wide ? I[a + 2 * x] === I[a + 2 * y] && I[a + 2 * x + 1] === I[a + 2 * y + 1] : I[a + x] === I[a + y];
    for (let l = 0; l < 32; l++) {
      masks[l] = 0;
      for (let k = 0; k < 32; k++) if ((mask >>> k) & 1 && same(l, k)) masks[l]! |= 1 << k;
    }
    const agree = masks[lowest(mask)] === mask;
    for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) I[d + l] = all ? (agree ? mask : 0) : masks[l]!;
    if (p >= 0) P[p] = agree ? P[p]! | mask : P[p]! & ~mask;
  });
};

/** `bar.warp.sync members`: orders the memory accesses of the warp's lanes, as no other instruction of a warp does. */
export const warpBarrier: Rule = (c) => {
  const members = c.source(c.operand(0), 32);
  c.emit((warp, mask) => {
    checkMembers(c, warp, mask, members);
    warp.seen[warp.index]!++;
  });
};

/** `fns`: the n-th set bit from a position. */
export const fns: Rule = (c) => {
  const [d, a, b, n] = [c.dest(c.operand(0), 32), c.source(c.operand(1), 32), c.source(c.operand(2), 32), c.source(c.operand(3), 32)];
  c.emit(({ I }, mask) => {
    for (let l = 0; l < 32; l++) {
      if (((mask >>> l) & 1) === 0) continue;
      const bits = I[a + l]!;
      const step = I[n + l]! < 0 ? -1 : 1;
      let left = Math.abs(I[n + l]!);
      let at = I[b + l]!;
      if (left === 0) left = (bits >>> at) & 1 ? 1 : 33;
      for (; at >= 0 && at < 32; at += step) if ((bits >>> at) & 1 && --left === 0) break;
      I[d + l] = at >= 0 && at < 32 && left === 0 ? at : -1;
    }
  });
};
