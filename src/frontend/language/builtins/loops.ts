/** The iterators of for and while loops. Code generation reads these values. Source: python/triton/language/core.py. */
import { type BuiltinDef, defineBuiltin, REQUIRED } from "../define-builtin.js";
import { check } from "../errors.js";
import { pyStr } from "../python-text.js";
import { constexpr, isConstexpr, type PyValue } from "../values.js";

const ZERO = constexpr(0n);
const ONE = constexpr(1n);

function boundsOf(arg1: PyValue, arg2: PyValue, step: PyValue): { start: PyValue; end: PyValue; step: PyValue } {
  return { start: arg2 === null ? ZERO : arg1, end: arg2 === null ? arg1 : arg2, step: step === null ? ONE : step };
}

export const LOOPS: readonly BuiltinDef[] = [
  defineBuiltin(
    "static_range",
    { arg1: REQUIRED, arg2: null, step: null },
    (_s, a) => {
      const mustBeKnown = (value: PyValue, what: string) =>
        check(isConstexpr(value), `${pyStr(value)} used as tl.static_range ${what} value is not a constexpr`);
      mustBeKnown(a.arg1, "start");
      if (a.step !== null) mustBeKnown(a.step, "step");
      if (a.arg2 !== null) mustBeKnown(a.arg2, "end");
      return {
        kind: "range",
        flavour: "static_range",
        ...boundsOf(a.arg1, a.arg2, a.step),
        numStages: null,
        loopUnrollFactor: null,
        disallowAccMultiBuffer: false,
        flatten: false,
        warpSpecialize: false,
        disableLicm: false,
      };
    },
    { isClass: true },
  ),
  defineBuiltin(
    "range",
    {
      arg1: REQUIRED,
      arg2: null,
      step: null,
      num_stages: null,
      loop_unroll_factor: null,
      disallow_acc_multi_buffer: false,
      flatten: false,
      warp_specialize: false,
      disable_licm: false,
    },
    (_s, a) => ({
      kind: "range",
      flavour: "range",
      ...boundsOf(a.arg1, a.arg2, a.step),
      numStages: a.num_stages,
      loopUnrollFactor: a.loop_unroll_factor,
      disallowAccMultiBuffer: a.disallow_acc_multi_buffer,
      flatten: a.flatten,
      warpSpecialize: a.warp_specialize,
      disableLicm: a.disable_licm,
    }),
    { isClass: true },
  ),
  defineBuiltin("condition", { arg1: REQUIRED, disable_licm: false }, (_s, a) => ({
    kind: "condition",
    condition: a.arg1,
    disableLicm: a.disable_licm,
  })),
];
