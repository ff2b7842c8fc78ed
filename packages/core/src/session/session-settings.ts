/** What can be changed of a session, and how a log holds it. */
import type {
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
import { toStoredOptions } from "../input/stored-options.ts";
import type { AnyTool } from "../tools/tool.ts";

export interface SessionSettings extends SamplingSettings {
  /** The log has its name: another process finds it in the agent's `models`, or by `resolveModel`. */
  readonly model?: ModelChoice;
  readonly thinkingLevel?: ThinkingLevel;
  /** Which of the agent's tools, by name or as they are; and others without `execute`, which the caller then runs and answers. */
  readonly tools?: readonly (string | AnyTool)[];
  readonly instructions?: string;
  readonly steeringMode?: QueueMode;
  readonly followUpMode?: QueueMode;
  readonly title?: string;
  /** As those of the agent, which they go before. A later `configure` replaces them all. */
  readonly providerOptions?: ProviderOptionsByVendor;
}

/** Fails with `invalid_input`, and with a `ToolError` for a schema that cannot be checked. */
export function toConfig(settings: SessionSettings, agent: Agent): SessionConfig {
  const { model, tools, providerOptions, ...plain } = settings;
  return {
    ...plain,
    ...toStoredOptions(providerOptions),
    ...(model !== undefined && { model: nameOfChoice(model) }),
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
    if (tool.execute !== undefined) throw notStorable(name, agent);
    return toLent(tool);
  });
  const names = chosen.map((choice) => (typeof choice === "string" ? choice : choice.name));
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw invalid(`The tool "${twice}" is chosen twice: name it once`);
  // Fails now, and not when the turn is planned.
  chooseTools(agent.tools, chosen);
  return chosen;
}

function toLent(tool: AnyTool): LentTool {
  const { name, description, inputSchema, label, answerWithinMs, needsApproval, lentBy } = tool;
  if (typeof needsApproval === "function") {
    throw invalid(
      `The tool "${name}" has a function as needsApproval, which a log cannot hold: lend it with true or false`,
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
  return invalid(`The agent "${agent}" has no tool "${name}". It has: ${known}`);
}

function clash(name: string, { name: agent }: Agent): Error {
  return invalid(
    `The agent "${agent}" has another tool "${name}": choose that one by its name, or lend yours under another`,
  );
}

function notStorable(name: string, { name: agent }: Agent): Error {
  return invalid(
    `The tool "${name}" has code to run, which a log cannot hold: give it to the agent "${agent}" and choose it here by its name`,
  );
}
