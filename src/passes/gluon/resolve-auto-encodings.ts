import { AutoEncoding } from "../../dialects/gluon/attrs.js";
import { SetAutoLayoutOp } from "../../dialects/gluon/ops/set-auto-layout.js";
import { FuncOp } from "../../dialects/tt/ops/function.js";
import { encodingOf } from "../../ir/builtin-types.js";
import type { View } from "../../ir/define-op.js";
import type { Operation } from "../../ir/operation.js";
import { definePass } from "../../pass/define-pass.js";
import { Rewriter } from "../../rewrite/rewriter.js";
import { checkInferred, inferLayout } from "./infer-layout.js";

export const gluonResolveAutoEncodings = definePass("gluon-resolve-auto-encodings", {
  name: "GluonResolveAutoEncodingsPass",
  summary: "resolve auto encodings",
  source: "lib/Dialect/Gluon/Transforms/ResolveAutoEncodings.cpp",
  statistics: { seeds: "layouts that the author gave to open ones" },
  run(root, { report, listener, count }) {
    for (const func of root.regions[0]!.firstBlock!.ops()) {
      if (!FuncOp.is(func)) continue;
      const seeds = setLayouts(func).map(({ src, result }) => ({ value: src, encoding: encodingOf(result.type)! }));
      count("seeds", seeds.length);
      if (!inferLayout(func, AutoEncoding, seeds, report)) return;
    }
    const rw = new Rewriter(root.ctx, listener);
    for (const { op, src } of setLayouts(root)) rw.replace(op, src);
    checkInferred(root, AutoEncoding, report);
  },
});

function setLayouts(root: Operation): View<typeof SetAutoLayoutOp>[] {
  const found: View<typeof SetAutoLayoutOp>[] = [];
  root.walkPostOrder((op) => {
    const set = SetAutoLayoutOp.match(op);
    if (set) found.push(set);
  });
  return found;
}
