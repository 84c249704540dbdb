/** Control flow of a step: loops and branches of scf with trip counts, blocks of PTX, and a pipelined loop's schedule. */

import type { StepText } from "../../trace/line-table.js";
import type { Step, Trace } from "../../trace/trace.js";
import { linesOfOps } from "../provenance.js";

/** A loop or branch of scf, or a block of the final code. */
export interface FlowNode {
  /** `for %i: 0 to %n step 64, 16 iterations`; `$L__BB0_2: loop`. */
  readonly title: string;
  readonly depth: number;
  /** The line that it begins on. */
  readonly line: number;
  /** Ops or instructions in it, those of inner loops left out. */
  readonly count: number;
  /** Those that matter, with how often they occur: `tt.load 2`. */
  readonly notable: readonly string[];
}

const NOTABLE =
  /^(?:tt\.(?:load|store|dot\w*|reduce|scan|atomic\w*|descriptor\w*)|ttg\.(?:async\w*|local_\w+|convert_layout|barrier)|ttng\.\w+|(?:ld|st|cp|mma|wgmma|ldmatrix|stmatrix|bar|atom|red|tcgen05|mbarrier|shfl)(?:\.\w+)*)$/;

/** Loops, branches and functions of a step's IR, outer ones first; empty where it has no regions of scf. */
export function scfFlow(trace: Trace, step: Step): readonly FlowNode[] {
  let nodes = flows.get(step.text);
  if (!nodes) flows.set(step.text, (nodes = flowOf(trace.lines.linesOf(step.text))));
  return nodes;
}
const flows = new WeakMap<StepText, readonly FlowNode[]>();

function flowOf(lines: readonly string[]): readonly FlowNode[] {
  if (!lines.some((line) => line.includes("scf."))) return [];
  const constants = new Map<string, bigint>();
  for (const line of lines) {
    const found = /^\s*(%[\w$.-]+) = arith\.constant (-?\d+) :/.exec(line);
    if (found) constants.set(found[1]!, BigInt(found[2]!));
  }
  const nodes: { title: string; depth: number; line: number; names: string[]; indent: number }[] = [];
  const open: typeof nodes = [];
  lines.forEach((text, line) => {
    if (text.trim() === "") return;
    const indent = text.search(/\S/);
    while (open.length > 0 && indent <= open.at(-1)!.indent && !/^\s*\} (?:else|do)\b/.test(text)) open.pop();
    const op = /^\s*(?:%[^=]*= )?"?([a-z_]\w*(?:\.\w+)+)/.exec(text)?.[1];
    if (op !== undefined) open.at(-1)?.names.push(op);
    const title = titleOf(text, op, constants);
    if (title === undefined) return;
    const node = { title, depth: open.length, line, names: [], indent };
    nodes.push(node);
    open.push(node);
  });
  return nodes.some(({ depth }) => depth > 0)
    ? nodes.map(({ title, depth, line, names }) => ({ title, depth, line, count: names.length, notable: notableOf(names) }))
    : [];
}

function titleOf(text: string, op: string | undefined, constants: ReadonlyMap<string, bigint>): string | undefined {
  const name = /@"?([\w.$]+)/.exec(text)?.[1];
  if (op === "tt.func" && name) return `function ${name}`;
  const loop = /scf\.for\s+(?:unsigned\s+)?(%[\w$.-]+) = (%[\w$.-]+) to (%[\w$.-]+) step (%[\w$.-]+)/.exec(text);
  if (loop) {
    const [, variable, ...bounds] = loop as unknown as readonly [string, string, string, string, string];
    const [from, to, by] = bounds.map((value) => constants.get(value));
    const [a, b, c] = bounds.map((value) => String(constants.get(value) ?? value));
    const trips = from === undefined || to === undefined || !by || by < 0n ? undefined : to <= from ? 0n : (to - from + by - 1n) / by;
    const length = a === "0" ? b : `(${b} - ${a})`;
    const count = `${trips ?? (c === "1" ? length : `ceil(${length} / ${c})`)} iterations`;
    return `for ${variable} = ${a} to ${b} step ${c}: ${count}`;
  }
  if (op === "scf.while") return "while: as many iterations as its condition holds";
  const condition = /scf\.if\s+(%[\w$.-]+)/.exec(text)?.[1];
  return condition === undefined ? undefined : `if ${condition}`;
}

