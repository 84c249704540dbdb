/** The stats tab: counts of ops over all passes, time, shared memory, work of the program, the schedule of its loops. */
import { PointerType } from "../../../dialects/tt/types.js";
import { linesOfOps } from "../../../explain/provenance.js";
import { intOf } from "../../../ir/builtin-attrs.js";
import { bitWidth, RankedTensorType, shapedParams } from "../../../ir/builtin-types.js";
import type { Operation } from "../../../ir/operation.js";
import { memo } from "../../../support/memo.js";
import { wrapText } from "../../../support/wrap-text.js";
import { UNMATCHED } from "../../../trace/import/import-dump.js";
import type { LineTable, StepText } from "../../../trace/line-table.js";
import { stepModule } from "../../../trace/step-module.js";
import type { Step, Trace } from "../../../trace/trace.js";
import { BOLD, line, MUTED, type Row, style } from "../../draw/style.js";
import type { Session } from "../../state/state.js";
import { stepsOf } from "../../state/steps.js";
import { timeText } from "../passes/model.js";
import type { CodegenItem } from "./item.js";

const TITLE = style("title", "none", BOLD);
const BARS = "▁▂▃▄▅▆▇█";

/** A row of bars as high as the values. */
export function sparkline(values: readonly number[], width: number): string {
  const most = Math.max(1, ...values);
  // More values than columns: the highest of each part.
  const columns = Math.min(values.length, Math.max(1, width));
  let out = "";
  for (let c = 0; c < columns; c++) {
    const part = values.slice(
      Math.floor((c * values.length) / columns),
      Math.max(Math.floor(((c + 1) * values.length) / columns), Math.floor((c * values.length) / columns) + 1),
    );
    const value = Math.max(...part);
    out += value === 0 ? " " : BARS[Math.min(7, Math.floor((8 * value) / (most + 1)))]!;
  }
  return out;
}

export const statsItems = memo((session: Session, selected: Step | undefined, width: number): readonly CodegenItem[] => {
  if (!selected) return [];
  const rows: Row[] = [];
  const { trace } = session;
  const steps = stepsOf(session).filter((s) => s.parent === undefined && s.known);
  const room = Math.max(8, width - 44);
  rows.push(line("ops over all passes", TITLE));
  rows.push([
    ["  all ops".padEnd(34), 0],
    [String(selected.numOps).padStart(6), style("number")],
    ["  ", 0],
    [
      sparkline(
        steps.map((s) => s.numOps),
        room,
      ),
      style("accent"),
    ],
  ]);
  const names = new Map(opNames(trace.lines, selected.text));
  for (const [name, count] of [...names].sort((a, b) => b[1] - a[1]).slice(0, 14)) {
    const over = steps.map((s) => opNames(trace.lines, s.text).get(name) ?? 0);
    rows.push([
      [`  ${name}`.slice(0, 33).padEnd(34), style("op")],
      [String(count).padStart(6), style("number")],
      ["  ", 0],
      [sparkline(over, room), style("accent")],
    ]);
  }
  rows.push(
    ...timeRows(steps, room),
    ...(sharedOverTime(trace, steps, width) ?? sharedRows(trace, selected, width)),
    ...workRows(trace, selected),
    ...scheduleRows(trace, selected, width),
  );
  const unmatched = trace.warnings.filter((text) => text.includes(UNMATCHED));
  if (unmatched.length > 0) rows.push(line("identity of ops", TITLE));
  for (const text of unmatched) for (const part of wrapText(text, width - 3)) rows.push(line(`  ${part}`, MUTED));
  return rows.map((row): CodegenItem => ({ row }));
}, 8);

const countsOfText = new WeakMap<StepText, ReadonlyMap<string, number>>();
/** How often each op occurs. */
function opNames(lines: LineTable, text: StepText): ReadonlyMap<string, number> {
  let counts = countsOfText.get(text);
  if (!counts) {
    const found = new Map<string, number>();
    for (let i = 0; i < text.ops.length; i++) {
      if (text.ops[i] === 0) continue;
      const name = nameOf(lines.line(text.lines[i]!));
      found.set(name, (found.get(name) ?? 0) + 1);
    }
    countsOfText.set(text, (counts = found));
  }
  return counts;
}
/** The op's name on a line of IR. */
function nameOf(text: string): string {
  return /^\s*(?:%[^=]*= )?"?([A-Za-z_][\w.]*)/.exec(text)?.[1] ?? "?";
}

