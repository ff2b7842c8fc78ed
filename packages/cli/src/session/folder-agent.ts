/** The agent of one folder. Every folder has its own, so that work in one folder never resumes a session of another. */
import type { Agent, AnyTool, ResolveModel } from "@capstan/core";
import { createAgent } from "@capstan/core";
import type { SandboxOptions } from "@capstan/toolset";
import { createToolset } from "@capstan/toolset";
import type { Io } from "../process/io.ts";
import type { ChosenModel, ModelSource } from "../model/choose-model.ts";
import { describeRule } from "../permissions/decision.ts";
import type { Gate } from "../permissions/gate-calls.ts";
import { enforceDenials, rulesHook } from "../permissions/gate-calls.ts";
import { describeCall } from "../print/describe-call.ts";
import { keyVariablesOf } from "../config/key-variables.ts";
import type { LivePermissions } from "../config/live-permissions.ts";
import { hidesFile } from "../permissions/hidden-files.ts";
import type { CallToDecide, Decision } from "../permissions/permissions.ts";
import { decide } from "../permissions/permissions.ts";
import type { Note } from "../print/notes.ts";
import type { AskUser } from "../mcp/open-servers.ts";
import { guardSource, openServers } from "../mcp/open-servers.ts";
import { noticeOfChanges } from "./changed-instructions.ts";
import { instructionsOf } from "./instructions.ts";
import { readFacts } from "./instruction-facts.ts";
import { livePermissionsOf } from "./live-rules.ts";
import type { Folder } from "./load-folder.ts";
import { sandboxOf } from "./sandbox.ts";

export interface FolderAgent {
  readonly agent: Agent;
  /** Decides whether a call may run, by the rules of this folder. */
  readonly decide: (call: CallToDecide, sessionId: string) => Decision;
  /** Ends the processes of MCP servers. */
  readonly close: () => Promise<void>;
}

export interface FolderAgentInit {
  readonly folder: Folder;
  readonly chosen: ChosenModel;
  readonly registry: ModelSource["registry"] | undefined;
  readonly resolveModel: ResolveModel;
  /** Gets one line if rules that changed cannot be read. */
  readonly note: Note;
  /** Asks the user what a server wants to know within a call. Without it such questions are declined. */
  readonly askUser?: AskUser;
}

/** Name of the agent in its sessions. */
export function agentNameOf(cwd: string): string {
  return `capstan:${cwd}`;
}

export async function createFolderAgent(
  io: Pick<Io, "platform" | "clock" | "tools" | "env">,
  { folder, chosen, registry, resolveModel, note, askUser }: FolderAgentInit,
): Promise<FolderAgent> {
  const { cwd, config, namedFolders } = folder;
  const { settings } = config;
  const rules = livePermissionsOf(folder, note);
  const mcp = await openServers({
    settings: settings.mcp,
    folder: config.projectFolder,
    env: io.env,
    folders: config.folders,
    note,
    ...(askUser && { askUser }),
  });
  const decideHere = (call: CallToDecide, sessionId: string): Decision =>
    decide(call, {
      permissions: rules.current(sessionId),
      cwd,
      tools,
      namedFolders,
      isSandboxed,
      digestOf: (toolName) => mcp?.digestOf(toolName),
    });
  const sandbox = sandboxOf(folder, {
    current: (sessionId) => rules.current(sessionId),
    decide: decideHere,
  });
  const tools = toolsOf(io, folder, rules, sandbox);
  const isReplaced = io.tools?.some(({ name }) => name === "bash") ?? false;
  const isSandboxed = sandbox !== undefined && !isReplaced;
  const gate: Gate = {
    decide: decideHere,
    refresh: () => rules.refresh(),
    onDenied: (call, { rule, layer }) =>
      note(`refused: ${describeCall(call)} (denied by the rule ${describeRule(rule, layer)})`),
  };
  const source = mcp && guardSource(mcp, (found) => enforceDenials(found, gate));
  const agent = createAgent({
    name: agentNameOf(cwd),
    model: chosen.model,
    resolveModel,
    cwd,
    tools: enforceDenials(tools, gate),
    ...(source && { toolSources: [source] }),
    hooks: { before: rulesHook(tools, gate, source?.has) },
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
  return { agent, decide: decideHere, close: async () => mcp?.close() };
}

function toolsOf(
  { tools: others = [] }: Pick<Io, "tools">,
  folder: Folder,
  rules: LivePermissions,
  sandbox: SandboxOptions | undefined,
): readonly AnyTool[] {
  const { settings } = folder.config;
  const { roots, tools } = settings;
  const { timeoutMs, passEnv } = tools.bash;
  const own = createToolset({
    cwd: folder.cwd,
    roots,
    outsideAdvice:
      "The user can allow more folders with --root, or with roots in the configuration.",
    isHidden: (path) => hidesFile(path, folder.cwd, rules.current()),
    bash: {
      withholdEnv: keyVariablesOf(settings),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(passEnv !== undefined && { passEnv }),
      ...(sandbox !== undefined && { sandbox }),
    },
    ...(tools.fetch && { fetch: {} }),
  });
  const isReplaced = ({ name }: AnyTool): boolean => others.some((other) => other.name === name);
  return [...own.filter((tool) => !isReplaced(tool)), ...others];
}
