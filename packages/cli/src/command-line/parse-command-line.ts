/** Parses the arguments of `capstan` into a request, or explains what is wrong with them. */
import { toMcpAction } from "./parse-mcp.ts";
import { nearestWord } from "./nearest-word.ts";
import type { Option, Target, Verb } from "./options.ts";
import { commands, isFor, options, targetsOf } from "./options.ts";
import type { Words } from "./read-words.ts";
import { readWords } from "./read-words.ts";
import type {
  CommandName,
  ConfigAction,
  ExportFormat,
  FolderRequest,
  Request,
  SessionChoice,
  SessionsAction,
  Shell,
  TurnRequest,
} from "./request.ts";

const defaultPort = 4711;
const shells: readonly Shell[] = ["bash", "zsh", "fish"];
const formats: readonly ExportFormat[] = ["jsonl", "markdown"];

/** Never throws. */
export function parseCommandLine(argv: readonly string[]): Request {
  const words = readWords(argv);
  if (words.type === "mistake") return words;
  const [first, second] = words.plain;
  if (isHelp(words)) return { type: "help", command: isCommand(second) ? second : undefined };
  const command = isCommand(first) ? first : undefined;
  if (words.given.has("help")) return { type: "help", command };
  if (words.given.has("version")) return { type: "version" };
  const mistake = (message: string): Request => ({ type: "mistake", message, command });
  const foreign = foreignOption(words, targetsOf(command), command ?? "a prompt");
  if (foreign !== undefined) return mistake(foreign);
  if (words.given.has("offline") && words.given.has("model")) {
    return mistake("--offline and --model exclude each other: use one of them.");
  }
  const folder = toFolderRequest(words);
  switch (command) {
    case undefined:
      return toTurn(words, folder);
    case "sessions":
      return toSessions(words, folder);
    case "models": {
      const filter = [...words.plain.slice(1), ...words.behind].join(" ").trim();
      return { ...folder, type: command, isAll: words.given.has("all"), filter };
    }
    case "doctor":
    case "init":
      return withoutWords(words, command, { ...folder, type: command });
    case "config": {
      const action = toConfigAction(words);
      return typeof action === "string" ? mistake(action) : { ...folder, type: command, action };
    }
    case "mcp": {
      const action = toMcpAction(words);
      return typeof action === "string" ? mistake(action) : { ...folder, type: command, action };
    }
    case "completion": {
      const [, shell, extra] = [...words.plain, ...words.behind];
      const known = shells.find((one) => one === shell);
      if (known === undefined || extra !== undefined) {
        return mistake(`Usage: capstan completion ${shells.join(" | ")}`);
      }
      return { type: command, shell: known };
    }
    case "serve": {
      const port = toPort(valueOf(words, "port"));
      if (port === undefined) {
        return mistake(
          `--port must be a number from 0 to 65535, not ${JSON.stringify(valueOf(words, "port"))}.`,
        );
      }
      const host = valueOf(words, "host") ?? "127.0.0.1";
      return withoutWords(words, command, { ...folder, type: command, port, host });
    }
    default:
      return command satisfies never;
  }
}

/** True for `help` and `help <command>`. A sentence that starts with the word is a prompt. */
function isHelp({ plain: [first, second, third], behind }: Words): boolean {
  const isAlone = second === undefined || (isCommand(second) && third === undefined);
  return first === "help" && isAlone && behind.length === 0;
}

/** Command that a prompt most likely misspells: a model must not be paid for it. */
function missedCommand({ plain: [first = "", second], behind }: Words): string | undefined {
  if (behind.length > 0 || !/^[a-z]{4,}$/i.test(first)) return undefined;
  // "hello" is two edits from "help".
  const nearest = nearestWord(first.toLowerCase(), [...Object.keys(commands), "help"], 1);
  if (nearest === undefined) return undefined;
  return second === undefined || isVerb(second) || isCommand(second) ? nearest : undefined;
}

function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(commands, word);
}

/** Reports an option that does not apply to the command. */
function foreignOption(
  { given }: Words,
  targets: readonly Target[],
  asked: string,
): string | undefined {
  const foreign = options.find((option) => given.has(option.name) && !isFor(option, targets));
  if (foreign === undefined) return undefined;
  return `--${foreign.name} does not apply to ${asked}, only to ${targetNames(foreign)}.`;
}

function targetNames({ targets }: Option): string {
  return targets.map((target) => (target === "turn" ? "a prompt" : target)).join(", ");
}

function toFolderRequest(words: Words): FolderRequest {
  const model = valueOf(words, "model");
  const thinking = valueOf(words, "thinking");
  const maxCost = valueOf(words, "max-cost");
  const listOf = (name: string): readonly string[] =>
    (words.given.get(name) ?? []).flatMap((value) => value ?? []);
  const [allow, deny, roots] = [listOf("allow"), listOf("deny"), listOf("root")];
  return {
    cwd: valueOf(words, "cwd"),
    flags: {
      ...(model !== undefined && { model }),
      ...(thinking !== undefined && { thinking }),
      ...(maxCost !== undefined && { maxCost }),
      ...(allow.length > 0 && { allow }),
      ...(roots.length > 0 && { roots }),
      ...(deny.length > 0 && { deny }),
    },
    isTrusting: words.given.has("trust"),
    isOffline: words.given.has("offline"),
    isJson: words.given.has("json"),
  };
}

