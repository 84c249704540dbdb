/** `--thread`, `--convert` and `--conflicts`: what threads own, where it has to go, and what memory makes of it. */

import { bankConflictsMemDesc, simulateWavefronts, type Wavefronts } from "../layout/bank-conflicts.js";
import { type ConversionShape, conversionShape, type Move, movesInto } from "../layout/conversion.js";
import { placeOf } from "../layout/encoding-queries.js";
import { elementsOf } from "../layout/grid.js";
import { LayoutError } from "../layout/layout-error.js";
import type { LinearLayout } from "../layout/linear-layout.js";
import { distributedOf, sharedOf, type TensorLayout, UserError } from "./layout-input.js";
import { shortened } from "./options/option.js";

/** `--thread`'s number, checked; undefined for `all`. */
export function threadNumber(text: string, layout: LinearLayout): number | undefined {
  if (text === "all") return undefined;
  const threads = layout.getInDimSize("warp") * layout.getInDimSize("lane");
  if (!/^\d{1,9}$/.test(text) || Number(text) >= threads)
    throw new UserError(`error: --thread must be a number from 0 to ${threads - 1}, not '${shortened(text)}'\n`);
  return Number(text);
}

/** The elements that a thread owns in each block: the coordinates of each register. */
export interface ThreadElements {
  readonly block: number;
  readonly thread: number;
  readonly warp: number;
  readonly lane: number;
  readonly registers: readonly (readonly number[])[];
}

/** The elements that one thread, or every thread, owns. */
export function threadElements(tensor: TensorLayout, option: string): ThreadElements[] {
  distributedOf(tensor, "-l with --thread");
  const { layout } = tensor;
  const number = threadNumber(option, layout);
  const lanes = layout.getInDimSize("lane");
  const threads = number === undefined ? Array.from({ length: lanes * layout.getInDimSize("warp") }, (_, i) => i) : [number];
  return Array.from({ length: layout.getInDimSize("block") }, (_, block) =>
    threads.map((thread) => ({
      block,
      thread,
      warp: Math.trunc(thread / lanes),
      lane: thread % lanes,
      registers: elementsOf(layout, block, thread),
    })),
  ).flat();
}

export function threadText(elements: readonly ThreadElements[]): string {
  const blocks = elements.some(({ block }) => block > 0);
  return elements
    .map(({ block, thread, warp, lane, registers }) => {
      const head = `${blocks ? `Block ${block}, t` : "T"}hread ${thread} (warp ${warp}, lane ${lane}): ${count(registers.length, "register")}\n`;
      const width = String(registers.length - 1).length;
      return head + registers.map((at, i) => `  ${String(i).padStart(width)}: (${at.join(", ")})\n`).join("");
    })
    .join("");
}

/** The cost of a conversion, and where the registers of some threads come from. */
export interface ConversionReport extends ConversionShape {
  readonly from: string;
  readonly to: string;
  /** Which place of the source each place of the result comes from. */
  readonly map: string;
  readonly threads: readonly { readonly block: number; readonly thread: number; readonly moves: readonly Move[] }[];
}

/** From one layout to another of the same tensor; the moves into thread 0 unless others are asked for. */
export function conversionReport(src: TensorLayout, dst: TensorLayout, thread: string | undefined): ConversionReport {
  distributedOf(src, "-l with --convert");
  distributedOf(dst, "--convert");
  return checked(() => {
    const lanes = dst.layout.getInDimSize("lane");
    const number = threadNumber(thread ?? "0", dst.layout);
    const all = Array.from({ length: lanes * dst.layout.getInDimSize("warp") }, (_, i) => i);
    const threads = Array.from({ length: thread === undefined ? 1 : dst.layout.getInDimSize("block") }, (_, block) =>
      (number === undefined ? all : [number]).map((t) => ({
        block,
        thread: t,
        moves: movesInto(src.layout, dst.layout, { lane: t % lanes, warp: Math.trunc(t / lanes), block }),
      })),
    ).flat();
    const map = dst.layout.invertAndCompose(src.layout).toString();
    return { from: src.text, to: dst.text, ...conversionShape(src.layout, dst.layout), map, threads };
  });
}

