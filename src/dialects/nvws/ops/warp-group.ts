/** Warp groups before they become ttg.warp_specialize. Source: NVWSOps.td; lib/Dialect/NVWS/IR/Ops.cpp, WarpGroupOp. */
import { i32ArrayAttr } from "../../../ir/builtin-attrs.js";
import { AnyType, DenseI32ArrayAttr, type RegionSpec, variadic } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { implement, RegionBranchTerminator } from "../../../ir/interfaces.js";
import { HasParent, Pure, RecursivelySpeculatable, RecursiveMemoryEffects, ReturnLike, Terminator } from "../../../ir/traits.js";

const CODE = "nvws.warp-group";
const partitionRegions = { variadic: true, minBlocks: 1 } as const satisfies RegionSpec;

/** Code for several groups of warps. Its results are what the first region yields; its own syntax has no place for them. */
export const WarpGroupOp = defineOp("nvws.warp_group", () => ({
  summary: "Container Op for Warp Specialization",
  attrs: { numWarps: DenseI32ArrayAttr },
  results: { results: variadic(AnyType) },
  regions: { partitionRegions },
  traits: [RecursiveMemoryEffects, RecursivelySpeculatable],
  parse(p) {
    p.optAttrDictWithKeyword();
    const numWarps: number[] = [];
    while (p.optKeyword(`partition${numWarps.length}`)) {
      p.keyword("num_warps");
      p.punct("(");
      numWarps.push(p.int());
      p.punct(")");
      p.region();
    }
    p.setAttr("numWarps", i32ArrayAttr(p.ctx, numWarps));
  },
  print({ op, numWarps }, p) {
    p.optAttrDictWithKeyword(op, ["numWarps"]);
    op.regions.forEach((region, i) => {
      p.newline();
      p.write(`partition${i} num_warps(${numWarps[i]}) `);
      p.region(region, { entryArgs: false });
    });
  },
  verify({ op, numWarps }, report) {
    const error = (message: string) => void report.plain(message, CODE);
    if (numWarps.length !== op.regions.length) return error("Must supply numWarps for each Warp Group.");
    if (op.numResults === 0) return;
    const [first] = op.regions;
    if (!first) return error("Must have at least one region when there are results.");
    const last = first.firstBlock?.lastOp;
    if (!WarpGroupYieldOp.is(last))
      return error("When nvws.warp_group op has results, the first region should be terminated by nvws.warp_group.yield op.");
    if (last!.numOperands !== op.numResults)
      error(
        "Mismatch in the number of results returned by nvws.warp_group op and the number of the operands of the corresponding nvws.warp_group.yield op in the first region.",
      );
  },
}));

export const WarpGroupYieldOp = defineOp("nvws.warp_group.yield", () => ({
  summary: "yield from the first region of `nvws.warp_group`",
  operands: { values: variadic(AnyType) },
  traits: [Pure, Terminator, ReturnLike, HasParent("nvws.warp_group")],
  interfaces: [implement(RegionBranchTerminator, { successorOperands: (op) => op.operandUses })],
  format: "($values^)? attr-dict (`:` type($values)^)?",
}));

export const WarpGroupReturnOp = defineOp("nvws.warp_group.return", () => ({
  summary: "Terminator for a warp group region",
  traits: [Pure, Terminator, HasParent("nvws.warp_group")],
  format: "attr-dict",
}));
