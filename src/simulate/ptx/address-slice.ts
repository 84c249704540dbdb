/**
 * Leaves of a program only what decides where it goes: branches, barriers, the addresses and sizes of memory accesses, and all
 * that they depend on. Other memory accesses are counted and not done, other arithmetic is left out. So a program of many
 * iterations is followed exactly, at a small part of the cost; what it stores is not known.
 */
import { noStep, type Step } from "./lanes.js";
import type { Flow, PtxProgram, Terminator } from "./program.js";

type Space = "global" | "shared" | "local" | "generic" | "param";

/** Instructions that are counted and not done where nothing depends on their results. */
const SKIPPED = new Set(["ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix", "mma", "wgmma", "call"]);
/** The instructions of tcgen05 that mbarriers hear of. */
const ARRIVES = "commit";
/** Instructions that write memory, whose data is needed once a needed instruction reads that space. */
const WRITERS = new Set(["st", "atom", "red", "stmatrix"]);

/** The part that is left of a program. */
export interface Slice {
  /** Whether copies into shared memory must still move data. */
  readonly data: boolean;
  /** Whether branches depend on which program of the grid it is, or on what is in memory. */
  readonly choosesByProgram: boolean;
  /** Whether branches or addresses depend on values of other threads. */
  readonly mixesThreads: boolean;
}

/**
 * Reduces the steps of a program in place. With `asLanes` the lanes of a warp are threads of different programs: one of them is elected in
 * each, waits are over at once, and of accesses only those of global memory (`accesses`) or none (`branches`) are left.
 */
export function sliceAddresses(program: PtxProgram, asLanes?: "accesses" | "branches"): Slice {
  const blocks = [program.kernel, ...program.functions()].flatMap((fn) => fn.blocks);
  // Arguments of calls are copied by the machine: all of such a program is executed.
  if (blocks.some(({ terminator }) => terminator.kind === "call")) return { data: true, choosesByProgram: true, mixesThreads: true };
  const flows = blocks.flatMap((block) => block.flows);
  const writersOf = new Map<number, Flow[]>();
  for (const flow of flows)
    for (const register of flow.writes) {
      const known = writersOf.get(register);
      if (known) known.push(flow);
      else writersOf.set(register, [flow]);
    }
  const kept = new Set<Flow>();
  const spaces = new Set<Space>();
  const wanted = new Set<number>();
  const work: Flow[] = [];
  const keep = (flow: Flow): void => {
    if (kept.has(flow)) return;
    kept.add(flow);
    work.push(flow);
  };
  const want = (register: number | undefined): void => {
    if (register === undefined || wanted.has(register)) return;
    wanted.add(register);
    for (const flow of writersOf.get(register) ?? []) keep(flow);
  };
  const drain = (): void => {
    for (let flow = work.pop(); flow !== undefined; flow = work.pop()) {
      want(flow.guard);
      if (asLanes && isOver(flow)) continue;
      for (const register of flow.reads) want(register);
      if (flow.opcode === "tensormap" || flow.opcode === "ldmatrix") readSpace("shared");
      else if (flow.opcode === "atom") readSpace("global");
      else if (flow.opcode === "ld" && (spaceOf(flow) !== "global" || isStrong(flow))) readSpace(spaceOf(flow));
    }
  };
  const readSpace = (space: Space): void => {
    if (space === "param" || spaces.has(space)) return;
    spaces.add(space);
    for (const flow of flows) if (WRITERS.has(flow.opcode) && meets(space, spaceOf(flow))) keep(flow);
    if (space !== "local" && space !== "global") for (const flow of flows) if (isCopyIntoShared(flow)) keep(flow);
  };
  for (const { terminator } of blocks) for (const register of registersOf(terminator)) want(register);
  drain();
  const choosesByProgram = [...kept].some(
    (flow) =>
      flow.readsProgram || flow.opcode === "atom" || (flow.opcode === "ld" && spaceOf(flow) !== "param" && spaceOf(flow) !== "local"),
  );
  if (asLanes !== "branches")
    for (const flow of flows) {
      if (asLanes && !isOfGlobal(flow)) continue;
      want(flow.guard);
      if (flow.cost) for (const register of isBulk(flow) ? flow.reads : flow.addresses) want(register);
      if (!asLanes && isEffect(flow)) keep(flow);
    }
  drain();
  for (const { steps, flows: all, guards, sites } of blocks)
    for (let i = all.length - 1; i >= 0; i--) {
      const flow = all[i]!;
      if (kept.has(flow)) {
        if (asLanes && isOver(flow)) steps[i] = overStep(flow);
      } else if (!asLanes || (asLanes === "accesses" && isOfGlobal(flow))) steps[i] = flow.cost ?? noStep;
      else for (const list of [steps, guards, sites]) list.splice(i, 1);
    }
  const data = spaces.has("shared") || spaces.has("generic");
  return { data, choosesByProgram, mixesThreads: data || [...kept].some(isMixing) };
}

