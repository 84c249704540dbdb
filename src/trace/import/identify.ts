/**
 * Which op of a step is which op of the step before, when only texts are known. First ops that are the same in every
 * respect, operands by identity; then ops in the same place of the data flow, of the same source line, or between the
 * same neighbours. Ops left over are new; `inferOrigins` says what it was made from. Every round is linear.
 */
import { longestIncreasing } from "../../support/longest-increasing.js";
import type { Sliced } from "../../support/slices.js";
import { inferOrigins } from "./infer-origins.js";
import { BLOCK, FIRST_ARG, type TextIR } from "./text-ops.js";
import { hashOf, mixHash } from "./text-scan.js";

export interface Identification {
  /** For each op after, its counterpart before; -1 for a new op. */
  readonly partner: Int32Array;
  /** For a new op, the op before that it was made from, as far as it is known; -1 where it is not. */
  readonly origin: Int32Array;
}

/** Halts between rounds. */
export function* identify(before: TextIR, after: TextIR): Sliced<Identification> {
  const matcher = new Matcher(before, after);
  yield;
  yield* matcher.run();
  yield;
  return { partner: matcher.match, origin: yield* inferOrigins(before, after, matcher.match, matcher.made) };
}

/** The properties that two ops must share to be paired in a round. */
interface Round {
  readonly says: "shape" | "bare" | "kind";
  /** Operands by identity; `through` layout conversions and casts; or not at all. */
  readonly operands: "same" | "through" | "any";
  /** `same`: equal, or both have none; `known`: equal and there is one. */
  readonly loc: "same" | "known" | "any";
  readonly scope: "parent" | "function";
  /** Also what the users say: distinguishes copies of an op. */
  readonly users?: boolean;
}
const EXACT: readonly Round[] = [
  { says: "shape", operands: "same", loc: "same", scope: "function", users: true },
  { says: "shape", operands: "same", loc: "any", scope: "function", users: true },
  { says: "shape", operands: "same", loc: "same", scope: "parent" },
  { says: "shape", operands: "same", loc: "same", scope: "function" },
  { says: "shape", operands: "same", loc: "any", scope: "function" },
];
const CHANGED: readonly Round[] = [
  { says: "shape", operands: "through", loc: "same", scope: "function" },
  { says: "shape", operands: "through", loc: "any", scope: "function" },
  { says: "bare", operands: "same", loc: "same", scope: "function" },
  { says: "bare", operands: "through", loc: "same", scope: "function" },
  { says: "bare", operands: "through", loc: "any", scope: "function" },
  { says: "kind", operands: "through", loc: "known", scope: "function" },
  { says: "shape", operands: "any", loc: "known", scope: "function" },
];
/** After the gaps between paired ops were compared. */
const AGAIN: readonly Round[] = [
  { says: "shape", operands: "same", loc: "any", scope: "function" },
  { says: "bare", operands: "through", loc: "any", scope: "function" },
];
const LOOSE: readonly Round[] = [
  { says: "bare", operands: "any", loc: "known", scope: "function" },
  { says: "kind", operands: "same", loc: "any", scope: "function" },
];

/** Ops that only change how a value is laid out or typed. */
const CONVERSIONS: ReadonlySet<number> = new Set(
  ["ttg.convert_layout", "triton_gpu.convert_layout", "builtin.unrealized_conversion_cast"].map(hashOf),
);
/** Gaps of more pairs than this are left to the rounds, which are linear. */
const MAX_GAP = 400_000;
/** Gaps between two halts. */
const GAPS = 64;

class Matcher {
  readonly match: Int32Array;
  /** For a new op, the op that it copies or replaces; -1 where that is not known. */
  readonly made: Int32Array;
  /** The inverse of `match`. */
  readonly #back: Int32Array;
  readonly #keys: Int32Array;
  readonly #next: Int32Array;
  readonly #usersBefore: Int32Array;
  readonly #usersAfter: Int32Array;
  /** Functions whose body is in the place of a call now. */
  #inlined = new Inlined([], new Map());
  /** The position of each op before in the order of the ops after. */
  #position: Int32Array;
  #order: Int32Array;

