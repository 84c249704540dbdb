/** Reads command lines with yargs by tables of options: commands, help, and what each option is given. */
import yargs, { type Argv } from "yargs";
import { nearestText } from "../../support/nearest.js";
import { VERSION } from "../version.js";
import {
  dashed,
  FLAG,
  needsValue,
  type OptionDef,
  type OptionTable,
  shortened,
  unknownOption,
  type Values,
  type ValueType,
  valuesOf,
  type Written,
  withHint,
} from "./option.js";

/** A command of a program, or what the program does without one. */
export interface Command<T extends OptionTable = OptionTable> {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Lines that say how it is called, without the program's name and the command's. */
  readonly usage: readonly string[];
  readonly options: T;
  /** Text after the options. */
  readonly after?: string;
  /** The words that its first argument may be, for completion. */
  readonly words?: readonly string[];
}

/** A program, whose commands have names; the one without a name is `""`. */
export interface Program<C extends Readonly<Record<string, Command>> = Readonly<Record<string, Command>>> {
  readonly name: string;
  readonly commands: C & { readonly "": Command };
  /** True if an option that is no list may not be given twice; else the last one counts. */
  readonly refusesTwice?: boolean;
}

/** A command line that was read: `words` are its arguments that are no options. */
export type CommandLine<C> = {
  readonly [K in keyof C & string]: {
    readonly command: K;
    readonly words: readonly string[];
    readonly values: C[K] extends Command<infer T> ? Values<T> : never;
    readonly written: Written;
  };
}[keyof C & string];

/** A text that `--help` or `--version` asks for; or one line that says what is wrong, about an option where it is known. */
export type Instead = { readonly print: string } | { readonly error: string; readonly problem: string; readonly option?: string };

/** The group that help ends with. */
const OTHER = "Other";

/** Help is the same in every terminal, and in none. */
const HELP_WIDTH = 120;

/** Reads the arguments of a program with yargs; an error is a message for standard error. */
export function readCommandLine<C extends Readonly<Record<string, Command>>>(
  program: Program<C>,
  argv: readonly string[],
): CommandLine<C> | Instead {
  const commands: Readonly<Record<string, Command>> = program.commands;
  let result: CommandLine<C> | Instead | undefined;
  let print = "";
  // The package of types lacks this one.
  const parser = (yargs([], "/") as Argv & { usageConfiguration(config: { "hide-types": boolean }): Argv })
    .usageConfiguration({ "hide-types": true })
    .scriptName(program.name)
    .detectLocale(false)
    .exitProcess(false)
    .wrap(HELP_WIDTH)
    .parserConfiguration({
      "boolean-negation": true,
      "camel-case-expansion": false,
      "dot-notation": false,
      "duplicate-arguments-array": true,
      "greedy-arrays": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "populate--": true,
      "short-option-groups": false,
      "strip-aliased": true,
      "unknown-options-as-args": true,
    })
    .help("help", "this text")
    .alias("help", "h")
    .version("version", "the version of this program", `${program.name} ${VERSION}`)
    .fail((message, error) => {
      throw error ?? new Error(message);
    });
  let called: Refuser = refuser(program, "");
  // Set here, since yargs would write its own above the one that a builder sets for the program without a command.
  parser.usage(usageText(program, ""));
  for (const [name, command] of Object.entries(commands))
    parser.command({
      command: name === "" ? "$0" : name,
      describe: name === "" ? false : command.summary,
      builder(builder) {
        called = refuser(program, name);
        if (name !== "") builder.usage(usageText(program, name));
        return declare(builder, command);
      },
      handler(given) {
        result = readValues(program, name, given, argv) as CommandLine<C> | Instead;
      },
    });
  try {
    parser.parse([...argv], {}, (_error: unknown, _given: unknown, output: string) => {
      print = output;
    });
  } catch (error) {
    // All else is checked here: an option without its value is the one thing that yargs refuses.
    const [, option] = /^Not enough arguments following: (\S+)$/.exec((error as Error).message) ?? [];
    if (option === undefined) throw error;
    return called.missing(option);
  }
  return print !== "" ? { print: `${print}\n` } : result!;
}

type Refuser = ReturnType<typeof refuser>;

