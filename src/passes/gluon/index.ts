export { gluonInline } from "./inline.js";
export { gluonSimplifyControlFlow } from "./simplify-control-flow.js";
