/** How library functions are written: a record of name to implementation, with helpers that read arguments. */
import * as any from "../../composed-layout.js";
import { type Tensor, withLayout } from "../../tensor.js";
import { type AnyLayout, CuteError, type Term } from "../../term.js";
import { type Builtin, type Call, isTerm, layoutOf, nameOfKind, numberOfValue, termOf, type Value } from "../value.js";

/** Functions by CuTe's names. */
export type Library = Readonly<Record<string, Builtin>>;

/** Argument `i`, which must be there. */
export function arg(call: Call, i: number): Value {
  const v = call.args[i];
  if (!v) throw new CuteError(`${call.name}: argument ${i + 1} is missing`);
  return v;
}

/** Argument `i` as a term, a layout, a number; a tensor. */
export const term = (call: Call, i: number): Term => termOf(arg(call, i));
export const optionalTerm = (call: Call, i: number): Term | undefined => (call.args[i] ? term(call, i) : undefined);
export const layoutArg = (call: Call, i: number): AnyLayout => layoutOf(arg(call, i));
export const number = (call: Call, i: number): number => numberOfValue(arg(call, i));
export function tensorArg(call: Call, i: number): Tensor {
  const v = arg(call, i);
  if (v.kind !== "tensor") throw new CuteError(`${call.name}: expected a tensor, found ${nameOfKind(v)}`);
  return v;
}

/** The template arguments as numbers: `size<0,1>(x)`. */
export const path = (call: Call): number[] => call.templateArgs.map(numberOfValue);
/** Template argument `i` as a number. */
export function templateNumber(call: Call, i: number): number {
  const v = call.templateArgs[i];
  if (!v) throw new CuteError(`${call.name}: template argument ${i + 1} is missing`);
  return numberOfValue(v);
}

/** A function of a layout that, given a tensor, acts on its layout. */
export const onLayout =
  (f: (l: AnyLayout, call: Call) => AnyLayout): Builtin =>
  (call) => {
    const v = arg(call, 0);
    return v.kind === "tensor" ? withLayout(v, (l) => f(l, call)) : f(layoutOf(v), call);
  };

/** A function that does one thing for layouts (and tensors), another for plain terms. */
export const onLayoutOrTerm =
  (f: (l: AnyLayout, call: Call) => AnyLayout, g: (t: Term, call: Call) => Term): Builtin =>
  (call) => {
    const v = arg(call, 0);
    const isLayoutLike = v.kind === "tensor" || v.kind === "layout" || v.kind === "composed" || v.kind === "swizzle";
    return isLayoutLike ? onLayout(f)(call) : g(termOf(v), call);
  };

/** The shape of anything that has one. */
export function shapeOf(v: Value): Term {
  if (v.kind === "tensor" || v.kind === "layout" || v.kind === "composed") return any.shape(layoutOf(v));
  if (isTerm(v) && v.kind === "tuple" && v.items.some((x) => x.kind === "layout" || x.kind === "composed"))
    return { kind: "tuple", items: v.items.map(shapeOf) };
  return termOf(v);
}
