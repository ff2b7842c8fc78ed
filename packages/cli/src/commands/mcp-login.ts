/** `capstan mcp login` and `capstan mcp logout`. */
import { hostname } from "node:os";
import type { McpLoginServer } from "@capstan/mcp";
import { withVariables } from "../config/mcp-servers.ts";
import { wrongUse } from "../errors/command-error.ts";
import { describeLogin } from "../mcp/describe-login.ts";
import { openBrowser, whyNoBrowser } from "../mcp/open-browser.ts";
import { openLogins } from "../mcp/open-logins.ts";
import { missingText, toOptions } from "../mcp/open-servers.ts";
import { createNotes } from "../print/notes.ts";
import { toOneLine } from "../print/terminal-text.ts";
import type { Io } from "../process/io.ts";
import type { Folder } from "../session/load-folder.ts";
import type { ExitCode } from "./exit-code.ts";

interface LoginAction {
  readonly name: string;
  readonly opensBrowser: boolean;
}

/** Stdout gets the address of the page, stderr everything else. Throws an `McpError` if the login fails, and a `CommandError`. */
export async function login(
  io: Io,
  { name, opensBrowser }: LoginAction,
  folder: Folder,
): Promise<ExitCode> {
  const note = createNotes(io);
  const server = serverNamed(name, io, folder);
  note(`asking ${name} where to log in`);
  const made = await openLogins(folder.config.folders).login(server, {
    signal: io.signal,
    open: async (url) => {
      note("open this page to log in:");
      io.stdout.write(`${toOneLine(url)}\n`);
      await show(io, url, opensBrowser);
      note("waiting for the login; Ctrl+C ends it");
    },
  });
  note(`${name}: ${describeLogin(made, io.clock.now())}`);
  return 0;
}

/** Opens the browser, or tells how a browser elsewhere reaches this machine. */
async function show(io: Io, url: string, opensBrowser: boolean): Promise<void> {
  const note = createNotes(io);
  const reason = opensBrowser ? whyNoBrowser(io.env, io.platform) : "--no-browser";
  const problem = reason ?? (await openBrowser(url, io.env, io.platform));
  if (problem === undefined) return;
  const redirect = URL.parse(new URL(url).searchParams.get("redirect_uri") ?? "");
  const port = redirect?.port ?? "";
  note(`no browser is opened: ${problem}`);
  note(
    `a browser on another machine must reach port ${port} of this one: run there ssh -L ${port}:127.0.0.1:${port} ${hostname()}`,
  );
}

/** Exits with 0, too, if there was no login. */
export async function logout(io: Io, name: string, folder: Folder): Promise<ExitCode> {
  const note = createNotes(io);
  const had = await openLogins(folder.config.folders).logout(serverNamed(name, io, folder));
  note(had ? `${name}: logged out; its tokens are removed` : `${name}: there was no login`);
  return 0;
}

function serverNamed(name: string, { env }: Io, { config }: Folder): McpLoginServer {
  const { servers } = config.settings.mcp;
  const settings = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (settings === undefined) throw wrongUse(`No MCP server ${name}: see capstan mcp list.`);
  const filled = withVariables(settings, env);
  if ("missing" in filled) throw wrongUse(`${missingText(name, filled.missing)}.`);
  const options = toOptions(filled, config.projectFolder);
  if (!("url" in options)) {
    throw wrongUse(`The MCP server ${name} is a program on this machine: it has no login.`);
  }
  if (new Headers(options.headers).has("authorization")) {
    const where = settings.source ?? "its settings";
    throw wrongUse(
      `The MCP server ${name} has an Authorization header in ${where}, which is used instead of a login: remove it first.`,
    );
  }
  return { ...options, name };
}
