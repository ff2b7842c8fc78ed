import type {
  AgentEvent,
  AgentEventBody,
  AssistantMessage,
  ChatMessage,
  FinishReason,
  OpenCall,
  PendingCall,
  ProviderContract,
  ProviderPart,
  RunTurnInput,
  ShownTurn,
  RunTurnResult,
  ToolContract,
  ToolExecuteContext,
  ToolExecutionEvent,
  ToolResult,
  Turn,
  TurnResponse,
  Usage,
} from "@capstan/kernel";
import { agentLoop, runTurn, showFact } from "@capstan/kernel";
import { expectTypeOf, test } from "vitest";

const tool = { description: "", inputSchema: {} } as const;

function read(event: AgentEvent): void {
  switch (event.type) {
    case "text_delta":
      expectTypeOf(event.delta).toEqualTypeOf<string>();
      // @ts-expect-error -- only an end has the whole text
      void event.text;
      return;
    case "turn_end":
      expectTypeOf(event.usage).toEqualTypeOf<Usage>();
      expectTypeOf(event.pending).toEqualTypeOf<readonly PendingCall[] | undefined>();
      return;
    case "message_end":
      expectTypeOf(event.message).toEqualTypeOf<ChatMessage>();
      return;
    default:
      // @ts-expect-error -- the other events are not handled yet
      event satisfies never;
  }
}

test("the type of an event tells which fields it has", () => {
  expectTypeOf(read).parameter(0).toEqualTypeOf<AgentEvent>();
});

test("every event in process has the ids of its conversation and turn; a body has neither", () => {
  expectTypeOf<AgentEvent["conversationId"]>().toEqualTypeOf<string>();
  expectTypeOf<AgentEvent["turnId"]>().toEqualTypeOf<string>();
  expectTypeOf<Extract<keyof AgentEventBody, string>>().toEqualTypeOf<"type">();
});

test("events have the ids that the turn was given, which must be given if they are not the default", () => {
  type Ids = { readonly room: string; readonly turnId: string };
  const { input } = {} as { readonly input: RunTurnInput<Ids> };

  expectTypeOf<AgentEvent<Ids>["room"]>().toEqualTypeOf<string>();
  expectTypeOf<Turn<string, AgentEvent<Ids>>["events"]>().toEqualTypeOf<
    AsyncIterable<AgentEvent<Ids>>
  >();
  expectTypeOf(showFact<Ids>)
    .parameter(1)
    .toEqualTypeOf<ShownTurn<Ids>>();
  // @ts-expect-error -- its listener reads `room`
  expectTypeOf(() => runTurn(input)).toBeFunction();
  expectTypeOf(() => runTurn(input, { room: "r1", turnId: "t1" })).toBeFunction();
});

test("the role of a message tells its content", () => {
  expectTypeOf<Extract<ChatMessage, { role: "assistant" }>>().toEqualTypeOf<AssistantMessage>();
  expectTypeOf<Extract<ChatMessage, { role: "system" }>["content"]>().toEqualTypeOf<string>();
  expectTypeOf<ChatMessage["id"]>().toEqualTypeOf<string>();
});

test("finish reasons stay open and still suggest the known ones", () => {
  expectTypeOf<"stop">().toExtend<FinishReason>();
  expectTypeOf<"something-a-vendor-says">().toExtend<FinishReason>();
  expectTypeOf<string>().toExtend<FinishReason>();
  expectTypeOf<number>().not.toExtend<FinishReason>();
  // With a plain string in the union the known ones would be gone.
  expectTypeOf<string extends FinishReason ? FinishReason : never>().not.toEqualTypeOf<string>();
});

test("tools with different inputs fit into one list", () => {
  const tools: readonly ToolContract[] = [
    { ...tool, name: "path", execute: (input: { readonly path: string }) => input.path },
    { ...tool, name: "count", execute: async (input: number) => ({ count: input }) },
    { ...tool, name: "none", execute: () => undefined },
    { ...tool, name: "remote" },
    {
      ...tool,
      name: "streaming",
      async *execute(input: { readonly lines: readonly string[] }) {
        yield { type: "delta", delta: input.lines.join() } satisfies ToolExecutionEvent;
      },
    },
  ];

  expectTypeOf(tools).toExtend<RunTurnInput["tools"]>();
});

test("a tool cannot be called without knowing what it takes", () => {
  expectTypeOf<Parameters<NonNullable<ToolContract["execute"]>>>().toEqualTypeOf<
    [input: never, context: ToolExecuteContext]
  >();
});

test("what no turn can go without is required, and nothing else", () => {
  type Required = {
    [K in keyof RunTurnInput]-?: undefined extends RunTurnInput[K] ? never : K;
  }[keyof RunTurnInput];

  expectTypeOf<Required>().toEqualTypeOf<
    "provider" | "messages" | "tools" | "dispatch" | "emit" | "conversationId" | "turnId"
  >();
});

test("a turn gives a result of the documented shape", () => {
  expectTypeOf(runTurn).returns.resolves.toEqualTypeOf<RunTurnResult>();
  expectTypeOf<RunTurnResult["messages"]>().toEqualTypeOf<readonly ChatMessage[]>();
  expectTypeOf<RunTurnResult["usage"]>().toEqualTypeOf<Usage>();
  expectTypeOf<RunTurnResult["finishReason"]>().toEqualTypeOf<FinishReason>();
});

test("a turn handle can be iterated and awaited", () => {
  expectTypeOf<Turn>().toExtend<AsyncIterable<AgentEvent>>();
  expectTypeOf<Turn["events"]>().toEqualTypeOf<AsyncIterable<AgentEvent>>();
  expectTypeOf<Turn["response"]>().resolves.toEqualTypeOf<TurnResponse>();
  expectTypeOf(agentLoop).returns.toEqualTypeOf<Turn>();
});

test("an async generator of parts is a provider", () => {
  const provider = {
    id: "mine",
    async *stream() {
      yield { type: "text_delta", delta: "Hi" } satisfies ProviderPart;
      yield { type: "finish", reason: "stop" } satisfies ProviderPart;
    },
  };

  expectTypeOf(provider).toExtend<ProviderContract>();
});

test("the state of an open call tells what goes with it", () => {
  expectTypeOf<Extract<OpenCall, { state: "settled" }>["result"]>().toEqualTypeOf<ToolResult>();
  expectTypeOf<Extract<OpenCall, { state: "started" }>["key"]>().toEqualTypeOf<string>();
});

test("inputs are read-only all the way down", () => {
  expectTypeOf<RunTurnInput>().toEqualTypeOf<Readonly<RunTurnInput>>();
  expectTypeOf<RunTurnInput["messages"]>().toEqualTypeOf<readonly ChatMessage[]>();
  expectTypeOf<AssistantMessage>().toEqualTypeOf<Readonly<AssistantMessage>>();
});
