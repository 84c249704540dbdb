/**
 * An MMA atom: one matrix instruction as data. Its layouts map (thread, value) to the column-major index in the
 * M x K, N x K or M x N tile; `ptx` is the instruction it emits.
 * Source: cute/arch/mma_sm*.hpp, cute/atom/mma_traits_sm*.hpp.
 */
import type { Layout } from "../term.js";

/** One matrix instruction. Types are spelled as in CuTe (`half_t`). */
export interface MmaAtom {
  readonly name: string;
  readonly arch: string;
  readonly shape: readonly [m: number, n: number, k: number];
  readonly threads: Layout;
  readonly a: Layout;
  readonly b: Layout;
  readonly c: Layout;
  readonly types: { readonly d: string; readonly a: string; readonly b: string; readonly c: string };
  /** The PTX instruction with all its qualifiers, or what the atom does without one. */
  readonly ptx: string;
  /** Operands read from shared memory through a descriptor rather than from registers. */
  readonly descriptors?: { readonly a: boolean; readonly b: boolean };
  /** Layouts of scale factors and of sparsity metadata, where the instruction has them. */
  readonly extra?: Readonly<Record<string, Layout>>;
}

/** A family of atoms: given template arguments (as text) it makes the atom, or says what is wrong. */
export interface MmaFamily {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly make: (args: readonly string[]) => MmaAtom | string;
}
