/** Recorded traffic of real vendors, where the machine has it: CAPSTAN_FIXTURES, or `../shared/fixtures` beside the project. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { JsonValue } from "@capstan/kernel";

/** A hash of a string that is too long or too private to write down. */
export interface Sealed {
  readonly chars: number;
  /** The first 16 hexadecimal digits. */
  readonly sha256: string;
}

/** What an independent parser read in the bytes of one reply. */
export interface Expectation {
  readonly http_status?: number;
  readonly ok: boolean;
  readonly truncated?: boolean;
  readonly error: JsonValue;
  readonly id?: string;
  readonly model?: string;
  readonly text: string;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly reasoning_blocks?: readonly {
    readonly signature?: Sealed | null;
    readonly encrypted?: Sealed | null;
    readonly data?: Sealed | null;
  }[];
  readonly tool_calls: readonly {
    readonly id: string | null;
    readonly name: string;
    /** `null` for arguments that are no JSON. */
    readonly arguments?: JsonValue;
    readonly arguments_raw?: string;
    readonly custom_input?: string;
  }[];
  readonly server_tools?: readonly { readonly type: string; readonly id?: string }[];
  readonly order?: readonly string[];
  readonly finish_reason: string | number | null;
  readonly usage: {
    readonly input?: number | null;
    readonly output?: number | null;
    readonly cache_read?: number | null;
    readonly cache_write?: number | null;
    readonly reasoning?: number | null;
  } | null;
  readonly usage_raw?: JsonValue;
  readonly quirks?: JsonValue;
  /** Whatever else there is for this protocol. */
  readonly [fact: string]: JsonValue | undefined | object;
}

/** One request and what came back. */
export interface FixtureReply {
  /** For test names. */
  readonly name: string;
  readonly request: JsonValue | undefined;
  readonly status: number;
  readonly isStream: boolean;
  readonly body: Uint8Array;
  /** How the network cut the body when it was recorded. */
  readonly chunkLengths: readonly number[] | undefined;
  readonly expect: Expectation;
}

/** What a real client added to the conversation between two requests. */
export interface FixtureLink {
  readonly request: number;
  readonly prefix_unchanged: boolean;
  readonly appended: readonly JsonValue[];
  readonly tool_results: readonly {
    readonly call_id: string | null;
    readonly name: string | null;
    readonly output: JsonValue;
  }[];
}

interface FixtureMeta {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly url: string;
  readonly status: number;
  readonly stream: boolean;
  readonly fidelity: string;
  readonly tags: readonly string[];
  readonly derived?: boolean;
  readonly chunk_lengths?: readonly number[];
}

export interface FixtureCase {
  readonly name: string;
  readonly api: string;
  readonly folder: string;
  readonly kind: "single" | "exchange";
  readonly meta: FixtureMeta;
  /** One; of an exchange, one for each step. */
  readonly replies: readonly FixtureReply[];
  /** Of an exchange: `links[k]` leads from reply k to request k + 1. */
  readonly links: readonly FixtureLink[];
}

const projectFolder = resolve(import.meta.dirname, "../../../..");

/** Undefined if the machine has none. */
const fixturesFolder: string | undefined = findFolder(process.env["CAPSTAN_FIXTURES"]);

/** A folder that is named has to be there: tests that are skipped in silence prove nothing. */
function findFolder(named: string | undefined): string | undefined {
  if (named !== undefined && named !== "") {
    if (existsSync(join(named, "index.json"))) return resolve(named);
    throw new Error(`CAPSTAN_FIXTURES names ${named}, which has no index.json`);
  }
  const usual = join(projectFolder, "../shared/fixtures");
  return existsSync(usual) ? usual : undefined;
}

export const hasFixtures: boolean = fixturesFolder !== undefined;

/** For the name of a suite that is skipped without them. */
export const fixturesNote: string = hasFixtures
  ? ""
  : " (skipped: no recorded traffic; set CAPSTAN_FIXTURES to its folder)";

/** All cases of a protocol, in order; none where the machine has none. */
export function fixtureCases(api: string): readonly FixtureCase[] {
  return caseFolders()
    .map(readCase)
    .filter((fixture) => fixture.api === api);
}

/** All replies of a protocol, those of exchanges too. */
export function fixtureReplies(api: string): readonly FixtureReply[] {
  return fixtureCases(api).flatMap(({ replies }) => replies);
}

