/**
 * How a layout places one element, step by step, and what follows from its fields: who holds what is computed by `grid.ts`; the lines
 * here show the way there.
 */
import { type DistributedParams, type EncodingParams, isDistributed } from "./encoding-params.js";
import * as query from "./encoding-queries.js";
import { getCTAOrder, getCTAsPerCGA } from "./encodings/cga.js";
import { ownersOf, preimage } from "./grid.js";
import type { LinearLayout } from "./linear-layout.js";

const list = (numbers: readonly number[]): string => `[${numbers.join(", ")}]`;
const tuple = (numbers: readonly number[]): string => `(${numbers.join(", ")})`;
const product = (numbers: readonly number[]): number => numbers.reduce((a, b) => a * b, 1);

/** The facts that follow from a layout's fields for a tensor of that shape, of elements of so many bits: tiles, elements per thread, phases. One line each. */
export function layoutFacts(params: EncodingParams, shape: readonly number[], layout: LinearLayout, bits: number): string[] {
  const cga = query.getCTALayout(params);
  const inCluster = cga ? `${list(getCTAsPerCGA(cga))} in order ${list(getCTAOrder(cga))}, ` : "";
  const ctas = `CTAs of a cluster     ${inCluster}split ${list(query.getCTASplitNumOf(params))}: each has ${list(query.getShapePerCTAOf(params, shape))} of the tensor`;
  const bases = ["", "bases of the linear layout:", ...layout.toString().replace(/^\n/, "").split("\n")];
  if (!isDistributed(params)) return [ctas, ...sharedFacts(params, shape), ...ldmatrixFact(params, shape, layout, bits), ...bases];
  const tile = query.getShapePerCTATile(params, shape);
  const elements = query.getElemsPerThread(params, shape);
  const places = layout.getTotalInDimSize() / layout.getTotalOutDimSize();
  return [
    `order                 ${list(query.getOrder(params, shape))}, the fastest dimension first`,
    `size per thread       ${list(query.getSizePerThread(params, shape))}`,
    `threads per warp      ${list(query.getThreadsPerWarp(params, shape))}, order ${list(query.getThreadOrder(params, shape))}`,
    `warps per CTA         ${list(query.getWarpsPerCTA(params, shape))}, order ${list(query.getWarpOrder(params, shape))}`,
    ctas,
    `shape per CTA tile    ${list(tile)} = size per thread x threads per warp x warps per CTA`,
    `elements per thread   ${list(elements)}, ${product(elements)} in all; ${list(query.getContigPerThread(params, shape))} lie together`,
    `tiles of the tensor   ${list(shape.map((n, d) => Math.max(1, Math.trunc(n / tile[d]!))))}`,
    places > 1 ? `each element          is held ${places} times` : "each element          is held once",
    ...boxes(params, shape),
    ...bases,
  ];
}

/** CTA, warp, thread and value as boxes, one in the other. */
function boxes(params: DistributedParams, shape: readonly number[]): string[] {
  const size = query.getSizePerThread(params, shape);
  const threads = query.getThreadsPerWarp(params, shape);
  const warps = query.getWarpsPerCTA(params, shape);
  const by = (a: readonly number[], b: readonly number[]): number[] => a.map((n, d) => n * b[d]!);
  const split = query.getCTASplitNumOf(params);
  const count = (numbers: readonly number[], what: string): string => `${product(numbers)} ${what}${product(numbers) === 1 ? "" : "s"}`;
  const levels: readonly (readonly [string, readonly number[]])[] = [
    ["tensor", shape],
    ...(product(split) > 1 ? [[`CTA: one of ${product(split)} ${list(split)}`, query.getShapePerCTAOf(params, shape)] as const] : []),
    [`CTA tile: ${count(warps, "warp")} ${list(warps)}`, by(by(size, threads), warps)],
    [`warp: ${count(threads, "thread")} ${list(threads)}`, by(size, threads)],
    [`thread: ${count(size, "value")}`, size],
  ];
  const texts = levels.map(([name, extent]) => `${name}, ${extent.join(" x ")} elements`);
  const width = Math.max(...texts.map((text, i) => text.length + 4 * i));
  const inside = (i: number, columns: number): string[] => {
    const rows = [
      ` ${texts[i]!.padEnd(columns - 1)}`,
      ...(i + 1 < texts.length ? inside(i + 1, columns - 4).map((row) => ` ${row} `) : []),
    ];
    return [`+${"-".repeat(columns)}+`, ...rows.map((row) => `|${row.padEnd(columns)}|`), `+${"-".repeat(columns)}+`];
  };
  return ["", ...inside(0, width + 2)];
}

