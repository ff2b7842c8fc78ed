/** Parses the arguments of `capstan mcp`. */
import type { Words } from "./read-words.ts";
import { problemOfOther, toServeAction } from "./parse-mcp-serve.ts";
import type { McpAction } from "./request.ts";

const usage =
  "Usage: capstan mcp list, add <name> <url>, add <name> -- <command> [arguments], test <name>, login <name>, logout <name>, remove <name>, import <file> or serve";

/** Returns the action, or a message that explains what is wrong with it. */
export function toMcpAction(words: Words): McpAction | string {
  const { given, plain, behind } = words;
  if (given.has("user") && given.has("project")) {
    return "--user and --project exclude each other: use one of them.";
  }
  const [, verb = "list", word, url, extra] = plain;
  if (verb === "serve") return toServeAction(words);
  const problem = problemOfOther(verb, words);
  if (problem !== undefined) return problem;
  const role = given.has("project") ? "project" : "user";
  if (verb === "add") {
    const [command, ...args] = behind;
    const isOne = (url === undefined) !== (command === undefined);
    if (word === undefined || extra !== undefined || !isOne) return usage;
    const server = url === undefined ? { command: command ?? "", args } : { url };
    return { verb, name: word, server, role };
  }
  if (url !== undefined || behind.length > 0) return usage;
  if (verb === "list") return word === undefined ? { verb } : usage;
  if (word === undefined) return usage;
  if (verb === "test" || verb === "logout") return { verb, name: word };
  if (verb === "login") return { verb, name: word, opensBrowser: !given.has("no-browser") };
  if (verb === "remove") return { verb, name: word, role };
  return verb === "import" ? { verb, file: word, role } : usage;
}