  constructor(
    readonly before: TextIR,
    readonly after: TextIR,
  ) {
    this.match = new Int32Array(after.numOps).fill(-1);
    this.made = new Int32Array(after.numOps).fill(-1);
    this.#back = new Int32Array(before.numOps).fill(-1);
    this.#keys = new Int32Array(before.numOps);
    this.#next = new Int32Array(before.numOps);
    this.#usersBefore = usersHashes(before);
    this.#usersAfter = usersHashes(after);
    this.#order = Int32Array.from({ length: before.numOps }, (_, i) => i);
    this.#position = this.#order;
  }

  *run(): Sliced<void> {
    this.functions();
    this.spliceInlined();
    yield* this.rounds(EXACT);
    if (this.done()) return;
    yield* this.rounds(CHANGED);
    for (let i = 0; i < 3; i++) {
      let found = yield* this.gaps();
      found += this.fromUsers();
      found += yield* this.rounds(AGAIN);
      if (found === 0) break;
    }
    yield* this.rounds(LOOSE);
    this.fromUsers();
    yield;
    this.clonedBodies();
  }
  private done(): boolean {
    return !this.match.includes(-1) || !this.#back.includes(-1);
  }

  private pair(after: number, before: number): void {
    this.match[after] = before;
    this.#back[before] = after;
  }

