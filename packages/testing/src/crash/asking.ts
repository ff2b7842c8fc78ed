/** User code that records who is asking: a tool with its approval, a hook, the instructions and a dependency. */
import type { AgentInit, AnyTool, AppSchema, TurnContext } from "@capstan/core";
import { defineTool, dependency } from "@capstan/core";
import type { Life } from "./life.ts";
import { outputOf } from "./toolbox.ts";
import type { World } from "./world.ts";

/** Context that user code saw. */
export interface SeenContext extends Pick<TurnContext, "session" | "turn" | "app"> {
  /** Kind of user code. */
  readonly by: string;
}

interface App {
  readonly tenant: string;
}

const appContext: AppSchema<App> = {
  "~standard": {
    version: 1,
    vendor: "capstan",
    validate: (value) =>
      typeof (value as Partial<App>).tenant === "string"
        ? { value: value as App }
        : { issues: [{ message: "must be a string", path: ["tenant"] }] },
  },
};

/** Options of the agent in scenarios with an identity. */
export function askingInit(
  life: Life,
  world: World,
  tools: readonly AnyTool[],
): Required<Pick<AgentInit<unknown, App, App>, "appContext" | "hooks" | "instructions" | "tools">> {
  const see = (by: string, { session, turn, app }: TurnContext): void => {
    if (!life.isDead) world.seen.push({ by, session, turn, app });
  };
  const Seen = dependency("seen", (_get, context) => see("a dependency", context));
  const asking = defineTool({
    name: "asking",
    description: "asking",
    input: { type: "object" },
    effect: "pure",
    appContext,
    needsApproval: (_input, context) => {
      see("needsApproval", context);
      return context.app.tenant === "careful";
    },
    async execute(_input, context) {
      await life.pass();
      see("a tool", context);
      await context.get(Seen);
      return outputOf("asking");
    },
  });
  return {
    appContext,
    tools: [...tools, asking],
    hooks: { before: (_call, context) => see("a hook", context) },
    instructions: (context) => {
      see("the instructions", context);
      return `You work for ${context.session.principal} of ${context.app.tenant}.`;
    },
  };
}
