/** The context that every function of the language gets: where ops go, the target, and how to call back into code generation. */
import type { Gpu } from "../../gpu/gpu.js";
import type { Builder } from "../../ir/builder.js";
import type { Context } from "../../ir/context.js";
import type { PyInstance, PyValue, Tensor } from "./values.js";

/** The compile options that the language asks about. Source: CUDAOptions and HIPOptions of the backends. */
export interface LanguageOptions {
  readonly gpu: Gpu;
  readonly numWarps: number;
  readonly numCtas: number;
  readonly maxnreg?: number | undefined;
  readonly supportedFp8Dtypes: readonly string[];
  readonly deprecatedFp8DotOperandDtypes: readonly string[];
  readonly defaultDotInputPrecision: string;
  /** The precision of `tl.dot` where a kernel names none: TRITON_F32_DEFAULT. */
  readonly fp32Default?: string | undefined;
  readonly allowedDotInputPrecisions: readonly string[];
  readonly maxNumImpreciseAccDefault: number;
  readonly sanitizeOverflow: boolean;
  readonly debug: boolean;
}

/** The parts of a block pointer, besides its base. */
export interface BlockPointerParts {
  readonly shape: PyValue;
  readonly strides: PyValue;
  readonly offsets: PyValue;
  readonly blockShape: PyValue;
  readonly order: PyValue;
}

/** Differences of the language between versions of Triton. Source: semantic.py of each. */
export interface LanguageRules {
  /** The op of `tl.debug_barrier`. */
  readonly debugBarrier: (s: Semantic) => void;
  /** Constants of fp8 can be made, by a conversion of fp32. */
  readonly fp8Constants: boolean;
  /** A call may have arguments that `*args` and `**kwargs` collect: as constants, which have no name in the body, or `*args` as a tuple. */
  readonly collectsArguments: "never" | "constants" | "tuple";
  /** `tl.cat` keeps the order unless it may reorder, and takes a dimension. */
  readonly catsInOrder: boolean;
  /** A dot has the type of its accumulator where none is named. */
  readonly impliesDotType: boolean;
  /**
   * A number beside tensors becomes a constant of the type they are combined in, and no other; `tl.clamp` and `tl.fma` find one type for all
   * three operands.
   */
  readonly typesNumbersLast: boolean;
  /** A number that is stored through a pointer to i1 is 0 or 1; before, it is cut to a byte. */
  readonly storesBooleans: boolean;
  /** A tensor is indexed by as many slices as it has dimensions, or fewer. */
  readonly checksIndices: boolean;
  /** `tl.fdiv` heeds `ieee_rounding`. */
  readonly roundsDivisions: boolean;
  /** Division and remainder of floats that are narrower than fp32, fp8 too, are in fp32. */
  readonly dividesAsFloats: boolean;
  /** bf16 is compared and summed as it is; fp16 and bf16 are converted into each other by one op. */
  readonly keepsBfloat16: boolean;
  /** A block pointer is the result of an op, or a base, offsets and strides. */
  readonly makeBlockPointer: (s: Semantic, base: Tensor, parts: BlockPointerParts) => Tensor | PyInstance;
  /** Gluon: the bytes that a barrier expects are `bytes_per_cta`, and copies have a `multicast`. */
  readonly clusterArguments: boolean;
  /** Gluon: the first function of `warp_specialize` may return what is no tuple. */
  readonly returnsAnyOfPartition: boolean;
  /** Gluon: a slice of tensor memory has the blocks of its buffer. */
  readonly sliceKeepsLayout: boolean;
  /** Gluon: a wait for stores by TMA says whether it ends when they have read. */
  readonly readOnlyWaits: boolean;
  /** Gluon: all threads of a cluster wait for each other. */
  readonly clusterBarrier: (s: Semantic) => void;
  /** Gluon: what is scattered to shared memory, and where, are broadcast. */
  readonly broadcastsScattered: boolean;
  /** Gluon: the registers of warp groups, the layout of a load of tensor memory, and the parts of `_reinterpret` that stay, may be left out. */
  readonly optionalGluonArguments: boolean;
}

export interface Semantic {
  readonly ctx: Context;
  /** Ops go to its insertion point with its location; both change as code generation goes on. */
  readonly b: Builder;
  readonly options: LanguageOptions;
  /** In Gluon tensors have layouts, and builtins keep to them. */
  readonly isGluon: boolean;
  /** The warps that run the function: those of a partition in Gluon, or the kernel's. */
  readonly numWarps: number;
  readonly rules: LanguageRules;
  /** Calls a JIT function (or what a combine function may be) from the place of `b`: CodeGenerator.call_JitFunction. */
  call(fn: PyValue, args: readonly PyValue[], named?: ReadonlyMap<string, PyValue>, partitionWarps?: number): PyValue;
  /** A warning about the line that is being compiled. */
  warn(message: string): void;
  /** A note of ours about the line, which Triton does not make. */
  remark(message: string, code: string): void;
}
