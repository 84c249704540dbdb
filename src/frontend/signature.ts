/**
 * Signatures as `python -m triton.tools.compile` takes them: `*fp16:16, i32, i32:1, 128, "relu", (i32, *fp32)`.
 * A type may have a hint after a colon: what its value is a multiple of, or 1 for a value that is one and so becomes a
 * constant. An S after it (`*fp16:16S`, `*fp16:S`), as in the keys of Triton's launcher for AMD's GPUs, says that a pointer's tensor has less than 2 GiB. Everything else is a constant: a number, another Python literal, a dotted name as `tl.float16`, or a call as `gl.BlockedLayout(...)`.
 */
import { byName } from "../support/by-name.js";
import { LIMITS, limitMessage } from "../support/limits.js";
import { nearest } from "../support/nearest.js";
import type { ArgumentSpec } from "./request.js";

/** Scalar types by the names that signatures have for them. Source: triton/language/__init__.py, str_to_ty. */
export const SCALAR_TYPES: ReadonlySet<string> = new Set(
  "fp8e4nv fp8e4b8 fp8e5 fp8e5b16 fp8e4b15 fp16 bf16 fp32 fp64 i1 i8 i16 i32 i64 u1 u8 u16 u32 u64 B".split(" "),
);

type Refusal = { readonly error: string };

/** Reads a whole signature, one entry an argument. */
export function parseSignature(text: string): readonly ArgumentSpec[] | Refusal {
  const parts = splitAtCommas(text);
  if ("error" in parts) return parts;
  const entries: ArgumentSpec[] = [];
  for (const part of parts) {
    const entry = parseArgument(part);
    if ("error" in entry) return entry;
    entries.push(entry);
  }
  return entries;
}

/** Reads what one argument is. */
export function parseArgument(text: string): ArgumentSpec | Refusal {
  const entry = text.trim();
  if (entry === "") return { error: "an entry of the signature is empty" };
  const number = constantNumber(entry);
  if (number !== undefined) return { kind: "constant", expression: number };
  if (/^(?:None|True|False|[rbuf]?["'].*["']|\[.*\])$/is.test(entry)) return { kind: "constant", expression: entry };
  if (entry.startsWith("(")) return parseTuple(entry);
  const [, type = "", , hint] = /^(.*?)(\s*:\s*([^:\]>]*))?$/s.exec(entry)!;
  const fault = typeFault(type.trim());
  // A name with a dot is no type, but may name one of the file's: `tl.float16`; so may a call: `gl.BlockedLayout([1], [32], [4], [0])`.
  if (fault !== undefined)
    return hint === undefined && /^[A-Za-z_]\w*(?:\.[\w.]+(?:\(.*\))?|\(.*\))$/s.test(entry)
      ? { kind: "constant", expression: entry }
      : { error: fault };
  if (hint === undefined) return { kind: "type", type: type.trim(), divisibility: undefined };
  const isSmall = /S\s*$/.test(hint);
  if (isSmall && !type.startsWith("*")) return { error: `the S in the hint of '${entry}' is for pointers: the tensor has less than 2 GiB` };
  const by = hint.replace(/S\s*$/, "").trim();
  if (isSmall && by === "") return { kind: "type", type: type.trim(), divisibility: undefined, isSmall };
  const value = Number(by);
  if (by === "" || !Number.isInteger(value) || value < 1 || (value & (value - 1)) !== 0)
    return { error: `the hint of '${entry}' is a power of two that the value is a multiple of (16), or 1 for the value 1` };
  if (value === 1) return { kind: "constant", expression: "1" };
  return { kind: "type", type: type.trim(), divisibility: value, ...(isSmall ? { isSmall } : {}) };
}

function parseTuple(entry: string): ArgumentSpec | Refusal {
  if (!entry.endsWith(")")) return { error: `'${entry}': a parenthesis is not closed` };
  const elements = parseSignature(entry.slice(1, -1).replace(/,\s*$/, ""));
  if ("error" in elements) return elements;
  return elements.every((e) => e.kind === "constant") ? { kind: "constant", expression: entry } : { kind: "tuple", elements };
}

/** A number in a text that Python's int() or float() accepts, as a Python expression. */
function constantNumber(text: string): string | undefined {
  if (/^[-+]?\d[\d_]*$/.test(text)) return BigInt(text.replace(/[+_]/g, "")).toString();
  if (/^[-+]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[-+]?\d+)?$/i.test(text) || /^[-+]?0[xbo][\da-f]+$/i.test(text)) return text;
  return /^[-+]?(?:inf|infinity|nan)$/i.test(text) ? `float("${text}")` : undefined;
}

/** Why a text is no type; undefined if it is one. */
function typeFault(type: string): string | undefined {
  const descriptor = /^tensordesc(?:_im2col)?\s*<([^[\]]+)\[([\d\s,]+)\]\s*(?:,\s*input_rank=\d+\s*)?(?:,\s*\w[\w.]*\(.*\)\s*)?>$/s.exec(
    type,
  );
  const scalar = descriptor ? descriptor[1]!.trim() : type.replace(/^\*+k?/, "");
  if (SCALAR_TYPES.has(scalar) || (type === "constexpr" && scalar === type)) return undefined;
  const near = nearest(scalar, SCALAR_TYPES) ?? LONG_NAMES[scalar];
  return `'${type}' is neither a type nor a Python literal${near ? `; did you mean '${type.replace(scalar, near)}'?` : ""}`;
}

/** Names of types in tl and torch. */
const LONG_NAMES: Readonly<Record<string, string>> = byName({
  float16: "fp16",
  bfloat16: "bf16",
  float32: "fp32",
  float64: "fp64",
  half: "fp16",
  float: "fp32",
  double: "fp64",
  int1: "i1",
  int8: "i8",
  int16: "i16",
  int32: "i32",
  int64: "i64",
  uint8: "u8",
  uint16: "u16",
  uint32: "u32",
  uint64: "u64",
  bool: "i1",
  int: "i32",
});

/** Splits at commas outside of brackets and strings. */
export function splitAtCommas(text: string): readonly string[] | Refusal {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (quote !== "") {
      if (c === "\\") i++;
      else if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if ("([{<".includes(c)) depth++;
    else if (")]}>".includes(c)) depth--;
    else if (c === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
    if (depth > LIMITS.nesting.most) return { error: limitMessage("nesting") };
    if (depth < 0) return { error: `'${text}': a bracket is closed that is not open` };
  }
  if (quote !== "" || depth > 0) return { error: `'${text}': a ${quote ? "string" : "bracket"} is not closed` };
  if (text.trim() !== "") parts.push(text.slice(start));
  return parts;
}
