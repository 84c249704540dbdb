/** Directives of ttg's assembly formats. Source: Ops.cpp, parseOffsets. */
import { i32ArrayAttr, intsOf } from "../../ir/builtin-attrs.js";
import { defineCustomDirective } from "../../syntax/custom-directive.js";

/** `2, 1` between the brackets of memdesc_subslice. */
defineCustomDirective("ttg", "Offsets", {
  parse(p, _state, args) {
    const offsets = p.list("", "", () => p.int());
    p.setAttr(args[0]!, i32ArrayAttr(p.ctx, offsets));
  },
  print(p, op, args) {
    p.write((intsOf(op.attr(args[0]!)) ?? []).join(", "));
  },
});
