/** `tt-step --explain [NAME]`: what a name that the tool prints means, or the list of them. */
import { explainedNames, type NameText, nameText } from "../explain/texts/index.js";
import { nearest } from "../support/nearest.js";
import { wrapText } from "../support/wrap-text.js";
import type { Io } from "./io.js";
import { shortened, withHint } from "./options/option.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { deliver, usage } from "./tt-step-output.js";

const WIDTH = 100;

export function explainMain(name: string, args: TtStepArgs, io: Io): number {
  if (name === "") return deliver(listOfNames(), args, io);
  const text = nameText(name);
  if (text) return deliver(nameAsText(text), args, io);
  const names = Object.values(explainedNames()).flat();
  const near = nearest(name, names) ?? names.find((known) => name.length > 2 && known.includes(name));
  const meant = near === undefined ? "" : `; did you mean '${near}'?`;
  return usage(io, withHint(`nothing has the name '${shortened(name)}'${meant}`, "tt-step --explain"));
}

/** An explanation for a terminal: paragraphs are broken, code and drawings are not. */
export function nameAsText({ title, lines }: NameText): string {
  const broken = lines.flatMap((line) => (line === "" || line.startsWith(" ") ? [line] : wrapText(line, WIDTH)));
  return `${[title, "", ...broken].join("\n")}\n`;
}

function listOfNames(): string {
  return Object.entries(explainedNames())
    .map(
      ([kind, names]) =>
        `${kind}:\n${wrapText(names.join(" "), WIDTH - 2)
          .map((line) => `  ${line}\n`)
          .join("")}`,
    )
    .join("\n");
}
