/**
 * Leaves of a program only what decides where it goes: branches, barriers, the addresses and sizes of memory accesses, and all
 * that they depend on. Other memory accesses are counted and not done, other arithmetic is left out. So a program of many
 * iterations is followed exactly, at a small part of the cost; what it stores is not known.
 */
import { noStep } from "./lanes.js";
import type { Flow, PtxProgram, Terminator } from "./program.js";

type Space = "global" | "shared" | "local" | "generic" | "param";

/** Instructions that are counted and not done where nothing depends on their results. */
const SKIPPED = new Set(["ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix", "mma", "wgmma", "call"]);
/** The instructions of tcgen05 that mbarriers hear of. */
const ARRIVES = "commit";
/** Instructions that write memory, whose data is needed once a needed instruction reads that space. */
const WRITERS = new Set(["st", "atom", "red", "stmatrix"]);

/**
 * Reduces the steps of a program in place; returns whether copies into shared memory must still move data. With `globalOnly`
 * what is left out is not counted either, but for accesses of global memory.
 */
export function sliceAddresses(program: PtxProgram, globalOnly = false): { readonly data: boolean } {
  const blocks = [program.kernel, ...program.functions()].flatMap((fn) => fn.blocks);
  // Arguments of calls are copied by the machine: all of such a program is executed.
  if (blocks.some(({ terminator }) => terminator.kind === "call")) return { data: true };
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
  for (const { terminator } of blocks) for (const register of registersOf(terminator)) want(register);
  for (const flow of flows) {
    want(flow.guard);
    for (const register of flow.addresses) want(register);
    if (isEffect(flow)) keep(flow);
  }
  const readSpace = (space: Space): void => {
    if (space === "param" || spaces.has(space)) return;
    spaces.add(space);
    for (const flow of flows) if (WRITERS.has(flow.opcode) && meets(space, spaceOf(flow))) keep(flow);
    if (space !== "local" && space !== "global") for (const flow of flows) if (isCopyIntoShared(flow)) keep(flow);
  };
  for (let flow = work.pop(); flow !== undefined; flow = work.pop()) {
    for (const register of flow.reads) want(register);
    if (flow.opcode === "tensormap" || flow.opcode === "ldmatrix") readSpace("shared");
    else if (flow.opcode === "atom") readSpace("global");
    else if (flow.opcode === "ld" && (spaceOf(flow) !== "global" || isStrong(flow))) readSpace(spaceOf(flow));
  }
  for (const { steps, flows: all, guards, sites } of blocks)
    for (let i = all.length - 1; i >= 0; i--) {
      const flow = all[i]!;
      if (kept.has(flow)) continue;
      if (!globalOnly || (flow.cost && spaceOf(flow) !== "shared")) steps[i] = flow.cost ?? noStep;
      else for (const list of [steps, guards, sites]) list.splice(i, 1);
    }
  return { data: spaces.has("shared") || spaces.has("generic") };
}

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
