/** A backend: all that is known about compiling for the GPUs of one vendor, as one record. */
import type { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { optionsText, type PassDef, type PassStep } from "../pass/define-pass.js";
import type { OptionSpec } from "../pass/options.js";
import type { TritonVersion } from "../support/triton-version.js";
import type { PipelineStep, Stage } from "../trace/stage.js";
import type { Artifacts } from "../trace/trace.js";

/** The target of a compilation: a GPU by its name in Triton (`cuda:90`), and Triton's options. */
export interface BackendTarget<Options> {
  readonly target: string;
  readonly options: Options;
}

/** A step of a pipeline: as a Trace lists it, and the pass with the values of its options. */
export interface BackendStep extends PipelineStep {
  readonly step: PassStep;
}
/** The passes for a kernel by what it is written in. */
export type Pipeline<Options> = (target: BackendTarget<Options>, language: Context["language"]) => readonly BackendStep[];

/** The steps of one stage; false is a step that the target leaves out. */
export function stage(name: Stage, steps: readonly (PassStep | false)[]): readonly BackendStep[] {
  return steps.flatMap((step) =>
    step ? [{ stage: name, flag: step.pass.flag, pass: step.pass.name, options: optionsText(step), step }] : [],
  );
}

/** The artifacts that can be made after the last pass: LLVM IR, PTX, and by op the instructions in PTX. */
export type ArtifactKind = Exclude<keyof Artifacts, "machine">;
/** Makes the artifacts of a module after the last pass, as far as it can be translated. */
export type Translate<Options> = (module: Operation, target: BackendTarget<Options> & ArtifactRequest) => Artifacts;
/** The artifacts that are asked for. */
export interface ArtifactRequest {
  readonly artifacts?: readonly ArtifactKind[];
  /** No artifacts are made of a module with more ops than this. */
  readonly maxArtifactOps?: number;
}

/** One of Triton's options: its type, default, allowed values and help. */
export type BackendOption<T = unknown> = OptionSpec<T> & {
  /** Why a value other than the default changes nothing here, and is refused. */
  readonly refused?: string;
  /** The last that reads it: the front end, or the passes to TTGIR. Without it code is lowered by it. */
  readonly lastRead?: "python" | "ttgir";
  /** The versions of Triton that other values than the default are followed for; all where none are named. */
  readonly versions?: readonly TritonVersion[];
  /** The environment variable that sets it in Triton; one of kind bool is on for `1`, `true` and `on`. */
  readonly variable?: string;
  /** The values that the what-if menu offers, where it has the option; undefined is the target's own choice. */
  readonly offered?: readonly (T | undefined)[];
};
export type BackendOptions<Options> = { readonly [Key in keyof Options]: BackendOption<Options[Key]> };

/** The GPUs of a vendor and their options: all that commands need before they compile. */
export interface Platform<Options> {
  /** Names that can be compiled for: `cuda:90`. */
  readonly targets: readonly string[];
  /** True for a name of this platform's, also of a GPU that cannot be compiled for. */
  readonly owns: (target: string) => boolean;
  /** The target of a name as people write it (`sm_90a`, `90`); undefined for a GPU that cannot be compiled for. */
  readonly targetCalled: (name: string) => string | undefined;
  /** The versions of Triton that it is compiled for as. */
  readonly versions: readonly TritonVersion[];
  /** Triton's options for this platform. The command line's are derived from them. */
  readonly options: BackendOptions<Options>;
  /** Values of all options; some follow from the target. */
  readonly defaults: (target: string) => Options;
  /** The reason why options do not fit a target, in Triton's words where it has some; undefined if they fit. */
  readonly check: (options: Options, target: string) => string | undefined;
  /** True if Triton's launcher tells kernels which tensors are small; others ignore it. */
  readonly takesPointerRanges: boolean;
}

/** A vendor's GPUs: pipelines by version of Triton, lowering and artifacts. */
export interface Backend<Options> extends Platform<Options> {
  readonly pipelines: ReadonlyMap<TritonVersion, Pipeline<Options>>;
  /** Passes that code needs to run; all others only make it better. */
  readonly lowering: readonly PassDef[];
}
