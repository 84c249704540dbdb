/** Shared memory: which element lies in which bank, and the conflicts of those who access it. */

import { bankRulesOf } from "../../../explain/derivations/shared-access.js";
import { layoutOfType, type ValueLayout } from "../../../explain/value-layout.js";
import { simulateWavefronts } from "../../../layout/bank-conflicts.js";
import { placeOf } from "../../../layout/encoding-queries.js";
import { memo } from "../../../support/memo.js";
import type { Value } from "../../../trace/step-module.js";
import { BOLD, GOOD, INKS, type Ink, line, MUTED, onPaper, type Row, type Span, style, WARNING } from "../../draw/style.js";
import type { View } from "../../state/view.js";
import type { Size2 } from "../pane.js";
import { within } from "./grid.js";
import { encodingIn, subjectHead } from "./map.js";
import type { Subject } from "./subject.js";

const PALETTE: readonly Ink[] = INKS.filter((ink) => /^c\d$/.test(ink));

/** The buffer that the pane is about: the subject itself, or one that an op copies it to or from. */
export function bufferOf(subject: Subject): { readonly value: Value; readonly layout: ValueLayout } | undefined {
  if (subject.layout.kind === "shared") return { value: subject.value, layout: subject.layout };
  const near: Value[] = [];
  for (const use of subject.value.uses()) near.push(...use.owner.results, ...use.owner.operandUses.map((u) => u.value));
  const definer = subject.value.definingOp;
  if (definer) near.push(...definer.operandUses.map((u) => u.value));
  for (const value of near) {
    const layout = layoutOfType(value.type);
    if (!("reason" in layout) && layout.kind === "shared") return { value, layout };
  }
  return undefined;
}

export interface Access {
  readonly op: string;
  readonly vec: number;
  readonly bytes: number;
  readonly instructions: number;
  /** Clocks of shared memory: an AMD GPU calls its warps wavefronts. */
  readonly rounds: number;
  readonly least: number;
}

const ownerOf = (value: Value) => value.definingOp ?? value.parentBlock!.parentOp!;

/** Accesses of a buffer by threads, through its views too, and the rounds that they take. */
export const accessesOf = memo((buffer: Value): readonly Access[] => {
  const shared = layoutOfType(buffer.type);
  const rules = bankRulesOf(ownerOf(buffer));
  if ("reason" in shared || shared.kind !== "shared" || !rules) return [];
  const found: Access[] = [];
  const seen = new Set<Value>([buffer]);
  for (const value of seen) {
    const definer = value.definingOp;
    const ops = [...value.uses()].map((use) => use.owner);
    if (definer) ops.push(definer);
    for (const op of ops) {
      for (const other of [...op.results, ...op.operandUses.map((u) => u.value)]) {
        const layout = layoutOfType(other.type);
        if ("reason" in layout) continue;
        if (layout.kind === "shared") {
          if (/memdesc_(?:index|subslice|subview|trans|reshape)/.test(op.name)) seen.add(other);
        } else if (
          /local_(?:load|store|alloc)/.test(op.name) &&
          layout.shape.length === shared.shape.length &&
          layout.shape.every((s, d) => s === shared.shape[d])
        ) {
          const result = simulateWavefronts(layout.layout, shared.layout, shared.bits, {
            place: placeOf(shared.params),
            rules,
            loads: /load/.test(op.name),
          });
          found.push({
            op: op.name,
            vec: result.vec,
            bytes: (result.vec * shared.bits) / 8,
            instructions: result.instructions,
            rounds: result.wavefronts,
            least: result.minWavefronts,
          });
        }
      }
    }
  }
  return found;
}, 16);

