/** Where versions of Triton make different code of the same op: what rules of all vendors read as `lo.forms`. */
import type { MembarFilter } from "../../analysis/membar.js";

export interface CodeForms {
  /** The number of a warp is an op until a later pass, also where nobody needs to know that all lanes have the same. */
  readonly warpIdOp: boolean;
  /** With one CTA a cluster, its number is 0 from the start, not only when all is lowered. */
  readonly knownCTA: boolean;
  /** Parameters that are pointers say what they point to. */
  readonly pointeeTypes: boolean;
  /** A bit that becomes another bit is shifted to its place, not selected. */
  readonly shiftsBits: boolean;
  /** Scans and gathers access shared memory by the vendor's loads and stores. */
  readonly sharesByVendor: boolean;
  /** Constant parts of an offset into padded memory are padded when compiling. */
  readonly padsConstantsApart: boolean;
  /** So is where a view begins, apart from the rest of the offset. */
  readonly padsViewsApart: boolean;
  /** How a kernel is launched is no attribute of functions that it calls. */
  readonly launchesKernelsAlone: boolean;
  /** The bits of an index into shared memory go to their places in the offset, not through the coordinates of the element. */
  readonly indexesByBits: boolean;
  /** Results of atomics go through shared memory in the order of the tensor, each register once, not as threads hold them. */
  readonly atomicsInOrder: boolean;
  /** Strings of the module that are equal are one. */
  readonly sharesStrings: boolean;
  /** The place of a program's scratch memory is computed in 64 bits. */
  readonly wideScratchOffsets: boolean;
  /** A constant whose elements differ is an array in memory, of which each thread loads its elements. */
  readonly constantsInMemory: boolean;
  /** Accesses that need no barrier between them. */
  readonly skipBarrier: MembarFilter | undefined;
}
