export { gluonCanonicalize } from "./canonicalize.js";
export { gluonInferCoalescedEncodings } from "./infer-coalesced-encodings.js";
export { gluonInline } from "./inline.js";
export { gluonResolveAutoEncodings } from "./resolve-auto-encodings.js";
export { gluonSimplifyControlFlow } from "./simplify-control-flow.js";