export function sharedRows(subject: Subject, view: View["layout"], size: Size2): Row[] {
  const { width, height } = size;
  const rows: Row[] = [...subjectHead(subject, size)];
  const buffer = bufferOf(subject);
  if (!buffer) return [...rows, line("not in shared memory, and no op copies it there", MUTED)];
  const { layout, shape, bits, encodingText } = buffer.layout;
  if (buffer.layout !== subject.layout) rows.push(...encodingIn(`through ${encodingText}`, size).map((text) => line(text, MUTED)));
  for (const access of accessesOf(buffer.value).slice(0, 3)) {
    const conflicts = access.rounds > access.least;
    rows.push([
      [`${access.op} `, style("op")],
      [`${access.bytes} bytes a lane, ${access.instructions} instructions, ${access.rounds} rounds `, 0],
      [conflicts ? `(${(access.rounds / access.least).toFixed(1)}x: bank conflicts)` : "(no bank conflicts)", conflicts ? WARNING : GOOD],
    ]);
  }
  // One row is what the banks hold, 128 bytes of 32.
  const rules = bankRulesOf(subject.ir.module);
  if (!rules) rows.push(line("the banks of this GPU are not published: drawn as 32", MUTED));
  const perRow = Math.max(1, Math.trunc(((rules?.banks ?? 32) * 32) / bits));
  const total = layout.getInDimSize("offset");
  const perBank = Math.max(1, Math.trunc(32 / bits));
  const cell = shape.reduce((n, size) => n + String(size - 1).length + 1, 2);
  const across = Math.max(1, Math.min(Math.ceil(perRow / perBank), Math.floor((width - 8) / cell)));
  const at = within(shape, view.element);
  const wanted = offsetOf(buffer.layout, at);
  const down = Math.max(1, height - rows.length - 2);
  const lines = Math.ceil(total / perRow);
  const row = Math.trunc(wanted / perRow);
  const top = Math.max(0, Math.min(lines - down, Math.floor(row / down) * down));
  const bank = Math.trunc((wanted % perRow) / perBank);
  const left = Math.max(0, Math.min(Math.ceil(perRow / perBank) - across, Math.floor(bank / across) * across));
  const names: Span[] = [["  bank  ", MUTED]];
  for (let b = left; b < left + across; b++)
    names.push([
      String(b)
        .padStart(cell - 1)
        .padEnd(cell),
      b === bank ? style("accent", "none", BOLD) : MUTED,
    ]);
  rows.push(names);
  for (let r = top; r < Math.min(lines, top + down); r++) {
    const spans: Span[] = [[`${String((r * perRow * bits) / 8).padStart(6)}  `, r === row ? style("accent", "none", BOLD) : MUTED]];
    for (let b = left; b < left + across; b++) {
      const offset = r * perRow + b * perBank;
      if (offset >= total) break;
      const element = layout.unpack(layout.applyPacked({ offset, block: 0 }));
      let s = style(PALETTE[(element[element.length - 2] ?? 0) % PALETTE.length]!);
      if (r === row && b === bank) s = onPaper(s, "selected");
      spans.push([`(${element.join(",")})`.padStart(cell - 1), s], [" ", 0]);
    }
    rows.push(spans);
  }
  rows.push([
    [`(${at.join(", ")})`, style("accent", "none", BOLD)],
    [`: offset ${(wanted * bits) / 8} bytes, bank ${bank}`, 0],
    [perBank > 1 ? `   a bank holds ${perBank} elements; the first is named` : "", MUTED],
  ]);
  return rows;
}

/** Where an element lies in a buffer, counted in elements. */
export function offsetOf(buffer: ValueLayout, element: readonly number[]): number {
  const { layout, shape } = buffer;
  const target = shape
    .map((size, d) => Math.min(size - 1, element[d] ?? 0))
    .reduce((packed, c, d) => packed | (c << layout.outShift[d]!), 0);
  return inverse(layout).get(target) ?? 0;
}
const inverse = memo((layout: ValueLayout["layout"]): ReadonlyMap<number, number> => {
  const map = new Map<number, number>();
  const total = Math.min(layout.getInDimSize("offset"), 1 << 20);
  for (let offset = 0; offset < total; offset++) {
    const at = layout.applyPacked({ offset, block: 0 });
    if (!map.has(at)) map.set(at, offset);
  }
  return map;
}, 4);
