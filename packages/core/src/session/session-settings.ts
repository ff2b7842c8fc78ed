/** Settings of a session that can change, and how the log stores them. */
import type {
  JsonValue,
  ProviderOptionsByVendor,
  QueueMode,
  SamplingSettings,
  ThinkingLevel,
} from "@capstan/kernel";
import type { LentTool, SessionConfig } from "@capstan/log";
import type { Agent } from "../agent/agent.ts";
import { chooseTools } from "../agent/chosen-tools.ts";
import type { ModelChoice } from "../models/model.ts";
import { nameOfChoice } from "../models/model.ts";
import { invalid } from "../errors/session-error.ts";
import { toStoredJson } from "../input/stored-json.ts";
import { toStoredOptions } from "../input/stored-options.ts";
import type { AnyTool } from "../tools/tool.ts";

/** Settings of a session that replace those of its agent from the next turn on. */
export interface SessionSettings<ToolName extends string = string> extends SamplingSettings {
  /** The log stores the model's name: another process finds it in the agent's `models`, or with `resolveModel`. */
  readonly model?: ModelChoice;
  readonly thinkingLevel?: ThinkingLevel;
  /**
   * A selection of the agent's tools, by name or as objects; other tools with `execute`, which only this process can run, because the log stores
   * their names; and tools without `execute`, which the caller runs and answers.
   */
  readonly tools?: readonly (ToolName | AnyTool)[];
  readonly instructions?: string;
  readonly steeringMode?: QueueMode;
  readonly followUpMode?: QueueMode;
  readonly title?: string;
  /** Replaces the metadata of the session. Tools and hooks of the next turn see it; no model does. */
  readonly metadata?: JsonValue;
  /** Like the agent's options, and takes precedence over them. A later `configure` replaces them all. */
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** Throws `invalid_input`, and a `ToolError` for a schema that cannot be checked. */
export function toConfig(settings: SessionSettings, agent: Agent): SessionConfig {
  const { model, tools, providerOptions, metadata, ...plain } = settings;
  return {
    ...plain,
    ...toStoredOptions(providerOptions),
    ...(model !== undefined && { model: nameOfChoice(model) }),
    ...(metadata !== undefined && { metadata: toStoredJson(metadata, "metadata") }),
    ...(tools !== undefined && { tools: toChosen(tools, agent) }),
  };
}

function toChosen(
  tools: readonly (string | AnyTool)[],
  agent: Agent,
): readonly (string | LentTool)[] {
  const own = new Map(agent.tools.map((tool) => [tool.name, tool]));
  const chosen = tools.map((tool) => {
    const name = typeof tool === "string" ? tool : tool.name;
    const known = own.get(name);
    if (typeof tool === "string" || known === tool) {
      if (known === undefined) throw unknownTool(name, agent);
      return name;
    }
    if (known !== undefined) throw clash(name, agent);
    if (tool.appContext !== undefined && agent.appContext === undefined)
      throw noAppContext(name, agent);
    // The process that has its code runs it; others know the name only.
    return tool.execute === undefined ? toLent(tool) : name;
  });
  const names = chosen.map((choice) => (typeof choice === "string" ? choice : choice.name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`Duplicate tool "${twice}": list it once`);
  // Fail now rather than when the turn is planned.
  chooseTools(agent.tools, chosen);
  return chosen;
}

function toLent(tool: AnyTool): LentTool {
  const { name, description, inputSchema, label, answerWithinMs, needsApproval, lentBy } = tool;
  if (typeof needsApproval === "function") {
    throw invalid(
      `The tool "${name}" has a function as needsApproval, which the log cannot store: pass true or false`,
    );
  }
  return {
    name,
    description,
    inputSchema,
    ...(label !== undefined && { label }),
    ...(answerWithinMs !== undefined && { answerWithinMs }),
    ...(needsApproval !== undefined && { needsApproval }),
    ...(lentBy !== undefined && { lentBy }),
  };
}

function unknownTool(name: string, { name: agent, tools }: Agent): Error {
  const known = tools.map((tool) => tool.name).join(", ") || "none";
  return invalid(`The agent "${agent}" has no tool "${name}". Its tools: ${known}`);
}

function noAppContext(name: string, { name: agent }: Agent): Error {
  return invalid(
    `The tool "${name}" needs an app context, and the agent "${agent}" has no appContext: create the agent with one`,
  );
}

function clash(name: string, { name: agent }: Agent): Error {
  return invalid(
    `The agent "${agent}" already has a different tool "${name}": choose that one by name, or rename yours`,
  );
}
