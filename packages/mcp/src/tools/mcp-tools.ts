/** Tools of MCP servers, as a source of tools for agents. */
import type { AnyTool, Clock, ToolSource, ToolSourceRequest } from "@capstan/core";
import { problemOfNumbers, systemClock } from "@capstan/core";
import type { McpLogins } from "../auth/logins.ts";
import { checkAnswer } from "../elicitation/check-answer.ts";
import type { McpElicitation, McpElicitationAnswer } from "../elicitation/elicitation.ts";
import { toElicitation } from "../elicitation/elicitation.ts";
import { McpError } from "../errors/mcp-error.ts";
import { checkServers } from "../options/check-servers.ts";
import type { McpServerOptions } from "../options/server-options.ts";
import { Server } from "../servers/server.ts";
import { ToolList } from "../servers/tool-list.ts";
import type { McpTool } from "./mcp-tool.ts";
import { promptsTool } from "./prompts-tool.ts";
import { resourcesTool } from "./resources-tool.ts";
import { ServerTools } from "./server-tools.ts";
import type { McpServerStatus } from "./server-status.ts";
import { statusOf } from "./status.ts";
import { prefixOf } from "./tool-names.ts";

export interface McpToolsOptions {
  /** Servers by name. Their tools are called `name__tool`. */
  readonly servers: Readonly<Record<string, McpServerOptions>>;
  /** How long a turn waits for servers that are starting; the tools of a slower one appear in a later turn. Default 5,000. */
  readonly waitMs?: number;
  /** How long a call waits for its task in memory; a slower one is suspended. Default 10,000. */
  readonly liveTaskMs?: number;
  /**
   * Answers questions of servers before 2026-07-28, which wait for the answer within the call. Without it they are declined. Questions of
   * later servers are pending calls.
   */
  onElicitation?(question: McpElicitation): Promise<McpElicitationAnswer>;
  /** Called for each server that fails and each tool that cannot be used. The others work. Default: the logger of the agent. */
  onError?(error: McpError): void;
  /** Name and version of the program, for the servers. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  readonly clock?: Clock;
  /** Logins for servers over HTTP that have no `auth` of their own. */
  readonly auth?: McpLogins;
}

/** Pass it to `createAgent({ toolSources })`. The program that creates it must close it: processes of servers keep it alive. */
export interface McpTools extends ToolSource {
  tools(request?: Partial<ToolSourceRequest>): Promise<readonly AnyTool[]>;
  status(): readonly McpServerStatus[];
  /** Digest of a tool's declaration, by its name for models; undefined if no server has it. */
  digestOf(toolName: string): string | undefined;
  /** Ends all connections and processes. Calls under way fail. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const defaultWaitMs = 5_000;
const defaultLiveTaskMs = 10_000;
const defaultClientInfo = { name: "capstan", version: "0.1.0" };

/** Throws an `McpError` for options that cannot work. No server is started before a turn needs its tools. */
export function mcpTools(options: McpToolsOptions): McpTools {
  checkOptions(options);
  return new Source(options);
}

interface Entry {
  readonly server: Server;
  readonly list: ToolList;
  readonly tools: ServerTools;
}

class Source implements McpTools {
  readonly name = "mcp";
  readonly #waitMs: number;
  readonly #onError: McpToolsOptions["onError"];
  readonly #entries: readonly Entry[];
  readonly #shared: readonly SharedTool[];
  #logger: ToolSourceRequest["logger"];
  /** The last tools, so that the same ones are the same list. */
  #last: readonly AnyTool[] = [];

  constructor(options: McpToolsOptions) {
    const { servers, waitMs = defaultWaitMs, onError } = options;
    this.#waitMs = waitMs;
    this.#onError = onError?.bind(options);
    this.#entries = Object.entries(servers).map(([name, own]) => this.#entry(name, own, options));
    const all = this.#entries.map(({ server }) => server);
    this.#shared = [
      { has: "hasResources", create: () => resourcesTool(all) },
      { has: "hasPrompts", create: () => promptsTool(all) },
    ];
  }

