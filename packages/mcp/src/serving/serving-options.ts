/** Options of an MCP server that offers agents. */
import type { Agent, Clock, Host, NumberRule, TurnInput } from "@capstan/core";
import { problemOfNumbers } from "@capstan/core";
import type { InputSchema, JsonValue } from "@capstan/kernel";
import { McpError } from "../errors/mcp-error.ts";

/** The client of a request, as in `@capstan/server`. */
export interface McpIdentity {
  /** Owner of this client's sessions. */
  readonly principal: string;
  /** Application context of the call, for agents with an `appContext`. Clients can neither set nor see it. */
  readonly app?: unknown;
}

/** How an agent appears as a tool. */
export interface OfferedAgent {
  /** Name of the tool. Default: the name of the agent, with `_` for characters that are not letters, digits, `_` or `-`. */
  readonly name?: string;
  /** For the model of the client: what the agent does, and when to use it. */
  readonly description: string;
  readonly title?: string;
  /** Schema of the tool's input, an object, instead of `{ prompt }`. Needs `toPrompt`. `session` is added. */
  readonly input?: InputSchema;
  /** Like `taskAfterMs` of the server, for this agent. */
  readonly taskAfterMs?: number;
  /** Returns the message that starts the turn. The input has been validated with `input`. */
  readonly toPrompt?: (input: JsonValue) => TurnInput;
}

/** Limits of an MCP server; those by principal protect clients from each other. */
export interface ServingLimits {
  /** Size of a request over HTTP. Default 4,000,000. */
  readonly maxBodyBytes: number;
  /** Default 1,000. With `Infinity` sessions are not counted. */
  readonly sessionsPerPrincipal: number;
  /** Calls of tools at the same time. Default 50. */
  readonly callsPerPrincipal: number;
  /** Connections of clients of 2025-11-25 and older over HTTP. Default 50. */
  readonly connectionsPerPrincipal: number;
  /** How long such a connection lasts without a request. Default 1,800,000. */
  readonly idleConnectionMs: number;
}

/** Options of `mcpServer`: the agents to offer, who may call them, and limits. */
export interface McpServerOptionsOfHost {
  /** Agents that are offered, by name. Default: all of the host, with a description that only names them. */
  readonly agents?: Readonly<Record<string, OfferedAgent>>;
  /** Required for HTTP. Gets the whole request; returns undefined if it is not authenticated. */
  readonly authenticate?: (
    request: Request,
  ) => McpIdentity | undefined | Promise<McpIdentity | undefined>;
  /** Host names of the server over HTTP, without a port. Default: those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** Host names of web pages that may call it. Default: those of this machine. */
  readonly allowedOrigins?: readonly string[];
  /** Name and version that clients see. Default `capstan` and `1`. */
  readonly name?: string;
  readonly version?: string;
  /** For the models of clients: how to use the tools together. */
  readonly instructions?: string;
  /** A call that takes longer becomes a task, if its client knows tasks. Default 10,000; 0: every call. */
  readonly taskAfterMs?: number;
  /** Effect of a question on a call whose client cannot ask its user. Default `wait`: the result says what waits. `refuse`: the agent goes on without it. */
  readonly ifCannotAsk?: "wait" | "refuse";
  readonly limits?: Partial<ServingLimits>;
  /** Whether clients see the original messages of errors, with addresses, paths and vendors' messages. Default false. */
  readonly errorDetails?: boolean;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Called with errors of the server itself. Default: ignored, since the client gets an error. */
  readonly onError?: (thrown: unknown) => void;
}

export const defaultServingLimits: ServingLimits = {
  maxBodyBytes: 4_000_000,
  sessionsPerPrincipal: 1_000,
  callsPerPrincipal: 50,
  connectionsPerPrincipal: 50,
  idleConnectionMs: 1_800_000,
};

const rules: Readonly<Record<keyof ServingLimits | "taskAfterMs", NumberRule>> = {
  maxBodyBytes: "above 0",
  sessionsPerPrincipal: "0 or more",
  callsPerPrincipal: "above 0",
  connectionsPerPrincipal: "0 or more",
  idleConnectionMs: "above 0",
  taskAfterMs: "0 or more",
};

/** Throws `invalid_option`. */
export function checkServingOptions(host: Host, options: McpServerOptionsOfHost): void {
  const { limits, taskAfterMs, agents = {} } = options;
  const problem =
    problemOfNumbers(limits, rules, "limits.") ??
    problemOfNumbers(taskAfterMs === undefined ? undefined : { taskAfterMs }, rules, "");
  if (problem !== undefined) throw invalidOption(`mcpServer: ${problem}`);
  const known = host.agents.map(({ name }) => name);
  for (const [name, offered] of Object.entries(agents)) {
    if (!known.includes(name)) {
      throw invalidOption(
        `mcpServer: the host has no agent "${name}". Known agents: ${known.join(", ")}`,
      );
    }
    const { taskAfterMs: own } = offered;
    const wrong = problemOfNumbers(own === undefined ? undefined : { taskAfterMs: own }, rules, "");
    if (wrong !== undefined) throw invalidOption(`mcpServer: agent "${name}": ${wrong}`);
    if ((offered.input === undefined) !== (offered.toPrompt === undefined)) {
      throw invalidOption(`mcpServer: \`input\` and \`toPrompt\` of "${name}" need each other`);
    }
  }
}

export function invalidOption(message: string): McpError {
  return new McpError("invalid_option", "", message);
}

/** Agents that are offered, and how. */
export function offeredAgents(
  host: Host,
  { agents }: McpServerOptionsOfHost,
): readonly (readonly [Agent, OfferedAgent])[] {
  return host.agents.flatMap((agent): (readonly [Agent, OfferedAgent])[] => {
    if (agents === undefined) {
      return [[agent, { description: `Asks the agent "${agent.name}".` }]];
    }
    const offered = Object.hasOwn(agents, agent.name) ? agents[agent.name] : undefined;
    return offered === undefined ? [] : [[agent, offered]];
  });
}
