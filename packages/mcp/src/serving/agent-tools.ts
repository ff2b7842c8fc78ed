/** Agents as the tools of an MCP server: their declarations, and the input of a call. */
import type { Agent, TurnInput } from "@capstan/core";
import { defineTool } from "@capstan/core";
import type { JsonSchema, JsonValue } from "@capstan/kernel";
import { invalidParams } from "./serving-error.ts";
import type { OfferedAgent } from "./serving-options.ts";
import { invalidOption } from "./serving-options.ts";

/** Input of a call: a message for a new session or a stored one; without a message, what the session works on or waits for. */
interface CallInput {
  readonly session: string | undefined;
  readonly prompt: TurnInput | undefined;
}

export interface AgentTool {
  readonly name: string;
  readonly agent: Agent;
  /** As `tools/list` has it. */
  readonly declaration: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly outputSchema: JsonSchema | undefined;
  /** Undefined: that of the server. */
  readonly taskAfterMs: number | undefined;
  /** Throws `invalid_params`. */
  readInput(given: unknown): Promise<CallInput>;
}

type Properties = Readonly<Record<string, JsonValue>>;

const prompt: JsonValue = {
  type: "string",
  description: "What to do, with all the information needed.",
};

const session: JsonValue = {
  type: "string",
  description:
    "Continues this session, with all that was said in it. Without a prompt, waits for what it works on. Omit it to start a new one.",
};

const promptSchema: JsonSchema = { type: "object", properties: { prompt } };

const maxNameChars = 64;

/** Throws `invalid_option`. */
export function toAgentTools(
  agents: readonly (readonly [Agent, OfferedAgent])[],
): ReadonlyMap<string, AgentTool> {
  const tools = new Map<string, AgentTool>();
  for (const [agent, offered] of agents) {
    const tool = toAgentTool(agent, offered);
    if (tools.has(tool.name)) {
      throw invalidOption(`mcpServer: two agents have the tool name "${tool.name}": set \`name\``);
    }
    tools.set(tool.name, tool);
  }
  return tools;
}

function toAgentTool(agent: Agent, offered: OfferedAgent): AgentTool {
  const name = offered.name ?? agent.name.replaceAll(/[^\w-]/g, "_").slice(0, maxNameChars);
  const { input, toPrompt, description, title } = offered;
  const own = input && defineTool({ name, description, input });
  const inputSchema = withSession(declared(input, own) ?? promptSchema);
  const outputSchema = outputSchemaOf(agent);
  return {
    name,
    agent,
    outputSchema,
    taskAfterMs: offered.taskAfterMs,
    declaration: {
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema,
      ...(outputSchema !== undefined && { outputSchema }),
    },
    async readInput(given) {
      const { session: sessionId, ...rest } = fieldsOf(given);
      if (sessionId !== undefined && typeof sessionId !== "string") {
        throw invalidParams("`session` must be a string: the id from an earlier result");
      }
      if (own === undefined) return { session: sessionId, prompt: promptOf(rest, sessionId) };
      if (sessionId !== undefined && Object.keys(rest).length === 0) {
        return { session: sessionId, prompt: undefined };
      }
      const parsed = (await own.parseInput?.(rest)) ?? { value: rest };
      if (parsed.issues !== undefined) {
        const issues = parsed.issues.map(({ message }) => message);
        throw invalidParams(`Invalid input: ${issues.join("; ")}`);
      }
      // `input` comes with `toPrompt`; the value is what the schema has accepted.
      return { session: sessionId, prompt: toPrompt?.(parsed.value as JsonValue) };
    },
  };
}

/** A JSON Schema is declared as it was written. */
function declared(
  input: OfferedAgent["input"],
  own: { readonly inputSchema: JsonSchema } | undefined,
): JsonSchema | undefined {
  return input === undefined || "~standard" in input ? own?.inputSchema : input;
}

function promptOf(fields: Properties, sessionId: string | undefined): string | undefined {
  const { prompt: given } = fields;
  if (given === undefined && sessionId !== undefined) return undefined;
  if (typeof given === "string" && given.trim() !== "") return given;
  throw invalidParams("`prompt` must be a text that is not empty");
}

function fieldsOf(given: unknown): Properties {
  if (given === undefined) return {};
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    // It comes from JSON.
    return given as Properties;
  }
  throw invalidParams("`arguments` must be an object");
}

function withSession(schema: JsonSchema): JsonSchema {
  const { properties } = schema as { readonly properties?: Properties };
  return { ...schema, type: "object", properties: { ...properties, session } };
}

/** Undefined if the agent answers with text, or its schema has no form in JSON. */
function outputSchemaOf({ output }: Agent): JsonSchema | undefined {
  if (output === undefined) return undefined;
  try {
    const { jsonSchema } = output["~standard"] as {
      readonly jsonSchema: { readonly [of in "input" | "output"]?: ToJsonSchema };
    };
    const { $schema: _, ...schema } = (jsonSchema.output ?? jsonSchema.input)?.({
      target: "draft-2020-12",
    }) ?? { $schema: undefined };
    return schema;
  } catch {
    // Results have the value without a schema.
    return undefined;
  }
}

type ToJsonSchema = (options: { readonly target: "draft-2020-12" }) => JsonSchema;
