/** `tt-step completion bash|zsh|fish`: a script that completes the command lines of all programs, made from their tables of options. */
import { PASSES } from "../passes/index.js";
import { EXIT, type Io } from "./io.js";
import { CUTE_LAYOUT } from "./options/cute.js";
import { TRITON_TENSOR_LAYOUT } from "./options/layout.js";
import { dashed, FLAG, type OptionDef } from "./options/option.js";
import type { Program } from "./options/read.js";
import { SHELLS, type Shell, TT_STEP } from "./options/step.js";
import { ttOptFlags } from "./tt-opt-args.js";
import { usage } from "./tt-step-output.js";

/** The value of an option: none, one of these words, a file, a pass, two passes with `..` between, or some text. */
type Takes = "nothing" | readonly string[] | "file" | "pass" | "passes" | "text";

interface Option {
  /** With its dashes. */
  readonly names: readonly string[];
  readonly help: string;
  readonly takes: Takes;
}
interface Command {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** The words that its first argument may be; else it is a file. */
  readonly words: readonly string[] | undefined;
}
interface Completed {
  readonly name: string;
  readonly commands: readonly Command[];
}

const COMMON: readonly Option[] = [
  { names: ["--help"], help: "how it is called", takes: "nothing" },
  { names: ["--version"], help: "the version of this program", takes: "nothing" },
];

function completed({ name, commands }: Program): Completed {
  return {
    name,
    commands: Object.entries(commands).map(([command, { summary, options, words }]) => ({
      name: command,
      summary,
      options: [...Object.entries(options).map(([option, def]) => optionOf(option, def)), ...COMMON],
      words,
    })),
  };
}

function optionOf(name: string, { type, short, help }: OptionDef): Option {
  const names = [dashed(name), ...(short === undefined ? [] : [`-${short}`])];
  if (type === FLAG) return { names, help, takes: "nothing" };
  return {
    names,
    help,
    takes: type.values ?? (type.completes === "pass" && type.shown.includes("..") ? "passes" : (type.completes ?? "text")),
  };
}

/** The flags of the passes that are no tests. */
const passNames = (): string =>
  [...PASSES.values()]
    .flatMap(({ flag, testOnly }) => (testOnly ? [] : [flag]))
    .sort()
    .join(" ");

/** The script, to be read by the shell at its start. */
export function completionScript(shell: Shell): string {
  const ttOpt: Completed = {
    name: "tt-opt",
    commands: [
      {
        name: "",
        summary: "",
        words: undefined,
        options: ttOptFlags().map(({ name, summary, takes }) => ({ names: [dashed(name)], help: summary, takes })),
      },
    ],
  };
  const programs = [completed(TT_STEP), completed(TRITON_TENSOR_LAYOUT), completed(CUTE_LAYOUT), ttOpt];
  return { bash, zsh, fish }[shell](programs);
}

const subcommands = (program: Completed): readonly Command[] => program.commands.filter(({ name }) => name !== "");
const functionOf = (program: string): string => `_${program.replaceAll("-", "_")}`;

