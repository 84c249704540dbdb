/** Options of Triton itself: the table is made of the backend's record of them. */
import type { BackendOption } from "../../backend/backend.js";
import { TARGET_OPTIONS, type TargetOptions } from "../../backend/targets.js";
import { expectedText } from "../../pass/options.js";
import { FLAG, kebab, type OptionDef, type Written } from "./option.js";

const OPTIONS = Object.entries(TARGET_OPTIONS as Readonly<Record<string, BackendOption>>);

function optionOf(option: BackendOption): OptionDef {
  const { kind, default: value, summary, values, parse, refused, lastRead } = option;
  const hasDefault = value !== undefined && !/by default/.test(summary) && !(Array.isArray(value) && value.length === 0);
  const shown = {
    int: "N",
    size: "N",
    list: "A,B",
    enum: values?.filter((value) => value !== "").join("|") ?? "",
    string: "TEXT",
    bool: "",
  }[kind];
  return {
    type: kind === "bool" ? FLAG : { shown, expected: expectedText(option), read: parse, ...(values ? { values } : {}) },
    group: "Triton's options",
    help: summary,
    ...(hasDefault ? { default: value } : {}),
    ...(refused === undefined ? {} : { refused }),
    ...(lastRead === undefined ? {} : { lastRead }),
  };
}

/** The table; its values are read by `tritonOptionsOf`. */
export const TRITON_OPTIONS: Readonly<Record<never, OptionDef>> = Object.fromEntries(
  OPTIONS.map(([key, option]) => [kebab(key), optionOf(option)]),
);

/** Those of Triton's options that are written. */
export function tritonOptionsOf(values: Readonly<Record<string, unknown>>, written: Written): Partial<TargetOptions> {
  return Object.fromEntries(OPTIONS.flatMap(([key]) => (written.has(kebab(key)) ? [[key, values[key]]] : [])));
}
