/** Lowered code held against the Triton IR that it comes from: the same launch thread by thread, and whether it stored the same. */

import type { Operation } from "../ir/operation.js";
import type { TensorMapForm } from "./host-tensor-maps.js";
import type { LaunchArgument, PtxLaunch, PtxRun } from "./ptx/run.js";
import { type ArgumentPlan, bufferOf } from "./tensor/arguments.js";
import { compareRuns, differenceText, sameElements } from "./tensor/compare.js";
import type { Data } from "./tensor/elements.js";
import type { Finding, FindingKind } from "./tensor/findings.js";
import { type RunOptions, type RunResult, runModule } from "./tensor/run.js";

/** A run of Triton IR that lowered code is compared with. */
export interface Reference {
  readonly run: RunResult;
  readonly seed: number;
  /** Buffers that the source fills in an order of its own, with the size of their elements. */
  readonly reordered: ReadonlyMap<string, number>;
  /** Buffers that say nothing where they differ. */
  readonly open: ReadonlySet<string>;
}

/** Runs `module` to compare lowered code with. */
export function referenceOf(module: Operation, options: RunOptions & { readonly seed: number }): Reference {
  const run = runModule(module, options);
  return { run, seed: options.seed, reordered: reorderedBuffers(module, run), open: openBuffers(run) };
}

/** The same launch at thread level, with tensor maps of descriptors; undefined where one has none. */
export function launchOf(
  { run: { args, grid, programs, memory }, seed }: Reference,
  maps: ReadonlyMap<number, TensorMapForm> = new Map(),
): PtxLaunch | undefined {
  const launched = launchArguments(args, maps);
  if (launched === undefined) return undefined;
  const triple = ([x = 0, y = 0, z = 0]: readonly number[]) => [x, y, z] as const;
  return { grid: triple(grid), programs: programs.map(triple), args: launched, seed, within: memory, facts: false };
}

/** Arguments at thread level, with tensor maps of descriptors; undefined where one has none. */
export function launchArguments(
  args: readonly ArgumentPlan[],
  maps: ReadonlyMap<number, TensorMapForm>,
): readonly LaunchArgument[] | undefined {
  const launched: LaunchArgument[] = [];
  for (const [i, arg] of args.entries()) {
    if (arg.kind === "scalar") {
      launched.push({ kind: "scalar", value: arg.value });
      continue;
    }
    const spec = bufferOf(arg);
    const form = maps.get(i);
    if (arg.kind === "pointer") launched.push({ kind: "buffer", spec });
    else if (form === undefined) return undefined;
    else launched.push({ kind: "tensor-map", spec, map: { ...form, shape: arg.shape, strides: arg.strides } });
  }
  return launched;
}

/** The first difference of lowered code from the reference: a finding of a new kind that is not in `ignore`, or a store. */
export function differenceOfLowered(
  { run: reference, reordered, open }: Reference,
  run: PtxRun,
  ignore: ReadonlySet<string> = new Set(),
): string | undefined {
  const known = new Set<string>(reference.findings.map((f) => f.kind));
  const own = ownRaces(reference, run);
  const late = buffersBehind(
    own.map(({ op }) => op),
    reference,
  );
  const isOwn = (buffer: string | undefined) => buffer !== undefined && (open.has(buffer) || own.some((race) => race.buffer === buffer));
  const finding = run.findings.find(
    (f) => !ignore.has(f.kind) && !(f.kind === "global-race" && known.has(f.kind)) && !(f.kind === "global-order" && isOwn(f.buffer)),
  );
  if (finding) return `${finding.kind}: ${finding.message}${finding.site ? ` (${finding.site})` : ""}`;
  const after: RunResult = { ...reference, memory: run.memory, stores: [], findings: [] };
  const storedOver = own.filter(({ op }) => op.results.length === 0).map(({ buffer }) => buffer);
  const unknown = new Set([...open, ...late.keys(), ...storedOver]);
  const difference = compareRuns(reference, after, { leaveOut: new Set([...reordered.keys(), ...unknown]) });
  if (difference) return differenceText(difference);
  const lost = [...reordered].find(([name, bytes]) => !unknown.has(name) && !sameElements(reference, after, name, bytes));
  return lost && `other elements in '${lost[0]}', whose order is open`;
}

