import { TensorDescType } from "../../dialects/tt/types.js";
import { definePass } from "../../pass/define-pass.js";

export const optimizeDescriptorEncoding = definePass("triton-nvidia-optimize-descriptor-encoding", {
  name: "TritonNvidiaGPUOptimizeDescriptorEncodingPass",
  summary: "set encodings on tensor descriptor types",
  description: `
    Gives every tensor descriptor the layout in shared memory that its loads and stores want. Before Hopper there is none left:
    descriptors have become pointers.`,
  source: "lib/Dialect/TritonNvidiaGPU/Transforms/OptimizeDescriptorEncoding.cpp",
  run(root, { report }) {
    root.walk((op) => {
      const types = [...op.results, ...op.regions.flatMap((region) => region.firstBlock?.args ?? [])].map(({ type }) => type);
      if (!types.some((type) => TensorDescType.is(type))) return undefined;
      report.warning(op, "encodings of tensor descriptors are not built yet: descriptors stay without", "pass.not-built");
      return "interrupt";
    });
  },
});
