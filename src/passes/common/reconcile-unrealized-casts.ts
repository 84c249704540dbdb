import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { isUnrealizedCast, reconcileUnrealizedCasts as reconcile } from "../../rewrite/unrealized-casts.js";

export const reconcileUnrealizedCasts = definePass("reconcile-unrealized-casts", {
  name: "ReconcileUnrealizedCasts",
  summary: "simplify and eliminate unrealized conversion casts",
  source: "mlir/lib/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.cpp",
  statistics: { erased: "casts erased" },
  run(root, { listener, count }) {
    const casts: Operation[] = [];
    root.walkPostOrder((op) => {
      if (isUnrealizedCast(op)) casts.push(op);
    });
    count("erased", casts.length - reconcile(casts, new Rewriter(root.ctx, listener)).length);
  },
});