/** A file of the folder that is no case: undefined where there is none. */
export function readFixture(path: string): JsonValue | undefined {
  if (fixturesFolder === undefined) return undefined;
  const file = join(fixturesFolder, path);
  return existsSync(file) ? readJson(file) : undefined;
}

/** Every folder with a `meta.json`, by name: `open/…`, `derived/…`. */
function caseFolders(): readonly string[] {
  const folder = fixturesFolder;
  if (folder === undefined) return [];
  return globSync("*/*/meta.json", { cwd: folder })
    .sort(byName)
    .map((file) => join(folder, dirname(file)));
}

/** `open` before `derived`, as in their README. */
function byName(one: string, other: string): number {
  return rank(one) < rank(other) ? -1 : 1;
}

function rank(path: string): string {
  return `${path.startsWith("open") ? 0 : 1}${path}`;
}

/** A case as the index of the folder has it. */
interface IndexEntry {
  readonly case: string;
  readonly kind: "single" | "exchange";
  readonly api: string;
  readonly stream: boolean;
  readonly tags: readonly string[];
}

/** Cases of a protocol that the index has. Those that were derived from others are not in it. */
export function indexedCases(api: string): readonly IndexEntry[] {
  const index = (readFixture("index.json") ?? []) as unknown as readonly IndexEntry[];
  return index.filter((entry) => entry.api === api);
}

/** Where the index and what was read differ: a line for each case. */
export function differencesFromIndex(api: string): readonly string[] {
  const cases = new Map(fixtureCases(api).map((fixture) => [fixture.name, fixture]));
  const index = indexedCases(api);
  const known = new Set(index.map((entry) => entry.case));
  const unread = index.flatMap((entry) => differenceOf(entry, cases.get(entry.case)));
  const unknown = [...cases.values()]
    .filter(({ name, meta }) => !known.has(name) && meta.derived !== true)
    .map(({ name }) => `${name} is not in the index`);
  return [...unread, ...unknown];
}

function differenceOf(entry: IndexEntry, fixture: FixtureCase | undefined): readonly string[] {
  if (fixture === undefined) return [`${entry.case} was not read`];
  const { name, kind, folder, replies } = fixture;
  const files = globSync("response*.{sse,json}", { cwd: folder });
  const streams = replies.filter(({ isStream }) => isStream);
  return [
    ...(kind === entry.kind ? [] : [`${name} was read as ${kind}`]),
    ...(replies.length === files.length ? [] : [`${name} has ${files.length} replies`]),
    ...(entry.stream === streams.length > 0 ? [] : [`${name} was read with other streams`]),
  ];
}

/** The files are what their README says; a test that reads one wrongly fails. */
function readCase(folder: string): FixtureCase {
  const meta = readJson(join(folder, "meta.json")) as unknown as FixtureMeta;
  const facts = readJson(join(folder, "expect.json"));
  const expect = facts as unknown as Expectation & ExchangeExpectation;
  const name = folder.slice(folder.lastIndexOf("/") + 1);
  const { api } = meta;
  if (expect.kind !== "exchange") {
    const reply = readReply(folder, name, "", meta, expect);
    return { name, api, folder, kind: "single", meta, replies: [reply], links: [] };
  }
  const replies = expect.steps.map((step, index) =>
    readReply(folder, `${name} ${index + 1}`, String(index + 1), meta, step),
  );
  return { name, api, folder, kind: "exchange", meta, replies, links: expect.links };
}

interface ExchangeExpectation {
  readonly kind?: "exchange";
  readonly steps: readonly Expectation[];
  readonly links: readonly FixtureLink[];
}

function readReply(
  folder: string,
  name: string,
  number: string,
  meta: FixtureMeta,
  expect: Expectation,
): FixtureReply {
  const isStream = existsSync(join(folder, `response${number}.sse`));
  const requestFile = join(folder, `request${number}.json`);
  return {
    name,
    request: existsSync(requestFile) ? readJson(requestFile) : undefined,
    status: expect.http_status ?? meta.status,
    isStream,
    body: readFileSync(join(folder, `response${number}.${isStream ? "sse" : "json"}`)),
    chunkLengths: meta.chunk_lengths,
    expect,
  };
}

function readJson(path: string): JsonValue {
  return JSON.parse(readFileSync(path, "utf8")) as JsonValue;
}
