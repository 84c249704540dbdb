/** Layouts as JSON, in the form of linear layouts: bases of each in dim, sizes of the out dims, and Triton's text. */
import type { LinearLayout } from "../layout/linear-layout.js";

/** `bases` by in dim, each basis with a coordinate for every out dim. */
export interface LayoutJson {
  readonly bases: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly outDims: readonly (readonly [name: string, size: number])[];
  readonly toString: string;
}

/** A layout as plain data. */
export function layoutJson(layout: LinearLayout): LayoutJson {
  return { bases: Object.fromEntries(layout.getBases()), outDims: layout.getOutDims(), toString: layout.toString() };
}

/** Plain data as text: lists of numbers stay on one line. */
export function jsonText(value: unknown): string {
  return `${render(value, "")}\n`;
}

function render(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const flat = JSON.stringify(value).replaceAll(",", ", ");
    if (value.length === 0 || !value.some(isRecord)) {
      if (flat.length < 120 || !value.some(Array.isArray)) return flat;
    }
    return `[\n${value.map((item) => inner + render(item, inner)).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return "{}";
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${render(item, inner)}`).join(",\n")}\n${indent}}`;
}
function isRecord(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isRecord);
  return typeof value === "object" && value !== null;
}