const isBulk = ({ opcode, modifiers }: Flow): boolean => opcode === "cp" && modifiers.includes("bulk");
/** An access of global memory whose cost can be counted. */
const isOfGlobal = (flow: Flow): boolean =>
  flow.cost !== undefined && /^(?:global|generic)$/.test(spaceOf(flow)) && flow.opcode !== "tcgen05";
/** Waits, which are over at once where lanes are programs, and elections, which each of them wins. */
const isOver = ({ opcode }: Flow): boolean => opcode === "mbarrier" || opcode === "elect";
/** Instructions whose results depend on other lanes; a shuffle from a lane that is named gives what all lanes of the warp have (`tid / 32`). */
const isMixing = ({ opcode, modifiers }: Flow): boolean =>
  /^(?:vote|redux|match|activemask|atom)$/.test(opcode) || (opcode === "shfl" && !modifiers.includes("idx"));
const overStep =
  ({ writes }: Flow): Step =>
  ({ P }, mask) => {
    for (const register of writes) if (register < 0) P[~register]! |= mask;
  };

/** Whether it does something besides writing registers and data. */
function isEffect({ opcode, modifiers, writes }: Flow): boolean {
  if (opcode === "tcgen05") return modifiers[0] === ARRIVES;
  if (opcode === "cp") return modifiers.includes("bulk") || modifiers.includes("mbarrier");
  return opcode === "mbarrier" || opcode === "bar" || opcode === "barrier" || (writes.length === 0 && !SKIPPED.has(opcode));
}
const isCopyIntoShared = ({ opcode, modifiers }: Flow): boolean =>
  (opcode === "cp" && modifiers[0] === "async") || (opcode === "tcgen05" && modifiers[0] === "alloc");

function spaceOf({ modifiers, opcode }: Flow): Space {
  if (opcode === "stmatrix" || opcode === "ldmatrix") return "shared";
  if (opcode === "cp") return "global";
  const named = modifiers.find((m) => /^(?:global|shared|local|const|param)\b/.test(m))?.split("::")[0];
  return named === undefined ? "generic" : named === "const" ? "global" : (named as Space);
}
/** A load that may find what another thread stored; of other loads of global memory the launch's values are taken. */
const isStrong = ({ modifiers }: Flow): boolean => modifiers.some((m) => m === "volatile" || m === "acquire" || m === "relaxed");
const meets = (a: Space, b: Space): boolean => a === b || a === "generic" || b === "generic";

/** The registers that decide where a block goes on. */
function registersOf(terminator: Terminator): readonly number[] {
  if (terminator.kind === "next") return [];
  const guard = terminator.predicate < 0 ? [] : [~(terminator.predicate >> 1)];
  switch (terminator.kind) {
    case "indexed":
      return [...guard, terminator.row];
    case "barrier": {
      const { idRow, countRow, reduce } = terminator.barrier;
      return [...guard, idRow, ...(countRow < 0 ? [] : [countRow]), ...(reduce ? [~(reduce.predicate >> 1)] : [])];
    }
    default:
      return guard;
  }
}
