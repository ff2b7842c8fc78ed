/** Agent of every scenario, in one process. */
import type { Agent, AgentInit, InstructionsContext } from "@capstan/core";
import { agentTool, createAgent, handoff } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import { askingInit } from "./asking.ts";
import type { Life } from "./life.ts";
import { scriptedModel } from "./scripted-model.ts";
import { guardingInit, preparingInit } from "./steering.ts";
import { toolbox } from "./toolbox.ts";
import type { World } from "./world.ts";

export const agentName = "helper";

export function simulatedAgent(life: Life, world: World): Agent {
  const { scenario } = world;
  const { instructions, keepRecentSteps } = scenario;
  const model = scriptedModel({
    life,
    scenario,
    onRequest: (request) => world.onRequest(request),
  });
  const tools = toolbox({
    life,
    onEffect: (toolName, input, context) => world.onEffect(life.name, toolName, input, context),
    hasEffect: (key) => world.effects.has(key),
    mcp: world.mcp,
    now: () => world.clock.now(),
  });
  const init = {
    name: agentName,
    model,
    models: [{ provider: model, id: "other" }],
    tools,
    ...(keepRecentSteps !== undefined && { compaction: { keepRecentSteps } }),
    outputs,
    retry,
    ...(instructions === "asked" && {
      instructions: (about: InstructionsContext) => askFor(life, world, about.sessionId),
    }),
    ...(scenario.budget !== undefined && { budgets: { tokens: scenario.budget } }),
    ...(scenario.steps !== undefined && preparingInit(life, world)),
    ...(scenario.guards !== undefined && guardingInit(life)),
    ...(scenario.children !== undefined && {
      tools: withChildren({ model, tools, outputs, retry }),
    }),
  };
  return scenario.asking === undefined
    ? createAgent(init)
    : createAgent({ ...init, ...askingInit(life, world, tools) });
}

const outputs = { maxChars: 300, maxTotalChars: 800 };
const retry = { maxAttempts: 20, baseDelayMs: 100, maxDelayMs: 200 };

/** Adds a child agent that has a child agent. */
function withChildren(
  init: Pick<AgentInit, "model" | "outputs" | "retry"> & {
    readonly tools: readonly ToolContract[];
  },
): readonly ToolContract[] {
  const description = "Works on a task";
  const grandchild = createAgent({ ...init, name: "grandchild" });
  const child = createAgent({
    ...init,
    name: "child",
    tools: [...init.tools, agentTool(grandchild, { description }), inBackground(grandchild)],
  });
  const handOver = handoff(child, { name: "hand_over", description });
  return [...init.tools, agentTool(child, { description }), inBackground(child), handOver];
}

function inBackground(agent: Agent): ToolContract {
  return agentTool(agent, { name: "background", description: "Works on it", mode: "background" });
}

/** Long enough for something else to happen in the meantime. */
const askedMs = 100;

async function askFor(life: Life, world: World, sessionId: string): Promise<string> {
  const arrival = life.arrive("instructions");
  arrival.before();
  await life.pass();
  const instructions = await world.onAsked(sessionId);
  arrival.after();
  await new Promise<void>((resolve) => life.timer(askedMs, resolve));
  return instructions;
}