function timeRows(steps: readonly Step[], room: number): Row[] {
  const timed = steps.filter((s) => s.ms !== undefined);
  if (timed.length === 0) return [];
  const rows: Row[] = [line("time", TITLE)];
  rows.push([
    ["  all passes".padEnd(32), 0],
    [timeText(timed.reduce((n, s) => n + s.ms!, 0)).padStart(8), style("number")],
    ["  ", 0],
    [
      sparkline(
        timed.map((s) => s.ms!),
        room,
      ),
      style("accent"),
    ],
  ]);
  for (const step of [...timed].sort((a, b) => b.ms! - a.ms!).slice(0, 3))
    rows.push([
      [`  ${step.label} ${step.flag}`.slice(0, 31).padEnd(32), MUTED],
      [timeText(step.ms!).padStart(8), style("number")],
    ]);
  return rows;
}

/**
 * Buffers in shared memory while the program goes on, line by line of the IR that they were placed in: how much is in use, and
 * from where to where each buffer is. Undefined where no pass has reported it.
 */
function sharedOverTime(trace: Trace, steps: readonly Step[], width: number): Row[] | undefined {
  const step = steps.findLast((s) => s.remarks.some((r) => r.code === "memory.buffer"));
  if (!step) return undefined;
  const at = linesOfOps(step.text);
  const room = Math.max(10, width - 46);
  const column = (op: number | undefined) => Math.floor(((at.get(op ?? 0) ?? 0) * room) / Math.max(1, step.text.lines.length));
  const buffers = step.remarks.flatMap((remark) => {
    if (remark.code !== "memory.buffer") return [];
    const [owner, from = owner, to = from] = remark.refs;
    const line = at.get(remark.op);
    const text = line === undefined ? "" : trace.lines.line(step.text.lines[line]!);
    const name = /^\s*(%[\w$.-]+)/.exec(text)?.[1] ?? `scratch of ${nameOf(text)}`;
    const { bytes, offset } = remark.fields;
    return [{ name, bytes: Number(bytes), offset: Number(offset), from: column(from?.op), to: column(to?.op) }];
  });
  const top = new Array<number>(room).fill(0);
  for (const { bytes, from, to } of buffers) for (let c = from; c <= to && c < room; c++) top[c]! += bytes;
  const all = buffers.reduce((most, b) => Math.max(most, b.offset + b.bytes), 0);
  const rows: Row[] = [line(`shared memory: ${all} bytes, in use from the first line to the last`, TITLE)];
  rows.push([
    ["  in use".padEnd(24), 0],
    [`${Math.max(0, ...top)} B`.padStart(10), style("number")],
    ["".padEnd(12), 0],
    [sparkline(top, room), style("accent")],
  ]);
  for (const [i, { name, bytes, offset, from, to }] of buffers.slice(0, MAX_BUFFERS).entries())
    rows.push([
      [`  ${name}`.slice(0, 23).padEnd(24), 0],
      [`${bytes} B`.padStart(10), style("number")],
      [` at ${offset}`.padEnd(12), MUTED],
      [" ".repeat(from), 0],
      ["█".repeat(Math.max(1, Math.min(room, to + 1) - from)), style(BUFFER_INKS[i % BUFFER_INKS.length]!)],
    ]);
  if (buffers.length > MAX_BUFFERS) rows.push(line(`  and ${buffers.length - MAX_BUFFERS} more`, MUTED));
  return rows;
}
const MAX_BUFFERS = 16;
const BUFFER_INKS = ["c5", "c2", "c4", "c1", "c6", "c3"] as const;

/** Buffers in shared memory by offset: their sizes as a bar. */
function sharedRows(trace: Trace, step: Step, width: number): Row[] {
  const module = trace.lines.line(step.text.lines[firstModuleLine(trace, step)] ?? step.text.lines[0]!);
  const total = /ttg\.shared"? = (\d+)/.exec(module)?.[1];
  const ir = stepModule(trace, step);
  if ("error" in ir) return [];
  const buffers: { readonly name: string; readonly offset: number | undefined; readonly bytes: number; readonly line: number }[] = [];
  for (const [lineNumber, op] of ir.opAtLine) {
    if (!/\.(?:local_alloc|alloc_tensor)$/.test(op.name)) continue;
    const { shape, elementType } = shapedParams(op.results[0]!.type);
    const bytes = (shape.reduce((n, s) => n * s, 1) * (bitWidth(elementType) ?? 64)) / 8;
    const offset = intOf(op.attr("allocation.offset"));
    buffers.push({
      name: `%${ir.nameOf.get(op.results[0]!) ?? "?"}`,
      offset,
      bytes,
      line: lineNumber,
    });
  }
  if (buffers.length === 0 && total === undefined) return [];
  const all = Math.max(
    total === undefined ? 0 : Number(total),
    buffers.reduce((n, b) => Math.max(n, (b.offset ?? 0) + b.bytes), 0),
  );
  const rows: Row[] = [line(`shared memory${all > 0 ? `: ${all} bytes` : ""}`, TITLE)];
  const room = Math.max(10, width - 40);
  for (const { name, offset, bytes } of buffers.slice(0, 12)) {
    const at = Math.floor((room * (offset ?? 0)) / Math.max(1, all));
    const length = Math.max(1, Math.round((room * bytes) / Math.max(1, all)));
    rows.push([
      [`  ${name.padEnd(14)}${String(bytes).padStart(8)} B${offset === undefined ? "" : ` at ${offset}`}`.padEnd(38), 0],
      [" ".repeat(Math.min(at, room)), 0],
      ["█".repeat(Math.min(length, room - Math.min(at, room - 1))), style("c5")],
    ]);
  }
  return rows;
}
function firstModuleLine(trace: Trace, step: Step): number {
  for (let i = 0; i < step.text.lines.length && i < 400; i++)
    if (/^\s*(?:builtin\.)?module\b|^"builtin\.module"/.test(trace.lines.line(step.text.lines[i]!))) return i;
  return 0;
}

