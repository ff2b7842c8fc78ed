/** The single list of options and commands: the parser and the help text both use it. */
import type { CommandName } from "./request.ts";

/** Command an option applies to. `turn`: a prompt without a command. */
export type Target =
  | "turn"
  | "models"
  | "serve"
  | "doctor"
  | "init"
  | "config"
  | "mcp"
  | "completion"
  | `sessions ${Verb}`;

export type Verb =
  | "list"
  | "show"
  | "export"
  | "import"
  | "release"
  | "abandon"
  | "repair"
  | "delete";

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Name of the value in the help. Absent: the option takes no value. */
  readonly value?: string;
  /** True if the value may be omitted. */
  readonly isValueOptional?: true;
  /** True if the option may be repeated. */
  readonly isList?: true;
  readonly help: string;
  readonly targets: readonly Target[];
}

const folder: readonly Target[] = ["turn", "serve", "models", "doctor"];
const everywhere: readonly Target[] = [
  ...folder,
  "init",
  "config",
  "mcp",
  "sessions list",
  "sessions show",
  "sessions export",
  "sessions import",
  "sessions release",
  "sessions abandon",
  "sessions repair",
  "sessions delete",
];

/** In help order. */
export const options: readonly Option[] = [
  {
    name: "prompt",
    short: "p",
    value: "text",
    help: "the prompt; stdout gets the last answer alone",
    targets: ["turn"],
  },
  {
    name: "attach",
    value: "file",
    isList: true,
    help: "send a text, image or PDF along; so does @file",
    targets: ["turn"],
  },
  {
    name: "continue",
    short: "c",
    help: "resume the newest session of this folder",
    targets: ["turn"],
  },
  {
    name: "resume",
    short: "r",
    value: "id",
    isValueOptional: true,
    help: "resume this session; without an id, list sessions",
    targets: ["turn"],
  },
  { name: "fork", help: "with -c or -r: work on a copy of the session", targets: ["turn"] },
  { name: "drop", help: "with -c or -r: drop an unfinished turn first", targets: ["turn"] },
  {
    name: "fullscreen",
    help: "open the conversation on the alternate screen",
    targets: ["turn"],
  },
  {
    name: "screen-reader",
    help: "open the conversation as plain lines",
    targets: ["turn"],
  },
  { name: "no-session", help: "store nothing; the session cannot be resumed", targets: ["turn"] },
  {
    name: "model",
    value: "name",
    help: "model to use, see capstan models",
    targets: ["turn", "serve", "mcp"],
  },
  {
    name: "thinking",
    value: "level",
    help: "thinking level: off, low, medium, high …",
    targets: ["turn", "serve", "mcp"],
  },
  {
    name: "allow",
    value: "rule",
    isList: true,
    help: "allow matching tool calls, e.g. 'bash(npm test)'",
    targets: ["turn", "serve", "mcp"],
  },
  {
    name: "root",
    value: "folder",
    isList: true,
    help: "let the file tools use this folder, too",
    targets: ["turn", "serve", "mcp"],
  },
  {
    name: "deny",
    value: "rule",
    isList: true,
    help: "deny matching tool calls, e.g. 'bash(git push *)'",
    targets: ["turn", "serve", "mcp"],
  },
  {
    name: "max-cost",
    value: "dollars",
    help: "end the turn at this cost",
    targets: ["turn", "serve", "mcp"],
  },
  { name: "offline", help: "use no model and no network", targets: [...folder, "mcp"] },
  {
    name: "json",
    help: "print JSON lines (for a turn, its events)",
    targets: ["turn", "models", "doctor", "mcp", "sessions list"],
  },
  {
    name: "trust",
    help: "trust capstan.json and .mcp.json as they are now",
    targets: [...folder, "mcp"],
  },
  { name: "cwd", value: "folder", help: "work in this folder", targets: everywhere },
  {
    name: "all",
    help: "include other folders, or models without a key",
    targets: ["sessions list", "models"],
  },
  {
    name: "format",
    value: "format",
    help: "jsonl (readable by import) or markdown",
    targets: ["sessions export"],
  },
  { name: "output", value: "file", help: "write to this file", targets: ["sessions export"] },
  { name: "http", help: "serve over HTTP instead of stdin and stdout", targets: ["mcp"] },
  { name: "port", value: "number", help: "listen on this port (4711)", targets: ["serve", "mcp"] },
  {
    name: "host",
    value: "address",
    help: "listen on this address (127.0.0.1)",
    targets: ["serve", "mcp"],
  },
  {
    name: "no-browser",
    help: "with login: only print the page's address",
    targets: ["mcp"],
  },
  { name: "user", help: "change the user's file (default)", targets: ["config", "mcp"] },
  { name: "project", help: "change the project's capstan.json", targets: ["config", "mcp"] },
  {
    name: "help",
    short: "h",
    help: "show the help",
    targets: [...everywhere, "completion"],
  },
  { name: "version", help: "show the version", targets: [...everywhere, "completion"] },
];

export interface Command {
  readonly help: string;
  /** Name of further arguments in the help. Absent: the command takes none. */
  readonly words?: string;
  /** Subcommands. The first one is the default. */
  readonly verbs?: Readonly<Record<Verb, { readonly usage: string; readonly help: string }>>;
}

export const commands: Readonly<Record<CommandName, Command>> = {
  sessions: {
    help: "list, show, export, import, repair, delete, …",
    verbs: {
      list: { usage: "list", help: "sessions of this folder, newest first" },
      show: { usage: "show <id>", help: "a summary of one session" },
      export: { usage: "export <id>", help: "a whole session as JSON lines or Markdown" },
      import: { usage: "import <file>", help: "an exported session, into this folder" },
      release: { usage: "release <id>", help: "let a session that was set aside continue" },
      abandon: { usage: "abandon <id>", help: "drop the unfinished turn of a session" },
      repair: { usage: "repair <id>", help: "copy the intact part of a damaged session" },
      delete: { usage: "delete <id>...", help: "permanently" },
    },
  },
  models: { help: "list available models", words: "[words in their names]" },
  serve: { help: "serve this folder's agent over HTTP" },
  doctor: { help: "check keys, local servers, files and versions" },
  init: { help: "write an AGENTS.md from what is in this folder" },
  config: { help: "read or change one setting", words: "get <key> | set <key> <value>" },
  mcp: {
    help: "manage MCP servers, log in at them; serve as one",
    words: "list | add | test | login | logout | remove | import | serve",
  },
  completion: { help: "print completions for a shell", words: "bash | zsh | fish" },
};

/** True if the option applies to one of these targets. */
export function isFor({ targets }: Option, wanted: readonly Target[]): boolean {
  return targets.some((target) => wanted.includes(target));
}

/** Returns the possible targets of a command, or of a prompt without one. */
export function targetsOf(command: CommandName | undefined): readonly Target[] {
  if (command === undefined) return ["turn"];
  if (command !== "sessions") return [command];
  return everywhere.filter((target) => target.startsWith("sessions "));
}
