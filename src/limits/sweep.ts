/**
 * Configurations of a kernel ranked by their bounds: the constants of a Python kernel and Triton's options, each in some values. The
 * bounds leave much out, so configurations whose bounds are close are not ordered by them.
 */
import type { TargetOptions } from "../backend/targets.js";
import { readSource } from "../compile/read-source.js";
import { type ModuleSource, type Rejected, rejected } from "../compile/source.js";
import { unitOf } from "../gpu/products.js";
import { nearestText } from "../support/nearest.js";
import { finished, type Work } from "../support/slices.js";
import { type LimitsQuestion, limits } from "./ask.js";
import { duration } from "./bounds.js";
import type { GridOf } from "./grid.js";
import type { Limits } from "./limits.js";

/**
 * A name and the values that it takes: a `tl.constexpr` of the kernel, the type of another argument (`i32:16` says that it is a multiple of
 * 16), or `num_warps`, `num_stages`, `num_ctas`, `maxnreg`.
 */
export type SweepAxis = readonly [name: string, values: readonly string[]];

/** One configuration, as `triton.Config` takes it, and its limits or why it has none. */
export interface SweepEntry {
  readonly kwargs: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, number>>;
  readonly grid: readonly number[];
  readonly limits: Limits | undefined;
  readonly refused: string | undefined;
}

/** Configurations from the least bound to the longest, then those that have none. */
export interface Sweep {
  readonly kind: "sweep";
  readonly entries: readonly SweepEntry[];
}

/** Bounds that are closer than this do not order two configurations: what they leave out is more. Not measured. */
export const MEANINGFUL = 0.1;

const OPTIONS: Readonly<Record<string, keyof TargetOptions>> = {
  num_warps: "numWarps",
  num_stages: "numStages",
  num_ctas: "numCtas",
  maxnreg: "maxnreg",
};
/** The most configurations of one sweep. */
export const MOST_CONFIGURATIONS = 256;

/** A sweep's question. `gridOf` gives the grid for a configuration's constants, which decide how many programs there are. */
export interface SweepQuestion extends Omit<LimitsQuestion, "grid"> {
  readonly axes: readonly SweepAxis[];
  readonly gridOf: GridOf;
}

/** Compiles every configuration and ranks them; names that the kernel does not have are `Rejected`. */
export function* sweeping(source: ModuleSource, { axes, gridOf, ...question }: SweepQuestion): Work<Sweep | Rejected> {
  const constants = source.python?.proposal.entries.map(({ name }) => name) ?? [];
  for (const [name] of axes)
    if (!Object.hasOwn(OPTIONS, name) && !constants.includes(name))
      return rejected(
        `there is no constant or option '${name}'${nearestText(name, [...constants, ...Object.keys(OPTIONS)])}${source.python ? "" : "; constants are those of a Python kernel"}`,
      );
  const strange = axes.flatMap(([name, values]) =>
    Object.hasOwn(OPTIONS, name) ? values.filter((value) => !/^\d+$/.test(value)).map((value) => `${name}=${value}`) : [],
  );
  if (strange.length > 0)
    return rejected(`options are whole numbers, and ${strange.join(", ")} ${strange.length === 1 ? "is" : "are"} none`);
  const all = product(axes);
  if (all.length > MOST_CONFIGURATIONS)
    return rejected(`${all.length} configurations are more than a sweep compiles; at most ${MOST_CONFIGURATIONS}`);
  const entries: SweepEntry[] = [];
  for (const [done, chosen] of all.entries()) {
    if (yield { what: "sweep", done, of: all.length }) break;
    entries.push(entryOf(source, chosen, question, gridOf));
  }
  const time = ({ limits: found }: SweepEntry) => found?.time.from ?? Infinity;
  return { kind: "sweep", entries: entries.sort((a, b) => time(a) - time(b) || 0) };
}

type Chosen = readonly (readonly [name: string, value: string])[];
const product = (axes: readonly SweepAxis[]): Chosen[] =>
  axes.reduce<Chosen[]>((rows, [name, values]) => rows.flatMap((row) => values.map((value) => [...row, [name, value] as const])), [[]]);

