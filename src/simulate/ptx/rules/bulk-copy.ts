/**
 * `cp.async.bulk` and `cp.reduce.async.bulk`: copies of boxes by tensor maps, and of plain bytes. One into shared memory reads
 * at once, and its data is there when its mbarrier is waited for; one out of it stores at once, and its bytes must stay until its
 * group is waited for.
 */
import type { Operand } from "../../../ptx/instruction.js";
import { encode, valuesOf } from "../../numbers/small-float.js";
import { type AccessKind, type Addresses, addressing, sharedAt } from "../access.js";
import { type InstructionCompiler, NotModelled, type Rule } from "../instruction-compiler.js";
import type { Step } from "../lanes.js";
import { addBulkRead, commitBulk, waitBulk } from "../read-groups.js";
import type { SharedMemory } from "../shared-memory.js";
import { type BoxPlace, boxBytes, type Combine, countBox, readBox, writeBox } from "../tensor-box.js";
import { readTensorMap, TENSOR_MAP_BYTES, type TensorMap } from "../tensor-map.js";
import type { Warp } from "../warp.js";
import { CTA_WINDOW, WINDOWS } from "../windows.js";

export const bulkCopy: Rule = (c) => {
  if (c.has("commit_group")) return c.emit(commitBulk);
  if (c.has("wait_group")) {
    const pending = c.immediate(c.operand(0));
    return c.emit((warp, mask) => waitBulk(warp, mask, pending));
  }
  if (c.has("prefetch")) return;
  if (c.op.modifiers.some((m) => m.startsWith("im2col"))) throw new NotModelled("im2col copies");
  if (c.op.modifiers.includes("bulk_group")) return c.has("tensor") ? storeBox(c) : storeBytes(c);
  if (c.has("mbarrier::complete_tx::bytes")) return loadInto(c);
  throw new NotModelled("this form of a bulk copy");
};

/** Each active lane's own. */
function forLanes(mask: number, each: (lane: number) => void): void {
  for (let l = 0; l < 32; l++) if ((mask >>> l) & 1) each(l);
}

// Addresses of lanes, of up to four operands at once.
const places = Array.from({ length: 4 }, () => new Float64Array(32));
function placesOf(warp: Warp, mask: number, wheres: readonly Addresses[]): void {
  wheres.forEach((where, i) => where(warp, mask, places[i]!));
}
/** A shared address in either space. */
const toShared = (at: number): number => (at >= WINDOWS["shared"]! ? at - WINDOWS["shared"]! : at);

/** The tensor map at a generic address, and where in it a lane's coordinates point. */
interface BoxOperand {
  readonly where: Addresses;
  readonly placeOf: (warp: Warp, lane: number) => BoxPlace;
}

function boxOperand(c: InstructionCompiler, operand: Operand): BoxOperand {
  if (operand.kind !== "address") throw new NotModelled("the tensor map");
  const [list] = operand.rest;
  if (list?.kind !== "vector") throw new NotModelled("coordinates that are no vector");
  const rows = list.elements.map((e) => c.source(e, 32));
  const byRows = c.has("tile::gather4") || c.has("tile::scatter4");
  return {
    where: addressing(c, { ...operand, rest: [] }),
    placeOf: ({ I }, l) => {
      const at = rows.map((row) => I[row + l]!);
      return byRows ? { kind: "rows", column: at[0]!, rows: at.slice(1) } : { kind: "tile", at };
    },
  };
}

function tensorMapAt(c: InstructionCompiler, warp: Warp, at: number, place: BoxPlace): TensorMap | undefined {
  const { findings, memory, params } = warp.cta;
  const param = at - WINDOWS["param"]!;
  let view: DataView | undefined;
  if (param >= 0 && param + TENSOR_MAP_BYTES <= params.byteLength) view = new DataView(params.buffer, param, TENSOR_MAP_BYTES);
  else {
    const page = memory.page(at, TENSOR_MAP_BYTES);
    const offset = at & 1023;
    if (page !== undefined && at % 64 === 0 && offset + TENSOR_MAP_BYTES <= 1024)
      view = new DataView(page.u8.buffer, page.u8.byteOffset + offset, TENSOR_MAP_BYTES);
  }
  const map = view === undefined ? "there is none" : readTensorMap(view);
  const rank = place.kind === "rows" ? 2 : place.at.length;
  const problem = typeof map === "string" ? map : map.dims.length === rank ? undefined : `its rank is ${map.dims.length}, not ${rank}`;
  if (problem === undefined) return map as TensorMap;
  findings.add("bad-descriptor", c.site, `the tensor map at 0x${at.toString(16)}: ${problem}`);
  return undefined;
}

