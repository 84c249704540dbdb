import { expect, test } from "vitest";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "./parse.js";

const BLOCKED = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
const firstError = (text: string): string | undefined => {
  const ctx = new Context(ALL_DIALECTS);
  parseModule(ctx, "k.mlir", text);
  return ctx.diagnostics[0]?.message;
};

test.each([
  [BLOCKED.replace("blocked", "bloked"), "f32", "unknown attribute `bloked` in dialect `ttg`; did you mean 'blocked'?"],
  [BLOCKED.replace("threads", "thread"), "f32", "unexpected key: threadPerWarp; did you mean 'threadsPerWarp'?"],
  [BLOCKED, "fp16", "expected non-function type; did you mean 'f16'?"],
  [BLOCKED, "bfloat16", "expected non-function type; did you mean 'bf16'?"],
  [BLOCKED, "nothing", "expected non-function type"],
])("%s with %s: %s", (layout, element, message) => {
  expect(firstError(`#l = ${layout}\nmodule { tt.func @f(%a: tensor<128x${element}, #l>) { tt.return } }`)).toBe(message);
});
