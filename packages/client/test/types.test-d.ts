import type { ClientSession } from "@capstan/client";
import { connect, lendTool } from "@capstan/client";
import { chatTransport } from "@capstan/client/chat";
import { defineTool } from "@capstan/core";
import type { JsonValue, ToolContract, Turn } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { ChatTransport, UIMessage } from "ai";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

test("a lent tool gets what its schema gives", () => {
  lendTool({
    name: "add",
    description: "Adds",
    input: z.object({ a: z.number(), b: z.string().transform(Number) }),
    execute(input, { signal, toolCallId }) {
      expectTypeOf(input).toEqualTypeOf<{ a: number; b: number }>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(toolCallId).toEqualTypeOf<string>();
      return input.a + input.b;
    },
  });
});

test("one with a JSON Schema gets JSON", () => {
  lendTool({
    name: "any",
    description: "Any",
    input: { type: "object" },
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ readonly [key: string]: JsonValue }>();
      return "";
    },
  });
});

test("tools of both kinds are lent together, and a turn is a turn", () => {
  const lent = lendTool({
    name: "a",
    description: "A",
    input: { type: "object" },
    execute: () => "",
  });
  const defined = defineTool({
    name: "b",
    description: "B",
    input: z.object({ n: z.number() }),
    execute: ({ n }) => n,
  });
  const session = connect({ url: "http://a.test", token: "t", tools: [lent, defined] }).session(
    "s",
  );

  expectTypeOf(lent).toEqualTypeOf<ToolContract>();
  expectTypeOf(session).toEqualTypeOf<ClientSession>();
  expectTypeOf(session.send("Hi")).toEqualTypeOf<Turn<unknown, SessionEvent>>();
});

test("an option that may be missing can be passed as it is", () => {
  const token = process.env["SOME_TOKEN"];

  expectTypeOf({ url: "http://a.test", token }).toExtend<Parameters<typeof connect>[0]>();
  connect({ url: "http://a.test", token, credentials: undefined, retry: undefined });
});

test("the transport is one of the AI SDK", () => {
  const transport = chatTransport({ client: connect({ url: "" }) });

  expectTypeOf(transport).toExtend<ChatTransport<UIMessage>>();
});
