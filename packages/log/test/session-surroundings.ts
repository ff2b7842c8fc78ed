/** Environment of a played session: the provider, the tools and their effects, the users, the timer. */
import type { JsonValue, Timer, ToolContract, ToolReturn } from "@capstan/kernel";
import { SessionFold } from "@capstan/log";
import type { Entry } from "@capstan/log";
import { failBefore, remoteTool, say } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import type { WrittenLog } from "./log-of-turn.ts";
import type { SessionScenario } from "./session-scenarios.ts";

/** By step and attempt, so that a new process continues where the old one stopped. */
export function replyFrom({ steps }: SessionScenario): ScriptItem {
  return ({ step, attempt }) => {
    const scripted = steps[step - 1];
    if (scripted === undefined) return say("Done");
    return attempt <= scripted.failures ? failBefore("overloaded") : scripted.reply;
  };
}

/** Effects of the tools on the world: they outlive every process. */
export interface Effect {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly key: string;
}

export function sessionTools(effects: Effect[], isDead: () => boolean): ToolContract[] {
  const tool = (name: string, more: Partial<ToolContract> = {}): ToolContract => {
    return {
      name,
      description: name,
      inputSchema: { type: "object" },
      ...more,
      async execute(input: JsonValue, context): Promise<ToolReturn> {
        const { toolCallId, idempotencyKey: key } = context;
        if (isDead()) return new Promise<never>(() => {});
        effects.push({ toolName: name, toolCallId, key });
        context.update("half ");
        // Its end is recorded apart from that of a neighbour.
        await Promise.resolve();
        context.update("done");
        if (JSON.stringify(input) === '{"n":1}') await Promise.resolve();
        return `did ${JSON.stringify(input)}`;
      },
    };
  };
  return [
    tool("pure", { effect: "pure" }),
    tool("idempotent", { effect: "idempotent" }),
    tool("once"),
    tool("checked", {
      reconcile: (key) =>
        effects.some((effect) => effect.key === key)
          ? { outcome: "done", output: "found" }
          : { outcome: "not-run" },
    }),
    tool("guarded", { needsApproval: true }),
    tool("alone", { execution: "sequential" }),
    remoteTool(),
  ];
}

export function alterTwos({ input }: { readonly input: unknown }) {
  const isTwo = JSON.stringify(input) === '{"n":2}';
  return isTwo ? ({ action: "alter", input: { n: 20 } } as const) : undefined;
}

/** Action of a user at some time. */
export function post(
  log: WrittenLog,
  what: SessionScenario["posts"][number]["what"],
  id: string,
  turnId: string,
): Entry {
  const message = { role: "user", id, content: "Only indoors" } as const;
  switch (what) {
    case "steer":
    case "follow_up":
      return log.write({ type: what, message }, id);
    case "cancel":
      return log.write({ type: "cancel_requested", turnId }, id);
    case "clear":
      return log.write({ type: "queue_cleared", queue: "all" }, id);
    case "all at once":
      return log.write(
        { type: "config", config: { steeringMode: "all", followUpMode: "all" } },
        id,
      );
    case "configure": {
      const config = { instructions: `Be ${id}.`, tools: ["pure"], thinkingLevel: "low" } as const;
      return log.write({ type: "config", config }, id);
    }
    case "input":
      return log.write({ type: "input", messages: [message], options: { temperature: 1 } }, id);
    case "go on":
      return log.write({ type: "input", messages: [] }, id);
    case "forget":
      return log.write({ type: "history_cleared" }, id);
    case "load":
      return log.write({ type: "history_loaded", messages: [message] }, id);
    case "rewind": {
      const fold = new SessionFold();
      for (const entry of log.entries) fold.apply(entry);
      const { messages } = fold.transcript;
      const to = messages[messages.length >> 1]?.id ?? "none";
      return log.write({ type: "history_rewound", to, isBefore: messages.length % 2 === 0 }, id);
    }
    default:
      return what satisfies never;
  }
}

/** Waits before a retry and grace periods are over at once; deadlines never come. */
export const impatientTimer: Timer = (ms, fn) => {
  const state = { isCancelled: ms > 10_000 };
  queueMicrotask(() => {
    if (!state.isCancelled) fn();
  });
  return () => {
    state.isCancelled = true;
  };
};
