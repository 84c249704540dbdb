/** Questions to a Trace: why a value has its layout, and what became of it. */
export { ancestorsOf, descendantsOf, locationOf, type SourcePosition } from "../explain/provenance.js";
export type { Explanation, ExplanationSection } from "../explain/queries.js";
export { explainAt as explain } from "../explain/resolve.js";
