/**
 * Terms as CuTe's `print` writes them: `((_4,8),_):(_1@0,_0)`, `Sw<3,3,3> o _0 o (_8,_64):(_64,_1)`.
 * Source: the `print` overloads of cute/layout.hpp, cute/layout_composed.hpp, cute/swizzle.hpp, cute/pointer_flagged.hpp.
 */
import type { Term } from "./term.js";

/** The text CuTe prints for a term. */
export function printTerm(t: Term): string {
  switch (t.kind) {
    case "int":
      return `${t.isStatic ? "_" : ""}${t.value}`;
    case "underscore":
      return "_";
    case "basis":
      return (
        printTerm(t.value) +
        [...t.modes]
          .reverse()
          .map((m) => `@${m}`)
          .join("")
      );
    case "mixed":
      return `M_${t.staticBits >>> 0}|(${t.dynamic >>> 0}&${t.flags >>> 0})=${(t.staticBits | t.dynamic) >>> 0}`;
    case "smem-flag":
      return t.sparsity === undefined ? `smem_ptr[${t.bits}b](unset)` : `smem_sparse<${t.sparsity}>_ptr[${t.bits}b](unset)`;
    case "tuple":
      return `(${t.items.map(printTerm).join(",")})`;
    case "layout":
      return `${printTerm(t.shape)}:${printTerm(t.stride)}`;
    case "swizzle":
      return `Sw<${t.bits},${t.base},${t.shift}>`;
    case "composed":
      return `${printTerm(t.a)} o ${printTerm(t.offset)} o ${printTerm(t.b)}`;
  }
}
