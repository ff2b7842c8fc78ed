import { createAgent, defineTool, memoryRepository, suspend } from "@capstan/core";
import type { Agent } from "@capstan/core";
import { callTool, remoteTool, say, scriptedProvider } from "@capstan/testing";
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ServedWorld } from "./served-world.ts";
import { servedWorld, sessionOf, textsOf } from "./served-world.ts";

const elicitation = { elicitation: { form: {} } };

/** Counts what it does, and must be approved. */
function payer(paid: number[], name = "payer", times = 1): Agent {
  const pay = defineTool({
    name: "pay",
    description: "Pays",
    input: z.object({ amount: z.number() }),
    needsApproval: true,
    execute({ amount }) {
      paid.push(amount);
      return `paid ${amount}`;
    },
  });
  const asking = Array.from({ length: times }, () => callTool("pay", { amount: 5 }));
  const model = scriptedProvider([...asking, say("All paid.")]);
  return createAgent({ name, model, tools: [pay] });
}

/** Asks with a form of its own. */
function booker(): Agent {
  const book = defineTool({
    name: "book",
    description: "Books",
    input: z.object({}),
    execute(_input, { resumed }) {
      const [answer] = resumed?.answers ?? [];
      if (answer?.state === "settled") return `booked with ${JSON.stringify(answer.result.output)}`;
      const schema = { type: "object", properties: { seat: { type: "string" } } };
      const input = { mode: "form", message: "Which seat?", schema };
      return suspend({ questions: [{ kind: "execution", input }], state: null });
    },
  });
  const model = scriptedProvider([callTool("book", {}), say("Booked.")]);
  return createAgent({ name: "booker", model, tools: [book] });
}

/** Connects a client whose user answers so. */
async function connect(
  world: ServedWorld,
  isLegacy: boolean,
  answer: (asked: ElicitRequest["params"]) => ElicitResult,
): Promise<Awaited<ReturnType<ServedWorld["connect"]>>> {
  const client = await world.connect({ isLegacy, capabilities: elicitation });
  client.setRequestHandler("elicitation/create", ({ params }) => answer(params));
  return client;
}

describe.each([
  ["2026-07-28", false],
  ["2025-11-25", true],
])("the user of a client of %s", (_version, isLegacy) => {
  test("is asked before a call that needs an approval, and sees its input", async () => {
    const paid: number[] = [];
    await using world = await servedWorld([payer(paid)]);
    let message = "";
    const client = await connect(world, isLegacy, (asked) => {
      message = asked.message;
      return { action: "accept", content: { approve: true } };
    });

    const result = await client.callTool({ name: "payer", arguments: { prompt: "Pay" } });

    expect(message).toContain("pay");
    expect(message).toContain('"amount": 5');
    expect([paid, textsOf(result)[0]]).toEqual([[5], "All paid."]);
  });

  test.each([
    ["declines", { action: "decline" }],
    ["closes the question", { action: "cancel" }],
    ["says no", { action: "accept", content: { approve: false, reason: "too much" } }],
  ] as const)("%s, and nothing runs", async (_what, answer) => {
    const paid: number[] = [];
    await using world = await servedWorld([payer(paid)]);
    const client = await connect(world, isLegacy, () => answer);

    const result = await client.callTool({ name: "payer", arguments: { prompt: "Pay" } });

    expect([paid, textsOf(result)[0]]).toEqual([[], "All paid."]);
  });

  test("fills in a form of a tool", async () => {
    await using world = await servedWorld([booker()]);
    const client = await connect(world, isLegacy, (asked) => {
      expect(asked).toMatchObject({ message: "Which seat?", requestedSchema: { type: "object" } });
      return { action: "accept", content: { seat: "12A" } };
    });

    const result = await client.callTool({ name: "booker", arguments: { prompt: "Book" } });

    const { messages } = await world.host.open(sessionOf(result));
    expect(JSON.stringify(messages)).toContain("12A");
    expect(textsOf(result)[0]).toBe("Booked.");
  });

  test("answers for a tool that runs elsewhere", async () => {
    const model = scriptedProvider([callTool("remote", { place: "door" }), say("Thanks.")]);
    const agent = createAgent({ name: "asker", model, tools: [remoteTool()] });
    await using world = await servedWorld([agent]);
    const client = await connect(world, isLegacy, (asked) => {
      expect(asked.message).toContain('"place": "door"');
      return { action: "accept", content: { answer: "it is open" } };
    });

    const result = await client.callTool({ name: "asker", arguments: { prompt: "Look" } });

    const { messages } = await world.host.open(sessionOf(result));
    expect(messages[2]).toMatchObject({ role: "tool", content: "it is open" });
  });

  test("is not asked by a client without elicitation: the result says what waits", async () => {
    const paid: number[] = [];
    await using world = await servedWorld([payer(paid)]);
    const client = await world.connect({ isLegacy });

    const result = await client.callTool({ name: "payer", arguments: { prompt: "Pay" } });

    expect(result.isError).toBe(true);
    expect(textsOf(result)[0]).toContain("Allow the agent to run pay");
    expect(paid).toEqual([]);
    const session = await world.host.open(sessionOf(result));
    await session.approve(session.pendingToolCalls[0] ?? "").response;
    const over = await client.callTool({ name: "payer", arguments: { session: session.id } });
    expect([paid, textsOf(over)[0]]).toEqual([[5], "All paid."]);
  });
});

