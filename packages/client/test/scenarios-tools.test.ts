/** The same sentences about tools, however the session is reached. */
import { defineTool } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { assertValidTranscript, callTool, reply, say, tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { transports } from "./transports.ts";

const input = { type: "object" } as const;

const add = defineTool({
  name: "add",
  description: "Adds two numbers",
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
});

function rolesOf(messages: readonly ChatMessage[]): string[] {
  return messages.map(({ role }) => role);
}

function outputsOf(messages: readonly ChatMessage[]): unknown[] {
  return messages.filter((message) => message.role === "tool").map(({ content }) => content);
}

describe.each(transports)("%s", (_, open) => {
  test("a tool is run with what the model sent, and its output goes back", async () => {
    const { session, provider } = await open([callTool("add", { a: 2, b: 3 }), say("Five")], [add]);

    const turn = session.send("2 + 3?");
    const events = await Array.fromAsync(turn);
    const { text, messages } = await turn.response;

    expect(text).toBe("Five");
    expect(rolesOf(messages)).toEqual(["assistant", "tool", "assistant"]);
    expect(messages[1]).toMatchObject({ content: "5", isError: false });
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: "5" });
    expect(events.map(({ type }) => type)).toContain("tool_execution_end");
    assertValidTranscript(session.state.messages);
  });

  test("calls of one step run at the same time, and their results stand in call order", async () => {
    const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const meet = defineTool({
      name: "meet",
      description: "Waits for the other one",
      input: z.object({ me: z.number(), other: z.number() }),
      execute: async ({ me, other }) => {
        both[me]?.resolve();
        await both[other]?.promise;
        return `met ${other}`;
      },
    });
    const calls = reply(
      callTool("meet", { me: 0, other: 1 }),
      callTool("meet", { me: 1, other: 0 }),
    );
    const { session } = await open([calls, say("Met")], [meet]);

    const { messages, status } = await session.send("Go").response;

    expect(status).toBe("completed");
    expect(outputsOf(messages)).toEqual(["met 1", "met 0"]);
  });

  test("a tool that throws is an error that the model reads", async () => {
    const fail = defineTool({
      name: "fail",
      description: "Fails",
      input,
      execute: () => {
        throw new Error("no paper");
      },
    });
    const { session, provider } = await open([callTool("fail", {}), say("Sorry")], [fail]);

    const { text } = await session.send("Print").response;

    expect(text).toBe("Sorry");
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      content: "no paper",
      isError: true,
    });
  });

  test("steering reaches the model behind the results of the step under way", async () => {
    const started = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = defineTool({
      name: "slow",
      description: "Takes its time",
      input,
      execute: async () => {
        started.resolve();
        await go.promise;
        return "done";
      },
    });
    const { session, provider } = await open([callTool("slow", {}), say("As you like")], [slow]);
    const turn = session.send("Begin");
    await started.promise;

    const { id } = await session.steer("Only indoors");
    go.resolve();
    const { text, messages } = await turn.response;

    expect(text).toBe("As you like");
    expect(rolesOf(messages)).toEqual(["assistant", "tool", "user", "assistant"]);
    expect(messages[2]?.id).toBe(id);
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ content: "Only indoors" });
  });

  test("an abort reaches a tool that runs", async () => {
    const started = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const hang = defineTool({
      name: "hang",
      description: "Hangs",
      input,
      execute: (__, { signal }) => {
        started.resolve();
        signal.addEventListener("abort", () => stopped.resolve());
        return stopped.promise;
      },
    });
    const { session } = await open([callTool("hang", {})], [hang]);
    const turn = session.send("Go");
    await started.promise;

    turn.abort();
    const { status } = await turn.response;
    await stopped.promise;

    expect(status).toBe("aborted");
    expect(rolesOf(session.state.messages)).toEqual(["user", "assistant", "tool", "user"]);
    assertValidTranscript(session.state.messages);
  });

  test("a call that needs an approval waits for it, runs exactly what was shown, or is refused", async () => {
    const runs: unknown[] = [];
    const pay = defineTool({
      name: "pay",
      description: "Pays",
      input: z.object({ euros: z.number() }),
      needsApproval: true,
      execute: ({ euros }) => {
        runs.push(euros);
        return "paid";
      },
    });
    const script = [
      callTool("pay", { euros: 5 }),
      say("Paid"),
      callTool("pay", { euros: 9 }),
      say("Not paid"),
    ];
    const { session } = await open(script, [pay]);

    const first = await session.send("Pay 5").response;
    const [call] = first.pendingToolCalls ?? [];
    const { toolCallId = "", hash = "" } = call ?? {};
    const forged = await session.send([{ toolCallId, hash: "f00", approved: true }]).response;
    const paid = await session.send([{ toolCallId, hash, approved: true }]).response;
    const second = await session.send("Pay 9").response;
    const [other] = second.pendingToolCalls ?? [];
    const refusal = {
      toolCallId: other?.toolCallId ?? "",
      hash: other?.hash ?? "",
      approved: false,
    };
    const refused = await session.send([{ ...refusal, reason: "too much" }]).response;

    expect(first.status).toBe("awaiting_tool_execution");
    expect(call).toMatchObject({ kind: "approval", input: { euros: 5 } });
    expect(forged.error?.code).toBe("hash_mismatch");
    expect(paid.text).toBe("Paid");
    expect(refused.text).toBe("Not paid");
    expect(runs).toEqual([5]);
    expect(JSON.stringify(session.state.messages)).toContain("too much");
  });

  test("a step waits for an approval while another of its calls is run", async () => {
    const ask = defineTool({
      name: "ask",
      description: "Asks",
      input,
      needsApproval: true,
      execute: () => "yes",
    });
    const calls = reply(callTool("add", { a: 1, b: 1 }), callTool("ask", {}));
    const { session } = await open([calls, say("Both")], [add, ask]);

    const { status, pendingToolCalls = [] } = await session.send("Go").response;
    const [call] = pendingToolCalls;
    const { toolCallId = "", hash = "" } = call ?? {};
    const done = await session.send([{ toolCallId, hash, approved: true }]).response;

    expect(status).toBe("awaiting_tool_execution");
    expect(pendingToolCalls.map(({ toolName }) => toolName)).toEqual(["ask"]);
    expect(done.text).toBe("Both");
    expect(outputsOf(session.state.messages)).toEqual(["2", "yes"]);
  });

  test("parts of several kinds arrive as they are, also from a tool", async () => {
    const look = defineTool({
      name: "look",
      description: "Looks",
      input,
      execute: () => [tinyImage],
    });
    const { session, provider } = await open([callTool("look", {}), say("A dot")], [look]);

    const { text } = await session.send([{ type: "text", text: "What is this?" }, tinyImage])
      .response;

    expect(text).toBe("A dot");
    expect(provider.requests[0]?.messages.at(-1)).toMatchObject({
      content: [{ type: "text", text: "What is this?" }, tinyImage],
    });
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: [tinyImage],
    });
  });
});
