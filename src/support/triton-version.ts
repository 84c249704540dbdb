/** The versions of Triton that are followed: one value for the pipeline, the front end and passes. */
export interface TritonVersion {
  /** Names the version in options and pipelines: `3.6`. */
  readonly name: string;
  /** `triton.__version__`. */
  readonly release: string;
}

export const TRITON_3_6: TritonVersion = { name: "3.6", release: "3.6.0" };

/** All of them, the oldest first. */
export const TRITON_VERSIONS: readonly TritonVersion[] = [TRITON_3_6];

/** Used where none is named. */
export const DEFAULT_TRITON = TRITON_3_6;

/** The version called `3.6` or `3.6.0`. */
export const tritonCalled = (name: string): TritonVersion | undefined =>
  TRITON_VERSIONS.find((version) => version.name === name || version.release === name);

/** The message for a version that is not among them. */
export const unknownTriton = (name: string): string =>
  `Triton ${name} is not known; known are ${TRITON_VERSIONS.map((version) => version.name).join(", ")}`;
