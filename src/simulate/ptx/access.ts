/** Memory accesses of a warp: where each lane goes, whether it may, and what the request costs. */
import type { Operand } from "../../ptx/instruction.js";
import { printOperand } from "../../ptx/print.js";
import type { Page } from "../memory.js";
import type { Site } from "./findings.js";
import { type InstructionCompiler, NotModelled } from "./instruction-compiler.js";
import type { Step } from "./lanes.js";
import type { SharedMemory } from "./shared-memory.js";
import type { Warp } from "./warp.js";
import { CTA_WINDOW, WINDOWS } from "./windows.js";

export type Space = "global" | "shared" | "local" | "generic";
export type AccessKind = "read" | "write" | "atomic";

/** Memory as bytes, halves and words. */
export interface Bytes {
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
}
/** The access of one lane, whose bytes start at `at`. */
export type LaneAccess = (warp: Warp, lane: number, memory: Bytes, at: number) => void;

/** Addresses of the lanes of one request. */
const addresses = new Float64Array(32);

/** Fills in the lanes' addresses. */
export type Addresses = (warp: Warp, mask: number, out: Float64Array) => void;

/** `[base+offset]` as a function of the warp. The cost of the access depends on it, unless `costs` is false. */
export function addressing(c: InstructionCompiler, operand: Operand, costs = true): Addresses {
  if (operand.kind !== "address") throw new NotModelled(`operand '${printOperand(operand)}' where an address is wanted`);
  let { base } = operand;
  let offset = 0;
  if (base.kind === "sum" && base.offset.kind === "integer" && c.address(base.base) === undefined) {
    offset = Number(base.minus ? -base.offset.value : base.offset.value);
    base = base.base;
  }
  const bits = base.kind === "name" ? (c.register(base.name)?.bits ?? 64) : 64;
  const row = costs ? c.addressSource(base, bits === 64 ? 64 : 32) : c.source(base, bits === 64 ? 64 : 32);
  if (bits === 64)
    return ({ U, I }, _mask, out) => {
      for (let l = 0; l < 32; l++) out[l] = U[row + 2 * l]! + I[row + 2 * l + 1]! * 2 ** 32 + offset;
    };
  return ({ I }, _mask, out) => {
    for (let l = 0; l < 32; l++) out[l] = (I[row + l]! + offset) >>> 0;
  };
}

/** The step of an access of `bytes` bytes a lane. */
export function access(c: InstructionCompiler, space: Space, where: Addresses, bytes: number, kind: AccessKind, body: LaneAccess): Step {
  const { site } = c;
  c.cost = (warp, mask) => {
    where(warp, mask, addresses);
    countRequest(warp, mask, addresses, bytes, space, kind, site);
  };
  if (space === "global")
    return (warp, mask) => {
      where(warp, mask, addresses);
      globalRequest(warp, mask, addresses, bytes, kind, site, body);
    };
  if (space === "shared")
    return (warp, mask) => {
      where(warp, mask, addresses);
      sharedRequest(warp, mask, addresses, bytes, kind, site, body);
    };
  if (space === "local")
    return (warp, mask) => {
      where(warp, mask, addresses);
      localRequest(warp, mask, addresses, bytes, site, body);
    };
  return (warp, mask) => {
    where(warp, mask, addresses);
    genericRequest(warp, mask, addresses, bytes, kind, site, body);
  };
}

/** The lanes of a generic access that go to shared and to local memory, whose addresses become those of the space. */
function windowsOf(at: Float64Array): { readonly shared: number; readonly local: number } {
  let shared = 0;
  let local = 0;
  const [inShared, inLocal, inParam] = [WINDOWS["shared"]!, WINDOWS["local"]!, WINDOWS["param"]!];
  for (let l = 0; l < 32; l++) {
    const a = at[l]!;
    if (a >= inShared && a < inLocal) {
      shared |= 1 << l;
      at[l] = a - inShared;
    } else if (a >= inLocal && a < inParam) {
      local |= 1 << l;
      at[l] = a - inLocal;
    }
  }
  return { shared, local };
}

function genericRequest(warp: Warp, mask: number, at: Float64Array, bytes: number, kind: AccessKind, site: Site, body: LaneAccess): void {
  const { shared, local } = windowsOf(at);
  if (mask & shared) sharedRequest(warp, mask & shared, at, bytes, kind, site, body);
  if (mask & local) localRequest(warp, mask & local, at, bytes, site, body);
  const global = mask & ~shared & ~local;
  if (global) globalRequest(warp, global, at, bytes, kind, site, body);
}

