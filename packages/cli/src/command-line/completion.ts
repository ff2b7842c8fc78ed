/** Completion scripts for shells, made from the list of options and commands. */
import { commands, options } from "./options.ts";
import type { Shell } from "./request.ts";

export function completionScript(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bash();
    case "zsh":
      return zsh();
    case "fish":
      return fish();
    default:
      return shell satisfies never;
  }
}

const flags = options.map(({ name }) => `--${name}`).join(" ");
const names = Object.keys(commands).join(" ");
const verbs = Object.keys(commands.sessions.verbs ?? {}).join(" ");

function bash(): string {
  return `# Load it with: source <(capstan completion bash)
_capstan() {
  local word="\${COMP_WORDS[COMP_CWORD]}" candidates=""
  if [[ $word == -* ]]; then candidates="${flags}"
  elif [[ $COMP_CWORD -eq 1 ]]; then candidates="${names}"
  elif [[ $COMP_CWORD -eq 2 && \${COMP_WORDS[1]} == sessions ]]; then candidates="${verbs}"
  fi
  if [[ -n $candidates ]]; then mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
  else mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _capstan capstan
`;
}

function zsh(): string {
  const flagRows = options.map(({ name, help }) => quoted(`--${name}:${help}`)).join(" ");
  const commandRows = Object.entries(commands).map(([name, { help }]) => quoted(`${name}:${help}`));
  return `#compdef capstan
# Load it with: source <(capstan completion zsh)
_capstan() {
  local -a flags names verbs
  flags=(${flagRows})
  names=(${commandRows.join(" ")})
  verbs=(${verbs})
  if [[ $words[CURRENT] == -* ]]; then _describe -o option flags
  elif (( CURRENT == 2 )); then _describe command names
  elif (( CURRENT == 3 )) && [[ $words[2] == sessions ]]; then _describe command verbs
  else _files
  fi
}
compdef _capstan capstan
`;
}

function fish(): string {
  const flagRows = options.map(
    ({ name, short, value, help }) =>
      `complete -c capstan -l ${name}${short === undefined ? "" : ` -s ${short}`}${value === undefined ? "" : " -r"} -d ${quoted(help)}`,
  );
  const commandRows = Object.entries(commands).map(
    ([name, { help }]) =>
      `complete -c capstan -n __fish_use_subcommand -a ${name} -d ${quoted(help)}`,
  );
  return `# Load it with: capstan completion fish | source
${[...commandRows, ...flagRows].join("\n")}
complete -c capstan -n '__fish_seen_subcommand_from sessions' -a '${verbs}'
`;
}

/** For a shell that takes everything between single quotes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
