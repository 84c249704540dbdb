import { definePass } from "../../pass/define-pass.js";
import { testPrintAlignment } from "../print/test-print-alignment.js";

export const testPrintAmdAlignment = definePass("test-print-amd-alignment", {
  name: "AMDTestAxisInfo",
  summary: "print the result of the alignment analysis pass",
  // The same as test-print-alignment: that analysis knows the alignment of AMD's ops too.
  source: "third_party/amd/test/lib/Analysis/TestAxisInfo.cpp",
  testOnly: true,
  run: (root, pass) => testPrintAlignment.run(root, pass as never),
});
