/** AMD's backend. */
import { convertTritonToTritonGpu } from "../../passes/convert/convert-triton-to-tritongpu.js";
import { rewriteTensorDescriptorToPointer } from "../../passes/tt/rewrite-tensor-descriptor-to-pointer.js";
import { rewriteTensorPointer } from "../../passes/tt/rewrite-tensor-pointer.js";
import { TRITON_3_6 } from "../../support/triton-version.js";
import type { Backend } from "../backend.js";
import { HIP, type HipOptions } from "./options.js";
import { hipPipeline } from "./pipeline.js";

export const AMD: Backend<Partial<HipOptions>> = {
  ...HIP,
  pipelines: new Map([[TRITON_3_6, hipPipeline]]),
  lowering: [rewriteTensorPointer, rewriteTensorDescriptorToPointer, convertTritonToTritonGpu],
};
