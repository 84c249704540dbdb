/**
 * The code of a vendor's GPUs that rules of all vendors ask for, one record a vendor: `lo.code`. Its functions add ops at the builder's
 * insertion point.
 * Source: include/triton/Conversion/TritonGPUToLLVM/TargetInfoBase.h.
 */
import type { Type } from "../../ir/attribute.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import type { MatrixInstructions } from "../../layout/swizzle.js";
import type { LLBuilder } from "./ll-builder.js";
import type { Lowering } from "./lowering.js";
import type { SharedPlace } from "./shared-access.js";

/** Options of an access to shared memory: the other CTA of the cluster that it goes to, and the predicate of the threads that make it. */
export interface SharedAccess {
  readonly ctaId?: Value | undefined;
  readonly predicate?: Value | undefined;
}

export interface TargetCode {
  /** The dialect whose ops are the GPU's own: they stay as they are, as LLVM's do. */
  readonly dialect: string;
  /** True if minimum and maximum of floats that propagate NaN are instructions. */
  readonly nanExtrema: boolean;
  /** The widths in bits of elements that arithmetic takes two of at once. */
  readonly pairWidths: readonly number[];
  /** The instructions that move fragments of matrices between registers and shared memory. */
  readonly matrices: MatrixInstructions;
  /** True if an op of the vendor's takes a tensor as one struct, as branches and calls do. */
  readonly takesStruct: (user: Operation) => boolean;

  /** The thread's number in its CTA (i32). */
  readonly threadId: (b: LLBuilder) => Value;
  /** The CTA's number in its cluster (i32). */
  readonly clusterCTAId: (b: LLBuilder) => Value;
  /** The program's number along an axis of the grid, and how many there are (i32). */
  readonly programId: (lo: Lowering, axis: number) => Value;
  readonly numPrograms: (lo: Lowering, axis: number) => Value;

  /** All threads of the CTA, or only of the warp, wait for each other and see each other's writes. */
  readonly barrier: (b: LLBuilder, warpOnly?: boolean) => void;
  /** A word with one bit for each lane of the warp. */
  readonly ballot: (b: LLBuilder, predicate: Value) => Value;
  /** The value of lane `id ^ mask`. */
  readonly shuffleXor: (b: LLBuilder, value: Value, mask: number) => Value;
  /** The value of the lane `distance` before. */
  readonly shuffleUp: (b: LLBuilder, value: Value, distance: number) => Value;
  /** The value of a lane. */
  readonly shuffleIdx: (b: LLBuilder, value: Value, lane: Value | number) => Value;
  /** Four bytes picked from the eight of two words, by a selector with four bits for each. */
  readonly permuteBytes: (b: LLBuilder, low: Value, high: Value, selector: Value) => Value;
  /** `tt.reduce` over all lanes of the warp by one instruction; undefined where there is none. */
  readonly warpReduce: (b: LLBuilder, reduce: Operation, values: readonly Value[]) => readonly Value[] | undefined;

  /** Stores a scalar or a vector of any width to shared memory. */
  readonly storeShared: (b: LLBuilder, pointer: Value, value: Value, access?: SharedAccess) => void;
  /** Loads a scalar or a vector of any width. */
  readonly loadShared: (b: LLBuilder, pointer: Value, type: Type, access?: SharedAccess) => Value;
  /**
   * Stores `values` by an instruction for matrices, or loads them when there are none; undefined, with nothing emitted, where none fits.
   * `transposes` are the forms to try.
   */
  readonly moveMatrices: (
    lo: Lowering,
    place: Omit<SharedPlace, "affineOffset"> & { readonly affineOffset: () => Value },
    values: readonly Value[],
    transposes: readonly boolean[],
  ) => readonly Value[] | undefined;

  /** Prints on the device, by a format as text or as an earlier call returned it; returns the format as a value. */
  readonly printf: (lo: Lowering, format: string | Value, args: readonly Printed[]) => Value;
  /** Ends the program with a message and the place in the source. */
  readonly assertFail: (lo: Lowering, message: string, file: string, line: number) => void;
}

export interface Printed {
  readonly value: Value;
  readonly signed: boolean;
}