/** Elements of a row that are written out one by one. */
const MOST_CELLS = 8;

function sharedFacts(params: EncodingParams, shape: readonly number[]): string[] {
  if (params.kind !== "swizzled_shared") return [];
  const { vec, perPhase, maxPhase, order } = params;
  const columns = shape[order[0]!]!;
  const rows = shape[order[1] ?? 0]!;
  const groups = Math.max(1, Math.trunc(columns / vec));
  const lines = [
    `a row                 ${columns} elements in ${groups} groups of vec = ${vec}`,
    `phase of row r        (r / ${perPhase}) mod ${maxPhase}`,
    `place of (r, c)       column ((c / ${vec}) xor phase) * ${vec} + c mod ${vec}${groups < maxPhase ? `, groups modulo ${groups}` : ""}`,
  ];
  if (order.length < 2) return lines;
  for (let r = 0; r < Math.min(rows, 16); r++) {
    const phase = Math.trunc(r / perPhase) % maxPhase;
    const places = Array.from({ length: Math.min(groups, 8) }, (_, g) => `${g} -> ${(g ^ phase) % groups}`);
    // As the article on layouts writes it: the element, row and column, that is in each place.
    const inPlace = (c: number): string => `(${r}:${((Math.trunc(c / vec) ^ phase) % groups) * vec + (c % vec)})`;
    const width = groups * vec;
    const cells = width > MOST_CELLS ? "" : `  [${Array.from({ length: width }, (_, c) => inPlace(c)).join(", ")}]`;
    lines.push(`row ${String(r).padStart(2)}, phase ${phase}: group ${places.join(", ")}${groups > 8 ? ", ..." : ""}${cells}`);
  }
  if (rows > 16) lines.push("...");
  return lines;
}

/** The first tile that ldmatrix reads: where its 8 rows of 16 bytes begin, and how many wavefronts that takes. */
function ldmatrixFact(params: EncodingParams, shape: readonly number[], layout: LinearLayout, bits: number): string[] {
  if (params.kind !== "swizzled_shared" || shape.length !== 2) return [];
  const [inner, outer] = params.order as [number, number];
  const width = 128 / bits;
  if (shape[outer]! < 8 || shape[inner]! < width || !Number.isInteger(width)) return [];
  const offset = (row: number, column: number): number => ownersOffset(layout, inner === 1 ? [row, column] : [column, row]);
  const rows = [0, 1, 2, 3, 4, 5, 6, 7];
  const isWhole = rows.every((row) => Array.from({ length: width }, (_, i) => offset(row, i) - offset(row, 0)).every((d, i) => d === i));
  if (!isWhole) return ["an ldmatrix tile      none: 16 bytes of a row do not lie together"];
  const banks = rows.map((row) => Math.trunc((offset(row, 0) * bits) / 32) % 32);
  const wavefronts = Math.max(...banks.map((bank) => banks.filter((other) => other === bank).length));
  const reads = `${wavefronts} wavefront${wavefronts === 1 ? "" : "s"}`;
  return [`an ldmatrix tile      8 rows of ${width} elements, 16 bytes each: they begin in banks ${banks.join(", ")}: ${reads}`];
}

