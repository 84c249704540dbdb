/** `--modernize`: IR of older Tritons becomes 3.6's. */

import { ALL_DIALECTS } from "../dialects/index.js";
import { modernText } from "../modernize/modern-text.js";

export { modernize } from "../modernize/modernize.js";

export const rewrite = (text: string): string => modernText(text, ALL_DIALECTS);
