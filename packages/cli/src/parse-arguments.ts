/** What the words after `capstan` ask for. */
import { parseArgs } from "node:util";
import { nearestWord } from "./nearest-word.ts";

export type Request =
  | { readonly type: "help" }
  | { readonly type: "version" }
  | { readonly type: "turn"; readonly prompt: string; readonly cwd: string | undefined }
  /** `message` is absent where nothing at all was asked for. */
  | { readonly type: "mistake"; readonly message?: string };

interface Flag {
  readonly type: "boolean";
  readonly short?: string;
  readonly help: string;
}

interface Setting {
  readonly type: "string";
  /** What its value is called in the help. */
  readonly value: string;
  readonly help: string;
}

/** The one list of options: parsed by it, shown by it. */
export const options: { readonly cwd: Setting; readonly help: Flag; readonly version: Flag } = {
  cwd: { type: "string", value: "folder", help: "work in this folder instead of the current one" },
  help: { type: "boolean", short: "h", help: "show this help" },
  version: { type: "boolean", help: "show the version" },
};

export function parseArguments(argv: readonly string[]): Request {
  const unknown = unknownOption(argv);
  if (unknown !== undefined) return { type: "mistake", message: unknown };
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    if (values.help === true) return { type: "help" };
    if (values.version === true) return { type: "version" };
    const prompt = positionals.join(" ").trim();
    return prompt === "" ? { type: "mistake" } : { type: "turn", prompt, cwd: values.cwd };
  } catch (thrown) {
    if (!isParseError(thrown)) throw thrown;
    // Node's first sentence says what is wrong; what follows is about its own API.
    return { type: "mistake", message: `${thrown.message.split(/\.\s|\n/)[0]}.` };
  }
}

function unknownOption(argv: readonly string[]): string | undefined {
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const names = Object.keys(options);
  const unknown = tokens.find((token) => token.kind === "option" && !names.includes(token.name));
  if (unknown?.kind !== "option") return undefined;
  const nearest = nearestWord(unknown.name, names);
  const hint = nearest === undefined ? "" : ` Did you mean --${nearest}?`;
  return `There is no option ${unknown.rawName}.${hint}`;
}

function isParseError(thrown: unknown): thrown is Error {
  return (
    thrown instanceof Error && "code" in thrown && String(thrown.code).startsWith("ERR_PARSE_ARGS_")
  );
}
