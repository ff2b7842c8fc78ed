/** The one list of options and commands: parsed by it, shown by it in the help. */
import type { CommandName } from "./request.ts";

/** What an option may be said to. `turn`: a prompt, no command. */
export type Target = "turn" | "models" | "serve" | "doctor" | `sessions ${Verb}`;

export type Verb = "list" | "show" | "export" | "import" | "release" | "repair" | "delete";

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What its value is called in the help. Absent: it has none. */
  readonly value?: string;
  /** Whether the value may be left out. */
  readonly isValueOptional?: true;
  /** Whether it may be there more than once. */
  readonly isList?: true;
  readonly help: string;
  readonly targets: readonly Target[];
}

const folder: readonly Target[] = ["turn", "serve", "models", "doctor"];
const everywhere: readonly Target[] = [
  ...folder,
  "sessions list",
  "sessions show",
  "sessions export",
  "sessions import",
  "sessions release",
  "sessions repair",
  "sessions delete",
];

/** In the order of the help. */
export const options: readonly Option[] = [
  { name: "prompt", short: "p", value: "text", help: "the prompt", targets: ["turn"] },
  {
    name: "continue",
    short: "c",
    help: "go on with the newest session of this folder",
    targets: ["turn"],
  },
  {
    name: "resume",
    short: "r",
    value: "id",
    isValueOptional: true,
    help: "go on with this session; without an id, list them",
    targets: ["turn"],
  },
  { name: "fork", help: "with either: go on with a copy", targets: ["turn"] },
  {
    name: "model",
    value: "name",
    help: "the model, as capstan models names it",
    targets: ["turn", "serve"],
  },
  {
    name: "thinking",
    value: "level",
    help: "how much it thinks: off, low, medium, high …",
    targets: ["turn", "serve"],
  },
  {
    name: "allow",
    value: "rule",
    isList: true,
    help: "let calls run that fit, as 'bash(npm test)'",
    targets: ["turn", "serve"],
  },
  {
    name: "max-cost",
    value: "dollars",
    help: "end a turn that has cost so much",
    targets: ["turn", "serve"],
  },
  { name: "offline", help: "use no model and no network", targets: folder },
  {
    name: "json",
    help: "print lines of JSON: of a turn its events",
    targets: ["turn", "models", "doctor", "sessions list"],
  },
  {
    name: "trust",
    help: "trust capstan.json of this project as it is now",
    targets: folder,
  },
  { name: "cwd", value: "folder", help: "work in this folder", targets: everywhere },
  {
    name: "all",
    help: "also those of other folders, or without a key",
    targets: ["sessions list", "models"],
  },
  {
    name: "format",
    value: "format",
    help: "jsonl, which import takes, or markdown",
    targets: ["sessions export"],
  },
  { name: "output", value: "file", help: "write to this file", targets: ["sessions export"] },
  { name: "port", value: "number", help: "listen on this port (4711)", targets: ["serve"] },
  {
    name: "host",
    value: "address",
    help: "listen on this address (127.0.0.1)",
    targets: ["serve"],
  },
  { name: "help", short: "h", help: "show the help", targets: everywhere },
  { name: "version", help: "show the version", targets: everywhere },
];

export interface Command {
  readonly help: string;
  /** What its further words are called in the help. Absent: it takes none. */
  readonly words?: string;
  /** What a first word after it may be. The first one is meant where there is none. */
  readonly verbs?: Readonly<Record<Verb, { readonly usage: string; readonly help: string }>>;
}

export const commands: Readonly<Record<CommandName, Command>> = {
  sessions: {
    help: "list, show, export, import, release, repair, delete",
    verbs: {
      list: { usage: "list", help: "those of this folder, newest first" },
      show: { usage: "show <id>", help: "one of them, in short" },
      export: { usage: "export <id>", help: "all of one, as JSON lines or Markdown" },
      import: { usage: "import <file>", help: "what export gave, into this folder" },
      release: { usage: "release <id>", help: "let one that was set aside go on" },
      repair: { usage: "repair <id>", help: "a copy of what is sound in a damaged one" },
      delete: { usage: "delete <id>...", help: "for good" },
    },
  },
  models: { help: "list the models that can be used", words: "[words in their names]" },
  serve: { help: "let programs use the agent of this folder, over HTTP" },
  doctor: { help: "look at keys, local servers, files and versions" },
};

/** Whether it can be said to one of these. */
export function isFor({ targets }: Option, wanted: readonly Target[]): boolean {
  return targets.some((target) => wanted.includes(target));
}

/** What a command, or a prompt, may be. */
export function targetsOf(command: CommandName | undefined): readonly Target[] {
  if (command === undefined) return ["turn"];
  if (command !== "sessions") return [command];
  return everywhere.filter((target) => target.startsWith("sessions "));
}