export function globalRequest(
  warp: Warp,
  mask: number,
  at: Float64Array,
  bytes: number,
  kind: AccessKind,
  site: Site,
  body: LaneAccess,
): void {
  const { memory, findings, facts, order } = warp.cta;
  if (facts) countGlobal(warp, site, mask, at, bytes, kind);
  const strong = order?.semanticsOf(site).strong;
  for (let l = 0; l < 32; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    const a = at[l]!;
    const page = memory.page(a);
    if (page === undefined || !memory.permits(page, a, bytes))
      findings.add("out-of-bounds", site, `thread ${warp.thread(l)}: ${memory.outOfBounds(a, bytes) ?? "beyond its page"}`);
    if ((a & (bytes - 1)) !== 0) {
      findings.add("misaligned", site, `thread ${warp.thread(l)}: address 0x${a.toString(16)} is not a multiple of ${bytes} bytes`);
      body(warp, l, NOTHING, 0);
    } else if (page === undefined) body(warp, l, NOTHING, 0);
    else {
      const offset = a & 1023;
      if (kind === "atomic") memory.prepareAtomic(a, bytes);
      flag(page, offset, bytes, kind === "write" ? WRITTEN : READ);
      const suspect = order === undefined ? 0 : order.check(page, offset, bytes, warp, site, kind !== "read");
      const found = page.i32[offset >> 2]!;
      const version = stored;
      body(warp, l, page, offset);
      // A compare-and-swap that fails stores nothing.
      const stores = kind === "write" || (kind === "atomic" && stored !== version);
      if (stores && kind === "atomic") flag(page, offset, bytes, WRITTEN);
      if (order === undefined) continue;
      if (stores) order.stored(page, offset, bytes, warp, site, suspect);
      if (kind === "write" || found !== page.i32[offset >> 2]) order.version++;
      if (!strong) continue;
      order.synchronise(a, warp, site, stores, kind === "atomic");
      if (kind !== "write") warp.polled(site, a, l, found, order.version);
    }
  }
}

/** The dummy memory that an access with an invalid address reads and writes. */
const nothing = new Uint8Array(64);
const NOTHING: Bytes = { u8: nothing, u16: new Uint16Array(nothing.buffer), i32: new Int32Array(nothing.buffer) };

const READ = 1;
const WRITTEN = 2;
let stored = 0;

/** To be called by an atomic that stores. */
export const noteAtomicStore = (): void => {
  stored++;
};

function flag(page: Page, at: number, bytes: number, bits: number): void {
  if (bytes === 1) page.flags[at]! |= bits;
  else if (bytes === 2) page.flags16[at >> 1]! |= bits * 0x0101;
  else for (let i = at >> 2; i < (at + bytes) >> 2; i++) page.flags32[i]! |= bits * 0x01010101;
}

/** A request of a warp to shared memory: checks and counts it, and calls `body` for each lane of the mask. */
export function sharedRequest(
  warp: Warp,
  mask: number,
  at: Float64Array,
  bytes: number,
  kind: AccessKind,
  site: Site,
  body: LaneAccess,
): void {
  const { facts } = warp.cta;
  if (facts) countShared(site, mask, at, bytes);
  for (let l = 0; l < 32; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    const shared = sharedAt(warp, at[l]!, l, site);
    const a = at[l]! % CTA_WINDOW;
    if (!shared?.allows(a, bytes, warp, l, site)) {
      body(warp, l, NOTHING, 0);
      continue;
    }
    if (shared !== warp.cta.shared && kind !== "atomic") shared.noteVisit(warp, l, site);
    if (kind !== "write") shared.noteRead(a, bytes, warp, l, site, kind === "atomic");
    if (kind !== "read") shared.noteWrite(a, bytes, warp, l, site, kind === "atomic");
    body(warp, l, shared, a);
    if (kind === "read") continue;
    shared.version++;
    if (kind === "write") shared.confirmWrite(a, bytes, warp, l, site);
  }
}

/** The memory that a shared address lies in: the CTA's own, or that of another in the cluster; reports one that does not exist. */
export function sharedAt(warp: Warp, at: number, lane: number, site: Site): SharedMemory | undefined {
  const { cta } = warp;
  if (at < CTA_WINDOW) return cta.shared;
  const rank = Math.floor(at / CTA_WINDOW) - 1;
  const other = cta.cluster[rank];
  if (other === undefined)
    cta.findings.add(
      "out-of-bounds",
      site,
      `thread ${warp.thread(lane)}: shared memory of CTA ${rank} of a cluster of ${cta.cluster.length}`,
    );
  return other?.shared;
}

function localRequest(warp: Warp, mask: number, at: Float64Array, bytes: number, site: Site, body: LaneAccess): void {
  const { local, localBytes } = warp;
  const memory = { u8: local, u16: new Uint16Array(local.buffer), i32: warp.local32 };
  for (let l = 0; l < 32; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    const a = at[l]!;
    if (a + bytes > localBytes) {
      warp.cta.findings.add("out-of-bounds", site, `thread ${warp.thread(l)}: byte ${a} of local memory, which has ${localBytes} bytes`);
      body(warp, l, NOTHING, 0);
    } else body(warp, l, memory, l * localBytes + a);
  }
}