/** A race of the kernel itself that shows when threads run: of a load or store with a later store over it, by other threads. */
export interface OwnRace extends Finding {
  readonly op: Operation;
  readonly buffer: string;
}

/** The races of a run that the source has too: nothing orders the accesses of `overwritten` and the later stores. */
export function ownRaces({ overwritten }: RunResult, run: PtxRun): readonly OwnRace[] {
  return [...overwritten].flatMap(([op, buffer]) => {
    const race = run.findings.find((f) => f.kind === "global-order" && f.buffer === buffer) ?? run.metAtomics.get(buffer);
    if (!race) return [];
    const { message, program, times } = race;
    return [{ kind: "global-race", severity: "note", op, buffer, message, program, times } as const];
  });
}

/** Buffers stored into from `tt.cat` or a reshape that may reorder: only which elements there are is defined. */
function reorderedBuffers(module: Operation, run: RunResult): ReadonlyMap<string, number> {
  const reordering: Operation[] = [];
  module.walk((op) => {
    if (op.name === "tt.cat" || op.hasAttr("allow_reorder")) reordering.push(op);
  });
  return buffersBehind(reordering, run);
}

/**
 * Buffers in which a difference says nothing: those loaded after stores with no barrier between, those that keep what such a load or an
 * atomic found where several lanes of it met, and what depends on a clock or on which elements the layout packs together.
 */
function openBuffers(run: RunResult): ReadonlySet<string> {
  const meeting = run.stores.filter(
    ({ op, addresses }) => op.name.startsWith("tt.atomic") && op.result(0).firstUse && lanesMeet(addresses),
  );
  const dependent = run.findings.flatMap(({ kind, op }) => ((DEPENDENT.has(kind) || kind === "global-order") && op ? [op] : []));
  const ops = new Set([...meeting.map(({ op }) => op), ...dependent]);
  const conflicting = new Set(run.findings.flatMap(({ kind, op }) => (kind === "store-conflict" && op ? [op] : [])));
  return new Set([...run.open, ...buffersBehind([...ops], run).keys(), ...buffersOf((op) => conflicting.has(op), run).keys()]);
}
/** Findings of ops whose results are not the kernel's own to say. */
export const DEPENDENT: ReadonlySet<FindingKind> = new Set(["layout-dependent", "time-dependent"]);
const lanesMeet = (addresses: Data): boolean => new Set(addresses as Float64Array).size < addresses.length;

/** The buffers that receive values that depend on results of `ops`, each with its element size. */
function buffersBehind(ops: readonly Operation[], run: RunResult): Map<string, number> {
  const reached = new Set<Operation>();
  for (const op of ops) for (const result of op.results) for (const user of result.users()) reached.add(user);
  for (const op of reached) {
    for (const result of op.results) for (const user of result.users()) reached.add(user);
    // Out of calls and regions dependence is followed no further than to the results.
    if (op.def.isTerminator && op.parentOp) for (const result of op.parentOp.results) for (const user of result.users()) reached.add(user);
  }
  return buffersOf((op) => reached.has(op), run);
}

/** The buffers that the selected ops store to, each with its element size. */
function buffersOf(which: (op: Operation) => boolean, { stores, memory }: RunResult): Map<string, number> {
  const buffers = new Map<string, number>();
  for (const { op, addresses, element, mask } of stores) {
    if (!which(op)) continue;
    const lane = mask ? mask.findIndex((on: number | bigint) => Boolean(on)) : 0;
    const name = lane < 0 ? undefined : memory.bufferAt(addresses[lane] as number)?.spec.name;
    if (name !== undefined) buffers.set(name, element.bytes);
  }
  return buffers;
}