  /** Functions by symbol, whatever their kind; what holds them (the module) in order. */
  private functions(): void {
    const { before, after } = this;
    const symbols = new Map<number, number>();
    const top: number[] = [];
    for (let i = 0; i < before.numOps; i++) {
      if (before.symbol[i] !== 0 && !symbols.has(before.symbol[i]!)) symbols.set(before.symbol[i]!, i);
      else if (before.parent[i] === -1 && before.symbol[i] === 0) top.push(i);
    }
    let next = 0;
    for (let i = 0; i < after.numOps; i++) {
      if (after.symbol[i] !== 0) {
        const partner = symbols.get(after.symbol[i]!);
        if (partner !== undefined && this.#back[partner] === -1) this.pair(i, partner);
      } else if (after.parent[i] === -1 && next < top.length && before.kind[top[next]!] === after.kind[i]) this.pair(i, top[next++]!);
    }
  }

  private *rounds(rounds: readonly Round[]): Sliced<number> {
    let found = 0;
    for (const round of rounds) {
      found += this.round(round);
      yield;
    }
    return found;
  }

  /** Pairs ops with equal keys, in order. Keys are computed in order, so that operands are paired before their users. */
  private round(round: Round): number {
    const { before, after, match } = this;
    const keys = this.#keys;
    const next = this.#next;
    let size = 64;
    while (size < before.numOps) size *= 2;
    const heads = new Int32Array(size).fill(-1);
    const mask = size - 1;
    let waiting = 0;
    for (let i = before.numOps - 1; i >= 0; i--) {
      if (this.#back[i] !== -1) continue;
      const key = this.key(before, i, round, undefined);
      if (key === 0) continue;
      keys[i] = key;
      next[i] = heads[key & mask]!;
      heads[key & mask] = i;
      waiting++;
    }
    let found = 0;
    for (let i = 0; i < after.numOps && waiting > 0; i++) {
      if (match[i] !== -1) continue;
      const key = this.key(after, i, round, match);
      if (key === 0) continue;
      let previous = -1;
      for (let j = heads[key & mask]!; j !== -1; previous = j, j = next[j]!) {
        if (keys[j] !== key || before.kind[j] !== after.kind[i]) continue;
        if (previous === -1) heads[key & mask] = next[j]!;
        else next[previous] = next[j]!;
        this.pair(i, j);
        waiting--;
        found++;
        break;
      }
    }
    return found;
  }

  /** The hash of an op that a round compares; 0 for an op that it skips. `match` is given for the IR after the pass. */
  private key(ir: TextIR, op: number, round: Round, match: Int32Array | undefined): number {
    if (ir.symbol[op] !== 0) return 0;
    const from = ir.operandStart[op]!;
    const to = ir.operandStart[op + 1]!;
    // A constant is what it says; of several the first stays.
    if (from === to && (round.says === "kind" || round.users)) return 0;
    // Looking through conversions, one looks like the next.
    if (round.operands === "through" && round.says !== "shape" && CONVERSIONS.has(ir.kind[op]!)) return 0;
    let h = ir[round.says][op]!;
    const loc = ir.loc[op]!;
    if (round.loc === "known" && loc === 0) return 0;
    if (round.loc !== "any") h = mixHash(h, loc);
    if (round.users) h = mixHash(h, (match ? this.#usersAfter : this.#usersBefore)[op]!);
    let scope = (round.scope === "parent" ? ir.parent : ir.root)[op]!;
    if (!match) scope = this.#inlined.into(scope);
    const place = scope < 0 || !match ? scope : match[scope]!;
    if (scope >= 0 && place < 0) return 0;
    h = mixHash(h, place);
    if (round.operands !== "any") {
      const through = round.operands === "through";
      for (let k = from; k < to; k++) {
        let value = ir.operands[k]!;
        if (!match) value = this.#inlined.value(ir, value);
        if (through) value = throughConversions(ir, value);
        if (value < 0) continue;
        let definer = ir.valueOp[value]!;
        if (match && (definer = match[definer]!) < 0) return 0;
        h = mixHash(mixHash(h, definer), ir.valueIndex[value]!);
      }
    }
    return h || 1;
  }

  /**
   * A function that is gone, or has no body any more, was inlined; its body went to its last call, and copies of it to the others. For what follows
   * the body is there, its arguments are the call's operands, and the call's results what it returns.
   */
  private spliceInlined(): void {
    const { before } = this;
    const sites = new Map<number, number>();
    const functions = new Map<number, number>();
    for (let i = 0; i < before.numOps; i++)
      if (before.symbol[i] !== 0 && !functions.has(before.symbol[i]!)) functions.set(before.symbol[i]!, i);
    for (let i = 0; i < before.numOps; i++) {
      const callee = before.callee[i] === 0 ? undefined : functions.get(before.callee[i]!);
      if (callee === undefined || before.root[i] === callee || isDeclaration(before, callee)) continue;
      if (this.#back[callee] === -1 || isDeclaration(this.after, this.#back[callee]!)) sites.set(callee, i);
    }
    if (sites.size === 0) return;
    this.#inlined = new Inlined(before.root, sites);
    this.#inlined.returns(before);
    const bodyAt = new Map([...sites].map(([callee, call]) => [call, callee]));
    const order = new Int32Array(before.numOps);
    const placed = new Uint8Array(before.numOps);
    let length = 0;
    const place = (from: number, body: number) => {
      for (let i = from; i < before.numOps && (body < 0 || before.root[i] === body); i++) {
        const root = before.root[i]!;
        // Bodies come where their calls are; the functions themselves stay.
        if (placed[i] || (root !== i && root !== body && sites.has(root))) continue;
        placed[i] = 1;
        order[length++] = i;
        const callee = bodyAt.get(i);
        if (callee !== undefined) place(callee + 1, callee);
      }
    };
    place(0, -1);
    for (let i = 0; i < before.numOps; i++) if (!placed[i]) order[length++] = i;
    this.#order = order;
    this.#position = new Int32Array(before.numOps);
    for (let k = 0; k < order.length; k++) this.#position[order[k]!] = k;
  }

  /** In the place of another call is a copy of the body, in the body's order; what was folded away is passed over. */
  private clonedBodies(): void {
    const { before, after, match } = this;
    const functions = new Map<number, number>();
    for (let i = 0; i < before.numOps; i++)
      if (before.symbol[i] !== 0 && !functions.has(before.symbol[i]!)) functions.set(before.symbol[i]!, i);
    if (functions.size < 2) return;
    for (const gap of this.eachGap()) {
      let next = gap.afterFrom;
      for (let k = gap.beforeFrom; k < gap.beforeTo; k++) {
        const call = this.#order[k]!;
        if (before.callee[call] === 0 || this.#back[call] !== -1) continue;
        const body = functions.get(before.callee[call]!);
        if (body === undefined) continue;
        let at = body + 1;
        for (; next < gap.afterTo && before.root[at] === body; next++) {
          if (match[next] !== -1) continue;
          let j = at;
          while (j < at + 64 && before.root[j] === body && before.shape[j] !== after.shape[next]) j++;
          if (j === at + 64 || before.root[j] !== body) continue;
          this.made[next] = j;
          at = j + 1;
        }
      }
    }
  }

  /** Stretches of both sides (places in `#order` before) between neighbours that are paired and in the same order. */
  private *eachGap(): Generator<{ beforeFrom: number; beforeTo: number; afterFrom: number; afterTo: number }> {
    const { before, after, match } = this;
    const places = Int32Array.from(match, (m) => (m < 0 ? -1 : this.#position[m]!));
    const stays = longestIncreasing(places);
    let beforeFrom = 0;
    let afterFrom = 0;
    for (let i = 0; i <= after.numOps; i++) {
      if (i < after.numOps && !stays[i]) continue;
      const beforeTo = i < after.numOps ? places[i]! : before.numOps;
      if (i > afterFrom && beforeTo > beforeFrom) yield { beforeFrom, beforeTo, afterFrom, afterTo: i };
      beforeFrom = beforeTo + 1;
      afterFrom = i + 1;
    }
  }

  /** Pairs what is alike between the same neighbours: the alignment in order with the highest likeness. */
  private *gaps(): Sliced<number> {
    const { before, after } = this;
    let found = 0;
    let seen = 0;
    for (const gap of this.eachGap()) {
      if (++seen % GAPS === 0) yield;
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let i = gap.afterFrom; i < gap.afterTo; i++) if (this.match[i] === -1 && after.symbol[i] === 0) ours.push(i);
      for (let k = gap.beforeFrom; k < gap.beforeTo; k++) {
        const i = this.#order[k]!;
        if (this.#back[i] === -1 && before.symbol[i] === 0) theirs.push(i);
      }
      const kinds = new Set(theirs.map((i) => before.kind[i]));
      const possible = ours.filter((i) => kinds.has(after.kind[i]));
      if (possible.length === 0 || possible.length * theirs.length > MAX_GAP) continue;
      const width = theirs.length + 1;
      const best = new Float64Array((possible.length + 1) * width);
      for (let i = possible.length - 1; i >= 0; i--)
        for (let j = theirs.length - 1; j >= 0; j--) {
          const like = this.likeness(possible[i]!, theirs[j]!);
          const skip = Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
          best[i * width + j] = like > 0 ? Math.max(skip, like + best[(i + 1) * width + j + 1]!) : skip;
        }
      for (let i = 0, j = 0; i < possible.length && j < theirs.length; ) {
        const here = best[i * width + j]!;
        if (here === best[(i + 1) * width + j]) i++;
        else if (here === best[i * width + j + 1]) j++;
        else {
          this.pair(possible[i++]!, theirs[j++]!);
          found++;
        }
      }
    }
    return found;
  }

  /** How alike two unpaired ops are; 0 for ops that cannot be the same. */
  private likeness(a: number, b: number): number {
    const { before, after, match } = this;
    if (after.kind[a] !== before.kind[b]) return 0;
    const root = after.root[a]!;
    if (root >= 0 && match[root] !== this.#inlined.into(before.root[b]!)) return 0;
    if (after.kind[a] === BLOCK) return after.shape[a] === before.shape[b] ? 3 : 1;
    const loc = after.loc[a] !== 0 && after.loc[a] === before.loc[b] ? 2 : 0;
    const says = after.shape[a] === before.shape[b] ? 3 : after.bare[a] === before.bare[b] ? 2 : 0;
    const ours = after.operandStart[a + 1]! - after.operandStart[a]!;
    const theirs = before.operandStart[b + 1]! - before.operandStart[b]!;
    if (ours === 0 && theirs === 0) return says === 0 ? 0 : says + loc;
    let agree = 0;
    for (let k = 0; k < Math.min(ours, theirs); k++) {
      const x = throughConversions(after, after.operands[after.operandStart[a]! + k]!);
      const y = throughConversions(before, this.#inlined.value(before, before.operands[before.operandStart[b]! + k]!));
      if (x >= 0 && y >= 0 && match[after.valueOp[x]!] === before.valueOp[y] && after.valueIndex[x] === before.valueIndex[y]) agree++;
    }
    return says + loc + agree === 0 ? 0 : 1 + says + loc + (3 * agree) / Math.max(ours, theirs);
  }

  /** An op whose user is paired, at the same operand, with the user of an unpaired op of the same kind. Last first: chains. */
  private fromUsers(): number {
    const { before, after, match } = this;
    let found = 0;
    for (let i = after.numOps - 1; i >= 0; i--) {
      const partner = match[i]!;
      if (partner < 0) continue;
      const ours = after.operandStart[i]!;
      const theirs = before.operandStart[partner]!;
      const count = Math.min(after.operandStart[i + 1]! - ours, before.operandStart[partner + 1]! - theirs);
      for (let k = 0; k < count; k++) {
        const x = after.operands[ours + k]!;
        const y = this.#inlined.value(before, before.operands[theirs + k]!);
        if (x < 0 || y < 0 || after.valueIndex[x] !== before.valueIndex[y]) continue;
        const a = after.valueOp[x]!;
        const b = before.valueOp[y]!;
        if (match[a] !== -1 || this.#back[b] !== -1) continue;
        if (after.kind[a] === before.kind[b] && (after.operandStart[a] !== after.operandStart[a + 1] || after.bare[a] === before.bare[b])) {
          this.pair(a, b);
          found++;
        } else if (this.made[a] === -1) this.made[a] = b;
      }
    }
    return found;
  }
}

/** For each op a hash of what its users say, and of where they use it; in no order. */
function usersHashes(ir: TextIR): Int32Array {
  const hashes = new Int32Array(ir.numOps);
  for (let i = 0; i < ir.numOps; i++) {
    const from = ir.operandStart[i]!;
    for (let k = from; k < ir.operandStart[i + 1]!; k++) {
      const value = ir.operands[k]!;
      if (value >= 0) hashes[ir.valueOp[value]!]! += mixHash(mixHash(ir.shape[i]!, ir.valueIndex[value]!), k - from);
    }
  }
  return hashes;
}

function isDeclaration(ir: TextIR, func: number): boolean {
  return func + 1 >= ir.numOps || ir.root[func + 1] !== func;
}

/** Values and places of a step as they are once its calls to functions that are gone have been inlined. */
class Inlined {
  /** The values that a function returns: the operands of its return. */
  readonly #returned = new Map<number, readonly number[]>();
  readonly #calls: ReadonlyMap<number, number>;
  constructor(
    readonly root: ArrayLike<number>,
    /** The call by function. */
    readonly sites: ReadonlyMap<number, number>,
  ) {
    this.#calls = new Map([...sites].map(([callee, call]) => [call, callee]));
  }
  /** Notes what the functions return: the operands of their last op. */
  returns(ir: TextIR): void {
    let last = -1;
    for (let i = 0; i <= ir.numOps; i++) {
      const root = i < ir.numOps ? ir.root[i]! : -1;
      if (last >= 0 && root !== ir.root[last] && this.sites.has(ir.root[last]!))
        this.#returned.set(ir.root[last]!, [...ir.operands.subarray(ir.operandStart[last]!, ir.operandStart[last + 1]!)]);
      last = root >= 0 ? i : -1;
    }
  }
  /** The function that an op of `scope` is in now. */
  into(scope: number): number {
    for (let i = 0; i < 64; i++) {
      const call = this.sites.get(scope);
      if (call === undefined) break;
      scope = this.root[call]!;
    }
    return scope;
  }
  /** The value after inlining: an argument becomes the call's operand, a call's result becomes the returned value. */
  value(ir: TextIR, value: number): number {
    if (this.sites.size === 0) return value;
    for (let i = 0; i < 64 && value >= 0; i++) {
      const op = ir.valueOp[value]!;
      const index = ir.valueIndex[value]!;
      const call = this.sites.get(op);
      const callee = this.#calls.get(op);
      let now: number | undefined;
      if (call !== undefined && index >= FIRST_ARG) now = ir.operands[ir.operandStart[call]! + index - FIRST_ARG];
      else if (callee !== undefined && index < FIRST_ARG) now = this.#returned.get(callee)?.[index];
      if (now === undefined || now < 0) break;
      value = now;
    }
    return value;
  }
}

/** The value that a chain of layout conversions and casts begins with. */
function throughConversions(ir: TextIR, value: number): number {
  for (let i = 0; i < 8 && value >= 0; i++) {
    const op = ir.valueOp[value]!;
    const from = ir.operandStart[op]!;
    if (!CONVERSIONS.has(ir.kind[op]!) || ir.operandStart[op + 1] !== from + 1) break;
    value = ir.operands[from]!;
  }
  return value;
}