// The cost of a request.

function countRequest(warp: Warp, mask: number, at: Float64Array, bytes: number, space: Space, kind: AccessKind, site: Site): void {
  if (space === "local") return;
  const { shared, local } = space === "generic" ? windowsOf(at) : { shared: space === "shared" ? mask : 0, local: 0 };
  if (mask & shared) countShared(site, mask & shared, at, bytes);
  countGlobal(warp, site, mask & ~shared & ~local, at, bytes, kind);
}

const seen = new Float64Array(256);
const seenIn = new Int32Array(256);
let generation = 0;

/** Whether a number is new in this generation; at most 128 of them. */
function isNew(value: number): boolean {
  let slot = (value ^ (value >>> 8)) & 255;
  while (seenIn[slot] === generation) {
    if (seen[slot] === value) return false;
    slot = (slot + 1) & 255;
  }
  seenIn[slot] = generation;
  seen[slot] = value;
  return true;
}

/** Hears of each 32-byte sector that a request touches, by its address divided by 32. */
export type Touched = (site: Site, sector: number, kind: AccessKind, warp: number) => void;

/** Counts the sectors of a request of a warp to global memory. */
export function countGlobal(
  { cta: { touched }, index, asLanes }: Warp,
  site: Site,
  mask: number,
  at: Float64Array,
  bytes: number,
  kind: AccessKind,
): void {
  if (mask === 0) return;
  if (asLanes) {
    for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) asLanes.accessed(l, site, at[l]!, bytes, kind);
    return;
  }
  let sectors = 0;
  let lines = 0;
  generation++;
  let last = -1;
  for (let l = 0; l < 32; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    const sector = Math.floor(at[l]! / 32);
    if (sector !== last && isNew(sector)) {
      sectors++;
      if (touched) for (let s = 0; s < bytes; s += 32) touched(site, sector + s / 32, kind, index);
    }
    last = sector;
  }
  generation++;
  last = -1;
  for (let l = 0; l < 32; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    const line = Math.floor(at[l]! / 128);
    if (line !== last && isNew(line)) lines++;
    last = line;
  }
  site.requests++;
  site.sectors += sectors * Math.ceil(bytes / 32);
  site.lines += lines;
}

const banks = new Int32Array(32);

/** The request that a site made last: one whose lanes lie alike, from the same bank on, costs the same. */
export interface LastRequest {
  mask: number;
  bytes: number;
  bank: number;
  readonly distances: Float64Array;
  wavefronts: number;
  ideal: number;
}

function isRepeated(last: LastRequest, mask: number, at: Float64Array, bytes: number, first: number): boolean {
  if (last.mask !== mask || last.bytes !== bytes || last.bank !== (first & 127)) return false;
  for (let l = 0; l < 32; l++) if ((mask >>> l) & 1 && last.distances[l] !== at[l]! - first) return false;
  return true;
}

/** Requests of more than 4 bytes a lane go in 2 or 4 parts; lanes that want one word of a bank share a wavefront. */
export function countShared(site: Site, mask: number, at: Float64Array, bytes: number): void {
  site.requests++;
  const first = at[31 - Math.clz32(mask & -mask)]!;
  site.last ??= { mask: 0, bytes: 0, bank: 0, distances: new Float64Array(32), wavefronts: 0, ideal: 0 };
  const { last } = site;
  if (!isRepeated(last, mask, at, bytes, first)) {
    last.mask = mask;
    last.bytes = bytes;
    last.bank = first & 127;
    for (let l = 0; l < 32; l++) last.distances[l] = at[l]! - first;
    last.wavefronts = last.ideal = 0;
    const parts = bytes <= 4 ? 1 : bytes === 8 ? 2 : 4;
    for (let part = 0; part < parts; part++) {
      const most = wavefrontsOf(mask, at, bytes, part, 32 / parts);
      last.wavefronts += most;
      if (most > 0) last.ideal++;
    }
  }
  site.wavefronts += last.wavefronts;
  site.idealWavefronts += last.ideal;
}

/** The most words that one bank has to give for a part of the lanes. */
function wavefrontsOf(mask: number, at: Float64Array, bytes: number, part: number, width: number): number {
  const words = Math.max(bytes >> 2, 1);
  banks.fill(0);
  generation++;
  let most = 0;
  for (let l = part * width; l < (part + 1) * width; l++) {
    if (((mask >>> l) & 1) === 0) continue;
    const first = Math.floor(at[l]! / 4);
    for (let k = 0; k < words; k++) if (isNew(first + k)) most = Math.max(most, ++banks[(first + k) & 31]!);
  }
  return most;
}
