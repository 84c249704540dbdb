import { type AttrOf, defineAttr } from "../../ir/attribute.js";
import type { AttrConstraint } from "../../ir/constraints.js";
import type { Context } from "../../ir/context.js";

/** A value of which nothing is known: using it where it matters is undefined behaviour. Source: mlir/include/mlir/Dialect/UB/IR/UBOps.td. */
export const PoisonAttr = defineAttr<Record<string, never>>("ub.poison");
export const poisonAttr = (ctx: Context): AttrOf<typeof PoisonAttr> => ctx.memo("ub.poison", () => PoisonAttr.get(ctx, {}));

export const PoisonAttrC: AttrConstraint<AttrOf<typeof PoisonAttr>> = {
  description: "PoisonAttrInterface instance",
  test: (a) => PoisonAttr.is(a),
  read: (a) => a as AttrOf<typeof PoisonAttr>,
  write: (_ctx, a) => a,
};