function bash(programs: readonly Completed[]): string {
  const words = (list: string) => `COMPREPLY=($(compgen -W "${list}" -- "$cur"))`;
  const values = (takes: Takes): string => {
    if (takes === "file") return 'COMPREPLY=($(compgen -f -- "$cur"))';
    if (takes === "pass") return words("$_tt_step_passes");
    if (takes === "passes") return '_tt_step_two_passes "$cur"';
    return takes === "text" || takes === "nothing" ? "" : words(takes.join(" "));
  };
  const text = programs.map((program) => {
    const names = subcommands(program).map(({ name }) => name);
    const cases = program.commands.flatMap(({ name, options }) =>
      options.flatMap(({ names, takes }) =>
        takes === "nothing"
          ? []
          : [`    ${names.map((option) => `"${name} ${option}"`).join("|")}) ${values(takes)}; return ;;`.replace(") ; ", ") ")],
      ),
    );
    const rest = program.commands.map(
      ({ name, options, words: own }) => `    "${name} -"*) ${words(options.map(({ names: [first] }) => first).join(" "))} ;;
    "${name} "*) ${own ? words(own.join(" ")) : 'COMPREPLY=($(compgen -f -- "$cur"))'} ;;`,
    );
    return `${functionOf(program.name)}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=
  if [ "$cur" = "=" ]; then cur=""; elif [ "$prev" = "=" ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
${names.length > 0 ? `  if [ "$COMP_CWORD" -gt 1 ]; then case \${COMP_WORDS[1]} in ${names.join("|")}) command=\${COMP_WORDS[1]} ;; esac; fi\n` : ""}  case "$command $prev" in
${cases.join("\n")}
  esac
  case "$command $cur" in
${rest.join("\n")}
  esac
${names.length > 0 ? `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY+=($(compgen -W "${names.join(" ")}" -- "$cur")); fi\n` : ""}}
complete -o filenames -F ${functionOf(program.name)} ${program.name}
`;
  });
  return `# tt-step completion bash > /etc/bash_completion.d/tt-step
_tt_step_passes="${passNames()}"
_tt_step_two_passes() {
  local first=
  case $1 in *..*) first=\${1%..*}.. ;; esac
  COMPREPLY=($(compgen -P "$first" -W "$_tt_step_passes" -- "\${1#"$first"}"))
}
${text.join("")}`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(programs: readonly Completed[]): string {
  const action = (takes: Takes): string => {
    if (takes === "file") return "_files";
    if (takes === "pass") return "_tt_step_pass";
    if (takes === "passes") return "_tt_step_two_passes";
    return takes === "text" || takes === "nothing" ? " " : `(${takes.join(" ")})`;
  };
  const specOf = ({ names, help, takes }: Option): readonly string[] => {
    const about = help.replace(/[\\[\]:]/g, "\\$&");
    return names.map((name) =>
      quoted(
        takes === "nothing"
          ? `${name}[${about}]`
          : `*${name}${name.startsWith("--") ? "=" : "+"}[${about}]:${name.replace(/^-+/, "")}:${action(takes)}`,
      ),
    );
  };
  const text = programs.map((program) => {
    const own = subcommands(program);
    const branches = [...own, ...program.commands.filter(({ name }) => name === "")].map(
      ({ name, options, words }) => `    ${name === "" ? "*" : name}) _arguments ${name === "" ? "" : "'1: :' "}\\
${options
  .flatMap(specOf)
  .map((spec) => `      ${spec} \\`)
  .join("\n")}
      '*:argument:${words ? `(${words.join(" ")})` : own.length > 0 && name === "" ? `${functionOf(program.name)}_first` : "_files"}' ;;`,
    );
    return `${functionOf(program.name)}_first() {
${own.length > 0 ? `  [ "$CURRENT" -eq 2 ] && compadd ${own.map(({ name }) => name).join(" ")}\n` : ""}  _files
}
${functionOf(program.name)}() {
  case \${words[2]} in
${branches.join("\n")}
  esac
}
compdef ${functionOf(program.name)} ${program.name}
`;
  });
  return `#compdef ${programs.map(({ name }) => name).join(" ")}
# tt-step completion zsh > "\${fpath[1]}/_tt-step", or: source <(tt-step completion zsh)
_tt_step_pass() { compadd ${passNames()} }
_tt_step_two_passes() { compset -P '*..' || true; _tt_step_pass }
${text.join("")}[ "$funcstack[1]" = "_tt-step" ] && case \${service:-tt-step} in
${programs.map(({ name }) => `  ${name}) ${functionOf(name)} "$@" ;;`).join("\n")}
esac
`;
}

function fish(programs: readonly Completed[]): string {
  const escaped = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const value = (takes: Takes): string => {
    if (takes === "nothing") return "";
    if (takes === "file") return " -r -F";
    if (takes === "pass" || takes === "passes") return " -x -a '$__tt_step_passes'";
    return takes === "text" ? " -x" : ` -x -a ${escaped(takes.join(" "))}`;
  };
  const lines = programs.flatMap((program) => {
    const own = subcommands(program).map(({ name }) => name);
    const start = own.length === 0 ? [] : [`complete -c ${program.name} -n __fish_use_subcommand -a ${escaped(own.join(" "))}`];
    const options = program.commands.flatMap(({ name, options, words }) => {
      const when =
        name !== ""
          ? ` -n '__fish_seen_subcommand_from ${name}'`
          : own.length > 0
            ? ` -n 'not __fish_seen_subcommand_from ${own.join(" ")}'`
            : "";
      const first = words ? [`complete -c ${program.name}${when} -x -a ${escaped(words.join(" "))}`] : [];
      return [
        ...first,
        ...options.map(({ names, help, takes }) => {
          const flags = names.map((option) => (option.startsWith("--") ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`)).join(" ");
          return `complete -c ${program.name}${when} ${flags}${value(takes)} -d ${escaped(help)}`;
        }),
      ];
    });
    return [...start, ...options];
  });
  return `# tt-step completion fish > ~/.config/fish/completions/tt-step.fish
set -g __tt_step_passes ${passNames()}
${lines.join("\n")}
`;
}

/** `tt-step completion SHELL`. */
export function completionMain([name, more]: readonly string[], io: Io): number {
  const shell = more === undefined ? SHELLS.find((s) => s === name) : undefined;
  if (!shell) return usage(io, "completion expects bash, zsh or fish. Try: tt-step completion --help");
  io.stdout.write(completionScript(shell));
  return EXIT.ok;
}
