import type { AgentInit } from "@capstan/core";
import { agentTool, createAgent, longTimer, systemClock } from "@capstan/core";
import type { ProviderContract, TurnResponse } from "@capstan/kernel";
import { callTool, echoTool, hang, manualClock, say, scriptedProvider } from "@capstan/testing";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => {
  vi.useRealTimers();
});

/** Calls its tool in every step; when it may not any more, it reports. */
function tireless(): ProviderContract {
  return {
    id: "tireless",
    contextWindow: 1_000_000,
    async *stream({ toolChoice }) {
      if (toolChoice === "none") yield { type: "text_delta", delta: "Report" };
      else {
        yield { type: "toolcall_start", index: 0, name: "echo" };
        yield { type: "toolcall_end", index: 0 };
      }
      yield { type: "finish", reason: toolChoice === "none" ? "stop" : "tool-calls" };
    },
  };
}

async function runLong(init: AgentInit): Promise<{ response: TurnResponse; tookMs: number }> {
  const clock = manualClock();
  const { response } = createAgent(init).runTurn({ input: "go" }, [], { clock });
  return { response: await clock.runUntil(response), tookMs: clock.now() };
}

test("an agent ends a turn after 200 steps, with a report", async () => {
  const { response } = await runLong({ model: tireless(), tools: [echoTool()] });

  const steps = response.messages.filter(({ role }) => role === "assistant");
  expect(response).toMatchObject({ finishReason: "max-steps", text: "Report" });
  expect(steps).toHaveLength(201);
});

test("a tool without a time limit of its own has ten minutes", async () => {
  const hanging = { ...echoTool({ name: "hang" }), execute: () => new Promise<never>(() => {}) };
  const model = scriptedProvider([callTool("hang"), say("Next")]);

  const { response, tookMs } = await runLong({ model, tools: [hanging] });

  expect(response.text).toBe("Next");
  expect(tookMs).toBe(600_000);
});

test("an agent that is a tool of another has half an hour", () => {
  const inner = createAgent({ name: "inner", model: scriptedProvider([hang()]) });

  expect(agentTool(inner, { description: "Helps" }).timeoutMs).toBe(1_800_000);
});

test("a timer of more than 25 days does not fire at once, but when it is due", () => {
  vi.useFakeTimers();
  const dayMs = 86_400_000;
  const fired: string[] = [];
  systemClock.timer(30 * dayMs, () => fired.push("a month"));
  const cancel = longTimer()(100 * dayMs, () => fired.push("cancelled"));

  // At once: a poll that another test has left would otherwise run for every second of these days.
  vi.advanceTimersByTime(29 * dayMs);
  const before = [...fired];
  cancel();
  vi.advanceTimersByTime(dayMs);
  const after = [...fired];
  vi.advanceTimersByTime(100 * dayMs);

  expect({ before, after, at: fired }).toEqual({
    before: [],
    after: ["a month"],
    at: ["a month"],
  });
});

test("a tool with a limit of a month is not given up at once", async () => {
  const slow = {
    ...echoTool({ name: "slow" }),
    timeoutMs: 30 * 86_400_000,
    execute: () => new Promise<string>((resolve) => setTimeout(() => resolve("slowly"), 5)),
  };
  const agent = createAgent({
    model: scriptedProvider([callTool("slow"), say("Done")]),
    tools: [slow],
  });

  const { messages } = await agent.runTurn({ input: "go" }).response;

  expect(messages[1]).toMatchObject({ content: "slowly", isError: false });
});

test("a provider and tools that never wait let timers run: an abort of one ends the turn", async () => {
  const agent = createAgent({ model: tireless(), tools: [echoTool()], maxSteps: 20_000 });
  const turn = agent.runTurn({ input: "go" });
  setTimeout(() => turn.abort(), 1);

  const { status } = await turn.response;

  expect(status).toBe("aborted");
});

test("a tool that streams without ever waiting lets timers run", async () => {
  const endless = {
    ...echoTool({ name: "endless" }),
    timeoutMs: 20,
    async *execute() {
      for (let line = 0; line < 5_000_000; line += 1) yield { type: "delta", delta: "x" } as const;
    },
  };
  const agent = createAgent({
    model: scriptedProvider([callTool("endless"), say("Done")]),
    tools: [endless],
  });

  const { messages } = await agent.runTurn({ input: "go" }).response;

  expect(messages[1]).toMatchObject({ isError: true });
});
