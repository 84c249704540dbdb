/** Encodings as Triton 3.6 prints them. Source: Dialect.cpp, the `print` of each attribute. */
import type { EncodingParams } from "./encoding-params.js";
import { recordOf } from "./encodings/index.js";

/** `#ttg.blocked<{...}>`. */
export function encodingText(params: EncodingParams): string {
  return `#${recordOf(params).dialect}.${params.kind}<${encodingBody(params)}>`;
}

/** The text between the angle brackets. */
export const encodingBody = (params: EncodingParams): string => recordOf(params).text(params, encodingText);

/** Do two encodings print, and so mean, the same? */
export function encodingsEqual(a: EncodingParams, b: EncodingParams): boolean {
  return a === b || (a.kind === b.kind && encodingText(a) === encodingText(b));
}
