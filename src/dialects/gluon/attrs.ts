/** Layouts that Gluon leaves open until its passes choose them. Source: GluonAttrDefs.td. */
import { defineAttr } from "../../ir/attribute.js";

type NoParams = Record<string, never>;

/** `#gluon.auto_encoding`: the layout follows from the ops around. */
export const AutoEncoding = defineAttr<NoParams>("gluon.auto_encoding", {
  summary: "an encoding that is inferred from neighboring ops in the graph",
});
/** `#gluon.coalesced_encoding`: the layout that loads and stores best. */
export const CoalescedEncoding = defineAttr<NoParams>("gluon.coalesced_encoding", {
  summary: "an encoding that is optimized for load/store performance",
});
