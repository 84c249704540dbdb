/** Addresses in the shared memory of other CTAs of the cluster. */

import type { Rule } from "../instruction-compiler.js";
import { lanes } from "../lanes.js";
import { bitsOfType } from "../scope.js";
import { CTA_WINDOW, WINDOWS } from "../windows.js";

/** `mapa{.shared::cluster}.TYPE d, a, rank`: the same place in the shared memory of that CTA. */
export const mapa: Rule = (c) => {
  const bits = bitsOfType(c.type);
  const a = c.source(c.operand(1), bits);
  const rank = c.source(c.operand(2), 32);
  const d = c.dest(c.operand(0), bits);
  const window = `(I[b + l] + 1) * ${CTA_WINDOW}`;
  if (bits === 32) c.emit(lanes(`I[d + l] = (U[a + l] % ${CTA_WINDOW}) + ${window}`, d, a, rank));
  else {
    const high = c.has("shared::cluster") ? 0 : WINDOWS["shared"]! / 2 ** 32;
    c.emit(lanes(`I[d + 2 * l] = (U[a + 2 * l] % ${CTA_WINDOW}) + ${window}; I[d + 2 * l + 1] = ${high}`, d, a, rank));
  }
};

/** `getctarank{.shared::cluster}.TYPE d, a` */
export const getctarank: Rule = (c) => {
  const wide = bitsOfType(c.type) === 64;
  const a = c.source(c.operand(1), wide ? 64 : 32);
  const d = c.dest(c.operand(0), 32);
  const at = wide ? "U[a + 2 * l]" : "U[a + l]";
  c.emit(lanes(`I[d + l] = ${at} < ${CTA_WINDOW} ? w.cta.rank : Math.floor(${at} / ${CTA_WINDOW}) - 1`, d, a));
};