const SCOPES: Readonly<Record<ConversionShape["scope"], string>> = {
  identity: "Nothing moves",
  thread: "Elements stay in their thread",
  warp: "Elements stay in their warp",
  cta: "Elements stay in their CTA",
  cluster: "Elements cross CTAs",
};

export function conversionText({ from, to, scope, means, moves, map, threads }: ConversionReport, src: LinearLayout): string {
  const total = moves.stay + moves.betweenRegisters + moves.betweenLanes + moves.betweenWarps + moves.betweenBlocks;
  const lanes = src.getInDimSize("lane");
  const blocks = src.getInDimSize("block") > 1;
  const name = (place: Move["from"], thread: number): string =>
    `${blocks ? `B${place["block"] ?? 0}:` : ""}T${thread}:${place["register"] ?? 0}`;
  const rows = threads.flatMap(({ thread, moves: list }) =>
    list.map((move) => {
      const source = (move.from["warp"] ?? 0) * lanes + (move.from["lane"] ?? 0);
      const where = name(move.to, thread);
      return `  ${where} <- ${name(move.from, source)}\n`;
    }),
  );
  return `Convert ${from}
     to ${to}
${SCOPES[scope]}; by means of: ${means}
Places of the result: ${total}
  stay                ${moves.stay}
  between registers   ${moves.betweenRegisters}
  between lanes       ${moves.betweenLanes}
  between warps       ${moves.betweenWarps}
  between CTAs        ${moves.betweenBlocks}
Place of the result -> place that it comes from:${map}
${threads.length === 1 ? `Thread ${threads[0]!.thread}:` : "Register by register:"}
${rows.join("")}`;
}

/** The wavefronts that the accesses of all warps of a CTA to a layout of shared memory take. */
export interface ConflictReport extends Wavefronts {
  readonly shared: string;
  readonly registers: string;
  readonly vecBytes: number;
  /** Wavefronts beyond those needed. */
  readonly extraWavefronts: number;
  /** Extra wavefronts per wavefront by Triton's formula; undefined for padded memory, which it does not cover. */
  readonly formula: number | undefined;
}

/** Bank conflicts of reading or writing `shared` from `registers`, in accesses of up to `vecBytes` bytes. */
export function conflictReport(shared: TensorLayout, registers: TensorLayout, vecBytes: number): ConflictReport {
  const memory = sharedOf(shared, "-l with --conflicts");
  distributedOf(registers, "--conflicts");
  const bits = Math.max(8, shared.bits);
  return checked(() => {
    const padded = placeOf(memory);
    const wavefronts = simulateWavefronts(registers.layout, shared.layout, bits, { maxVectorBytes: vecBytes, place: padded });
    const formula = padded ? undefined : bankConflictsMemDesc(registers.layout, shared.layout, bits, vecBytes);
    const extraWavefronts = wavefronts.wavefronts - wavefronts.minWavefronts;
    return { shared: shared.text, registers: registers.text, vecBytes, ...wavefronts, extraWavefronts, formula };
  });
}

export function conflictText(report: ConflictReport, bits: number): string {
  const bytes = (report.vec * Math.max(8, bits)) / 8;
  const share = report.extraWavefronts / report.minWavefronts;
  return `Access ${report.shared}
  from ${report.registers}
vector            ${count(report.vec, "element")}, ${count(bytes, "byte")}
instructions      ${report.instructions}
wavefronts        ${report.wavefronts} (without conflicts: ${report.minWavefronts})
bank conflicts    ${report.extraWavefronts === 0 ? "none" : `${report.extraWavefronts} extra wavefronts, ${Number(share.toFixed(2))} for each needed`}
`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
/** Pairs of layouts that do not go together are the user's mistake. */
function checked<T>(report: () => T): T {
  try {
    return report();
  } catch (error) {
    if (error instanceof LayoutError) throw new UserError(`error: the layouts do not go together: ${error.message.split("\n")[0]}\n`);
    throw error;
  }
}
