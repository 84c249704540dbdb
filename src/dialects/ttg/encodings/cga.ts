/** The `CGALayout` key of encodings: the bases of `block`. None for a single CTA. Source: TritonGPUAttrDefs.td, CTAEncodingAttr. */
import { cgaFromBases } from "../../../layout/encodings/cga.js";
import { LayoutError } from "../../../layout/layout-error.js";
import type { LinearLayout } from "../../../layout/linear-layout.js";
import type { BasisVectors } from "./read-fields.js";

export function cgaLayout(bases: BasisVectors, rank: number): LinearLayout {
  const layout = cgaFromBases(bases, rank);
  if (typeof layout === "string") throw new LayoutError(layout);
  return layout;
}

export function cgaBases(cga: LinearLayout): BasisVectors {
  return cga.getInDimBases("block");
}
