/** An agent as a tool of another: the model hands it a task and gets its answer. */
import type { JsonValue, ToolResult, ToolOutput, Suspension, TurnResponse } from "@capstan/kernel";
import { isPromise } from "@capstan/kernel";
import type { ChildMemory, ChildMode } from "../tools/other-agents.ts";
import { OtherAgents, withAgent } from "../tools/other-agents.ts";
import type { AppSchema } from "../tools/app-schema.ts";
import { ToolError } from "../errors/tool-error.ts";
import { defaultNestedAgentMs } from "../platform/limits.ts";
import { toTool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { fail, ok } from "../tools/tool-output.ts";
import type { Agent } from "./agent.ts";
import type { AgentTypes } from "./agent-types.ts";
import { whyNoAnswer } from "./why-no-answer.ts";

/** Options of `agentTool`: what the model is told, and how the child session works. */
export interface AgentToolOptions<Name extends string = string> {
  /** Default: the name of the agent. */
  readonly name?: Name;
  /** Description for the model: what this agent is good at, and what it needs to know. */
  readonly description: string;
  readonly label?: string;
  /** Time limit of the child; waiting for answers does not count. Default: 30 minutes. */
  readonly timeoutMs?: number;
  /** `call`: each call is a conversation of its own. `session`: the calls of a session continue one conversation, one at a time. Default `call`. */
  readonly memory?: ChildMemory;
  /**
   * `awaited`: the call waits for the answer, which is its result. `background`: the call returns at once, the turn goes on, and the answer comes
   * later, as a message with the source `child`, which starts a turn if none runs. Default `awaited`.
   */
  readonly mode?: ChildMode;
}

const input = {
  type: "object",
  properties: {
    task: { type: "string", description: "What to do, with all the information needed." },
  },
  required: ["task"],
  additionalProperties: false,
} as const;

/**
 * Makes an agent a tool of another agent. In a session, each call is the work of a child session with a log of its
 * own, which continues after a crash, in whichever process. Its text is shown as progress, its usage counts
 * towards the calling turn, and an abort stops it. What waits in the child is pending in the session, too, with
 * the path to it. Without a session, each call is one turn of the agent, and a turn that suspends is an error
 * result.
 */
export function agentTool<Known extends AgentTypes, const Name extends string = Known["name"]>(
  agent: Agent<Known>,
  options: AgentToolOptions<Name>,
): Tool<AgentToolTypes<NoInfer<Name>, AppOfCaller<Known["app"]>>> {
  const { appContext } = agent;
  const { memory = "call", mode = "awaited", name: toolName = agent.name, ...rest } = options;
  const { timeoutMs = defaultNestedAgentMs, ...shown } = rest;
  requireOneOf(toolName, "memory", memory, ["call", "session"]);
  requireOneOf(toolName, "mode", mode, ["awaited", "background"]);
  const isBackground = mode === "background";
  const tool = toTool({
    ...(appContext && { appContext: asGiven(appContext) }),
    timeoutMs,
    ...shown,
    name: toolName,
    input,
    effect: "idempotent",
    ...(memory === "session" && { execution: "sequential" }),
    async execute(sent, context) {
      // The schema allows nothing else.
      const { task } = sent as { readonly task: string };
      const agents = await context.get(OtherAgents);
      if (agents !== undefined) {
        // As it was given: JSON.
        const app = context.app as JsonValue | undefined;
        const given = appContext !== undefined && app !== undefined && { app };
        const background = isBackground && { background: { timeoutMs } };
        return agents.runChild({ agent, task, memory, toolName, context, ...given, ...background });
      }
      const { session, turn: caller, app, signal } = context;
      const { metadata } = caller;
      const request = { input: task, metadata, signal, ...(appContext && { app }) };
      const turn = agent.runTurn(request as Parameters<typeof agent.runTurn>[0], [], session);
      for await (const event of turn) {
        if (event.type === "text_delta") context.update(event.delta);
      }
      const response = await turn.response;
      context.usage(response.usage, response.cost);
      return response.hasAnswer ? ok(response.text) : fail(problem(agent, response));
    },
  });
  // As defined here.
  return withAgent(tool, agent, mode) as Tool<AgentToolTypes<Name, AppOfCaller<Known["app"]>>>;
}

/** See `ToolTypes`. */
export interface AgentToolTypes<Name extends string, SentApp> {
  readonly name: Name;
  readonly sent: { readonly task: string };
  readonly input: { readonly task: string };
  readonly accepts: (app: SentApp) => void;
  readonly result: Promise<ToolOutput | ToolResult | Suspension>;
}

/** An agent without an application context works for every caller. */
type AppOfCaller<SentApp> = undefined extends SentApp ? unknown : SentApp;

/** Callers in JavaScript may pass anything. */
function requireOneOf(
  toolName: string,
  option: string,
  given: string,
  values: readonly string[],
): void {
  if (values.includes(given)) return;
  const names = values.map((value) => `"${value}"`).join(" or ");
  throw new ToolError("invalid_definition", toolName, `${option} must be ${names}`);
}

/** The agent validates the value itself, so it must get it as it was given. */
function asGiven(schema: AppSchema): AppSchema {
  const { vendor, validate } = schema["~standard"];
  return {
    "~standard": {
      version: 1,
      vendor,
      validate(value) {
        const result = validate(value);
        return isPromise(result) || result.issues !== undefined ? result : { value };
      },
    },
  };
}

function problem({ name }: Pick<Agent, "name">, response: TurnResponse): string {
  const { status, pendingToolCalls = [] } = response;
  if (status === "awaiting_tool_execution") {
    const calls = pendingToolCalls.map(({ toolName }) => toolName).join(", ");
    return `The agent "${name}" stopped at calls that need an answer from outside (${calls}), which is not possible here.`;
  }
  return `The agent "${name}" gave no answer: ${whyNoAnswer(response)}`;
}
