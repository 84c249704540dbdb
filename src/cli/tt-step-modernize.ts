/** `--modernize`: IR of older Tritons becomes 3.6's. */
import { modernText } from "../compile/modernize/modern-text.js";
import { ALL_DIALECTS } from "../dialects/index.js";

export { modernize } from "../compile/modernize/modernize.js";

export const rewrite = (text: string): string => modernText(text, ALL_DIALECTS);