test("what a client cannot ask is refused, if that is wanted, and the agent goes on", async () => {
  const paid: number[] = [];
  await using world = await servedWorld([payer(paid)], { ifCannotAsk: "refuse" });
  const client = await world.connect();

  const result = await client.callTool({ name: "payer", arguments: { prompt: "Pay" } });

  expect([paid, textsOf(result)[0]]).toEqual([[], "All paid."]);
  const { messages } = await world.host.open(sessionOf(result));
  expect(JSON.stringify(messages[2])).toContain("cannot ask its user");
});

/** The first answer to a call: `input_required`. */
async function asked(
  world: ServedWorld,
  principal = "ann",
): Promise<{ requestState: string; key: string }> {
  const client = await world.connect({
    principal,
    capabilities: elicitation,
    client: { inputRequired: { autoFulfill: false } },
  });
  const result: unknown = await client.callTool(
    { name: "payer", arguments: { prompt: "Pay" } },
    { allowInputRequired: true },
  );
  const { requestState, inputRequests } = result as {
    readonly requestState: string;
    readonly inputRequests: object;
  };
  return { requestState, key: Object.keys(inputRequests)[0] ?? "" };
}

async function answered(
  world: ServedWorld,
  requestState: string,
  inputResponses: Readonly<Record<string, unknown>>,
  options: { readonly principal?: string; readonly name?: string } = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { principal = "ann", name = "payer" } = options;
  const response = await fetch(world.url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${principal}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name,
        arguments: { prompt: "Pay" },
        requestState,
        inputResponses,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": elicitation,
        },
      },
    }),
  });
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

const yes = { action: "accept", content: { approve: true } };

test("an answer counts in another process, after the first one has died", async () => {
  const paid: number[] = [];
  const repository = memoryRepository();
  const first = await servedWorld([payer(paid)], { repository });
  const { requestState, key } = await asked(first);
  await first[Symbol.asyncDispose]();

  await using second = await servedWorld([payer(paid, "payer", 0)], { repository });
  const { result } = await answered(second, requestState, { [key]: yes });

  expect([paid, textsOf(result as object)[0]]).toEqual([[5], "All paid."]);
});

test("a request that is repeated with the same state runs nothing twice, whatever it answers", async () => {
  const paid: number[] = [];
  await using world = await servedWorld([payer(paid)]);
  const { requestState, key } = await asked(world);

  const all = await Promise.all([
    answered(world, requestState, { [key]: yes }),
    answered(world, requestState, { [key]: yes }),
  ]);
  const later = await answered(world, requestState, { [key]: { action: "decline" } });

  const texts = [...all, later].map(({ result }) => textsOf(result as object)[0]);
  expect(texts).toEqual(["All paid.", "All paid.", "All paid."]);
  expect(paid).toEqual([5]);
});

test("an answer that is missing or does not fit is asked for again", async () => {
  const paid: number[] = [];
  await using world = await servedWorld([payer(paid)]);
  const { requestState, key } = await asked(world);

  const missing = await answered(world, requestState, {});
  const wrong = await answered(world, requestState, {
    [key]: { action: "accept", content: { approve: "yes" } },
  });

  expect(missing["result"]).toMatchObject({ resultType: "input_required", requestState });
  expect(JSON.stringify(wrong["result"])).toContain("`approve` must be true or false.");
  expect(paid).toEqual([]);
});

test("a state that is forged, cut, of another session, principal or tool is refused", async () => {
  const paid: number[] = [];
  await using world = await servedWorld([payer(paid, "payer", 2), payer([], "other")]);
  const { requestState, key } = await asked(world);
  const another = await asked(world, "bob");
  const [mine = "", check = ""] = requestState.split(".");
  const [theirs = ""] = another.requestState.split(".");
  const responses = { [key]: yes };

  const refused = [
    await answered(world, "", responses),
    await answered(world, "null.null", responses),
    await answered(world, requestState.slice(0, -1), responses),
    await answered(world, `${mine}.`, responses),
    await answered(world, `${theirs}.${check}`, responses),
    await answered(world, "x".repeat(100_000), responses),
    await answered(world, requestState, responses, { principal: "bob" }),
    await answered(world, another.requestState, { [another.key]: yes }),
    await answered(world, requestState, responses, { name: "other" }),
  ];

  const state = { code: -32_602, message: "Invalid or expired requestState" };
  expect(refused.map(({ error }) => error)).toEqual(
    refused.map(() => ({ ...state, data: { reason: "invalid_request_state" } })),
  );
  expect(paid).toEqual([]);
});
