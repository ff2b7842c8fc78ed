/** What is measured: something that runs the turns of script.mjs. One file in `subjects/` each. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { MaybePromise, NewEntry } from "@capstan/log";
import type { NeutralMessage, Script, Seen } from "./script.mjs";

export interface AgentOptions {
  readonly script: Script;
  /** How long the model takes to answer, by timer; 0 for no wait at all. */
  readonly latencyMs: number;
  /** Where the tool counts its runs. */
  readonly seenRef: { seen: Seen };
}

export interface Agent<History = unknown> {
  /** From the neutral form to what the subject works on. Never timed. */
  prepareHistory(messages: NeutralMessage[]): History;
  /** Runs one turn, tells `seen` each delta, leaves the history as it was and returns the text. */
  turn(history: History, seen: Seen): Promise<string | undefined>;
}

/** The streams of sse-server.mjs, by the vendor whose protocol they are in. */
export type WireProtocol = "openai" | "anthropic";

export interface WireOptions {
  readonly baseURL: string;
  readonly seen: Seen;
}

/** Asks the server once, tells `seen` each delta, and returns the text of the final message. */
type WireClient = (options: WireOptions) => Promise<string | undefined>;

/** The databases that a log is kept in. */
export type DurableKind = "sqlite" | "postgres";

/** Sessions that lie ready to be appended to. */
export interface DurableLog {
  /** Appends one entry to the session of this number, and gives its seq when it would survive the death of the process. */
  append(session: number, entry: NewEntry): MaybePromise<number>;
}

/** `where` is a path or a URL. */
type OpenDurableLog = (where: string, sessions: number) => Promise<DurableLog>;

/** Streams the deltas to the client that asks for them. */
export interface DeltaServer {
  readonly url: string;
  readonly init: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  };
  /** Lets go of what it keeps of those that it has streamed. */
  forget?(): Promise<void>;
}

/** A store that `stored-sessions.ts` has filled. */
export interface DurableReads {
  /** Everything of the long session. Gives the number of its messages. */
  openLong(): MaybePromise<number>;
  /** Everything of the long session that was compacted. */
  openCompacted(): MaybePromise<number>;
  /** What its next turn needs. For a driver, all of it. */
  openContext(): MaybePromise<number>;
  /** All sessions. Gives their number. */
  listAll(): MaybePromise<number>;
}

type OpenDurableReads = (where: string) => Promise<DurableReads>;

/** What Node is started with, and what comes of it. */
interface Program {
  readonly args: readonly string[];
  /** What it writes to stdout. */
  readonly says: RegExp;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Measures up to the first byte on stdout instead of the end. */
  readonly isFirstOutput?: boolean;
}

export interface Subject {
  readonly name: string;
  /** The most that a figure may be, by bench and figure. A figure without a goal is for information. */
  readonly goals: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The package whose import B5 times. */
  readonly packageFolder?: string;
  /** For the benches that run turns. */
  createAgent?(options: AgentOptions): Promise<Agent>;
  /** For B6. */
  readonly wire?: Readonly<Partial<Record<WireProtocol, WireClient>>>;
  /** For B7. */
  serveDeltas?(deltas: readonly string[]): Promise<DeltaServer>;
  /** For B13. */
  serveChunks?(deltas: readonly string[]): Promise<DeltaServer>;
  /** For B8. */
  readonly durable?: Readonly<Record<DurableKind, OpenDurableLog>>;
  /** For B9: a context of so many messages grows by so many steps. How many messages are shown in the end. */
  growContext?(messages: number, steps: number): number;
  /** For B10. */
  readonly durableReads?: Readonly<Record<DurableKind, OpenDurableReads>>;
  /** For B11. */
  readonly program?: Program;
}

const folder = join(import.meta.dirname, "subjects");
/** Other libraries, with their own package.json: `npm run bench -- --peers` installs and measures them. */
const peersFolder: string = join(import.meta.dirname, "peers");
const peers = ["pi", "ai", "openai-agents", "langgraph", "mastra"];

export async function loadSubject(name: string): Promise<Subject> {
  const file = peers.includes(name) ? join(peersFolder, `${name}.mjs`) : join(folder, `${name}.ts`);
  // A file of these folders exports its subject; `loadSubjects` fails if one does not.
  const module = (await import(file)) as { readonly subject: Subject };
  return module.subject;
}

/** Peers are no dependencies of this repository: they are installed when they are asked for. */
export function installPeers(): void {
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: peersFolder,
    stdio: ["ignore", 2, 2],
  });
}

export async function loadPeers(): Promise<Subject[]> {
  return Promise.all(peers.map(loadSubject));
}

export async function loadSubjects(): Promise<Subject[]> {
  const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ""));
  const subjects = await Promise.all(names.sort().map(loadSubject));
  for (const [index, subject] of subjects.entries()) {
    if (subject?.name !== names[index]) {
      throw new Error(`subjects/${names[index]}.ts exports no subject of that name`);
    }
  }
  return subjects;
}
