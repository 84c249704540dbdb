/** The compiler as a program without node would use it; `without-node.test.ts` runs it. */

import { defaultOptions } from "../backend/nvidia/options.js";
import { compile } from "../compile/compile.js";
import { ALL_DIALECTS } from "../dialects/index.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";

Object.assign(globalThis, {
  toPtx(text: string, capability: number): string | undefined {
    const { module } = parseModule(new Context(ALL_DIALECTS), "matmul.ttir", text)!;
    const options = defaultOptions(capability);
    return compile("matmul.ttir", module, {
      capability,
      options,
      artifacts: ["ptx"],
      texts: false,
      clock: () => 0,
    }).trace.artifacts.ptx;
  },
});
