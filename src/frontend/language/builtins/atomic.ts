/** Atomic operations. Source: python/triton/language/core.py. */
import { defineBuiltin, REQUIRED } from "../define-builtin.js";
import { ATOMIC_OPERATIONS, atomicCas } from "../semantic/atomic.js";
import { toTensor } from "../semantic/constants.js";
import { unwrap } from "../values.js";
import { self } from "./arguments.js";

export const ATOMIC = [
  defineBuiltin("atomic_cas", { pointer: REQUIRED, cmp: REQUIRED, val: REQUIRED, sem: null, scope: null }, (s, a) => {
    const cmp = toTensor(s, a.cmp);
    const val = toTensor(s, a.val);
    return atomicCas(s, self(a.pointer), cmp, val, { sem: unwrap(a.sem), scope: unwrap(a.scope) });
  }),
  ...Object.entries(ATOMIC_OPERATIONS).map(([name, run]) =>
    defineBuiltin(`atomic_${name}`, { pointer: REQUIRED, val: REQUIRED, mask: null, sem: null, scope: null }, (s, a) => {
      const val = toTensor(s, a.val);
      return run(s, self(a.pointer), val, unwrap(a.mask), { sem: unwrap(a.sem), scope: unwrap(a.scope) });
    }),
  ),
];
