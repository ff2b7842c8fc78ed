/** An MCP server that wants a login, its authorization server, and a file of logins. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@capstan/core";
import type { McpLogin, McpLogins, McpLoginServer, StoredLogin, TokenStore } from "@capstan/mcp";
import { fileTokenStore, mcpLogins } from "@capstan/mcp";
import type { AuthorizationServer } from "./authorization-server.ts";
import { authorizationServer } from "./authorization-server.ts";
import type { Answer, WireServer } from "./wire-server.ts";
import { declared, modernServer, textResult } from "./wire-server.ts";

export interface LoginWorld extends AsyncDisposable {
  readonly as: AuthorizationServer;
  readonly wire: WireServer;
  readonly server: McpLoginServer;
  readonly path: string;
  readonly store: TokenStore;
  readonly logins: McpLogins;
  /** Logs in as a user whose browser follows every redirect. */
  login(more?: Partial<McpLoginServer>): Promise<McpLogin>;
  /** The only login of the file; undefined if there is none. */
  stored(): Promise<StoredLogin | undefined>;
  /** Changes the only login of the file. */
  change(fields: Partial<StoredLogin>): Promise<void>;
}

export async function loginWorld(answer?: Answer, clock?: Clock): Promise<LoginWorld> {
  const as = await authorizationServer();
  const wire = await modernServer([declared("a")], async (request) => {
    const own = await answer?.(request);
    if (own !== undefined) return own;
    const headers = { "www-authenticate": as.challenge() };
    if (!as.accepts(request.headers.authorization)) return { status: 401, headers };
    return request.method === "tools/call" ? textResult("done") : undefined;
  });
  as.behaviour.resource = { resource: wire.url };
  const folder = await mkdtemp(join(tmpdir(), "mcp-logins-"));
  const path = join(folder, "data", "mcp-logins.json");
  const store = fileTokenStore(path);
  const logins = mcpLogins({ store, ...(clock && { clock }) });
  const server = { name: "srv", url: wire.url };
  return {
    ...{ as, wire, server, path, store, logins },
    login: (more) => logins.login({ ...server, ...more }, { open: browse }),
    stored: async () => [...(await store.list()).values()][0],
    async change(fields) {
      const [key = ""] = (await store.list()).keys();
      await store.update(key, async (login) => login && { ...login, ...fields });
    },
    async [Symbol.asyncDispose]() {
      await wire[Symbol.asyncDispose]();
      await as[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** The browser of a user who agrees to everything. */
export async function browse(url: string): Promise<void> {
  await fetch(url);
}
