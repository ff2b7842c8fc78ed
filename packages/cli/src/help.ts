/** What `capstan --help` shows; it fits 80 columns. */
import { options } from "./parse-arguments.ts";

export function helpText(): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const short = "short" in option ? `-${option.short}, ` : "    ";
    const value = "value" in option ? ` <${option.value}>` : "";
    return `  ${`${short}--${name}${value}`.padEnd(22)}${option.help}`;
  });
  return `Usage: capstan [options] <prompt>

Runs one turn of an agent in the current folder and prints what it says.

Options:
${rows.join("\n")}

Examples:
  capstan "What is in this folder?"
  capstan --cwd src "Read index.ts"
  capstan -- "-h is short for what?"

Exit codes: 0 done, 1 the turn failed, 2 wrong use, 130 interrupted.
`;
}
