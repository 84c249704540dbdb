import { unitAttr } from "../../../ir/builtin-attrs.js";
import { AnyRegion, AnyType, Unit, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { implement, RegionBranch } from "../../../ir/interfaces.js";

/** Holds a region of several blocks that runs once. Source: mlir/include/mlir/Dialect/SCF/IR/SCFOps.td, ExecuteRegionOp. */
export const ExecuteRegionOp = defineOp("scf.execute_region", () => ({
  summary: "operation that executes its region exactly once",
  attrs: { no_inline: Unit },
  results: { results: variadic(AnyType) },
  regions: { region: AnyRegion },
  interfaces: [
    implement(RegionBranch, {
      successors: (op, from) => (from === "parent" ? [op.regions[0]!] : ["parent"]),
      entryOperands: () => [],
      inputs: (op, to) => (to === "parent" ? op.results : []),
    }),
  ],

  parse(p) {
    p.state.types.push(...p.optArrowTypes());
    if (p.optKeyword("no_inline")) p.setAttr("no_inline", unitAttr(p.ctx));
    p.region();
    p.optAttrDict();
  },
  print({ op, region, no_inline }, p) {
    p.optArrowTypes(op.resultTypes);
    p.write(no_inline ? " no_inline " : " ");
    p.region(region, { entryArgs: false });
    p.optAttrDict(op, ["no_inline"]);
  },

  verify({ region }, report) {
    if (region.empty) report.error("region needs to have at least one block", "scf.execute_region");
    else if (region.firstBlock!.args.length > 0) report.error("region cannot have any arguments", "scf.execute_region");
  },
}));
