/** `tt-step completion bash|zsh|fish`: a completion script made from the table of options. */
import { CAPABILITIES } from "../gpu/nvidia.js";
import { EMITTED, optionTable } from "./tt-step-args.js";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];
const COMMANDS = ["run", "bisect", "snapshot", "completion"] as const;

interface Completed {
  readonly name: string;
  readonly summary: string;
  /** What it takes: nothing, one of these words, a file, or something else. */
  readonly takes: "nothing" | readonly string[] | "file" | "text";
}

function completed(): readonly Completed[] {
  const words: Readonly<Record<string, readonly string[]>> = { emit: EMITTED, target: CAPABILITIES.map((c) => `sm${c}`) };
  return optionTable().map(({ name, value, summary }) => {
    const listed = words[name] ?? (value !== undefined && /^[a-z-]+(\|[a-z-]+)+$/.test(value) ? value.split("|") : undefined);
    const takes = value === undefined ? "nothing" : (listed ?? (/FILE|INPUT/.test(value) ? "file" : "text"));
    return { name, summary, takes };
  });
}

/** The script, to be read by the shell at its start. */
export function completionScript(shell: Shell): string {
  return { bash, zsh, fish }[shell](completed());
}

function bash(options: readonly Completed[]): string {
  const cases = options
    .filter((o) => o.takes !== "nothing" && o.takes !== "file")
    .map(
      ({ name, takes }) =>
        `    --${name}) COMPREPLY=(${takes === "text" ? "" : `$(compgen -W '${(takes as readonly string[]).join(" ")}' -- "$cur")`}); return ;;`,
    );
  return `# tt-step completion bash > /etc/bash_completion.d/tt-step
_tt_step() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  if [ "$cur" = "=" ]; then cur=""; elif [ "$prev" = "=" ]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case $prev in
${cases.join("\n")}
    completion) COMPREPLY=($(compgen -W '${SHELLS.join(" ")}' -- "$cur")); return ;;
  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W '${options.map((o) => `--${o.name}`).join(" ")}' -- "$cur")) ;;
    *)
      COMPREPLY=($(compgen -f -- "$cur"))
      [ "$COMP_CWORD" -eq 1 ] && COMPREPLY+=($(compgen -W '${COMMANDS.join(" ")}' -- "$cur")) ;;
  esac
}
complete -o filenames -F _tt_step tt-step
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(options: readonly Completed[]): string {
  const specs = options.map(({ name, summary, takes }) => {
    const about = summary.replace(/[\\[\]:]/g, "\\$&");
    if (takes === "nothing") return `  ${quoted(`--${name}[${about}]`)}`;
    const action = takes === "file" ? "_files" : takes === "text" ? " " : `(${takes.join(" ")})`;
    return `  ${quoted(`*--${name}=[${about}]:${name}:${action}`)}`;
  });
  return `#compdef tt-step
# tt-step completion zsh > "\${fpath[1]}/_tt-step"
_tt_step_input() {
  [ "$CURRENT" -eq 2 ] && compadd ${COMMANDS.join(" ")}
  [ "\${words[2]}" = completion ] && compadd ${SHELLS.join(" ")} || _files
}
_arguments -s \\
${specs.join(" \\\n")} \\
  '*:input:_tt_step_input'
`;
}

function fish(options: readonly Completed[]): string {
  const escaped = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
  const lines = options.map(({ name, summary, takes }) => {
    const what = takes === "nothing" ? "" : takes === "file" ? " -r -F" : takes === "text" ? " -x" : ` -x -a ${escaped(takes.join(" "))}`;
    return `complete -c tt-step -l ${name}${what} -d ${escaped(summary)}`;
  });
  return `# tt-step completion fish > ~/.config/fish/completions/tt-step.fish
complete -c tt-step -n __fish_use_subcommand -a '${COMMANDS.join(" ")}'
complete -c tt-step -n '__fish_seen_subcommand_from completion' -x -a '${SHELLS.join(" ")}'
${lines.join("\n")}
`;
}
