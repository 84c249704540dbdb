import { expect, test } from "vitest";
import { runPipeline } from "../../pass/pass-manager.js";
import { goldenParts, rewritten } from "../../testing/golden-parts.js";
import { convertScfToCf } from "./convert-scf-to-cf.js";

for (const part of goldenParts("fixtures/scf/convert-scf-to-cf.mlir"))
  test(part.name, () => expect(rewritten(part.input, (module) => void runPipeline(module, [convertScfToCf()]))).toBe(part.output));