/** Makes what a command says of its command line. */
function refuser(program: Program, command: string) {
  const { options } = program.commands[command]!;
  const help = `${program.name}${command === "" ? "" : ` ${command}`} --help`;
  const refuse = (error: string, option?: string): Instead => ({
    error: withHint(error, help),
    problem: error,
    ...(option === undefined ? {} : { option }),
  });
  return {
    refuse,
    /** An option, by its long or short name, that lacks its value. */
    missing(name: string): Instead {
      const [long, def] = Object.entries(options).find(([long, { short }]) => long === name || short === name)!;
      return refuse(needsValue(long, def.type as ValueType<unknown>), long);
    },
  };
}

function usageText(program: Program, command: string): string {
  const { summary, usage } = program.commands[command]!;
  return `${summary}\n\n${usage.map((line) => `Usage: ${command === "" ? "$0" : `$0 ${command}`} ${line}`).join("\n")}`;
}

function declare(parser: Argv, { options, after }: Command): Argv {
  const all = Object.entries(options);
  const isLast = ([, { group }]: (typeof all)[number]): boolean => group === OTHER;
  for (const [option, def] of [...all.filter((entry) => !isLast(entry)), ...all.filter(isLast)]) {
    const isFlag = def.type === FLAG;
    parser.option(option, {
      describe: (def.type === FLAG ? "" : `${def.type.shown}: `) + def.help + defaultText(def),
      group: `${def.group}:`,
      ...(isFlag
        ? { boolean: true }
        : { string: true, ...(def.valueIsOptional ? {} : { nargs: 1 }), ...(def.repeat ? { array: true } : {}) }),
      ...(def.short === undefined ? {} : { alias: def.short }),
    });
  }
  parser.group(["help", "version"], `${OTHER}:`);
  if (after !== undefined) parser.epilogue(after);
  return parser;
}

/** ` (default 4)`: yargs shows defaults beside types only, and types are in the text. */
function defaultText({ default: value, defaultText: inWords, type }: OptionDef): string {
  const shown = inWords ?? (value === undefined ? undefined : type === FLAG ? (value === true ? "on" : "off") : String(value));
  return shown === undefined || shown === "" ? "" : ` (default ${shown})`;
}

function readValues(program: Program, name: string, given: Readonly<Record<string, unknown>>, argv: readonly string[]): unknown {
  const { options } = program.commands[name]!;
  const { refuse } = refuser(program, name);
  const words = (given["_"] as readonly string[]).slice(name === "" ? 0 : 1);
  const unknown = [...words, ...Object.keys(given).flatMap((key) => (/^\d/.test(key) ? `-${key}` : []))].find((word) => /^-./.test(word));
  if (unknown !== undefined) return refuse(unknownOption(unknown, options), unknown);
  const written = new Map<string, readonly (string | boolean)[]>();
  for (const [option, def] of Object.entries(options)) {
    if (given[option] === undefined) continue;
    const texts = [given[option]].flat() as (string | boolean)[];
    if (program.refusesTwice && texts.length > 1 && !def.repeat) return refuse(`${dashed(option)} may be given only once`, option);
    written.set(option, def.type === FLAG ? texts.map((value) => flagValue(option, def, value, argv)) : texts);
  }
  const values = valuesOf(options, written);
  if ("error" in values) return refuse(values.error as string, values.option as string);
  return { command: name, words: [...words, ...((given["--"] as readonly string[] | undefined) ?? [])], values, written };
}

/** A flag as written: yargs takes every text after its `=` but `true` for false. */
function flagValue(name: string, { short }: OptionDef, value: string | boolean, argv: readonly string[]): string | boolean {
  for (const dashes of [`--${name}=`, `-${name}=`, `-${short}=`]) {
    const text = argv.findLast((arg) => arg.startsWith(dashes))?.slice(dashes.length);
    if (text !== undefined) return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
  }
  return value;
}

/** The one argument of a program without a command; undefined where there is none. */
export function oneInput(words: readonly string[], { commands }: Program): string | { readonly error: string } | undefined {
  const [first, second] = words;
  if (second === undefined) return first;
  const meant = nearestText(first!, Object.keys(commands).slice(1));
  return { error: `one input only, but '${shortened(first!)}' and '${shortened(second)}' are given${meant}` };
}