/** FLOPs of dots and bytes of global accesses, in loop bodies and outside. */
function workRows(trace: Trace, step: Step): Row[] {
  const ir = stepModule(trace, step);
  if ("error" in ir) return [];
  const work = { loop: { flops: 0, bytes: 0 }, outside: { flops: 0, bytes: 0 } };
  for (const op of ir.opAtLine.values()) {
    const where = isInLoop(op) ? work.loop : work.outside;
    if (/\.(?:dot|dot_scaled|warp_group_dot|tc_gen5_mma)$/.test(op.name)) {
      const [a, b] = [op.operandUses[0]?.value, op.operandUses[1]?.value].map((v) => v && shapedParams(v.type).shape);
      if (a && b && a.length >= 2 && b.length >= 2) where.flops += 2 * a.reduce((n, s) => n * s, 1) * b[b.length - 1]!;
    }
    const moved =
      op.name === "tt.load"
        ? op.results[0]
        : op.name === "tt.store"
          ? op.operandUses[1]?.value
          : /async_copy_global_to_local$/.test(op.name)
            ? op.operandUses[0]?.value
            : undefined;
    if (moved && RankedTensorType.is(moved.type)) {
      const { shape, elementType } = moved.type.params;
      const pointee = PointerType.match(elementType)?.params.pointeeType ?? elementType;
      where.bytes += (shape.reduce((n, s) => n * s, 1) * (bitWidth(pointee) ?? 64)) / 8;
    }
  }
  if (work.loop.flops + work.loop.bytes + work.outside.flops + work.outside.bytes === 0) return [];
  const row = (name: string, { flops, bytes }: { readonly flops: number; readonly bytes: number }): Row => [
    [`  ${name.padEnd(24)}`, 0],
    [`${flops} FLOPs`.padStart(16), style("number")],
    [`${bytes} bytes`.padStart(16), style("number")],
    [bytes > 0 && flops > 0 ? `   ${(flops / bytes).toFixed(1)} FLOPs a byte` : "", MUTED],
  ];
  const rows: Row[] = [line("work of one program", TITLE)];
  if (work.loop.flops + work.loop.bytes > 0) rows.push(row("an iteration of loops", work.loop));
  if (work.outside.flops + work.outside.bytes > 0) rows.push(row("outside of loops", work.outside));
  return rows;
}
function isInLoop(op: Operation): boolean {
  for (let at = op.parentOp; at; at = at.parentOp) if (/^scf\.(?:for|while)$/.test(at.name)) return true;
  return false;
}

/** Stage, cluster and latency of the ops that the pipeliner has scheduled, while the IR says them. */
function scheduleRows(trace: Trace, step: Step, width: number): Row[] {
  const found: Row[] = [];
  for (let i = 0; i < step.text.lines.length; i++) {
    if (step.text.ops[i] === 0) continue;
    const text = trace.lines.line(step.text.lines[i]!);
    if (!text.includes("loop.stage") && !text.includes("tt.latency")) continue;
    const field = (name: string) => new RegExp(`${name} = (-?\\d+)`).exec(text)?.[1] ?? "";
    found.push([
      [`${field("loop\\.stage").padStart(7)}${field("loop\\.cluster").padStart(9)}${field("tt\\.latency").padStart(9)}  `, style("number")],
      [text.trim().slice(0, Math.max(10, width - 28)), 0],
    ]);
  }
  if (found.length === 0) return [];
  return [line("loop schedule", TITLE), line("  stage  cluster  latency  op", MUTED), ...found];
}