/** How an element becomes CTA, warp, lane and register (or an offset in shared memory) and back. One line a step. */
export function elementSteps(params: EncodingParams, shape: readonly number[], layout: LinearLayout, at: readonly number[]): string[] {
  if (!isDistributed(params)) return offsetSteps(params, shape, layout, at);
  const owners = ownersOf(layout, at);
  return [
    `element ${tuple(at)} of ${shape.join(" x ")}`,
    ...(params.kind === "blocked" ? divisionSteps(params, shape, at) : []),
    ...owners.map(({ block, warp, lane, register }) => `it is in CTA ${block}, warp ${warp}, lane ${lane}, register ${register}`),
    "and back, by bases:",
    ...(owners[0]
      ? basisSteps(layout, { register: owners[0].register, lane: owners[0].lane, warp: owners[0].warp, block: owners[0].block })
      : []),
  ];
}

/** Coordinate by coordinate: the remainder goes into a level, the quotient on to the next one. Each CTA of a cluster has one block of the tensor. */
function divisionSteps(params: DistributedParams, shape: readonly number[], at: readonly number[]): string[] {
  const size = query.getSizePerThread(params, shape);
  const threads = query.getThreadsPerWarp(params, shape);
  const warps = query.getWarpsPerCTA(params, shape);
  const split = query.getCTASplitNumOf(params);
  const perCta = query.getShapePerCTAOf(params, shape);
  return at.map((whole, d) => {
    const coordinate = whole % perCta[d]!;
    const cta = split[d]! > 1 ? `${whole} / ${perCta[d]} = CTA ${Math.trunc(whole / perCta[d]!)}, and ${coordinate} in it; ` : "";
    const [value, afterValue] = [coordinate % size[d]!, Math.trunc(coordinate / size[d]!)];
    const [lane, afterLane] = [afterValue % threads[d]!, Math.trunc(afterValue / threads[d]!)];
    const [warp, tile] = [afterLane % warps[d]!, Math.trunc(afterLane / warps[d]!)];
    return `dimension ${d}: ${cta}${coordinate} mod ${size[d]} = value ${value}; ${afterValue} mod ${threads[d]} = lane ${lane}; ${afterLane} mod ${warps[d]} = warp ${warp}; tile ${tile}`;
  });
}

/** The bases of the bits that are set, and their xor. */
function basisSteps(layout: LinearLayout, place: Readonly<Record<string, number>>): string[] {
  let sum = 0;
  const parts: string[] = [];
  for (const [dim, index] of Object.entries(place)) {
    if (!layout.hasInDim(dim)) continue;
    for (const [bit, basis] of [...layout.getPackedBases(dim)].entries()) {
      if (((index >>> bit) & 1) === 0) continue;
      parts.push(`${dim} bit ${bit} ${tuple(layout.unpack(basis))}`);
      sum ^= basis;
    }
  }
  return [`  ${parts.length === 0 ? "no bit is set" : parts.join(" xor ")} = ${tuple(layout.unpack(sum))}`];
}

function offsetSteps(params: EncodingParams, shape: readonly number[], layout: LinearLayout, at: readonly number[]): string[] {
  const offset = ownersOffset(layout, at);
  const lines = [`element ${tuple(at)} of ${shape.join(" x ")}`];
  if (params.kind === "swizzled_shared" && shape.length === 2) {
    const { vec, perPhase, maxPhase, order } = params;
    const [c, r] = [at[order[0]!]!, at[order[1]!]!];
    const phase = Math.trunc(r / perPhase) % maxPhase;
    const groups = Math.max(1, Math.trunc(shape[order[0]!]! / vec));
    lines.push(
      `row ${r}: phase (${r} / ${perPhase}) mod ${maxPhase} = ${phase}`,
      `column ${c}: group ${Math.trunc(c / vec)} xor ${phase} = ${(Math.trunc(c / vec) ^ phase) % groups}, and ${c % vec} in it`,
    );
  }
  lines.push(`it is at offset ${offset} (counted in elements)`, "and back, by bases:", ...basisSteps(layout, { offset }));
  return lines;
}

/** The offset in shared memory that holds an element. */
function ownersOffset(layout: LinearLayout, at: readonly number[]): number {
  const packed = at.reduce((sum, c, d) => sum | (c << layout.outShift[d]!), 0);
  return preimage(layout, packed)[0]! & (layout.getInDimSize("offset") - 1);
}
