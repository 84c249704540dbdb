import { moduleAxisInfo } from "../../../analysis/module-axis-info.js";
import { definePass } from "../../../pass/define-pass.js";
import { Rewriter } from "../../../rewrite/rewriter.js";
import { lowerLoops } from "./lower-loops.js";

export const testPipelineLowerLoop = definePass("tritongpu-test-pipeline-lower-loop", {
  name: "TestPipelineLowerLoop",
  summary: "test lowering a loop for software pipelining",
  // The first half of `tritongpu-pipeline`: pipelined loads become copies to buffers; the loop is not expanded.
  source: "lib/Dialect/TritonGPU/Transforms/Pipeliner/TestPipelineLowerLoop.cpp",
  testOnly: true,
  run(root, { listener, analysis }) {
    lowerLoops(new Rewriter(root.ctx, listener), root, () => analysis(moduleAxisInfo));
  },
});