  async tools({ needed = [], logger }: Partial<ToolSourceRequest> = {}): Promise<
    readonly AnyTool[]
  > {
    this.#logger = logger;
    const lists = await Promise.all(this.#entries.map(({ list }) => list.refresh(this.#waitMs)));
    const listed = this.#entries.flatMap(({ tools }, index) => tools.toolsOf(lists[index]));
    const others = this.#shared.flatMap((shared) => this.#sharedTool(shared));
    const names = new Set([...listed, ...others].map(({ name }) => name));
    const missing = needed
      .filter((name) => !names.has(name))
      .flatMap((name) => this.#standIn(name));
    const tools = [...listed, ...others, ...missing];
    const { length } = this.#last;
    if (length !== tools.length || tools.some((tool, at) => tool !== this.#last[at])) {
      this.#last = tools;
    }
    return this.#last;
  }

  status(): readonly McpServerStatus[] {
    return this.#entries.map(({ server, list }) => statusOf(server, list));
  }

  digestOf(toolName: string): string | undefined {
    const tools = this.#entries.flatMap(({ tools, list }) => tools.toolsOf(list.current));
    return tools.find((tool: McpTool) => tool.name === toolName)?.mcp.digest;
  }

  async close(): Promise<void> {
    await Promise.all(this.#entries.map(({ server }) => server.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #entry(name: string, own: McpServerOptions, options: McpToolsOptions): Entry {
    const { clock = systemClock, clientInfo = defaultClientInfo } = options;
    const { liveTaskMs = defaultLiveTaskMs } = options;
    const onError = (error: McpError): void => this.#report(error);
    const server = new Server(name, withLogin(name, own, options), {
      clientInfo,
      elicit: (params) => elicit(name, params, options),
      onListChanged: () => list.markStale(),
    });
    const list = new ToolList(server, clock, onError);
    const tools = new ServerTools({ server, list, clock, liveTaskMs, onError });
    return { server, list, tools };
  }

  #sharedTool(shared: SharedTool): readonly AnyTool[] {
    if (!this.#entries.some(({ list }) => list.current?.[shared.has] === true)) return [];
    shared.tool ??= shared.create();
    return [shared.tool];
  }

  /** The call waits for its server, which is away: it must not be lost because of that. */
  #standIn(name: string): readonly AnyTool[] {
    const owners = this.#entries.filter(({ tools }) => name.startsWith(tools.prefix));
    const [owner] = owners.sort((a, b) => b.tools.prefix.length - a.tools.prefix.length);
    return owner === undefined ? [] : [owner.tools.standIn(name)];
  }

  #report(error: McpError): void {
    if (this.#onError !== undefined) this.#onError(error);
    else this.#logger?.log("warn", error.message, { server: error.server, code: error.code });
  }
}

function withLogin(
  name: string,
  own: McpServerOptions,
  { auth }: McpToolsOptions,
): McpServerOptions {
  if (auth === undefined || !("url" in own) || own.auth !== undefined) return own;
  // A configured token is meant to be used.
  if (new Headers(own.headers).has("authorization")) return own;
  return { ...own, auth: auth.provider({ ...own, name }) };
}

/** A tool that serves all servers; it exists if one of them has something for it. */
interface SharedTool {
  readonly has: "hasResources" | "hasPrompts";
  create(): AnyTool;
  tool?: AnyTool;
}

/** Answers a question of an older server, within its call. */
async function elicit(
  server: string,
  params: unknown,
  { onElicitation }: McpToolsOptions,
): Promise<{ action: "accept" | "decline" | "cancel" }> {
  const question = toElicitation(server, undefined, params);
  if (typeof question === "string") throw new Error(question);
  if (onElicitation === undefined) return { action: "decline" };
  const checked = await checkAnswer(question, await onElicitation(question));
  if ("problem" in checked) throw new Error(`The answer does not fit the form: ${checked.problem}`);
  return checked.answer;
}

function checkOptions(options: McpToolsOptions): void {
  // Callers in JavaScript may pass anything.
  const given: unknown = options;
  if (typeof given !== "object" || given === null) {
    throw new McpError("invalid_option", "", "mcpTools needs an object with `servers`");
  }
  checkServers(options.servers);
  const problem = problemOfNumbers(options, { waitMs: "0 or more", liveTaskMs: "0 or more" });
  if (problem !== undefined) {
    throw new McpError("invalid_option", "", `The options of mcpTools: ${problem}`);
  }
  const names = Object.keys(options.servers);
  const twin = names.find(
    (name, at) => names.findIndex((other) => prefixOf(other) === prefixOf(name)) !== at,
  );
  if (twin !== undefined) {
    const message = `The MCP server "${twin}": its tools would have the names of another server's. Rename it`;
    throw new McpError("invalid_option", twin, message);
  }
}
