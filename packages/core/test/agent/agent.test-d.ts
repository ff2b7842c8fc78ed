import { createAgent, createSession, defineTool } from "@capstan/core";
import type { AnyTool } from "@capstan/core";
import type { ChatMessage, SerializedError, ToolContract } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { echoTool, scriptedProvider } from "@capstan/testing";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const model = scriptedProvider([]);

/** A new event is a compile error in the last line. */
function nameOf(event: SessionEvent): string {
  switch (event.type) {
    case "turn_start":
    case "step_start":
    case "step_end":
    case "attempt_start":
    case "message_start":
    case "text_start":
    case "text_delta":
    case "text_end":
    case "thinking_start":
    case "thinking_delta":
    case "thinking_end":
    case "toolcall_start":
    case "toolcall_delta":
    case "toolcall_end":
    case "tool_execution_start":
    case "tool_execution_delta":
    case "tool_execution_end":
    case "awaiting_tool_execution":
    case "steering_delivered":
    case "steering_returned":
    case "compaction_start":
    case "compaction_end":
    case "context_evicted":
    case "history_rewound":
    case "abort":
    case "snapshot":
    case "settled":
    case "nested_call_start":
    case "nested_call_end":
    case "child_started":
    case "child_waiting":
    case "handed_off":
    case "child_ended":
      return event.type;
    case "message_end":
      expectTypeOf(event.message).toEqualTypeOf<ChatMessage>();
      return event.type;
    case "turn_end":
    case "compaction_failed":
      expectTypeOf(event.error).toEqualTypeOf<SerializedError | undefined>();
      return event.type;
    case "attempt_discarded":
    case "error":
      expectTypeOf(event.error).toEqualTypeOf<SerializedError>();
      return event.type;
    default:
      return event satisfies never;
  }
}

function nameOfSome(event: SessionEvent): string {
  switch (event.type) {
    case "turn_start":
      return event.type;
    default:
      // @ts-expect-error -- there are more events than this one
      return event satisfies never;
  }
}

test("a switch over all events is known to be complete, and one that forgets some is not", () => {
  expectTypeOf(nameOf).returns.toEqualTypeOf<string>();
  expectTypeOf(nameOfSome).returns.toEqualTypeOf<string>();
});

test("tools of different inputs go to an agent in one list, each with the input of its schema", () => {
  const list: readonly AnyTool[] = [echoTool()];
  createAgent({
    model,
    tools: [
      defineTool({
        name: "book",
        description: "Books a trip",
        input: z.object({ legs: z.array(z.object({ to: z.string(), on: z.coerce.date() })) }),
        execute({ legs }) {
          expectTypeOf(legs).toEqualTypeOf<{ to: string; on: Date }[]>();
        },
      }),
      defineTool({
        name: "pay",
        description: "Pays",
        input: z.object({ amount: z.number().default(0) }),
        needsApproval({ amount }) {
          expectTypeOf(amount).toEqualTypeOf<number | undefined>();
          return true;
        },
        execute({ amount }) {
          expectTypeOf(amount).toEqualTypeOf<number>();
        },
      }),
      echoTool(),
      ...list,
    ],
  });
  createAgent({
    model,
    // @ts-expect-error -- a tool without a description
    tools: [{ name: "odd" }],
  });
  expectTypeOf<ToolContract>().toExtend<AnyTool>();
});

test("run gives a text, and the events of a turn are those of the kernel", () => {
  const agent = createAgent({ model });

  expectTypeOf(agent.run).returns.toEqualTypeOf<Promise<string>>();
  expectTypeOf(createSession({ agent }).run).returns.toEqualTypeOf<Promise<string>>();
  expectTypeOf(agent.runStream("Hello")).toExtend<AsyncIterable<SessionEvent>>();
});
