/** Types as signatures write them: `*fp16`, `i32`, `tensordesc<fp16[64, 64]>`. Source: triton/language/__init__.py, str_to_ty. */

import { byName } from "../support/by-name.js";
import { blockType, constexprType, DTYPES, type Dtype, INT32, INT64, pointerType, type TlType, tupleType } from "./language/types.js";
import type { Layout } from "./language/values.js";

const SHORT: Readonly<Record<string, string>> = byName({ B: "int1", u1: "int1", i1: "int1" });

/** The type, or undefined for a text that names none. `layoutOf` evaluates the layout of a Gluon descriptor. */
export function parseType(text: string, layoutOf?: (text: string) => Layout | undefined): TlType | undefined {
  if (text.startsWith("*")) {
    const isConst = text[1] === "k";
    const element = parseType(text.slice(isConst ? 2 : 1));
    return element?.kind === "dtype" || element?.kind === "pointer" ? pointerType(element, 1, isConst) : undefined;
  }
  if (text.startsWith("tensordesc")) {
    const match = /^tensordesc(_im2col)?\s*<\s*(\w+)\s*\[([\d, ]+)\]\s*(?:,\s*input_rank=(\d+)\s*)?(?:,(.*))?>$/s.exec(text);
    const [, im2col, elementText, shapeText, rankText, layoutText] = match ?? [];
    const element = elementText === undefined ? undefined : parseType(elementText);
    if (element?.kind !== "dtype") return undefined;
    const shape = shapeText!.split(",").map(Number);
    const block = blockType(element, shape);
    const layout = layoutText === undefined ? undefined : layoutOf?.(layoutText.trim());
    if (layoutText !== undefined && !layout) return undefined;
    // The tensor of an im2col descriptor has more dimensions than its blocks.
    const rank = rankText === undefined ? shape.length : Number(rankText);
    const repeated = (type: Dtype) => tupleType(Array.from({ length: rank }, () => type));
    const types = { shapeType: repeated(INT32), stridesType: repeated(INT64) };
    return { kind: "descriptor_type", block, ...types, layout, ...(im2col ? { im2col: true } : {}) };
  }
  if (text.startsWith("constexpr")) return constexprType(null);
  return DTYPES.get(SHORT[text] ?? text.replace(/^i(?=\d)/, "int").replace(/^u(?=\d)/, "uint"));
}
