/** What is around sessions that are played: a model that does what it is told, tools, a clock and ids that are the same in every run. */
import { createAgent } from "@capstan/core";
import type { Agent } from "@capstan/core";
import type { ChatMessage, ProviderRequest, ToolContract } from "@capstan/kernel";
import type { ManualClock, ScriptedProvider, ScriptItem } from "@capstan/testing";
import {
  callTool,
  echoTool,
  failAfter,
  failBefore,
  manualClock,
  remoteTool,
  say,
  scriptedProvider,
  sequentialIds,
  wait,
} from "@capstan/testing";

export interface Surroundings {
  readonly agent: Agent;
  readonly clock: ManualClock;
  readonly provider: ScriptedProvider;
  readonly newId: () => string;
  /** Something that was said before, each time by others. */
  past(): readonly ChatMessage[];
}

/** More than a run comes to. */
const maxRequests = 500;

export function createSurroundings(): Surroundings {
  const clock = manualClock(1_000);
  const newId = sequentialIds();
  const provider = scriptedProvider(
    Array.from(
      { length: maxRequests },
      () => (request: ProviderRequest) => replyTo(request, clock),
    ),
    { usage: { inputTokens: 3, outputTokens: 1 } },
  );
  let asked = 0;
  const agent = createAgent({
    name: "helper",
    model: provider,
    tools: toolsOn(clock),
    instructions: () => `Version ${++asked}`,
    retry: { maxAttempts: 1 },
  });
  const past = (): readonly ChatMessage[] => {
    const id = newId();
    return [
      { role: "user", id: `past-${id}-1`, content: "Before" },
      {
        role: "assistant",
        id: `past-${id}-2`,
        content: [{ type: "text", text: "Long before" }],
        stopReason: "stop",
      },
    ];
  };
  return { agent, clock, provider, newId, past };
}

/** Whether the message with this id was said before by others. */
export function isLoaded(id: string): boolean {
  return id.startsWith("past-");
}

/** The step that the last user message asks for, by how many replies it has. */
function replyTo({ messages }: ProviderRequest, clock: ManualClock): ScriptItem {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const asked = messages[at];
  const text = asked?.role === "user" && typeof asked.content === "string" ? asked.content : "";
  const replies = messages.slice(at).filter(({ role }) => role === "assistant").length;
  const words = text.split(" | ")[replies]?.split(" ") ?? [];
  if (words.includes("fail")) return failBefore("invalid_request");
  if (words.includes("break")) return failAfter(say("Well"), "invalid_request");
  const musing = words.includes("muse") ? [say("Hm, "), wait(timePassed(clock))] : [];
  const calls = words.filter((name) => toolNames.has(name)).map((name) => callTool(name));
  return [...musing, say(`to ${messages.length} messages`), ...calls];
}

/** Long enough for something to happen meanwhile. */
const whileMs = 100;

function timePassed({ timer }: ManualClock): Promise<void> {
  return new Promise((resolve) => {
    timer(whileMs, resolve);
  });
}

const toolNames: ReadonlySet<string> = new Set(["echo", "slow", "guarded", "remote", "hurried"]);

function toolsOn({ timer }: ManualClock): readonly ToolContract[] {
  const slow: ToolContract = {
    ...echoTool({ name: "slow" }),
    execute: (_, { signal }) =>
      new Promise((resolve, reject) => {
        const cancel = timer(whileMs, () => resolve("slowly"));
        signal.addEventListener("abort", () => {
          cancel();
          reject(new Error("stopped"));
        });
      }),
  };
  return [
    echoTool(),
    slow,
    echoTool({ name: "guarded", needsApproval: true }),
    remoteTool(),
    remoteTool({ name: "hurried", answerWithinMs: 500 }),
  ];
}
