/** Tools of MCP servers, as a source of tools for agents. */
import type { AnyTool, Clock, ToolSource, ToolSourceRequest } from "@capstan/core";
import { problemOfNumbers, systemClock } from "@capstan/core";
import type { McpLogins } from "../auth/logins.ts";
import { maxRounds } from "../calls/call-limits.ts";
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
import { searchTools } from "./search-tools.ts";
import { ServerTools } from "./server-tools.ts";
import type { McpServerStatus } from "./server-status.ts";
import { statusOf } from "./status.ts";
import type { ToolSearch } from "./tool-exposure.ts";
import { ToolExposure } from "./tool-exposure.ts";
import { prefixOf } from "./tool-names.ts";

/** Options of `mcpTools`. */
export interface McpToolsOptions {
  /** Servers by name. Their tools are called `name__tool`. */
  readonly servers: Readonly<Record<string, McpServerOptions>>;
  /** How long a turn waits for servers that are starting; the tools of a slower one appear in a later turn. Default 5,000. */
  readonly waitMs?: number;
  /** How long a call waits for its task in memory; a slower one is suspended. Default 10,000. */
  readonly liveTaskMs?: number;
  /**
   * Answers questions of servers before 2026-07-28, which wait for the answer within the call. Without it they are declined. It is called
   * again, with the `problem`, if its answer does not fit the form. Questions of later servers are pending calls.
   */
  onElicitation?(question: McpElicitation): Promise<McpElicitationAnswer>;
  /** Called for each server that fails and each tool that cannot be used. The others work. Default: the logger of the agent. */
  onError?(error: McpError): void;
  /** Name and version of the program, for the servers. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  readonly clock?: Clock;
  /** Logins for servers over HTTP that have no `auth` of their own. */
  readonly auth?: McpLogins;
  /**
   * `auto`: if the declarations of all tools are larger than `toolSearchShare` of the model's context window, the model gets `mcp_search` and
   * `mcp_call` instead of them. Hooks and approvals see the tools that are called. Default `auto`.
   */
  readonly toolSearch?: ToolSearch;
  /** Share of the context window, from 0 to 1. Default 0.1. */
  readonly toolSearchShare?: number;
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
const defaultShare = 0.1;
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
  readonly #exposure: ToolExposure;
  readonly #search: readonly AnyTool[];
  #logger: ToolSourceRequest["logger"];
  /** The last lists, so that the same tools are the same list: with a search, and without. */
  readonly #last = new Map<boolean, readonly AnyTool[]>();

  constructor(options: McpToolsOptions) {
    const { servers, waitMs = defaultWaitMs, onError } = options;
    const { toolSearch = "auto", toolSearchShare = defaultShare } = options;
    this.#waitMs = waitMs;
    this.#onError = onError?.bind(options);
    this.#entries = Object.entries(servers).map(([name, own]) => this.#entry(name, own, options));
    const all = this.#entries.map(({ server }) => server);
    this.#shared = [
      { has: "hasResources", create: () => resourcesTool(all) },
      { has: "hasPrompts", create: () => promptsTool(all) },
    ];
    this.#search = searchTools({
      servers: all.map(({ name }) => name),
      tools: () => this.#listed(),
      find: (name) => this.#find(name),
    });
    this.#exposure = new ToolExposure(toolSearch, toolSearchShare, this.#search);
  }

  async tools(request: Partial<ToolSourceRequest> = {}): Promise<readonly AnyTool[]> {
    const { needed = [], logger, contextWindow } = request;
    this.#logger = logger;
    await Promise.all(this.#entries.map(({ list }) => list.refresh(this.#waitMs)));
    const listed = this.#listed();
    const isSearched = await this.#exposure.needsSearch(listed, contextWindow);
    const declared: readonly AnyTool[] = isSearched ? this.#search : listed;
    const others = this.#shared.flatMap((shared) => this.#sharedTool(shared));
    const names = new Set([...declared, ...others].map(({ name }) => name));
    const missing = needed
      .filter((name) => !names.has(name))
      .flatMap((name) => this.#needed(name, listed) ?? []);
    const tools = [...declared, ...others, ...missing];
    const last = this.#last.get(isSearched);
    if (last?.length === tools.length && tools.every((tool, at) => tool === last[at])) return last;
    this.#last.set(isSearched, tools);
    return tools;
  }

  status(): readonly McpServerStatus[] {
    return this.#entries.map(({ server, list }) => statusOf(server, list));
  }

  digestOf(toolName: string): string | undefined {
    return this.#listed().find((tool) => tool.name === toolName)?.mcp.digest;
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

  /** Tools of all servers, as these listed them last. */
  #listed(): readonly McpTool[] {
    return this.#entries.flatMap(({ tools, list }) => tools.toolsOf(list.current));
  }

  /** A tool for a call that was made when other tools were declared, or whose server is away. */
  #needed(name: string, listed: readonly McpTool[]): AnyTool | undefined {
    const known = [...listed, ...this.#search].find((tool) => tool.name === name);
    return known ?? this.#standIn(name);
  }

  /** A name that a server does not list is a mistake of the model, unless the server has not listed anything yet. */
  #find(name: string): McpTool | undefined {
    const known = this.#listed().find((tool) => tool.name === name);
    if (known !== undefined) return known;
    const owner = this.#ownerOf(name);
    return owner?.list.current === undefined ? owner?.tools.standIn(name) : undefined;
  }

  /** The call waits for its server, which is away: it must not be lost because of that. */
  #standIn(name: string): McpTool | undefined {
    return this.#ownerOf(name)?.tools.standIn(name);
  }

  #ownerOf(name: string): Entry | undefined {
    const owners = this.#entries.filter(({ tools }) => name.startsWith(tools.prefix));
    return owners.sort((a, b) => b.tools.prefix.length - a.tools.prefix.length)[0];
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
  let problem: string | undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const asked = problem === undefined ? question : { ...question, problem };
    const checked = await checkAnswer(question, await onElicitation(asked));
    if ("answer" in checked) return checked.answer;
    problem = checked.problem;
  }
  throw new Error(`The answer does not fit the form: ${problem}`);
}

function checkOptions(options: McpToolsOptions): void {
  // Callers in JavaScript may pass anything.
  const given: unknown = options;
  if (typeof given !== "object" || given === null) {
    throw new McpError("invalid_option", "", "mcpTools needs an object with `servers`");
  }
  checkServers(options.servers);
  const limits = {
    waitMs: "0 or more",
    liveTaskMs: "0 or more",
    toolSearchShare: "0 or more",
  } as const;
  const problem = problemOfNumbers(options, limits) ?? problemOfSearch(options);
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

function problemOfSearch({
  toolSearch = "auto",
  toolSearchShare = 0,
}: McpToolsOptions): string | undefined {
  if (!["auto", "always", "never"].includes(toolSearch)) {
    return `toolSearch must be "auto", "always" or "never", not ${JSON.stringify(toolSearch)}`;
  }
  return toolSearchShare > 1 ? "toolSearchShare must be at most 1" : undefined;
}
