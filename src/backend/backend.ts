/** A backend: all that is known about compiling for the GPUs of one vendor, as one record. */
import type { Context } from "../ir/context.js";
import type { Operation } from "../ir/operation.js";
import { optionsText, type PassDef, type PassStep } from "../pass/define-pass.js";
import type { OptionSpec } from "../pass/options.js";
import type { TritonVersion } from "../support/triton-version.js";
import type { PipelineStep, Stage } from "../trace/stage.js";
import type { Artifacts } from "../trace/trace.js";

/** The target of a compilation: a GPU by its number (90 for `cuda:90`), and Triton's options. */
export interface BackendTarget<Options> {
  readonly capability: number;
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
};
export type BackendOptions<Options> = { readonly [Key in keyof Options]: BackendOption<Options[Key]> };

export interface Backend<Gpu, Options> {
  readonly name: string;
  /** One row a GPU. */
  readonly targets: readonly Gpu[];
  /** Triton's options for this backend. The command line's are derived from them. */
  readonly options: BackendOptions<Options>;
  /** Values of all options; some follow from the target. */
  readonly defaults: (capability: number) => Options;
  /** The reason why options do not fit a target, in Triton's words where it has some; undefined if they fit. */
  readonly check: (options: Options, capability: number) => string | undefined;
  readonly pipelines: ReadonlyMap<TritonVersion, Pipeline<Options>>;
  /** Passes that code needs to run; all others only make it better. */
  readonly lowering: readonly PassDef[];
  /** Loads the translation to texts after the last pass, which most compilations of the command line end before. */
  readonly translator: () => Promise<Translate<Options>>;
}
