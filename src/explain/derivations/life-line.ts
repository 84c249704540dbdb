/**
 * The life line of a buffer or an mbarrier as a drawing: a column for each partition of warps, a row for each op that touches it, in the
 * order of the program. It follows views of the buffer, and the captures of partitions.
 */
import { MemDescIndexOp } from "../../dialects/ttg/ops/memdesc-views.js";
import { partitionRegionsOf, WarpSpecializeOp } from "../../dialects/ttg/ops/warp-specialize.js";
import { MemDescType } from "../../dialects/ttg/types.js";
import * as ttng from "../../dialects/ttng/ops/index.js";
import { constantInt } from "../../ir/match.js";
import type { Operation } from "../../ir/operation.js";
import type { Region } from "../../ir/region.js";
import type { Value } from "../../ir/value.js";

interface Naming {
  /** `%23` */
  readonly nameOf: (value: Value) => string;
  /** `kernel.py:12`, or nothing where the place is not known. */
  readonly placeOf: (op: Operation) => string;
}

/** Lines; none for other values, and where nothing asynchronous touches it. */
export function lifeLine(value: Value, naming: Naming): readonly string[] {
  if (!MemDescType.is(value.type)) return [];
  const views = viewsOf(value);
  const rows: { readonly column: number; readonly place: string; readonly text: string }[] = [];
  const columns: string[] = ["program"];
  const regions = new Map<Region, number>();
  let top = value.definingOp ?? value.argOwner?.region?.parentOp;
  while (top?.parentOp) top = top.parentOp;
  let isAsync = false;
  top?.walk((op) => {
    if (WarpSpecializeOp.is(op))
      [op.regions[0]!, ...partitionRegionsOf(op)].forEach((region, i) => {
        const name = i === 0 ? "default partition" : `partition ${i - 1}`;
        if (!columns.includes(name)) columns.push(name);
        regions.set(region, columns.indexOf(name));
      });
    const touched = op.operands.filter((operand) => views.has(operand));
    const text = touched.length === 0 ? undefined : actOf(op, touched, naming);
    if (text === undefined) return;
    isAsync ||= op.def.dialect === "ttng";
    const slot = touched.map((operand) => views.get(operand)!).find((index) => index !== undefined);
    const at = slot === undefined ? "" : `[${constantInt(slot) ?? naming.nameOf(slot)}] `;
    rows.push({ column: columnOf(op, regions), place: naming.placeOf(op), text: at + text + (isInLoop(op) ? ", in a loop" : "") });
  });
  return isAsync ? drawing(columns, rows) : [];
}

/** The value, its views, and what partitions capture of them, each with the index by which it was taken from a ring. */
function viewsOf(value: Value): ReadonlyMap<Value, Value | undefined> {
  const views = new Map<Value, Value | undefined>([[value, undefined]]);
  for (const [view, slot] of views)
    for (const use of view.uses()) {
      const { owner, index } = use;
      const captured = WarpSpecializeOp.is(owner) ? partitionRegionsOf(owner).map((region) => region.firstBlock!.args[index]!) : [];
      const taken = MemDescIndexOp.match(owner)?.index ?? slot;
      for (const next of [...captured, ...owner.results]) if (MemDescType.is(next.type) && !views.has(next)) views.set(next, taken);
    }
  return views;
}

/** In words, what an op does to the buffer or barrier that some of its operands are; undefined for views. */
function actOf(op: Operation, touched: readonly Value[], { nameOf }: Naming): string | undefined {
  const is = (operand: Value | undefined): boolean => operand !== undefined && touched.includes(operand);
  const arrivals = (count: number): string => `${count} arrival${count === 1 ? "" : "s"}`;
  const init = ttng.InitBarrierOp.match(op);
  if (init) return `begins: a phase ends after ${arrivals(init.count)}`;
  const expect = ttng.BarrierExpectOp.match(op);
  if (expect) return `arrives, and expects ${expect.size} bytes`;
  const wait = ttng.WaitBarrierOp.match(op);
  if (wait) return is(wait.alloc) ? `WAITS for phase ${constantInt(wait.phase) ?? nameOf(wait.phase)}` : undefined;
  const arrive = ttng.ArriveBarrierOp.match(op);
  if (arrive) return `arrives${arrive.count === 1 ? "" : ` ${arrive.count} times`}`;
  if (ttng.InvalBarrierOp.is(op)) return "ends";
  if (ttng.TCGen5CommitOp.is(op)) return "arrives when the products so far are done";
  const load = ttng.AsyncTMACopyGlobalToLocalOp.match(op) ?? ttng.AsyncTMAGatherOp.match(op);
  if (load) return is(load.barrier) ? "its bytes arrive when TMA has copied them" : "is written by TMA";
  const mma = ttng.TCGen5MMAOp.match(op) ?? ttng.TCGen5MMAScaledOp.match(op);
  if (mma) return is(mma.d) ? "is accumulated" : mma.barriers.some(is) ? "arrives when the product is done" : "is multiplied";
  if (ttng.WarpGroupDotOp.is(op)) return "is multiplied";
  const plain = ACTS[op.name];
  return plain ?? (op.results.some(({ type }) => MemDescType.is(type)) || WarpSpecializeOp.is(op) ? undefined : op.name);
}
const ACTS: Readonly<Record<string, string>> = {
  "ttg.local_store": "is stored to",
  "ttg.local_load": "is loaded",
  "ttg.local_dealloc": "ends",
  "ttg.async_copy_global_to_local": "is written by cp.async",
  "ttng.async_copy_mbarrier_arrive": "arrives when the copies so far are done",
  "ttng.async_tma_copy_local_to_global": "is read by TMA",
  "ttng.async_tma_reduce": "is read by TMA",
  "ttng.async_tma_scatter": "is read by TMA",
  "ttng.tmem_load": "is loaded",
  "ttng.tmem_store": "is stored to",
};

function columnOf(op: Operation, regions: ReadonlyMap<Region, number>): number {
  for (let region: Region | null | undefined = op.block?.region; region; region = region.parentOp?.block?.region) {
    const column = regions.get(region);
    if (column !== undefined) return column;
  }
  return 0;
}
function isInLoop(op: Operation): boolean {
  for (let at = op.parentOp; at; at = at.parentOp) if (at.name === "scf.for" || at.name === "scf.while") return true;
  return false;
}

function drawing(
  columns: readonly string[],
  rows: readonly { readonly column: number; readonly place: string; readonly text: string }[],
): readonly string[] {
  const used = columns.map((_, i) => i).filter((i) => rows.some(({ column }) => column === i));
  const wide = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));
  const placeWidth = wide(rows.map(({ place }) => place));
  const widths = used.map((i) => wide([columns[i]!, ...rows.filter(({ column }) => column === i).map(({ text }) => text)]));
  const row = (place: string, cells: readonly string[]): string =>
    `${place.padEnd(placeWidth)}  ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" │ ")}`.trimEnd();
  return [
    row(
      "",
      used.map((i) => columns[i]!),
    ),
    ...rows.map(({ place, column, text }) =>
      row(
        place,
        used.map((i) => (i === column ? text : "")),
      ),
    ),
  ];
}
