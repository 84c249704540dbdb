import type { Context } from "../../ir/context.js";
import { definePass } from "../../pass/define-pass.js";
import { option } from "../../pass/options.js";
import { applyPatternsGreedily } from "../../rewrite/greedy.js";
import type { Pattern } from "../../rewrite/pattern.js";
import { PatternSet } from "../../rewrite/pattern-set.js";

export const canonicalize = definePass("canonicalize", {
  name: "Canonicalizer",
  summary: "canonicalize operations",
  source: "mlir/lib/Transforms/Canonicalizer.cpp",
  options: {
    topDown: option.bool({ default: true, summary: "seed the worklist in general top-down order" }),
    regionSimplify: option.enum(["disabled", "normal", "aggressive"], {
      default: "normal",
      summary: "control flow optimizations of the region tree: none, without, or with merging of blocks",
    }),
    maxIterations: option.int({ default: 10, summary: "most rounds of applying patterns and simplifying regions; -1: no limit" }),
    maxNumRewrites: option.int({ default: -1, summary: "most pattern applications in a round; -1: no limit" }),
    testConvergence: option.bool({ default: false, summary: "fail when it does not converge, to find cyclic patterns" }),
    disablePatterns: option.list({ default: [], summary: "names of patterns not to apply" }),
    enablePatterns: option.list({ default: [], summary: "names of the only patterns to apply" }),
  },
  run(root, { options, listener, report }) {
    const { disablePatterns, enablePatterns } = options;
    const all = canonicalizationPatterns(root.ctx);
    const patterns =
      disablePatterns.length + enablePatterns.length === 0
        ? all.set
        : new PatternSet(
            all.list.filter((p) => !disablePatterns.includes(p.name) && (enablePatterns.length === 0 || enablePatterns.includes(p.name))),
          );
    const { converged } = applyPatternsGreedily(root, patterns, {
      topDown: options.topDown,
      regionSimplification: options.regionSimplify,
      maxIterations: options.maxIterations,
      maxNumRewrites: options.maxNumRewrites,
      listener,
    });
    if (options.testConvergence && !converged) report.error(root, "canonicalization did not converge", "canonicalize.convergence");
  },
});

/** The canonicalization patterns of all dialects of a Context. */
export function canonicalizationPatterns(ctx: Context): { readonly list: readonly Pattern[]; readonly set: PatternSet } {
  return ctx.memo("canonicalization patterns", () => {
    const list = [...ctx.dialects.values()].flatMap((dialect) => dialect.canonicalize as readonly Pattern[]);
    return { list, set: new PatternSet(list) };
  });
}
