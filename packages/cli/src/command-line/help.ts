/** Text of `capstan --help`; fits 80 columns. */
import type { Option } from "./options.ts";
import { commands, isFor, options, targetsOf } from "./options.ts";
import type { CommandName } from "./request.ts";

export function helpText(command?: CommandName): string {
  return command === undefined ? mainHelp() : helpOf(command);
}

function mainHelp(): string {
  const named = Object.entries(commands).map(([name, { help }]) => row(name, help));
  return `Usage: capstan [options] <prompt>
       capstan [options]
       capstan <command> [options]

Runs an agent in the current folder. Without a prompt on a terminal, it opens a
conversation; otherwise it prints the replies. Piped input is sent with the
prompt. The session is stored: --continue resumes it.

Commands (capstan <command> --help shows more):
${named.join("\n")}

Options:
${optionRows(undefined)}

Examples:
  capstan "What is in this folder?"
  capstan --allow edit --allow 'bash(npm test)' "Fix the failing test"
  git diff | capstan "Review this"
  capstan --continue "And now the docs"
  capstan -- sessions

Exit codes: 0 done, 1 failed, 2 usage or configuration error, 3 ended early by a
limit, 4 done but calls were refused, 130 interrupted (143 by SIGTERM, 129 by
SIGHUP).
`;
}

function helpOf(name: CommandName): string {
  const { help, verbs, words } = commands[name];
  const rows = Object.values(verbs ?? {}).map((verb) => row(verb.usage, verb.help));
  const usage = verbs !== undefined ? " [command]" : words === undefined ? "" : ` ${words}`;
  const listed = verbs === undefined ? "" : `\nCommands:\n${rows.join("\n")}\n`;
  return `Usage: capstan ${name}${usage} [options]

${help.charAt(0).toUpperCase()}${help.slice(1)}.
${listed}
Options:
${optionRows(name)}
`;
}

function optionRows(command: CommandName | undefined): string {
  const targets = targetsOf(command);
  return options
    .filter((option) => isFor(option, targets))
    .map((option) => row(`${shortOf(option)}--${option.name}${valueOf(option)}`, option.help))
    .join("\n");
}

function shortOf({ short }: Option): string {
  return short === undefined ? "    " : `-${short}, `;
}

function valueOf({ value, isValueOptional }: Option): string {
  if (value === undefined) return "";
  return isValueOptional === true ? ` [${value}]` : ` <${value}>`;
}

function row(left: string, right: string): string {
  return `  ${left.padEnd(26)}${right}`;
}
