/** Finds what would move the bound of a kernel: the ops that cost most of what binds it, with what is found about them, and the bound under other choices. */

import type { ModuleSource } from "../compile/source.js";
import { type Finding, findings } from "../explain/findings.js";
import type { Trace } from "../trace/trace.js";
import { bytes, duration } from "./bounds.js";
import type { Limits, OpCost } from "./limits.js";
import { weight } from "./limits.js";
import { configurationText, MEANINGFUL, type SweepAxis, type SweepEntry, type SweepQuestion, sweep } from "./sweep.js";
import { heldText, percent, summary } from "./text.js";

/** An op's part in the binding resource. */
export interface Mover {
  readonly op: OpCost;
  readonly share: number;
  readonly findings: readonly Pick<Finding, "kind" | "title" | "why">[];
}
export interface Moves {
  readonly movers: readonly Mover[];
  readonly entries: readonly SweepEntry[];
}

/** Ops that are named. */
const NAMED = 3;

/** Lists what moves a bound. `trace` is of the compilation whose limits these are. */
export function movesOf(source: ModuleSource, trace: Trace, limits: Limits, question: Omit<SweepQuestion, "axes">): Moves {
  const all = limits.ops.reduce((sum, { cost }) => sum + weight(cost, limits.binding), 0);
  const known = findings(trace);
  const movers = limits.ops.slice(0, NAMED).map((op) => ({
    op,
    share: all === 0 ? 0 : weight(op.cost, limits.binding) / all,
    findings: known.filter((finding) => op.op !== undefined && isAbout(finding, op)),
  }));
  const entries = axesOf(source, trace, question.args).flatMap((axes) => {
    const found = sweep(source, { ...question, axes });
    return found.kind === "sweep" ? found.entries : [];
  });
  return { movers, entries };
}

const isAbout = ({ op, source }: Finding, { op: own, source: place }: OpCost): boolean =>
  op === own ||
  (source !== undefined && place === `${source.file.slice(source.file.lastIndexOf("/") + 1)}:${source.line}:${source.column}`);

/** Half and twice of each block size and of the warps, a stage less and more, and hints that the launch would keep, each and all together. */
function axesOf({ python }: ModuleSource, { options }: Trace, args: Readonly<Record<string, number>>): readonly (readonly SweepAxis[])[] {
  const warps = Number(options["numWarps"]);
  const stages = Number(options["numStages"]);
  const halfAndTwice = (n: number, least: number, most: number) => [n / 2, 2 * n].filter((v) => v >= least && v <= most).map(String);
  const all = python?.proposal.entries ?? [];
  const blocks = all.filter(({ isConstexpr, text }) => isConstexpr && isBlock(Number(text)));
  // Addresses of arrays are multiples of 16 as torch allocates them; numbers only where this launch's are.
  const unhinted = all.filter(
    ({ name, isConstexpr, text }) => !isConstexpr && (/^\*\w+$/.test(text) || (/^[iu]\d+$/.test(text) && (args[name] ?? 1) % 16 === 0)),
  );
  const hints = unhinted.map(({ name, text }): SweepAxis => [name, [`${text}:16`]]);
  const choices: readonly SweepAxis[] = [
    ["num_warps", halfAndTwice(warps, 1, 32)],
    ["num_stages", [stages - 1, stages + 1].filter((n) => n >= 1).map(String)],
    ...blocks.map(({ name, text }): SweepAxis => [name, halfAndTwice(Number(text), 16, 4096)]),
    ...hints,
  ];
  return [...choices.map((axis) => [axis]), ...(hints.length > 1 ? [hints] : [])];
}
const isBlock = (n: number): boolean => n >= 16 && Number.isInteger(Math.log2(n));

/** The ops and what-ifs in lines. */
export function movesText({ binding, gpu, time, latency, occupancy, traffic }: Limits, { movers, entries }: Moves): string {
  const out = [`what costs most of ${binding}`];
  for (const { op, share, findings: known } of movers) {
    out.push(
      `  ${percent(share)} ${op.source === undefined ? "" : `${op.source.slice(op.source.lastIndexOf("/") + 1)} `}${op.name}: ${summary(op.cost)}`,
    );
    for (const { kind, title, why } of known) out.push(`       ${kind}: ${title}`, ...why.map((reason) => `       ${reason}`));
  }
  out.push(
    "",
    `what if (now at least ${duration(time.from)}, ${heldText(occupancy.ctasPerSm, gpu)}${latency ? `, ${duration(latency.seconds)} of latency` : ""})`,
  );
  for (const entry of entries) {
    if (!entry.limits) {
      out.push(`  ${configurationText(entry)}: ${entry.refused}`);
      continue;
    }
    const { time: other, binding: by, occupancy: held, latency: waits, traffic: moved, program } = entry.limits;
    const differs = Math.abs(moved.grid.write - traffic.grid.write) > 0.01 * traffic.grid.write;
    const change = other.from / time.from - 1;
    const said = Math.abs(change) < MEANINGFUL ? "about the same" : change < 0 ? `${percent(-change)} less` : `${percent(change)} more`;
    out.push(
      `  ${configurationText(entry)}: ${duration(other.from)} by ${by}, ${said}; ${summary(program)} in a program, ${heldText(held.ctasPerSm, gpu)}${waits ? `, ${duration(waits.seconds)} of latency` : ""}`,
    );
    if (differs)
      out.push(`       it writes ${bytes(moved.grid.write)} instead of ${bytes(traffic.grid.write)}: it computes something else`);
  }
  return `${out.join("\n")}\n`;
}