/** Counts what copies touch of global memory: boxes, or as many bytes as the row `size` says. */
function boxCost(c: InstructionCompiler, where: Addresses, box: BoxOperand | undefined, size: number, kind: AccessKind): Step {
  return (warp, mask) => {
    where(warp, mask, places[0]!);
    forLanes(mask, (l) => {
      const at = places[0]![l]!;
      const place = box?.placeOf(warp, l) ?? WHOLE;
      const map = box ? tensorMapAt(c, warp, at, place) : bytesMap(at, warp.I[size + l]!);
      if (map) countBox(warp, l, c.site, map, place, kind);
    });
  };
}

/** `[to], [map, {...}], [mbarrier]{, mask}` or `[to], [from], bytes, [mbarrier]` */
function loadInto(c: InstructionCompiler): void {
  const { site } = c;
  const to = addressing(c, c.operand(0));
  const box = c.has("tensor") ? boxOperand(c, c.operand(1)) : undefined;
  const from = box?.where ?? addressing(c, c.operand(1));
  const size = box === undefined ? c.source(c.operand(2), 32) : -1;
  const barrierAt = box === undefined ? 3 : 2;
  const barrier = addressing(c, c.operand(barrierAt));
  const ctas = c.has("multicast::cluster") ? c.source(c.operand(barrierAt + 1), 32) : -1;
  const fromShared = box === undefined && !c.has("global");
  if (!fromShared) c.cost = boxCost(c, from, box, size, "read");
  c.emit((warp, mask) => {
    const { memory, findings, cluster } = warp.cta;
    placesOf(warp, mask, [to, from, barrier]);
    forLanes(mask, (l) => {
      const [target, source, arriveAt] = [toShared(places[0]![l]!), places[1]![l]!, toShared(places[2]![l]!)];
      const at = target % CTA_WINDOW;
      const place = box?.placeOf(warp, l) ?? WHOLE;
      const map = box === undefined ? bytesMap(fromShared ? 0 : source, warp.I[size + l]!) : tensorMapAt(c, warp, source, place);
      const bytes = map === undefined ? 0 : boxBytes(map, place);
      const into =
        ctas < 0
          ? [sharedAt(warp, target, l, site)]
          : cluster.filter(({ rank }) => (warp.I[ctas + l]! >>> rank) & 1).map((cta) => cta.shared);
      const targets = into.filter((s) => s?.allows(at, bytes, warp, l, site, box === undefined ? 16 : 128) === true) as SharedMemory[];
      if (map === undefined || !isWhole(c, warp, bytes) || targets.length === 0) return;
      if (warp.cta.facts && !fromShared) countBox(warp, l, site, map, place, "read");
      if (!warp.cta.data) {
        for (const shared of targets) begin(c, warp, l, shared, at, NO_DATA, arriveAt % CTA_WINDOW, bytes);
        return;
      }
      const data = fromShared ? sharedBytes(c, warp, l, toShared(source), bytes) : readBox(map, place, at, memory, findings, site);
      if (data !== undefined) for (const shared of targets) begin(c, warp, l, shared, at, data, arriveAt % CTA_WINDOW);
    });
  });
}

/** Whether it is a number of bytes that can be copied. */
function isWhole({ site }: InstructionCompiler, warp: Warp, bytes: number): boolean {
  if (bytes >= 0 && bytes % 16 === 0) return true;
  warp.cta.findings.add("misaligned", site, `${bytes} bytes are to be copied, which is no multiple of 16`);
  return false;
}

/** The data of a copy that is only counted when it arrives. */
const NO_DATA = new Uint8Array(0);

/** A copy is on its way, which arrives at an mbarrier of the same CTA. */
function begin(
  { site }: InstructionCompiler,
  warp: Warp,
  lane: number,
  shared: SharedMemory,
  to: number,
  bytes: Uint8Array,
  barrier: number,
  size = bytes.length,
): void {
  if (!shared.allows(barrier, 8, warp, lane, site)) return;
  const copy = { to, bytes, lane, site: site.index };
  shared.noteCopy(copy, warp, site, true);
  shared.mbarriers.later(barrier, site, "copy", () => {
    shared.arrive(copy, shared.tick(barrier));
    shared.mbarriers.transfer(barrier, -size, site);
  });
}

function sharedBytes(c: InstructionCompiler, warp: Warp, lane: number, at: number, bytes: number): Uint8Array | undefined {
  const shared = sharedAt(warp, at, lane, c.site);
  const from = at % CTA_WINDOW;
  if (!shared?.allows(from, bytes, warp, lane, c.site, 16)) return undefined;
  shared.endRead(shared.beginRead([from], bytes, warp, lane, c.site), warp);
  return shared.u8.slice(from, from + bytes);
}

/** Plain bytes as a box of one row. */
const bytesMap = (base: number, bytes: number): TensorMap => ({
  base,
  dims: [bytes],
  box: [bytes],
  strides: [],
  element: { type: "u8", bytes: 1 },
  swizzle: 0,
  nan: false,
});
const WHOLE: BoxPlace = { kind: "tile", at: [0] };

