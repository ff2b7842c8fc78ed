/** One instance of the protocol's server: for a connection, or for a single request of 2026-07-28. */
import type { Server, ServerContext } from "@modelcontextprotocol/server";
import type { StandardSchema } from "@capstan/kernel";
import type { ServerSdk } from "../sdk/server-sdk.ts";
import type { AgentCalls } from "./agent-calls.ts";
import type { AgentTool } from "./agent-tools.ts";
import { invalidParams, ServingError, toServingError } from "./serving-error.ts";
import type { McpIdentity, McpServerOptionsOfHost } from "./serving-options.ts";
import type { Tasks } from "./tasks.ts";
import type { TellProgress } from "./progress-reports.ts";

/** Parts that all instances share. */
export interface Serving {
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly calls: AgentCalls;
  readonly tasks: Tasks;
  readonly options: McpServerOptionsOfHost;
}

type Fields = Readonly<Record<string, unknown>>;

const tasksExtension = "io.modelcontextprotocol/tasks";
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
/** Number of questions in one call, for clients that are asked within the live call. */
const maxRounds = 25;
const listTtlMs = 300_000;

export function createProtocolServer(
  { server: sdk }: ServerSdk,
  serving: Serving,
  identity: McpIdentity,
): Server {
  const { tools, calls, tasks, options } = serving;
  const { name = "capstan", version = "1", instructions, onError } = options;
  const server = new sdk.Server(
    { name, version },
    {
      capabilities: { tools: {}, extensions: { [tasksExtension]: {} } },
      ...(instructions !== undefined && { instructions }),
      inputRequired: { maxRounds },
      cacheHints: {
        // The agents of a process do not change.
        "tools/list": { ttlMs: listTtlMs, cacheScope: "private" },
      },
    },
  );
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      const error = toServingError(thrown, options.errorDetails === true);
      if (error.cause !== undefined) onError?.(error.cause);
      throw error;
    }
  };
  const capabilitiesOf = ({ mcpReq }: ServerContext): Fields =>
    fieldsOf(fieldsOf(mcpReq.envelope)[capabilitiesKey] ?? server.getClientCapabilities());

  server.setRequestHandler("tools/list", () => ({
    // The SDK checks what it sends.
    tools: [...tools.values()].map(({ declaration }) => declaration) as never,
  }));
  server.setRequestHandler("tools/call", (request, context) =>
    guarded(async () => {
      const { params } = request;
      const tool = tools.get(params.name);
      if (tool === undefined) throw invalidParams(`Unknown tool "${params.name.slice(0, 100)}"`);
      const capabilities = capabilitiesOf(context);
      const { mcpReq } = context;
      const tellProgress = progressOf(context);
      const result = await calls.call(
        tool,
        {
          input: params.arguments,
          requestState: mcpReq.requestState(),
          responses: mcpReq.inputResponses ?? {},
        },
        {
          identity,
          modes: modesOf(capabilities),
          // Tasks of 2025-11-25 are other ones.
          hasTasks: mcpReq.envelope !== undefined && hasTasks(capabilities),
          signal: mcpReq.signal,
          tellProgress,
        },
      );
      // The SDK checks it, and passes on what it does not know.
      return "content" in result && result["resultType"] === undefined
        ? server.projectCallToolResult(result as never, tool.outputSchema)
        : (result as never);
    }),
  );

  const setTaskHandler = (
    method: string,
    handle: (params: Fields, context: ServerContext) => Promise<Record<string, unknown>>,
  ): void => {
    server.setRequestHandler(method, { params: anyFields }, (params, context) =>
      guarded(async () => {
        if (!hasTasks(capabilitiesOf(context))) throw noTasks();
        return handle(params, context);
      }),
    );
  };
  const callerOf = (context: ServerContext) => ({
    identity,
    modes: modesOf(capabilitiesOf(context)),
  });
  setTaskHandler("tasks/get", ({ taskId }, context) => tasks.get(taskId, callerOf(context)));
  setTaskHandler("tasks/update", ({ taskId }, context) =>
    tasks.update(taskId, context.mcpReq.inputResponses ?? {}, callerOf(context)),
  );
  setTaskHandler("tasks/cancel", ({ taskId }, context) => tasks.cancel(taskId, callerOf(context)));
  return server;
}

/** A form is what every client with elicitation knows. */
function modesOf(capabilities: Fields): { readonly form: boolean; readonly url: boolean } {
  const { elicitation } = capabilities;
  if (typeof elicitation !== "object" || elicitation === null) return { form: false, url: false };
  const { form, url } = elicitation as Fields;
  return { form: form !== undefined || url === undefined, url: url !== undefined };
}

function hasTasks({ extensions }: Fields): boolean {
  return fieldsOf(extensions)[tasksExtension] !== undefined;
}

function noTasks(): ServingError {
  const data = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
  return new ServingError("missing_capability", `The client has not declared ${tasksExtension}`, {
    data,
  });
}

function progressOf({ mcpReq }: ServerContext): TellProgress | undefined {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  if (token === undefined) return undefined;
  return (progress, message) => {
    const params = { progressToken: token, progress, message };
    // A client that has gone needs no progress; its request is cancelled.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** The SDK wants a schema; fields are checked where they are read. */
const anyFields: StandardSchema<unknown, Fields> = {
  "~standard": {
    version: 1,
    vendor: "capstan",
    validate: (value) => ({ value: fieldsOf(value) }),
    jsonSchema: { input: () => ({}) },
  },
};
