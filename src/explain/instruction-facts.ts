/** The effect of one machine instruction, PTX, SASS or AMD's, as far as its own text says it. Plain data. */

export type FactKind =
  | "load"
  | "store"
  | "atomic"
  | "async-copy"
  | "tma"
  | "matrix-load"
  | "matrix-store"
  | "mma"
  | "barrier"
  | "shuffle"
  | "wait";
export type MemorySpace = "global" | "shared" | "local" | "param" | "tensor" | "generic";

/** A tensor core instruction. */
export interface MmaFacts {
  readonly family: "mma" | "wgmma" | "tcgen05" | "mfma" | "wmma";
  /** m, n, k; undefined where the shape is in a descriptor (tcgen05) that the code does not hold as a constant. */
  readonly shape: readonly [number, number, number] | undefined;
  /** Products that an MFMA computes at once, beside each other; undefined for one. */
  readonly blocks?: number;
  /** Element types as the instruction names them: `f16`. */
  readonly types: { readonly a: string; readonly b: string; readonly acc: string };
  /** 32-bit registers of a thread for each fragment; 0 for an operand in shared or tensor memory. */
  readonly registers: { readonly a: number; readonly b: number; readonly acc: number };
}

/** The effect of one instruction, as far as its own text says it. */
export interface InstructionFacts {
  readonly kind: FactKind;
  readonly space: MemorySpace | undefined;
  /** Mnemonic with modifiers: `ld.global.v4.b32`. */
  readonly instruction: string;
  /** Bits of one word of the access; 0 where nothing is accessed. */
  readonly widthBits: number;
  /** Words of the access. */
  readonly vector: number;
  /** Bytes that one thread moves; for a collective access (ldmatrix, TMA) its share, or all bytes for one elected thread. */
  readonly bytesPerThread: number;
  /** `@%p1`, `@!%p2`, `zero-fill` for a cp.async of less than its size; undefined: always done. */
  readonly predicate: string | undefined;
  /** Cache operators, eviction priorities, memory orders and scopes. */
  readonly modifiers: readonly string[];
  readonly mma: MmaFacts | undefined;
}
