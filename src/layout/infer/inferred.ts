import type { DistributedParams, EncodingParams } from "../encoding-params.js";

/** An inferred encoding, or why there is none (upstream's message). */
export type Inferred<P extends EncodingParams = EncodingParams> = { readonly encoding: P } | { readonly error: string };

/** As `Inferred`, of a tensor in registers. */
export type InferredDistributed = Inferred<DistributedParams>;
