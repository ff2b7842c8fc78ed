/** `capstan mcp`: lists, adds, tests, removes and imports MCP servers, logs in at them, and serves as one. */
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import type { McpRequest } from "../command-line/request.ts";
import { parseForeign } from "../config/mcp-json.ts";
import type { McpServers } from "../config/mcp-servers.ts";
import { parseSettings } from "../config/parse-settings.ts";
import { changeSettings } from "../config/write-rule.ts";
import { failed, reasonOf, wrongUse } from "../errors/command-error.ts";
import { describeLogin } from "../mcp/describe-login.ts";
import type { ProbedServer } from "../mcp/probe-servers.ts";
import { probeServers } from "../mcp/probe-servers.ts";
import { createNotes } from "../print/notes.ts";
import { toOneLine } from "../print/terminal-text.ts";
import type { Io } from "../process/io.ts";
import type { Folder } from "../session/load-folder.ts";
import type { ExitCode } from "./exit-code.ts";

type Role = "user" | "project";

/** Exits with 1 if a tested server does not work. Throws a `CommandError`. */
export async function mcp(io: Io, request: McpRequest, folder: Folder): Promise<ExitCode> {
  const { action } = request;
  const note = createNotes(io);
  const { servers } = folder.config.settings.mcp;
  switch (action.verb) {
    case "list":
      return list(io, request, await probe(io, folder, servers));
    case "test":
      return test(io, action.name, folder);
    case "add": {
      const path = await change(folder, action.role, true, (text, known) => {
        if (Object.hasOwn(known, action.name)) {
          throw wrongUse(`There is a server ${action.name} already: remove it first.`);
        }
        return withServer(text, action.name, action.server);
      });
      note(`added ${action.name} to ${path}: capstan mcp test ${action.name} starts it`);
      return 0;
    }
    case "remove": {
      const path = await change(folder, action.role, false, (text, known) => {
        if (!Object.hasOwn(known, action.name)) {
          throw wrongUse(`No server ${action.name} in the ${action.role}'s settings.`);
        }
        return withServer(text, action.name, undefined);
      });
      note(`removed ${action.name} from ${path}`);
      return 0;
    }
    case "login":
      return (await import("./mcp-login.ts")).login(io, action, folder);
    case "logout":
      return (await import("./mcp-login.ts")).logout(io, action.name, folder);
    case "serve":
      return (await import("./mcp-serve.ts")).mcpServe(io, request, action.http, folder);
    case "import":
      return importFile(io, resolve(io.cwd, action.file), action.role, folder);
    default:
      return action satisfies never;
  }
}

function probe(io: Io, folder: Folder, servers: McpServers): Promise<readonly ProbedServer[]> {
  const { projectFolder, folders } = folder.config;
  return probeServers({ servers, folder: projectFolder, folders, env: io.env });
}

function list(io: Io, { isJson }: McpRequest, probed: readonly ProbedServer[]): ExitCode {
  for (const server of probed) {
    const { name, state, source, tools, error, login } = server;
    const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
    const loggedIn = login === undefined ? "" : `, ${describeLogin(login, io.clock.now())}`;
    const line = `${name}: ${state}, ${count}, from ${source}${loggedIn}${error === undefined ? "" : ` (${error})`}`;
    io.stdout.write(isJson ? `${JSON.stringify(server)}\n` : `${toOneLine(line)}\n`);
  }
  if (probed.length === 0) createNotes(io)("no MCP servers: capstan mcp add <name> <url> adds one");
  return 0;
}

async function test(io: Io, name: string, folder: Folder): Promise<ExitCode> {
  const { servers } = folder.config.settings.mcp;
  const settings = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (settings === undefined) throw wrongUse(`No MCP server ${name}: see capstan mcp list.`);
  const [probed] = await probe(io, folder, { [name]: { ...settings, disabled: false } });
  for (const tool of probed?.tools ?? []) io.stdout.write(`${toOneLine(tool)}\n`);
  if (probed?.state === "ready") return 0;
  throw failed(probed?.error ?? `The MCP server "${name}" does not work`);
}

async function importFile(io: Io, path: string, role: Role, folder: Folder): Promise<ExitCode> {
  const note = createNotes(io);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw wrongUse(`Cannot read ${path}: ${reasonOf(cause)}.`, cause);
  });
  const { servers, notes } = parseForeign(basename(path), text);
  for (const one of notes) note(one);
  const added: string[] = [];
  const written = await change(folder, role, true, (before, known) => {
    let after = before;
    for (const [name, { source: _, ...server }] of Object.entries(servers)) {
      if (Object.hasOwn(known, name)) note(`${name} is there already: not imported`);
      else {
        after = withServer(after, name, server);
        added.push(name);
      }
    }
    return after;
  });
  if (added.length > 0) note(`added ${added.join(", ")} to ${written}`);
  return added.length === 0 ? 1 : 0;
}

/** Returns the path of the file. */
async function change(
  { config }: Folder,
  role: Role,
  isGranting: boolean,
  edit: (text: string, known: McpServers) => string,
): Promise<string> {
  const { folders, projectFolder } = config;
  const target = role === "user" ? { layer: role } : { layer: role, projectFolder };
  let changed = "";
  const problem = await changeSettings(target, folders, {
    isGranting,
    change: (path, text) => {
      changed = path;
      return edit(text, parseSettings(path, text).settings.mcp?.servers ?? {});
    },
  });
  if (problem !== undefined) throw wrongUse(problem);
  return changed;
}

function withServer(text: string, name: string, server: object | undefined): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  return applyEdits(text, modify(text, ["mcp", "servers", name], server, { formattingOptions }));
}
