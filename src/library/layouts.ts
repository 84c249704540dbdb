/** Layouts: which thread has which element. */
export { type LayoutShape, parseLayout, threadMap } from "../explain/parse-layout.js";
export type { ValueLayout } from "../explain/value-layout.js";
export type { LinearLayout } from "../layout/linear-layout.js";
