import { stringAttr } from "../../../ir/builtin-attrs.js";
import { MaxSizedRegion1, optionalAttr, type RegionSpec, StrAttr, SymbolNameAttr } from "../../../ir/constraints.js";
import { defineOp } from "../../../ir/define-op.js";
import { HasOnlyGraphRegion, IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, SymbolTable } from "../../../ir/traits.js";

const body: RegionSpec = { ...MaxSizedRegion1, minBlocks: 1 };

/** The top of the IR: one block of functions and globals. Source: mlir/include/mlir/IR/BuiltinOps.td, ModuleOp. */
export const ModuleOp = defineOp("builtin.module", () => ({
  summary: "a top level container operation",
  attrs: { sym_name: optionalAttr(SymbolNameAttr), sym_visibility: optionalAttr(StrAttr) },
  regions: { bodyRegion: body },
  traits: [IsolatedFromAbove, NoRegionArguments, SymbolTable, SingleBlock, NoTerminator, HasOnlyGraphRegion],
  defaultDialect: "builtin",
  parse(p) {
    const name = p.optSymbolName();
    if (name !== undefined) p.setAttr("sym_name", stringAttr(p.ctx, name));
    p.optAttrDictWithKeyword();
    const region = p.region();
    if (region.empty) region.addBlock();
  },
  print({ op, sym_name }, p) {
    if (sym_name !== undefined) p.write(` ${p.symbol(sym_name)}`);
    p.optAttrDictWithKeyword(op, ["sym_name"]);
    p.write(" ");
    p.region(op.regions[0]!, { entryArgs: false });
  },
  verify({ op }, report) {
    for (const name of op.attrs.params.names)
      if (!name.includes(".") && name !== "sym_name" && name !== "sym_visibility")
        report.error(`can only contain attributes with dialect-prefixed names, found: '${name}'`, "verify.module-attribute");
  },
}));
