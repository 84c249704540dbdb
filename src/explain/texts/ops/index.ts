/** The texts of all ops by name. */
import type { OpText } from "../records.js";
import { AMDG } from "./amdg.js";
import { CORE, CORE_FAMILIES } from "./core.js";
import { INSTRUMENTATION } from "./instrumentation.js";
import { LOWERED, LOWERED_FAMILIES, OLDER, RENAMED } from "./lowered.js";
import { TT } from "./tt.js";
import { GLUON, NVWS, TTG, TTNG } from "./ttg.js";

export const OP_TEXTS: Readonly<Record<string, OpText>> = {
  ...CORE,
  ...TT,
  ...TTG,
  ...TTNG,
  ...NVWS,
  ...GLUON,
  ...AMDG,
  ...INSTRUMENTATION,
  ...LOWERED,
  ...OLDER,
};

/** The text of an op: its own, that of today's op of an older name, or that of its family. */
export function textOfOp(name: string): OpText | undefined {
  if (Object.hasOwn(OP_TEXTS, name)) return OP_TEXTS[name];
  for (const [old, today] of RENAMED) {
    if (!old.test(name)) continue;
    const successor = today.includes(".") ? today : today + name.slice(name.indexOf("."));
    const text = OP_TEXTS[successor];
    if (text) return { ...text, meaning: `Now ${successor}. ${text.meaning}` };
  }
  return [...CORE_FAMILIES, ...LOWERED_FAMILIES].find(([family]) => family.test(name))?.[1];
}
