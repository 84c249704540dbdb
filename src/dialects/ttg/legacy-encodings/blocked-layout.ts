/**
 * The spelling before Triton 2.0, when there was no order:
 * `#triton_gpu.blocked_layout<{sizePerThread = {2, 2} threadsPerWarp = {8, 4} warpsPerCTA = {1, 2}}>`.
 */
import { defineAttr } from "../../../ir/attribute.js";
import type { EncodingParams } from "../../../layout/encoding-params.js";
import { defaultCga } from "../../../layout/encodings/cga.js";
import { verifyEncoding } from "../../../layout/verify-encoding.js";
import { firstProblem } from "../encodings/define-encoding.js";

interface BlockedLayoutParams {
  readonly sizePerThread: readonly number[];
  readonly threadsPerWarp: readonly number[];
  readonly warpsPerCTA: readonly number[];
}
const FIELDS = ["sizePerThread", "threadsPerWarp", "warpsPerCTA"] as const;

const toEncoding = (params: BlockedLayoutParams): EncodingParams => ({
  kind: "blocked",
  ...params,
  // The last dimension was the fastest.
  order: params.sizePerThread.map((_, i) => params.sizePerThread.length - 1 - i),
  cga: defaultCga(params.sizePerThread.length),
});

export const BlockedLayout = Object.assign(
  defineAttr<BlockedLayoutParams>("triton_gpu.blocked_layout", {
    summary: "blocked as spelled before 2.0",
    alias: () => "blocked",
    parse(p) {
      p.punct("<");
      p.punct("{");
      const [sizePerThread, threadsPerWarp, warpsPerCTA] = FIELDS.map((field) => {
        p.keyword(field);
        p.punct("=");
        const sizes = p.list("{", "}", () => p.int());
        p.optPunct(",");
        return sizes;
      });
      p.punct("}");
      p.punct(">");
      return { sizePerThread: sizePerThread!, threadsPerWarp: threadsPerWarp!, warpsPerCTA: warpsPerCTA! };
    },
    print: (params) => `<{${FIELDS.map((field) => `${field} = {${params[field].join(", ")}}`).join(" ")}}>`,
    verify(params, report) {
      const problem = firstProblem(() => verifyEncoding(toEncoding(params)));
      if (problem !== undefined) report(problem);
    },
  }),
  { encodingKind: "blocked_layout", toEncoding },
);
