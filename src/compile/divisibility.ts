/** The number that each argument of a kernel is a multiple of. */
import { argumentAttr, kernelOf, setArgumentAttr } from "../dialects/builtin/function-op.js";
import { i32Attr, intOf } from "../ir/builtin-attrs.js";
import { isFloat } from "../ir/builtin-types.js";
import { NameLoc } from "../ir/location.js";
import type { Operation } from "../ir/operation.js";

/** By argument its name and `tt.divisibility`, undefined where it has none; a float, which is no multiple of anything, has no name. */
export type Divisibility = readonly (readonly [argument: string, by: number | undefined])[];

/** The divisibility of the arguments of a module's first kernel. */
export function divisibilityOf(module: Operation): Divisibility {
  const kernel = kernelOf(module);
  if (!kernel) return [];
  return kernel.regions[0]!.firstBlock!.args.map((arg, i) => {
    const name = NameLoc.is(arg.loc) ? arg.loc.params.name : `arg${i}`;
    return [isFloat(arg.type) ? "" : name, intOf(argumentAttr(kernel, i, "tt.divisibility"))] as const;
  });
}

/** Changes it. */
export function setDivisibility(module: Operation, divisibility: Divisibility): void {
  const known = divisibilityOf(module);
  divisibility.forEach(([, by], i) => {
    if (known[i] && known[i][1] !== by)
      setArgumentAttr(kernelOf(module)!, i, "tt.divisibility", by === undefined ? undefined : i32Attr(module.ctx, by));
  });
}
