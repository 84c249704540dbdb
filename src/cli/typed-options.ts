/** Reads the text typed after `:` in the terminal UI as a command line. */
import type { TypedOptions } from "../tui/state/state.js";
import { FLAG, type OptionTable } from "./options/option.js";
import { TT_STEP } from "./options/step.js";
import { readTtStep, stepArgs } from "./tt-step-args.js";

const OPTIONS: OptionTable = TT_STEP.commands[""].options;

/** Undefined for a text that is neither an option nor a command line; `target cuda:90` and `num_warps=8` are `--target cuda:90` and `--num-warps=8`. */
export function readTypedOptions(typed: string): TypedOptions | { readonly error: string } | undefined {
  const words = shellWords(typed);
  const [first = "", ...rest] = "error" in words ? typed.split(" ") : words;
  const named = /^(\w[\w-]*)(=.*)?$/s.exec(first);
  const name = named?.[1]?.replaceAll("_", "-");
  const option = name !== undefined && Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  const isOption = option && (named?.[2] !== undefined || rest.length > 0 || option.type !== FLAG);
  if (!isOption && first !== "tt-step" && !first.startsWith("-")) return undefined;
  if ("error" in words) return words;
  const line = readTtStep(isOption ? [`--${name}${named?.[2] ?? ""}`, ...rest] : first === "tt-step" ? rest : words);
  if ("print" in line) return { error: "help is under ?" };
  // Without the hint at --help, which is for the shell.
  if ("error" in line) return { error: line.problem };
  if (line.command !== "") return { error: `'${line.command}' is a command for the shell` };
  const args = stepArgs(line.values, line.written, undefined);
  if ("error" in args) return args;
  const { diff, printAfter, at, export: exported, target, triton, options } = args;
  return { diff, after: printAfter[0] ?? at, export: exported, target, triton, options };
}

/** Words as a shell makes them of a line, with quotes and backslashes. */
export function shellWords(line: string): readonly string[] | { readonly error: string } {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\])+|['"\\]/g)) {
    if (/^['"\\]$/.test(word)) return { error: `${word} is not closed` };
    words.push(
      word.replaceAll(
        /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
        (_, single, double, char) => single ?? double?.replaceAll(/\\(.)/g, "$1") ?? char,
      ),
    );
  }
  return words;
}
