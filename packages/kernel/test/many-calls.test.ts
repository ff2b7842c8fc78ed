import type { OpenCall, RunTurnInput, ToolCallPart } from "@capstan/kernel";
import { LiveView, runTurn } from "@capstan/kernel";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

const given: Pick<RunTurnInput, "dispatch" | "emit" | "conversationId" | "turnId"> = {
  dispatch: {},
  emit: () => {},
  conversationId: "c",
  turnId: "t",
};

const tool = {
  name: "tool",
  description: "A tool",
  inputSchema: { type: "object" },
  execute: () => "x",
};

/** How often the ids of calls are read while a turn goes on with so many of them. */
async function readsOf(count: number): Promise<number> {
  let reads = 0;
  const content = Array.from({ length: count }, (_, place): ToolCallPart => {
    const call = { type: "tool_call", id: "", name: "tool", input: {} } as const;
    return Object.defineProperty({ ...call }, "id", {
      get: () => {
        reads += 1;
        return `c${place}`;
      },
    });
  });
  const open = content.map((_, place): OpenCall => ({ toolCallId: `c${place}`, state: "fresh" }));
  const provider = scriptedProvider([say("Done")]);

  const { finishReason } = await runTurn({
    ...given,
    provider,
    tools: [tool],
    messages: [{ role: "assistant", id: "m", content, stopReason: "tool-calls" }],
    journal: { open },
  });

  expect(finishReason).toBe("stop");
  return reads;
}

test("twice as many calls in one reply are twice the work, not four times", async () => {
  const once = await readsOf(1_000);

  expect(await readsOf(2_000)).toBeLessThanOrEqual(2 * once + 100);
});

test("a reply of twenty thousand calls is read and shown in one piece", async () => {
  const count = 20_000;
  const view = new LiveView();
  const provider = {
    id: "busy",
    async *stream() {
      for (let index = 0; index < count; index += 1) {
        yield { type: "toolcall_start", index, name: "unknown" } as const;
      }
      for (let index = 0; index < count; index += 1) {
        yield { type: "toolcall_delta", index, delta: `{"a":${index}}` } as const;
        yield { type: "toolcall_end", index } as const;
      }
      yield { type: "finish", reason: "length" } as const;
    },
  };

  const { messages } = await runTurn({
    ...given,
    provider,
    tools: [],
    messages: [{ role: "user", id: "u", content: "go" }],
    limits: { maxSteps: 1 },
    emit: (event) => view.apply(event),
  });

  const results = messages.filter(({ role }) => role === "tool");
  expect(results).toHaveLength(count);
  expect(messages[0]).toMatchObject({ role: "assistant" });
});
