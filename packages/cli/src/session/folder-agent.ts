/** The agent of one folder. Every folder has its own, so that work in one folder never resumes a session of another. */
import type { Agent, AnyTool, ResolveModel } from "@capstan/core";
import { createAgent } from "@capstan/core";
import { createToolset } from "@capstan/toolset";
import type { Io } from "../process/io.ts";
import type { ChosenModel, ModelSource } from "../model/choose-model.ts";
import { askBefore } from "../permissions/ask-before.ts";
import type { CallToDecide, Decision } from "../permissions/permissions.ts";
import { decide } from "../permissions/permissions.ts";
import { noticeOfChanges } from "./changed-instructions.ts";
import { instructionsOf } from "./instructions.ts";
import { readFacts } from "./instruction-facts.ts";
import type { Folder } from "./load-folder.ts";

export interface FolderAgent {
  readonly agent: Agent;
  /** Decides whether a call may run, by the rules of this folder. */
  readonly decide: (call: CallToDecide) => Decision;
}

export interface FolderAgentInit {
  readonly folder: Folder;
  readonly chosen: ChosenModel;
  readonly registry: ModelSource["registry"] | undefined;
  readonly resolveModel: ResolveModel;
}

/** Name of the agent in its sessions. */
export function agentNameOf(cwd: string): string {
  return `capstan:${cwd}`;
}

export function createFolderAgent(
  io: Pick<Io, "platform" | "clock" | "tools">,
  { folder, chosen, registry, resolveModel }: FolderAgentInit,
): FolderAgent {
  const { cwd, config } = folder;
  const { settings } = config;
  const tools = toolsOf(io, folder);
  const decideHere = (call: CallToDecide): Decision =>
    decide(call, { permissions: settings.permissions, cwd, tools });
  const agent = createAgent({
    name: agentNameOf(cwd),
    model: chosen.model,
    resolveModel,
    cwd,
    tools: askBefore(tools, decideHere),
    instructions: async () => instructionsOf(await readFacts(io, folder)),
    prepareStep: async ({ step, instructions = "", messages }) => {
      // Files that the agent itself changes during a turn are known to it.
      if (step > 1) return undefined;
      const append = noticeOfChanges(await readFacts(io, folder), instructions, messages);
      return append && { append };
    },
    maxSteps: settings.maxSteps,
    retry: settings.retry,
    deadlines: settings.deadlines,
    includeCost: true,
    ...(registry && { registry }),
    ...(settings.thinking !== undefined && { thinkingLevel: settings.thinking }),
    ...(settings.maxCost !== undefined && { budgets: { cost: settings.maxCost } }),
  });
  return { agent, decide: decideHere };
}

function toolsOf({ tools: others = [] }: Pick<Io, "tools">, folder: Folder): readonly AnyTool[] {
  const { roots, tools } = folder.config.settings;
  const { timeoutMs } = tools.bash;
  const own = createToolset({
    cwd: folder.cwd,
    roots,
    outsideAdvice:
      "The user can allow more folders with --root, or with roots in the configuration.",
    bash: timeoutMs === undefined ? {} : { timeoutMs },
    ...(tools.fetch && { fetch: {} }),
  });
  const isReplaced = ({ name }: AnyTool): boolean => others.some((other) => other.name === name);
  return [...own.filter((tool) => !isReplaced(tool)), ...others];
}
