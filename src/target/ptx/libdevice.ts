/**
 * Functions of libdevice, expanded into nodes: what maps to instructions does, as in libdevice itself; the transcendental
 * functions are approximations of our own within the errors that CUDA documents (docs/libdevice.md has them, measured). Functions of
 * f32 compute in f32. Names: CUDA's "libdevice User's Guide".
 */
import type { Operation } from "../../ir/operation.js";
import type { Node } from "./graph.js";
import { LIBDEVICE_BASIC, LIBDEVICE_NAMED } from "./libdevice-basic.js";
import { LIBDEVICE_BESSEL } from "./libdevice-bessel.js";
import { LIBDEVICE_ERROR } from "./libdevice-error.js";
import { LIBDEVICE_EXPONENTIAL } from "./libdevice-exponential.js";
import { LIBDEVICE_GAMMA } from "./libdevice-gamma.js";
import { LibdeviceMath, type LibdeviceRule } from "./libdevice-math.js";
import { LIBDEVICE_ROOTS } from "./libdevice-roots.js";
import { LIBDEVICE_TRIGONOMETRIC } from "./libdevice-trigonometric.js";
import type { PtxLowering } from "./lower.js";

/** Rules of functions of both kinds of float: `__nv_sinf` is that of `sin` for f32. */
const GENERIC: Readonly<Record<string, LibdeviceRule>> = {
  ...LIBDEVICE_BASIC,
  ...LIBDEVICE_BESSEL,
  ...LIBDEVICE_ERROR,
  ...LIBDEVICE_EXPONENTIAL,
  ...LIBDEVICE_GAMMA,
  ...LIBDEVICE_ROOTS,
  ...LIBDEVICE_TRIGONOMETRIC,
};

/** Every function by its symbol, with the kind of float that it computes in. */
const RULES: ReadonlyMap<string, { readonly kind: "f32" | "f64"; readonly rule: LibdeviceRule }> = new Map([
  ...Object.entries(GENERIC).flatMap(([name, rule]) => [
    [`__nv_${name}`, { kind: "f64", rule }] as const,
    [`__nv_${name}f`, { kind: "f32", rule }] as const,
  ]),
  ...Object.entries(LIBDEVICE_NAMED).map(([name, rule]) => [`__nv_${name}`, { kind: kindOf(name), rule }] as const),
]);
/** `dadd_rn`, `fma_rn` and `isnand` are of f64, `fadd_rn`, `fmaf_rn` and `isnanf` of f32. */
function kindOf(name: string): "f32" | "f64" {
  return /^d[a-z]+_|^fma_|^is[a-z]+d$|^signbitd$/.test(name) ? "f64" : "f32";
}

/** The registers of what `__nv_name` returns; undefined for a function that is not of libdevice. */
export function expandLibdevice(l: PtxLowering, op: Operation, name: string, args: readonly Node[]): readonly Node[] | undefined {
  if (!name.startsWith("__nv_")) return undefined;
  const found = RULES.get(name);
  if (!found) return l.problem(op, `'${name}' is not expanded: no libdevice is linked`);
  return [found.rule(new LibdeviceMath(l, found.kind), ...(args as [Node, ...Node[]]))];
}
