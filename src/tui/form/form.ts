/** The form with the arguments of a Python kernel: its fields, and what is wrong with a text in one of them. */

import { DEFAULT_TARGET, TARGETS, targetCalled } from "../../backend/targets.js";
import { parseArgument } from "../../frontend/signature.js";
import type { Proposal } from "../../frontend/specialize.js";

export interface Form {
  readonly title: string;
  readonly fields: readonly Field[];
}
export interface Field {
  readonly name: string;
  readonly kind: "type" | "constant" | "computed" | "target" | "num_warps" | "num_stages" | "comment";
  readonly text: string;
  /** Where the text is from. */
  readonly note: string;
}

const NOTES: Readonly<Record<Proposal["entries"][number]["from"], string>> = {
  stated: "",
  configuration: "of the configuration",
  heuristic: "of @triton.heuristics",
  call: "from a launch",
  annotation: "from its annotation",
  use: "guessed from its use",
};

/** The form for what is known of a kernel. */
export function formOf({ kernel, entries, options, stated }: Proposal, target: string | undefined): Form {
  const setting = (kind: "num_warps" | "num_stages", otherwise: string): Field => {
    const text = stated.get(kind) ?? options.get(kind);
    return {
      name: kind,
      kind,
      text: text ?? otherwise,
      note: stated.has(kind) ? "" : text === undefined ? "the default" : "from a launch",
    };
  };
  return {
    title: `arguments of ${kernel}`,
    fields: [
      ...entries.map(({ name, isConstexpr, text, from }): Field => {
        const kind = text === "constexpr" ? "computed" : isConstexpr ? "constant" : "type";
        return { name, kind, text, note: NOTES[from] };
      }),
      {
        name: "target",
        kind: "target",
        text: target ?? stated.get("target") ?? DEFAULT_TARGET,
        note: "",
      },
      setting("num_warps", "4"),
      setting("num_stages", "3"),
      { name: "write into the file", kind: "comment", text: "no", note: "yes: a '# tt-step:' comment above the kernel" },
    ],
  };
}

/** Why a field cannot have a text; undefined where it can. */
export function problemOf({ kind, text }: Field): string | undefined {
  switch (kind) {
    case "target":
      return targetCalled(text) === undefined ? `one of ${TARGETS.join(", ")}` : undefined;
    case "num_warps":
      return /^(?:1|2|4|8|16|32)$/.test(text) ? undefined : "a power of 2 from 1 to 32";
    case "num_stages":
      return /^[1-9]\d?$/.test(text) ? undefined : "a number from 1";
    case "comment":
      return /^(?:yes|no)$/.test(text) ? undefined : "yes or no";
    case "type":
    case "constant":
    case "computed": {
      const entry = parseArgument(text);
      if ("error" in entry) return entry.error;
      const isType = entry.kind === "type" && (entry.type !== "constexpr" || kind !== "computed");
      return isType && kind !== "type" ? "a tl.constexpr has a value, as 128, True or tl.float16" : undefined;
    }
  }
}

/** The text of the first field of a kind. */
export const fieldText = ({ fields }: Form, kind: Field["kind"]): string => fields.find((f) => f.kind === kind)!.text;

/** The entries of the arguments as a signature. */
export const signatureText = ({ fields }: Form): string =>
  fields.flatMap(({ kind, text }) => (kind === "type" || kind === "constant" || kind === "computed" ? [text] : [])).join(", ");
