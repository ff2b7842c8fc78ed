/** Reads the command line. */
import { parseArgs } from "node:util";
import { templates } from "./templates.ts";

/** Request of the user. Folder and template are asked for if they are missing. */
export interface Request {
  readonly folder: string | undefined;
  readonly template: string | undefined;
  readonly action: "create" | "help" | "version";
}

/** Text of `--help`. */
export const help: string = [
  "Usage: npm create capstan [folder] [-- --template <name>]",
  "",
  "Creates a project with a Capstan agent in a new or empty folder.",
  "",
  "Templates:",
  ...templates.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`),
  "",
  "Options:",
  "  -t, --template <name>  template to use; asked for in a terminal if it is missing",
  "  -h, --help             show this help",
  "  -v, --version          show the version",
].join("\n");

/** Returns the request that the arguments make. Throws if they make none. */
export function readCommandLine(args: readonly string[]): Request {
  const { values, positionals } = parse(args);
  const [folder, ...others] = positionals;
  if (others.length > 0) {
    throw new Error(`Give one folder, not ${positionals.length}: ${positionals.join(", ")}.`);
  }
  const action = values.help ? "help" : values.version ? "version" : "create";
  return { folder, template: values.template, action };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        template: { type: "string", short: "t" },
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", short: "v", default: false },
      },
    });
  } catch (thrown) {
    const [problem = ""] = (thrown as Error).message.split(". ");
    throw new Error(`${problem}. Run npm create capstan -- --help to see the options.`, {
      cause: thrown,
    });
  }
}
