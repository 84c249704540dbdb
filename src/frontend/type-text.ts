/** Types as signatures write them: `*fp16`, `i32`, `tensordesc<fp16[64, 64]>`. Source: triton/language/__init__.py, str_to_ty. */

import { blockType, constexprType, DTYPES, type Dtype, INT32, INT64, pointerType, type TlType, tupleType } from "./language/types.js";
import type { Layout } from "./language/values.js";

const SHORT: Readonly<Record<string, string>> = { B: "int1", u1: "int1", i1: "int1" };

/** The type, or undefined for a text that names none. `layoutOf` evaluates the layout of a Gluon descriptor. */
export function parseType(text: string, layoutOf?: (text: string) => Layout | undefined): TlType | undefined {
  if (text.startsWith("*")) {
    const isConst = text[1] === "k";
    const element = parseType(text.slice(isConst ? 2 : 1));
    return element?.kind === "dtype" || element?.kind === "pointer" ? pointerType(element, 1, isConst) : undefined;
  }
  if (text.startsWith("tensordesc")) {
    const match = /^tensordesc\s*<\s*(\w+)\s*\[([\d, ]+)\]\s*(?:,(.*))?>$/s.exec(text);
    const element = match && parseType(match[1]!);
    if (element?.kind !== "dtype") return undefined;
    const shape = match![2]!.split(",").map(Number);
    const block = blockType(element, shape);
    const layout = match![3] === undefined ? undefined : layoutOf?.(match![3].trim());
    if (match![3] !== undefined && !layout) return undefined;
    const repeated = (type: Dtype) => tupleType(shape.map(() => type));
    return { kind: "descriptor_type", block, shapeType: repeated(INT32), stridesType: repeated(INT64), layout };
  }
  if (text.startsWith("constexpr")) return constexprType(null);
  return DTYPES.get(SHORT[text] ?? text.replace(/^i(?=\d)/, "int").replace(/^u(?=\d)/, "uint"));
}