/** `[map, {...}], [from]`, with `cp.reduce` an operation */
function storeBox(c: InstructionCompiler): void {
  const box = boxOperand(c, c.operand(0));
  const from = addressing(c, c.operand(1));
  const reduction = c.op.modifiers.find((m) => REDUCTIONS.has(m));
  c.cost = boxCost(c, box.where, box, -1, reduction === undefined ? "write" : "atomic");
  c.emit((warp, mask) => {
    placesOf(warp, mask, [box.where, from]);
    forLanes(mask, (l) => {
      const place = box.placeOf(warp, l);
      const map = tensorMapAt(c, warp, places[0]![l]!, place);
      if (map)
        storeFrom(
          c,
          warp,
          l,
          map,
          place,
          toShared(places[1]![l]!),
          128,
          reduction === undefined ? undefined : combiner(reduction, map.element.type),
        );
    });
  });
}

/** `[to], [from], bytes` */
function storeBytes(c: InstructionCompiler): void {
  const [to, from] = [addressing(c, c.operand(0)), addressing(c, c.operand(1))];
  const size = c.source(c.operand(2), 32);
  const reduction = c.op.modifiers.find((m) => REDUCTIONS.has(m));
  if (reduction !== undefined) throw new NotModelled("reductions of plain bytes");
  c.cost = boxCost(c, to, undefined, size, "write");
  c.emit((warp, mask) => {
    placesOf(warp, mask, [to, from]);
    forLanes(mask, (l) =>
      storeFrom(c, warp, l, bytesMap(places[0]![l]!, warp.I[size + l]!), WHOLE, toShared(places[1]![l]!), 16, undefined),
    );
  });
}

function storeFrom(
  c: InstructionCompiler,
  warp: Warp,
  lane: number,
  map: TensorMap,
  place: BoxPlace,
  from: number,
  alignment: number,
  combine: Combine | undefined,
): void {
  const { site } = c;
  const { memory, findings, shared } = warp.cta;
  const bytes = boxBytes(map, place);
  if (!isWhole(c, warp, bytes) || !shared.allows(from, bytes, warp, lane, site, alignment)) return;
  if (warp.cta.facts) countBox(warp, lane, site, map, place, combine === undefined ? "write" : "atomic");
  if (!warp.cta.data) return;
  addBulkRead(warp, lane, shared.beginRead([from], bytes, warp, lane, site));
  writeBox(map, place, from, shared.u8, memory, findings, site, combine);
}

// Reductions, element by element.

const REDUCTIONS = new Set(["add", "min", "max", "inc", "dec", "and", "or", "xor"]);

function combiner(operation: string, type: string): Combine {
  const integer = /^[us](\d+)$/.exec(type);
  if (integer !== null) return integerCombiner(operation, Number(integer[1]), type.startsWith("s"));
  const combine = operation === "add" ? (a: number, b: number) => a + b : operation === "min" ? Math.min : Math.max;
  if (type === "f32" || type === "f64") {
    const wide = type === "f64";
    return (memory, at, operand, from) => {
      const [to, x] = [new DataView(memory.buffer, memory.byteOffset + at), new DataView(operand.buffer, operand.byteOffset + from)];
      if (wide) to.setFloat64(0, combine(to.getFloat64(0, true), x.getFloat64(0, true)), true);
      else to.setFloat32(0, combine(to.getFloat32(0, true), x.getFloat32(0, true)), true);
    };
  }
  const kind = type === "bf16" ? "bf16" : "f16";
  const values = valuesOf(kind);
  return (memory, at, operand, from) => {
    const bits = encode(kind, combine(values[memory[at]! | (memory[at + 1]! << 8)]!, values[operand[from]! | (operand[from + 1]! << 8)]!));
    memory[at] = bits;
    memory[at + 1] = bits >> 8;
  };
}

function integerCombiner(operation: string, bits: number, signed: boolean): Combine {
  const wrap = signed ? BigInt.asIntN : BigInt.asUintN;
  const read = (bytes: Uint8Array, at: number): bigint => {
    let value = 0n;
    for (let i = bits / 8 - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i]!);
    return wrap(bits, value);
  };
  const OPERATIONS: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
    add: (a, b) => a + b,
    // Math.min takes no bigints.
    min: (a, b) => (a - b < 0n ? a : b),
    max: (a, b) => (a - b > 0n ? a : b),
    inc: (a, b) => (a >= b ? 0n : a + 1n),
    dec: (a, b) => (a === 0n || a > b ? b : a - 1n),
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
  };
  const combine = OPERATIONS[operation]!;
  return (memory, at, operand, from) => {
    const value = BigInt.asUintN(bits, combine(read(memory, at), read(operand, from)));
    for (let i = 0; i < bits / 8; i++) memory[at + i] = Number((value >> BigInt(8 * i)) & 255n);
  };
}
