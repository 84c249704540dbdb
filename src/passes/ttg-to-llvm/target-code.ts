/**
 * The code of a vendor's GPUs that rules of all vendors ask for, one record a vendor: `lo.code`. Its functions add ops at the builder's
 * insertion point.
 * Source: include/triton/Conversion/TritonGPUToLLVM/TargetInfoBase.h.
 */
import type { Type } from "../../ir/attribute.js";
import type { Operation } from "../../ir/operation.js";
import type { Value } from "../../ir/value.js";
import type { LinearLayout } from "../../layout/linear-layout.js";
import type { MatrixInstructions } from "../../layout/swizzle.js";

/** Options of an access to shared memory: the other CTA of the cluster that it goes to, and the predicate of the threads that make it. */
export interface SharedAccess {
  readonly ctaId?: Value | undefined;
  readonly predicate?: Value | undefined;
}

/** Where the registers of a tensor lie in shared memory, and what there is to know of that memory. */
export interface SharedPlace {
  /** register, lane, warp -> offset, in elements; with block among both, to reach other CTAs' memory. */
  readonly layout: LinearLayout;
  /** The element's type in the LLVM dialect. */
  readonly element: Type;
  readonly base: Value;
  /** For a view: where it begins (elements), and the offset bits that this may set. */
  readonly affineOffset: Value;
  readonly maskSpan: number;
  /** For a padded layout: how many elements are contiguous, and the map from offsets to padded ones (bytes). */
  readonly maxVecElems?: number | undefined;
  readonly pad?: Padding | undefined;
}
export interface Padding {
  readonly value: (offset: Value) => Value;
  readonly constant: (offset: number) => number;
}

/** `Lowering` is the state of the lowering of a function, whose `code` such a record is. */
export interface TargetCode<Lowering> {
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

  /** The type of a tensor descriptor in the LLVM dialect. */
  readonly descriptorType: (type: Type) => Type;

  /** The thread's number in its CTA (i32). */
  readonly threadId: (lo: Lowering) => Value;
  /** The CTA's number in its cluster (i32). */
  readonly clusterCTAId: (lo: Lowering) => Value;
  /** The program's number along an axis of the grid, and how many there are (i32). */
  readonly programId: (lo: Lowering, axis: number) => Value;
  readonly numPrograms: (lo: Lowering, axis: number) => Value;

  /** All threads of the CTA, or only of the warp, wait for each other and see each other's writes. */
  readonly barrier: (lo: Lowering, warpOnly?: boolean) => void;
  /** A barrier of all threads of a cluster. */
  readonly clusterBarrier: (lo: Lowering) => void;
  /** A word with one bit for each lane of the warp. */
  readonly ballot: (lo: Lowering, predicate: Value) => Value;
  /** The value of lane `id ^ mask`. */
  readonly shuffleXor: (lo: Lowering, value: Value, mask: number) => Value;
  /** The value of the lane `distance` before. */
  readonly shuffleUp: (lo: Lowering, value: Value, distance: number) => Value;
  /** The value of a lane. */
  readonly shuffleIdx: (lo: Lowering, value: Value, lane: Value | number) => Value;
  /** Four bytes picked from the eight of two words, by a selector with four bits for each. */
  readonly permuteBytes: (lo: Lowering, low: Value, high: Value, selector: Value) => Value;
  /**
   * `tt.reduce` over those lanes of the warp whose numbers differ in the bits of `lanes` alone, by the vendor's own instructions;
   * undefined where there are none.
   */
  readonly warpReduce: (lo: Lowering, reduce: Operation, values: readonly Value[], lanes: number) => readonly Value[] | undefined;

  /** The registers of one layout as those of another with the same warps, by the vendor's own instructions; undefined where none fit. */
  readonly convertWithinWarp: (
    lo: Lowering,
    from: LinearLayout,
    to: LinearLayout,
    values: readonly Value[],
    element: Type,
  ) => readonly Value[] | undefined;

  /** Stores a scalar or a vector of any width to shared memory. */
  readonly storeShared: (lo: Lowering, pointer: Value, value: Value, access?: SharedAccess) => void;
  /** Loads a scalar or a vector of any width. */
  readonly loadShared: (lo: Lowering, pointer: Value, type: Type, access?: SharedAccess) => Value;
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

  /** Prints on the device, by a format as text or as an earlier call returned it. */
  readonly printf: (lo: Lowering, format: string | Format, args: readonly Printed[]) => Format;
  /** Ends the program with a message and the place in the source. */
  readonly assertFail: (lo: Lowering, message: string, file: string, line: number) => void;
}

/** A format in the module's memory. */
export interface Format {
  readonly address: Value;
  readonly bytes: number;
}
export interface Printed {
  readonly value: Value;
  readonly signed: boolean;
}
