/** Requests that real clients sent, and what became of them: from CAPSTAN_FIXTURES, or `../shared/fixtures` beside the project. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface Recording {
  /** For test names. */
  readonly name: string;
  readonly provider: string;
  readonly model: string | null;
  /** The service's answer to this request. */
  readonly status: number;
  readonly body: string;
  readonly response: string;
}

const usual = resolve(import.meta.dirname, "../../../../../shared/fixtures");
const folder = findFolder(process.env["CAPSTAN_FIXTURES"]);

/** A folder that is named has to be there: tests that are skipped in silence prove nothing. */
function findFolder(named: string | undefined): string | undefined {
  if (named === undefined || named === "") return existsSync(usual) ? usual : undefined;
  if (existsSync(join(named, "index.json"))) return resolve(named);
  throw new Error(`CAPSTAN_FIXTURES names ${named}, which has no index.json`);
}

export const hasRecordings: boolean = folder !== undefined;

/** For the name of a suite that is skipped without them. */
export const recordingsNote: string = hasRecordings
  ? ""
  : " (skipped: no recorded traffic; set CAPSTAN_FIXTURES to its folder)";

interface Meta {
  readonly api: string;
  readonly provider: string;
  readonly model: string | null;
  readonly status: number;
}

interface Facts {
  readonly http_status?: number;
  /** Files of an exchange. */
  readonly steps?: readonly Facts[];
}

/** All requests to a protocol, in order. */
export function recordings(api: string): readonly Recording[] {
  if (folder === undefined) return [];
  return globSync("*/*/request*.json", { cwd: folder })
    .sort()
    .map((path) => ({ path, meta: readJson(join(dirname(path), "meta.json")) as Meta }))
    .filter(({ meta }) => meta.api === api)
    .map(({ path, meta }) => toRecording(path, meta));
}

/** Cases of a protocol that the index has and the folder has not. */
export function missingCases(api: string): readonly string[] {
  const index = readJson("index.json") as readonly {
    readonly case: string;
    readonly api: string;
  }[];
  const folders = globSync("*/*/meta.json", { cwd: folder ?? "" }).map((path) => dirname(path));
  return index
    .filter((entry) => entry.api === api)
    .map((entry) => entry.case)
    .filter((name) => !folders.some((path) => path.endsWith(`/${name}`)));
}

function toRecording(path: string, { provider, model, status }: Meta): Recording {
  const [, number = ""] = /request(\d*)\.json$/.exec(path) ?? [];
  const facts = readJson(join(dirname(path), "expect.json")) as Facts;
  const step = number === "" ? facts : facts.steps?.[Number(number) - 1];
  const [response] = globSync(`${dirname(path)}/response${number}.*`, { cwd: folder ?? "" });
  return {
    name: path.replace(/^[^/]+\//, ""),
    provider,
    model,
    status: step?.http_status ?? status,
    body: read(path),
    response: response === undefined ? "" : read(response),
  };
}

function read(path: string): string {
  return readFileSync(join(folder ?? "", path), "utf8");
}

function readJson(path: string): unknown {
  return JSON.parse(read(path));
}