function notableOf(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) if (NOTABLE.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${name} ${count}` : name));
}

/** The blocks of PTX, with where they go on. */
export function ptxFlow(lines: readonly string[]): readonly FlowNode[] {
  const nodes: { label: string; line: number; names: string[]; to: string[] }[] = [];
  let isOpen = false;
  const begin = (label: string, line: number): void => void nodes.push({ label, line, names: [], to: [] });
  lines.forEach((text, line) => {
    if (/^\{/.test(text)) {
      isOpen = true;
      return begin("entry", line);
    }
    if (/^\}/.test(text)) isOpen = false;
    if (!isOpen) return;
    const label = /^(\$?[\w$]+):/.exec(text)?.[1];
    if (label !== undefined) return begin(label, line);
    const op = /^\s+(?:@!?%\w+\s+)?([a-z]\w*(?:\.[\w:]+)*)/.exec(text)?.[1];
    if (op === undefined) return;
    const node = nodes.at(-1)!;
    node.names.push(op);
    const target = /\bbra(?:\.uni)?\s+(\$?[\w$]+)/.exec(text)?.[1];
    if (target !== undefined) {
      node.to.push(target);
      // A conditional branch ends its block.
      if (/^\s+@/.test(text)) begin(`${node.label.replace(/\+\d+$/, "")}+${line - node.line}`, line + 1);
    } else if (op === "ret") node.to.push("the end");
  });
  const kept = nodes.filter(({ names }) => names.length > 0);
  const places = new Map(kept.map(({ label }, i) => [label, i]));
  return kept.map(({ label, line, names, to }, i) => {
    const next =
      to.length === 0 || !/^(?:bra|ret)/.test(names.at(-1)!) || isConditional(lines, kept[i + 1]?.line) ? kept[i + 1]?.label : undefined;
    const targets = [...new Set([...to, ...(next === undefined ? [] : [next])])];
    const isLoop = to.some((target) => (places.get(target) ?? kept.length) <= i);
    const goes = targets.length > 0 ? ` → ${targets.join(", ")}` : "";
    return {
      title: `${label}${isLoop ? " (a loop goes back)" : ""}${goes}`,
      depth: isLoop ? 1 : 0,
      line,
      count: names.length,
      notable: notableOf(names.map((name) => name.split(".").slice(0, 2).join("."))),
    };
  });
}
const isConditional = (lines: readonly string[], next: number | undefined): boolean =>
  next !== undefined && /^\s+@.*\bbra\b/.test(lines[next - 1] ?? "");

/** The schedule of a pipelined loop: what runs in each stage, and the buffers that the stages share. */
export interface LoopSchedule {
  /** Index of the step that has the schedule, and the loop's line in it. */
  readonly step: number;
  readonly line: number;
  /** The ops of each stage that matter, in the order in which an iteration runs them. */
  readonly stages: readonly (readonly string[])[];
  /** `2x64x64xf16` with how many of them: of a buffer for each iteration under way. */
  readonly buffers: readonly { readonly type: string; readonly slots: number }[];
}

/** The schedules that the loops of a Trace were given, innermost loops only. */
export function loopSchedules(trace: Trace): readonly LoopSchedule[] {
  const scheduled = trace.steps.findLast(
    (step) => step.known && step.parent === undefined && trace.lines.linesOf(step.text).some((line) => line.includes("loop.stage")),
  );
  if (!scheduled) return [];
  const lines = trace.lines.linesOf(scheduled.text);
  const made = trace.steps.find((step) => step.index > scheduled.index && step.flag === "tritongpu-pipeline" && step.known);
  const buffers = made
    ? [...linesOfOps(made.text).values()].flatMap((line) => {
        const found = /= ttg\.local_alloc\s*:\s*\(\) -> !ttg\.memdesc<((\d+)x[\w]+), .*mutable/.exec(
          trace.lines.line(made.text.lines[line]!),
        );
        return found ? [{ type: found[1]!, slots: Number(found[2]) }] : [];
      })
    : [];
  const found: LoopSchedule[] = [];
  let loop: { readonly line: number; readonly stages: string[][] } | undefined;
  const close = (): void => {
    if (loop?.stages.some((stage) => stage.length > 0)) found.push({ step: scheduled.index, ...loop, buffers });
    loop = undefined;
  };
  lines.forEach((text, line) => {
    if (/\bscf\.for\b/.test(text)) {
      close();
      loop = { line, stages: [] };
    } else if (/^\s*\}/.test(text)) close();
    const stage = /loop\.stage = (\d+)/.exec(text)?.[1];
    const op = /^\s*(?:%[^=]*= )?"?([a-z_]\w*(?:\.\w+)+)/.exec(text)?.[1];
    if (!loop || stage === undefined || op === undefined) return;
    while (loop.stages.length <= Number(stage)) loop.stages.push([]);
    if (NOTABLE.test(op)) loop.stages[Number(stage)]!.push(op);
  });
  close();
  return found;
}
