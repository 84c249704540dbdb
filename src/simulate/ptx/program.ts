/** A compiled PTX module: each function as blocks of steps. */
import type { Site } from "./findings.js";
import type { Step } from "./lanes.js";
import type { Warp } from "./warp.js";

export type Terminator =
  | { readonly kind: "next" }
  /** `predicate` as in `Block.guards`; -1 jumps for all lanes. */
  | { readonly kind: "branch"; readonly predicate: number; readonly target: number }
  /** `brx.idx`: lane l goes to targets[I[row + l]]. */
  | { readonly kind: "indexed"; readonly predicate: number; readonly row: number; readonly targets: readonly number[]; readonly site: Site }
  /** Leaves the kernel (`exit`), or the function (`ret`). */
  | { readonly kind: "return" | "exit"; readonly predicate: number }
  | {
      readonly kind: "call";
      readonly predicate: number;
      readonly callee: () => CompiledFunction;
      readonly args: readonly RowCopy[];
      readonly results: readonly RowCopy[];
      readonly site: Site;
    }
  | { readonly kind: "barrier"; readonly predicate: number; readonly barrier: Barrier; readonly site: Site }
  /** Where the two halves of one of AMD's waves meet. */
  | { readonly kind: "wave"; readonly predicate: number; readonly exchange: Exchange; readonly site: Site }
  /** `barrier.cluster`: of all threads of the cluster. */
  | { readonly kind: "cluster-arrive" | "cluster-wait"; readonly predicate: number; readonly site: Site };

/** The work that the halves of a wave do together; a mask is 0 where that half is elsewhere. */
export type Exchange = (low: Warp, high: Warp, lowMask: number, highMask: number) => void;

/** `idRow`, `countRow`: rows of the operands, uniform over the warp; -1 means all threads of the CTA. */
export interface Barrier {
  readonly idRow: number;
  readonly countRow: number;
  /** `bar.arrive` does not wait. */
  readonly arrives: boolean;
  readonly reduce: { readonly op: "popc" | "and" | "or"; readonly predicate: number; readonly into: number } | undefined;
}

/** Copies 32 lanes of words. */
export interface RowCopy {
  readonly from: number;
  readonly to: number;
}

/** The registers that an instruction reads and writes: rows; below 0 predicates, of which `~n` is number n; `CARRY`. */
export interface Flow {
  readonly opcode: string;
  readonly modifiers: readonly string[];
  readonly reads: readonly number[];
  readonly writes: readonly number[];
  /** Those of `reads` on which the place of a memory access depends. */
  readonly addresses: readonly number[];
  readonly guard: number | undefined;
  /** Whether it reads which program of the grid this is. */
  readonly readsProgram: boolean;
  /** Counts the cost of a memory access without doing it. */
  readonly cost: Step | undefined;
}
export const CARRY = -(2 ** 30);

export interface Block {
  readonly steps: Step[];
  readonly flows: Flow[];
  /** For each step: -1, or twice a predicate's number, plus 1 where it is negated. */
  readonly guards: number[];
  readonly sites: Site[];
  terminator: Terminator;
  /** Where paths that part here meet again: the immediate post-dominator; -1 where only at the end. */
  join: number;
  executions: number;
  lanes: number;
}

export interface CompiledFunction {
  readonly name: string;
  readonly blocks: readonly Block[];
  /** The rows it owns: saved when it calls itself. */
  readonly firstRow: number;
  readonly endRow: number;
  readonly firstPredicate: number;
  readonly endPredicate: number;
  readonly localBytes: number;
}

export interface KernelParameter {
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly offset: number;
  readonly isPointer: boolean;
}

export interface PtxProgram {
  readonly kernel: CompiledFunction;
  readonly params: readonly KernelParameter[];
  readonly paramBytes: number;
  readonly rows: number;
  readonly predicates: number;
  readonly localBytes: number;
  /** Threads of a CTA, from .reqntid or .maxntid; undefined when the text says nothing. */
  readonly threads: readonly [number, number, number] | undefined;
  /** CTAs of a cluster, from .reqnctapercluster. */
  readonly numCtas: number;
  /** Rows filled when a warp starts: with a number, or by lane. */
  readonly constants: readonly { readonly row: number; readonly bits: bigint; readonly wide: boolean }[];
  readonly special: readonly { readonly row: number; readonly name: string }[];
  readonly constantPredicates: readonly { readonly predicate: number; readonly mask: number }[];
  /** Shared variables of known extent end here; `extern .shared` arrays begin there. */
  readonly staticShared: number;
  readonly usesDynamicShared: boolean;
  /** The widest power of two (at most 16) that divides every access to shared memory. */
  readonly sharedGranule: number;
  /** Whether a warp's lanes need no barrier among themselves, as those of AMD's waves. */
  readonly lanesInStep: boolean;
  readonly globals: readonly { readonly name: string; readonly address: number; readonly bytes: Uint8Array }[];
  /** Why it needs more memory than the simulator has. */
  readonly tooLarge: string | undefined;
  readonly sites: readonly Site[];
  /** Functions other than the kernel. */
  readonly functions: () => Iterable<CompiledFunction>;
}
