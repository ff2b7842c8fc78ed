/** Guards of an agent: what they judge, what becomes of what they reject, and what survives a crash. */
import { createAgent, createHost, createSession } from "@capstan/core";
import type { AgentInit, SessionEvent } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { callTool, echoTool, manualClock, say, scriptedProvider } from "@capstan/testing";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";

const polite = ({ text }: { readonly text: string }) =>
  text.includes("harm") ? "Not about harm, please" : undefined;

function textsShown(provider: ReturnType<typeof scriptedProvider>, request: number): unknown[] {
  const { messages = [] } = provider.requests[request] ?? {};
  return messages.map((message) =>
    message.role === "user" ? message.content : message.role === "assistant" ? "reply" : "",
  );
}

const discreet = ({ text }: { readonly text: string }) =>
  text.includes("secret") ? "It tells a secret" : undefined;

async function sentTwice(
  guards: NonNullable<AgentInit["guards"]>,
  script: Parameters<typeof scriptedProvider>[0],
) {
  const model = scriptedProvider(script);
  const session = createSession({ agent: createAgent({ model, guards }) });
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  const first = await session.send("Tell").response;
  const second = await session.send("Go on").response;
  const { entries } = await session.read();
  await session.close();
  return { model, first, second, events, entries };
}

const shownAt = async (isIncremental: boolean) => {
  let deltas = 0;
  const atVerdict: number[] = [];
  const agent = createAgent({
    model: scriptedProvider([[say("One "), say("two "), say("three ")]]),
    guards: {
      output: {
        isIncremental,
        check: ({ message }) => {
          if (message !== undefined) atVerdict.push(deltas);
          return undefined;
        },
      },
    },
  });
  for await (const event of agent.runStream("Count")) {
    if (event.type === "text_delta") deltas++;
  }
  return { deltas, atVerdict };
};

describe("an input guard", () => {
  test("ends the turn before a request, and its reason is the error", async () => {
    const model = scriptedProvider([]);
    const agent = createAgent({ model, guards: { input: polite } });

    const response = await agent.runTurn({ input: "Do harm" }).response;

    expect(response).toMatchObject({
      status: "error",
      hasAnswer: false,
      usage: {},
      error: { code: "input_rejected", message: "Not about harm, please", guard: "polite" },
    });
    expect(model.requests).toEqual([]);
    await expect(agent.run("Do harm")).rejects.toMatchObject({
      code: "no_answer",
      turnError: { code: "input_rejected" },
    });
  });

  test("keeps what it rejected from every later request; the transcript has it", async () => {
    const model = scriptedProvider([say("Hi"), say("Fine")]);
    const agent = createAgent({ model, guards: { input: polite } });
    const session = createSession({ agent });

    await session.send("Hello").response;
    await session.send("Now do harm").response;
    await session.send("How are you?").response;

    expect(textsShown(model, 1)).toEqual(["Hello", "reply", "How are you?"]);
    expect(session.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "user",
      "assistant",
    ]);
    await session.close();
  });

  test("judges steering too", async () => {
    const model = scriptedProvider([callTool("echo"), say("Never")]);
    const agent = createAgent({ model, tools: [echoTool()], guards: { input: polite } });
    const session = createSession({ agent });

    const turn = session.send("Hello");
    for await (const event of turn) {
      if (event.type === "tool_execution_start") await session.steer("Do harm with it");
    }

    expect(await turn.response).toMatchObject({ error: { code: "input_rejected" } });
    expect(model.requests).toHaveLength(1);
    await session.close();
  });

  test("learns who is asking; the first of several that rejects counts", async () => {
    const seen: unknown[] = [];
    const agent = createAgent({
      model: scriptedProvider([]),
      appContext: z.object({ tenant: z.string() }),
      guards: {
        input: [
          ({ app, session }) => void seen.push(app.tenant, session.id),
          { name: "second", check: async () => ({ reason: "Enough" }) },
          { name: "third", check: () => "Never asked" },
        ],
      },
    });

    const { error } = await agent.runTurn({ id: "t", input: "Hi", app: { tenant: "acme" } })
      .response;

    expect(seen).toEqual(["acme", "t"]);
    expect(error).toMatchObject({ guard: "second", message: "Enough" });
  });
});

