/** Parses the options of `capstan mcp serve`. */
import type { Words } from "./read-words.ts";
import type { McpAction } from "./request.ts";

const defaultPort = 4711;

/** Options of the command `mcp` that only `serve` has. */
const ownOptions = [
  ...["http", "port", "host", "model", "thinking", "allow", "deny", "root", "max-cost", "offline"],
];

/** Returns the action, or a message that explains what is wrong with it. */
export function toServeAction({ given, plain, behind }: Words): McpAction | string {
  if (plain.length > 2 || behind.length > 0) return "Usage: capstan mcp serve [--http]";
  const [port = String(defaultPort)] = given.get("port") ?? [];
  const [host = "127.0.0.1"] = given.get("host") ?? [];
  if (!given.has("http")) {
    const alone = ["port", "host"].find((name) => given.has(name));
    return alone === undefined ? { verb: "serve", http: undefined } : `--${alone} needs --http.`;
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    return `--port must be a number from 0 to 65535, not ${JSON.stringify(port)}.`;
  }
  return { verb: "serve", http: { port: Number(port), host } };
}

/** A message if one of the options belongs to `serve`, and the verb is another. */
export function problemOfOther(verb: string, { given }: Words): string | undefined {
  const foreign = ownOptions.find((name) => given.has(name));
  return foreign && `--${foreign} does not apply to mcp ${verb}, only to mcp serve.`;
}