function entryOf(
  source: ModuleSource,
  chosen: Chosen,
  question: Omit<LimitsQuestion, "grid">,
  gridOf: SweepQuestion["gridOf"],
): SweepEntry {
  const kwargs = Object.fromEntries(chosen.filter(([name]) => !Object.hasOwn(OPTIONS, name)));
  const options = Object.fromEntries(chosen.flatMap(([name, value]) => (Object.hasOwn(OPTIONS, name) ? [[name, Number(value)]] : [])));
  const refused = (message: string, grid: readonly number[] = []): SweepEntry => ({
    kwargs,
    options,
    grid,
    limits: undefined,
    refused: message,
  });
  const again = withConstants(source, kwargs);
  if (again.kind === "error") return refused(textOf(again));
  const grid = gridOf(new Map(Object.entries(kwargs).flatMap(([name, value]) => (isType(value) ? [] : [[name, Number(value)] as const]))));
  if ("error" in grid) return refused(grid.error);
  const changed = Object.fromEntries(Object.entries(options).map(([name, value]) => [OPTIONS[name]!, value]));
  const { compile = {}, ...rest } = question;
  const found = limits(again, { ...rest, grid, compile: { ...compile, options: { ...compile.options, ...changed } } });
  return found.kind === "error" ? refused(textOf(found), grid) : { kwargs, options, grid, limits: found, refused: undefined };
}

/** The first line of what is wrong. */
const textOf = ({ message, rendered }: Rejected): string => (message ?? rendered ?? "").split("\n")[0]!;

/** Whether a value is the type of an argument: `i32:16`, `*fp16`. */
const isType = (value: string): boolean => /^\*?(?:[iu]\d+|(?:bf|fp)\d+\w*)(?::16)?$/.test(value);

/** The source with other values of constants and types of arguments, read again. */
function withConstants(source: ModuleSource, kwargs: Readonly<Record<string, string>>): ModuleSource | Rejected {
  const names = Object.keys(kwargs);
  const { request } = source;
  if (names.length === 0) return source;
  const { python = {} } = request;
  const others = (texts: readonly string[] = []) => texts.filter((text) => !names.includes(text.split("=")[0]!));
  const chosen = (types: boolean) => names.filter((name) => isType(kwargs[name]!) === types).map((name) => `${name}=${kwargs[name]}`);
  const constants = [...others(python.constants), ...chosen(false)];
  const types = [...others(python.types), ...chosen(true)];
  const read = readSource({ ...request, python: { ...python, constants, types } });
  return read.kind === "module" || read.kind === "error" ? read : rejected(`'${request.name}' is no kernel`);
}

/** `BLOCK_M=64 num_warps=4`. */
export const configurationText = ({ kwargs, options }: Pick<SweepEntry, "kwargs" | "options">): string =>
  Object.entries({ ...kwargs, ...options })
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/** The ranking as a table, with a line between configurations whose bounds say which is faster. */
export function sweepText({ entries }: Sweep): string {
  const ranked = entries.filter(({ limits: found }) => found !== undefined);
  const width = Math.max(13, ...entries.map((entry) => configurationText(entry).length));
  const unit = ranked[0]?.limits && unitOf(ranked[0].limits.gpu);
  const held = `${unit?.program ?? "CTA"}s of ${unit?.one ?? "an SM"}`;
  const out = [
    `${"configuration".padEnd(width)}  ${"at least".padStart(9)}  bound by                  programs  ${held}  registers  shared bytes`,
  ];
  let first = ranked[0]?.limits?.time.from ?? 0;
  for (const entry of ranked) {
    const { time, binding, programs, occupancy, registers, sharedBytes } = entry.limits!;
    if (time.from > first * (1 + MEANINGFUL)) {
      out.push("");
      first = time.from;
    }
    const count = registers ? `${registers.by === "estimate" ? "~" : ""}${registers.count}` : "?";
    out.push(
      `${configurationText(entry).padEnd(width)}  ${duration(time.from).padStart(9)}  ${binding.padEnd(24)}  ${String(programs).padStart(8)}  ${String(occupancy.ctasPerSm).padStart(held.length)}  ${count.padStart(9)}  ${String(sharedBytes).padStart(12)}`,
    );
  }
  for (const entry of entries) if (entry.refused !== undefined) out.push(`${configurationText(entry).padEnd(width)}  ${entry.refused}`);
  out.push("", `an empty line: the bounds differ by more than ${100 * MEANINGFUL} %; closer ones do not say which configuration is faster`);
  return `${out.join("\n")}\n`;
}

/** The data for an early pruning of `triton.autotune`: configurations with the seconds that they take at least, the least first. */
export function pruningJson({ entries }: Sweep): unknown {
  return entries.map(({ kwargs, options, grid, limits: found, refused }) => ({
    kwargs: Object.fromEntries(Object.entries(kwargs).map(([name, value]) => [name, /^-?\d+$/.test(value) ? Number(value) : value])),
    ...options,
    grid,
    ...(found
      ? {
          bound: found.time.from,
          binding: found.binding,
          bounds: found.bounds,
          occupancy: found.occupancy.ctasPerSm,
          sharedBytes: found.sharedBytes,
        }
      : { refused }),
  }));
}

/** `sweeping` at once. */
export const sweep = (source: ModuleSource, question: SweepQuestion): Sweep | Rejected => finished(sweeping(source, question));