describe("an output guard", () => {
  test("rejects a reply that no reader and no model sees; the log has it as rejected", async () => {
    const { model, first, second, events, entries } = await sentTwice({ output: discreet }, [
      say("The secret is 7"),
      say("Fine"),
    ]);

    expect(first).toMatchObject({
      status: "error",
      text: "",
      messages: [],
      error: { code: "output_rejected", message: "It tells a secret", guard: "discreet" },
    });
    expect(second).toMatchObject({ status: "completed", text: "Fine" });
    expect(JSON.stringify(events)).not.toContain("secret is 7");
    expect(JSON.stringify(model.requests[1])).not.toContain("secret is 7");
    expect(entries).toContainEqual(
      expect.objectContaining({
        type: "attempt_ended",
        outcome: "rejected",
        rejected: expect.objectContaining({ content: [{ type: "text", text: "The secret is 7" }] }),
      }),
    );
  });

  test("may have the model asked once more, which learns the reason", async () => {
    const { model, first, events } = await sentTwice(
      {
        output: ({ text }) =>
          text.includes("secret") ? { reason: "It tells a secret", retry: true } : undefined,
      },
      [say("The secret is 7"), say("I cannot tell"), say("Fine")],
    );

    expect(first).toMatchObject({ status: "completed", text: "I cannot tell" });
    expect(textsShown(model, 1)).toEqual(["Tell", expect.stringContaining("It tells a secret")]);
    expect(JSON.stringify(events)).not.toContain("secret is 7");
  });

  test("lets events through only with the verdict, unless it is incremental", async () => {
    expect(await shownAt(false)).toEqual({ deltas: 3, atVerdict: [0] });
    expect(await shownAt(true)).toMatchObject({ deltas: 3 });
  });

  test("whose process dies before the verdict: the reply is asked for again, and was never shown", async () => {
    const repository = memoryRepository();
    const clock = manualClock();
    const asked = vi.fn<() => void>();
    const make = (script: Parameters<typeof scriptedProvider>[0], isStuck: boolean) => {
      const model = scriptedProvider(script);
      const check = isStuck
        ? () => (asked(), new Promise<undefined>(() => {}))
        : ({ text }: { readonly text: string }) => discreet({ text });
      const agent = createAgent({ model, guards: { output: { name: "discreet", check } } });
      return createHost({ agents: [agent], repository, clock, leaseMs: 1_000 });
    };
    const first = make([say("The secret is 7")], true);
    const opened = first.createSession({ agent: "agent", id: "s1" });
    void opened.send("Tell", { id: "t" });
    await vi.waitFor(() => expect(asked).toHaveBeenCalledOnce());
    await first.close();

    const second = make([say("I cannot tell")], false);
    const session = await second.open("s1");
    await session.waitForIdle();

    expect(session.messages.at(-1)).toMatchObject({
      role: "assistant",
      content: [{ text: "I cannot tell" }],
    });
    expect(JSON.stringify((await session.read()).entries)).not.toContain("secret is 7");
    await second.close();
  });

  test("and one that fails ends the turn without a word of the reply", async () => {
    const agent = createAgent({
      model: scriptedProvider([say("Who knows")]),
      guards: { output: () => Promise.reject(new Error("no network")) },
    });

    const turn = agent.runTurn({ input: "Tell" });
    const events = await Array.fromAsync(turn);

    expect(await turn.response).toMatchObject({
      status: "error",
      messages: [],
      error: { code: "callback_failed", message: expect.stringContaining("no network") },
    });
    expect(JSON.stringify(events)).not.toContain("Who knows");
  });
});
