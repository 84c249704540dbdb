/** The versions of Triton that are followed: one value for the pipeline, the front end and passes. */
export interface TritonVersion {
  /** Names the version in options and pipelines: `3.6`. */
  readonly name: string;
  /** `triton.__version__`. */
  readonly release: string;
}

export const TRITON_3_6: TritonVersion = { name: "3.6", release: "3.6.0" };

/** Used where none is named. */
export const DEFAULT_TRITON = TRITON_3_6;
