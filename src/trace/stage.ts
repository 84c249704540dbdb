/** The stages of a compilation, and a pass as a Trace lists it. */

/** A pass belongs to the stage that it makes: `llir` begins with the first pass of make_llir, which still works on TTGIR. */
export type Stage = "ttir" | "ttgir" | "llir" | "ptx";
/** The stages in the order of a compilation. */
export const STAGES: readonly Stage[] = ["ttir", "ttgir", "llir", "ptx"];

/** The stage for people: texts of a cache folder are named by what they are (`llir`, `amdgcn`); SASS is listed with its PTX. */
export const stageName = ({ stage, flag }: Pick<PipelineStep, "stage" | "flag">): string =>
  stage === "ptx" && flag !== "sass" ? flag : stage;

/** A step by name; `compile` looks the pass up. */
export interface PipelineStep {
  readonly stage: Stage;
  readonly flag: string;
  /** The name that upstream's dumps show. */
  readonly pass: string;
  /** Options as upstream spells them: `num-stages=3`. */
  readonly options: string;
}