function toTurn(words: Words, folder: FolderRequest): Request {
  const spoken = [...words.plain, ...words.behind].join(" ").trim();
  const named = valueOf(words, "prompt")?.trim();
  const missed = missedCommand(words);
  if (missed !== undefined) {
    const [word = ""] = words.plain;
    const message = `Unknown command "${word}". Did you mean ${missed}? Put two dashes before a prompt: capstan -- "${word} …".`;
    return { type: "mistake", message };
  }
  const problem = turnProblem(words, spoken, named);
  if (problem !== undefined) return { type: "mistake", message: problem };
  const prompt = named ?? (spoken === "" ? undefined : spoken);
  return {
    ...folder,
    type: "turn",
    prompt,
    isAnswerOnly: named !== undefined,
    attach: (words.given.get("attach") ?? []).flatMap((file) => file ?? []),
    isDropping: words.given.has("drop"),
    isStored: !words.given.has("no-session"),
    session: toChoice(words),
    ...toScreen(words),
  };
}

function toScreen({ given }: Words): Pick<TurnRequest, "screen"> {
  if (given.has("screen-reader")) return { screen: "lines" };
  return given.has("fullscreen") ? { screen: "fullscreen" } : {};
}

function turnProblem(
  { given }: Words,
  spoken: string,
  named: string | undefined,
): string | undefined {
  if (named === "") return "The prompt is empty: use -p <text>.";
  if (named !== undefined && spoken !== "") {
    return "Two prompts given, one with --prompt and one without: use one of them.";
  }
  if (given.has("continue") && given.has("resume")) {
    return "--continue and --resume name different sessions: use one of them.";
  }
  if (given.has("fullscreen") && given.has("screen-reader")) {
    return "--fullscreen and --screen-reader exclude each other: use one of them.";
  }
  const isOld = given.has("continue") || given.has("resume");
  if (given.has("fork") && !isOld) {
    return "--fork needs a session to copy: use it with --continue or --resume <id>.";
  }
  if (given.has("drop") && !isOld) {
    return "--drop needs a session with an unfinished turn: use it with --continue or --resume <id>.";
  }
  if (given.has("no-session") && isOld) {
    return "--no-session stores nothing, so there is no session to resume: use it without --continue and --resume.";
  }
  return undefined;
}

function toChoice(words: Words): SessionChoice {
  const isFork = words.given.has("fork");
  if (words.given.has("continue")) return { type: "newest", isFork };
  if (words.given.has("resume")) return { type: "byId", id: valueOf(words, "resume"), isFork };
  return { type: "new" };
}

function toSessions(words: Words, folder: FolderRequest): Request {
  const [, written = "list", ...others] = [...words.plain, ...words.behind];
  const command = "sessions";
  const mistake = (message: string): Request => ({ type: "mistake", message, command });
  if (!isVerb(written)) return mistake(unknownVerb(written));
  const foreign = foreignOption(words, [`sessions ${written}`], `${command} ${written}`);
  if (foreign !== undefined) return mistake(foreign);
  const action = toAction(written, others, words);
  return typeof action === "string" ? mistake(action) : { ...folder, type: command, action };
}

function isVerb(word: string): word is Verb {
  return Object.hasOwn(commands.sessions.verbs ?? {}, word);
}

function unknownVerb(word: string): string {
  const verbs = Object.keys(commands.sessions.verbs ?? {});
  const nearest = nearestWord(word, verbs);
  const hint =
    nearest === undefined ? `Use one of ${verbs.join(", ")}.` : `Did you mean ${nearest}?`;
  return `Unknown command "sessions ${word}". ${hint} Put two dashes before a prompt that starts with "sessions": capstan -- "sessions …".`;
}

/** Returns the action, or a message that explains what is wrong with it. */
function toAction(verb: Verb, words: readonly string[], all: Words): SessionsAction | string {
  const [word = ""] = words;
  const { usage } = (commands.sessions.verbs ?? {})[verb] ?? { usage: verb };
  const expected = verb === "list" ? 0 : 1;
  const isMore = words.length > expected && verb !== "delete";
  if (isMore || words.length < expected || words.includes("")) {
    return `Usage: capstan sessions ${usage}`;
  }
  switch (verb) {
    case "list":
      return { verb, isAll: all.given.has("all") };
    case "show":
    case "release":
    case "abandon":
    case "repair":
      return { verb, id: word };
    case "import":
      return { verb, file: word };
    case "delete":
      return { verb, ids: words };
    case "export": {
      const format = valueOf(all, "format") ?? "jsonl";
      const known = formats.find((one) => one === format);
      if (known === undefined) {
        return `--format must be ${formats.join(" or ")}, not ${JSON.stringify(format)}.`;
      }
      return { verb, id: word, format: known, output: valueOf(all, "output") };
    }
    default:
      return verb satisfies never;
  }
}

/** Returns the action, or a message that explains what is wrong with it. */
function toConfigAction({ given, plain, behind }: Words): ConfigAction | string {
  const [, verb, key, value, extra] = [...plain, ...behind];
  if (given.has("user") && given.has("project")) {
    return "--user and --project exclude each other: use one of them.";
  }
  if (key !== undefined && extra === undefined) {
    if (verb === "get" && value === undefined) return { verb, key };
    const role = given.has("project") ? "project" : "user";
    if (verb === "set" && value !== undefined) return { verb, key, value, role };
  }
  return "Usage: capstan config get <key>, or capstan config set <key> <value>";
}

function withoutWords(words: Words, command: CommandName, request: Request): Request {
  const [, extra] = [...words.plain, ...words.behind];
  if (extra === undefined) return request;
  const message = `capstan ${command} takes no arguments, but got ${JSON.stringify(extra)}. Put two dashes before a prompt that starts with "${command}": capstan -- "${command} …".`;
  return { type: "mistake", message, command };
}

function toPort(written: string | undefined): number | undefined {
  if (written === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(written) ? Number(written) : Number.NaN;
  return port <= 65_535 ? port : undefined;
}

function valueOf({ given }: Words, name: string): string | undefined {
  return given.get(name)?.at(-1);
}
