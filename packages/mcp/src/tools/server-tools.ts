/** Tools of one server for agents, made anew only if the server has changed them. */
import type { Clock, ToolContext } from "@capstan/core";
import { defineTool, fail } from "@capstan/core";
import type { JsonObject, ToolEffect } from "@capstan/kernel";
import type { Tool } from "@modelcontextprotocol/client";
import { toCallState } from "../calls/call-state.ts";
import { ToolRunner } from "../calls/tool-runner.ts";
import { McpError } from "../errors/mcp-error.ts";
import type { Server } from "../servers/server.ts";
import type { Listing, ToolList } from "../servers/tool-list.ts";
import { digestOf, toDeclaration } from "./declaration.ts";
import type { McpTool } from "./mcp-tool.ts";
import { prefixOf, toToolNames } from "./tool-names.ts";

export interface ServerToolsOptions {
  readonly server: Server;
  readonly list: ToolList;
  readonly clock: Clock;
  readonly liveTaskMs: number;
  onError(error: McpError): void;
}

const none: readonly McpTool[] = [];

export class ServerTools {
  readonly #options: ServerToolsOptions;
  #listing: Listing | undefined;
  #tools: readonly McpTool[] = none;

  constructor(options: ServerToolsOptions) {
    this.#options = options;
  }

  get prefix(): string {
    return prefixOf(this.#options.server.name);
  }

  /** Returns the list of before, if nothing has changed. */
  toolsOf(listing: Listing | undefined): readonly McpTool[] {
    if (listing === undefined || listing === this.#listing) return this.#tools;
    this.#listing = listing;
    const known = new Map(this.#tools.map((tool) => [tool.mcp.digest, tool]));
    const names = toToolNames(
      this.#options.server.name,
      listing.tools.map(({ name }) => name),
    );
    const tools = listing.tools.flatMap((tool) => {
      const name = names.get(tool.name) ?? tool.name;
      const old = known.get(digestOf(this.#options.server.name, tool));
      return old?.name === name ? old : (this.#create(name, tool) ?? []);
    });
    const isSame =
      tools.length === this.#tools.length && tools.every((tool, at) => tool === this.#tools[at]);
    if (!isSame) this.#tools = tools;
    return this.#tools;
  }

  /** A tool of this server that it does not list at the moment, for a call that waits for it. */
  standIn(name: string): McpTool {
    const { server } = this.#options;
    const tool = name.slice(this.prefix.length);
    return this.#define(name, {
      name: tool,
      description: `Not available at the moment: the server "${server.name}" does not list it`,
      inputSchema: { type: "object" },
    });
  }

  #create(name: string, tool: Tool): McpTool | undefined {
    const { server, onError } = this.#options;
    const declaration = toDeclaration(server.name, tool);
    if (typeof declaration === "string") {
      const message = `The tool "${tool.name}" of the MCP server "${server.name}" is left out: ${declaration}`;
      onError(new McpError("invalid_tool", server.name, message));
      return undefined;
    }
    const { parseInput, inputSchema, ...shown } = declaration;
    const defined = this.#define(name, { ...tool, ...shown });
    return { ...defined, ...shown, inputSchema, ...(parseInput && { parseInput }) };
  }

  #define(name: string, tool: Tool): McpTool {
    const { server, list, clock, liveTaskMs } = this.#options;
    const effect = effectOf(server, tool);
    const timeoutMs = server.options.tools?.[tool.name]?.timeoutMs ?? server.options.timeoutMs;
    const runner = new ToolRunner({
      server,
      clock,
      liveTaskMs,
      canRepeat: effect !== "at-most-once",
      definition: () => list.current?.tools.find((known) => known.name === tool.name),
      relist: () => {
        list.markStale();
        return list.refresh(server.startTimeoutMs);
      },
    });
    const defined = defineTool({
      name,
      description: tool.description ?? name,
      // Its own schema replaces this one, which every schema of a tool fits.
      input: { type: "object" },
      effect,
      ...(timeoutMs !== undefined && { timeoutMs }),
      async execute(input: JsonObject, context: ToolContext) {
        const state = toCallState(context.resumed?.state);
        if (context.resumed !== undefined && state === undefined) {
          return fail("The state of the call is not known to this version.");
        }
        const call = state?.call ?? { tool: tool.name, arguments: input };
        return runner.run(call, state, context);
      },
      // A run that only follows a task changes nothing.
      reconcile: (_key, { resumed }) => ({
        outcome: toCallState(resumed?.state)?.kind === "task" ? "not-run" : "unknown",
      }),
    });
    const digest = digestOf(server.name, tool);
    return { ...defined, mcp: { server: server.name, tool: tool.name, digest } };
  }
}

/** Hints are the server's word: they count only if the user trusts it. */
function effectOf(server: Server, { name, annotations }: Tool): ToolEffect {
  const { trustAnnotations, tools } = server.options;
  if ((tools?.[name]?.trustAnnotations ?? trustAnnotations) !== true) return "at-most-once";
  if (annotations?.readOnlyHint === true) return "pure";
  return annotations?.idempotentHint === true ? "idempotent" : "at-most-once";
}
