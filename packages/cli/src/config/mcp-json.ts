/** `.mcp.json`: MCP servers of a project in the form that other clients use. */
import { join } from "node:path";
import { wayInside } from "../permissions/way-inside.ts";
import type { UserFolders } from "./folders.ts";
import { parseJsonText } from "./json-text.ts";
import type { McpServers, McpServerSettings } from "./mcp-servers.ts";
import { mcpServers } from "./mcp-servers.ts";
import { readTextFile } from "./read-file.ts";
import { hashOf, lookUpTrust, rememberTrust } from "./trust.ts";

const mcpFileName = ".mcp.json";

export interface ForeignServers {
  readonly servers: McpServers;
  /** One line each: what was ignored, and why. */
  readonly notes: readonly string[];
}

const maxBytes = 256 * 1024;
const none: ForeignServers = { servers: {}, notes: [] };

/** Reads the project's file. Its servers count only if the user trusts the file as it is. */
export async function readMcpJson(
  folder: string,
  { folders, trust }: { readonly folders: UserFolders; readonly trust: boolean },
): Promise<ForeignServers> {
  const path = join(folder, mcpFileName);
  const mayLead = (real: string): boolean => wayInside(folder, real) !== undefined;
  const read = await readTextFile(path, maxBytes, mayLead);
  if (read.type === "absent") return none;
  if (read.type === "problem") return ignored(`${path} ${read.reason}`);
  if (read.isCut) return ignored(`${path} is larger than ${maxBytes} bytes`);
  const parsed = parseForeign(path, read.text);
  const names = Object.keys(parsed.servers);
  if (names.length === 0) return parsed;
  const hash = hashOf(read.bytes);
  if (trust) {
    const problem = await rememberTrust(folders.dataFolder, path, hash);
    const notes = problem === undefined ? [] : [`${path} is trusted this time only: ${problem}.`];
    return { ...parsed, notes: [...parsed.notes, ...notes] };
  }
  const { state, problem } = await lookUpTrust(folders.dataFolder, path, hash);
  if (state === "trusted") return parsed;
  const why =
    problem ?? (state === "changed" ? "it changed since you trusted it" : "not approved yet");
  return ignored(
    `${path} is not trusted (${why}), so its MCP servers are not started: ${names.join(", ")}. Read it, then use --trust`,
  );
}

function ignored(text: string): ForeignServers {
  return { servers: {}, notes: [`${text}.`] };
}

/** Reads `{ mcpServers: { name: … } }`, of `.mcp.json` and of desktop clients. `path` appears in notes. */
export function parseForeign(path: string, text: string): ForeignServers {
  const json = parseJsonText(text);
  if ("problems" in json) return ignored(`${path}: ${json.problems[0]?.message ?? "invalid JSON"}`);
  const { mcpServers: given } = fieldsOf(json.value);
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return ignored(`${path} has no object "mcpServers"`);
  }
  const servers: Record<string, McpServerSettings> = {};
  const notes: string[] = [];
  for (const [name, written] of Object.entries(given)) {
    const { type, command, args, env, cwd, url, headers, disabled } = fieldsOf(written);
    const known = { command, args, env, cwd, url, headers, disabled };
    const own = Object.fromEntries(
      Object.entries(known).filter(([, value]) => value !== undefined && value !== null),
    );
    const checked = mcpServers.safeParse({ [name]: own });
    if (type === "sse") {
      notes.push(`${path}: the server ${name} uses SSE, which is not supported: ignored.`);
    } else if (checked.success) servers[name] = { ...checked.data[name], source: path };
    else {
      const [issue] = checked.error.issues;
      const inner = issue?.code === "invalid_key" ? issue.issues[0]?.message : issue?.message;
      const place = issue?.path.slice(1).map(String).join(".") ?? "";
      const what = [JSON.stringify(name), place, inner].filter(Boolean).join(" ");
      notes.push(`${path}: the server ${what}: ignored.`);
    }
  }
  return { servers, notes };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
    ? // Any object can be asked for any key.
      (value as Readonly<Record<string, unknown>>)
    : {};
}
