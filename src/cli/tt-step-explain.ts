/** `tt-step --explain [NAME]`: what a name that the tool prints means, or the list of them. */
import { explainedNames, type NameText, nameText } from "../explain/texts/index.js";
import { nearest } from "../support/nearest.js";
import { toBytes } from "../support/utf8.js";
import { wrapText } from "../support/wrap-text.js";
import { THEMES } from "../tui/draw/theme.js";
import type { Io } from "./io.js";
import { shortened, withHint } from "./options/option.js";
import { linesAsPage, linesAsSvg } from "./text-page.js";
import type { TtStepArgs } from "./tt-step-args.js";
import { deliver, usage } from "./tt-step-output.js";

const WIDTH = 100;

export function explainMain(name: string, args: TtStepArgs, io: Io): number {
  if (name === "") return deliver(listOfNames(), args, io);
  const text = nameText(name);
  if (text) return deliverText(text, args, io);
  const names = Object.values(explainedNames()).flat();
  const near = nearest(name, names) ?? names.find((known) => name.length > 2 && known.includes(name));
  const meant = near === undefined ? "" : `; did you mean '${near}'?`;
  return usage(io, withHint(`nothing has the name '${shortened(name)}'${meant}`, "tt-step --explain"));
}

/** As text, or as the page or drawing that `--export` names. */
function deliverText(text: NameText, args: TtStepArgs, io: Io): number {
  const path = args.export;
  if (path === undefined) return deliver(nameAsText(text), args, io);
  const theme = THEMES[args.theme === "light" ? "light" : "dark"];
  const output = { ...args, output: path };
  if (/\.html?$/.test(path)) return deliver(toBytes(linesAsPage(text.title, text.lines, theme)), output, io);
  if (path.endsWith(".svg")) return deliver(toBytes(linesAsSvg(text.title, brokenLines(text), theme)), output, io);
  return usage(io, `--export '${shortened(path)}': an explanation is exported to a file that ends with .html or .svg`);
}

/** An explanation for a terminal: paragraphs are broken, code and drawings are not. */
export const nameAsText = (text: NameText): string => `${brokenLines(text).join("\n")}\n`;

const brokenLines = ({ title, lines }: NameText): string[] => [
  title,
  "",
  ...lines.flatMap((line) => (line === "" || line.startsWith(" ") ? [line] : wrapText(line, WIDTH))),
];

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
