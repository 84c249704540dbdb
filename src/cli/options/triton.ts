/** Options of Triton itself: the table is made of the backend's record of them. */
import type { BackendOption } from "../../backend/backend.js";
import { CUDA_OPTIONS, type CudaOptions } from "../../backend/nvidia/options.js";
import { FLAG, kebab, type OptionDef, orList, type ValueType, type Written } from "./option.js";

const OPTIONS = Object.entries(CUDA_OPTIONS as Readonly<Record<string, BackendOption>>);

function optionOf({ kind, default: value, summary, values, min, parse, refused }: BackendOption): OptionDef {
  const hasDefault = value !== undefined && !/by default/.test(summary) && !(Array.isArray(value) && value.length === 0);
  return {
    type: kind === "bool" ? FLAG : typeOf({ kind, values, min, parse }),
    group: "Triton's options",
    help: summary,
    ...(hasDefault ? { default: value } : {}),
    ...(refused === undefined ? {} : { refused }),
  };
}

function typeOf({
  kind,
  values,
  min,
  parse,
}: Pick<BackendOption, "kind" | "parse"> & { values: BackendOption["values"]; min: number | undefined }): ValueType<unknown> {
  const words = { int: "N", size: "N", list: "A,B", enum: values?.join("|"), string: "TEXT", bool: "" };
  const expected = {
    int: min === undefined ? "an integer" : `an integer from ${min}`,
    size: "a power of 2 from 1 to 1024",
    list: "words with commas between",
    enum: orList(values ?? []),
    string: "a text",
    bool: "",
  };
  return { shown: words[kind] ?? "TEXT", expected: expected[kind], read: parse, ...(values ? { values } : {}) };
}

/** The table; its values are read by `tritonOptionsOf`. */
export const TRITON_OPTIONS: Readonly<Record<never, OptionDef>> = Object.fromEntries(
  OPTIONS.map(([key, option]) => [kebab(key), optionOf(option)]),
);

/** Those of Triton's options that are written. */
export function tritonOptionsOf(values: Readonly<Record<string, unknown>>, written: Written): Partial<CudaOptions> {
  return Object.fromEntries(OPTIONS.flatMap(([key]) => (written.has(kebab(key)) ? [[key, values[key]]] : [])));
}
