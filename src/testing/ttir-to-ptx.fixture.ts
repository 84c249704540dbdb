/** The compiler as a program without node would use it; `without-node.test.ts` runs it. */
import { compile } from "../compile/compile.js";
import { defaultOptions } from "../compile/options.js";
import { WHOLE_COMPILER } from "../compile/whole-compiler.js";
import { Context } from "../ir/context.js";
import { parseModule } from "../syntax/parse.js";

Object.assign(globalThis, {
  toPtx(text: string, capability: number): string | undefined {
    const { module } = parseModule(new Context(WHOLE_COMPILER.dialects), "matmul.ttir", text)!;
    const options = defaultOptions(capability);
    return compile("matmul.ttir", module, {
      compiler: WHOLE_COMPILER,
      capability,
      options,
      artifacts: ["ptx"],
      texts: false,
      clock: () => 0,
    }).trace.artifacts.ptx;
  },
});
