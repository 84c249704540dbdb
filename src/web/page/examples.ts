/** The kernels and tours of the menu, which scripts/web.js puts into the page. */
import type { PageTour } from "./tour.js";

declare const EXAMPLES: readonly { readonly name: string; readonly text: string }[];
/** Tours of `tt-step learn`. */
declare const TOURS: readonly PageTour[];

export const examples = EXAMPLES;
export const tours = TOURS;
