/** `child_status` and `child_stop`: a model asks about agents that it started in the background, and stops them. */
import { OtherAgents, hasBackground } from "./other-agents.ts";
import { toTool } from "./define-tool.ts";
import { fail } from "./tool-output.ts";
import type { AnyTool } from "./tool.ts";

const child = {
  type: "string",
  description: "Id of the child, as its start returned it.",
} as const;

const noSession = "Without a session no agent works in the background.";

const childStatus = toTool({
  name: "child_status",
  label: "Look after agents",
  description:
    "Tells whether agents that were started in the background work, wait for an answer of the user, or have ended. Their answers come by themselves: do not call this repeatedly to wait for them.",
  input: {
    type: "object",
    properties: { child: { ...child, description: `${child.description} Default: all.` } },
    additionalProperties: false,
  },
  effect: "pure",
  async execute(sent, { get }) {
    // The schema allows nothing else.
    const { child: childId } = sent as { readonly child?: string };
    const agents = await get(OtherAgents);
    return agents?.statusOf(childId) ?? fail(noSession);
  },
});

const childStop = toTool({
  name: "child_stop",
  label: "Stop an agent",
  description: "Stops an agent that works in the background. Its answer is lost.",
  input: {
    type: "object",
    properties: { child },
    required: ["child"],
    additionalProperties: false,
  },
  effect: "idempotent",
  async execute(sent, context) {
    // The schema allows nothing else.
    const { child: childId } = sent as { readonly child: string };
    const agents = await context.get(OtherAgents);
    return (await agents?.stopChild(childId, context)) ?? fail(noSession);
  },
});

const extended = new WeakMap<readonly AnyTool[], readonly AnyTool[]>();

/** Adds these tools if one of the others starts an agent in the background. A tool with the same name from the agent or the session takes precedence. */
export function withChildTools(tools: readonly AnyTool[]): readonly AnyTool[] {
  let list = extended.get(tools);
  if (list === undefined) extended.set(tools, (list = extend(tools)));
  return list;
}

function extend(tools: readonly AnyTool[]): readonly AnyTool[] {
  if (!hasBackground(tools)) return tools;
  const names = new Set(tools.map(({ name }) => name));
  return [...tools, ...[childStatus, childStop].filter(({ name }) => !names.has(name))];
}
