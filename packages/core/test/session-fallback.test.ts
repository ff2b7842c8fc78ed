/** A provider that falls back on other models, in sessions that crash, wait and go on. */
import { createAgent } from "@capstan/core";
import type { FallbackModel, ProviderContract } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failBefore,
  remoteTool,
  say,
  scriptedProvider,
  stall,
} from "@capstan/testing";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "./mortal.ts";
import { createWorld } from "./world.ts";

const leaseMs = 30_000;

function fallingBack(...models: readonly FallbackModel[]): ProviderContract {
  const stream: ProviderContract["stream"] = (request) => {
    const model = models[request.modelIndex ?? 0];
    if (model === undefined) throw new Error("There is no such model");
    return model.provider.stream(request);
  };
  return { id: "a", contextWindow: 100_000, fallback: { models, on: ["overloaded"] }, stream };
}

interface Member {
  readonly provider: ScriptedProvider;
  readonly id: string;
}

function member(id: string, ...script: readonly ScriptItem[]): Member {
  return { provider: scriptedProvider(script, { id }), id: "m" };
}

test("after a crash the turn goes on with the model that was being asked", async () => {
  const a = member("a", failBefore("overloaded"));
  const b = member("b", stall(), say("Done"));
  const world = createWorld([], [], { model: { provider: fallingBack(a, b), id: "m" } });
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);
  process.die();

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect(a.provider.requests).toHaveLength(1);
  expect(b.provider.requests).toHaveLength(2);
  const discarded = world.events(session.id).map(({ event }) => event);
  expect(discarded.filter((event) => event.type === "attempt_discarded")).toMatchObject([
    { model: "a/m", error: { code: "overloaded" } },
    { model: "b/m" },
  ]);
});

test("after a crash between two attempts the next model is asked", async () => {
  const a = member("a", failBefore("overloaded"));
  const b = member("b", say("Done"));
  const world = createWorld([], [], { model: { provider: fallingBack(a, b), id: "m" } });
  const process = mortal(world.repository);
  process.dieAfter("attempt_ended");
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect([a, b].map(({ provider }) => provider.requests.length)).toEqual([1, 1]);
});

test("after a crash between two attempts a model whose failure is not one to fall back on is asked again", async () => {
  const a = member("a", failBefore("rate_limit"), say("Done"));
  const b = member("b");
  const world = createWorld([], [], {
    model: { provider: fallingBack(a, b), id: "m" },
    retry: { maxAttempts: 2 },
  });
  const process = mortal(world.repository);
  process.dieAfter("attempt_ended");
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect([a, b].map(({ provider }) => provider.requests.length)).toEqual([2, 0]);
});

test("after a crash in a tool the step that follows asks the model that called it", async () => {
  const a = member("a", failBefore("overloaded"));
  const b = member("b", callTool("echo"), say("Done"));
  const tools = [echoTool({ effect: "pure" })];
  const world = createWorld([], tools, { model: { provider: fallingBack(a, b), id: "m" } });
  const process = mortal(world.repository);
  process.dieAfter("tool_intent");
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
  expect([a, b].map(({ provider }) => provider.requests.length)).toEqual([1, 2]);
});

test("a turn that goes on after an answer stays with its model, and a new turn begins with the first", async () => {
  const a = member("a", failBefore("overloaded"), say("Again"));
  const b = member("b", callTool("ask"), say("Done"));
  const tools = [remoteTool({ name: "ask" })];
  const world = createWorld([], tools, { model: { provider: fallingBack(a, b), id: "m" } });
  const session = world.host().createSession({ agent: "helper" });

  const { pendingToolCalls } = await session.send("Hello").response;
  const { toolCallId } = pendingToolCalls?.[0] ?? { toolCallId: "" };
  const second = await session.send([{ toolCallId, output: "yes" }]).response;
  const third = await session.send("Next").response;

  expect([second.text, third.text]).toEqual(["Done", "Again"]);
  expect([a, b].map(({ provider }) => provider.requests.length)).toEqual([2, 2]);
});

test("hosts of one model that have one name are told apart", async () => {
  const hosts = [
    member("a", failBefore("overloaded")),
    member("a", failBefore("overloaded")),
    member("a", stall(), say("Done")),
  ];
  const world = createWorld([], [], { model: { provider: fallingBack(...hosts), id: "m" } });
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "helper" });
  session.send("Hello");
  await world.clock.advance(0);
  process.die();

  await world.host().open(session.id);
  await world.clock.advance(leaseMs + 2_000);

  expect(hosts.map(({ provider }) => provider.requests.length)).toEqual([1, 1, 2]);
});

test.each([
  ["stands elsewhere in it", ["c", "b"], "b"],
  ["is not in it any more", ["c", "d"], "c"],
])(
  "after a crash a model that %s, as the list has changed, is looked for by its name",
  async (_, ids, expected) => {
    const before = fallingBack(member("a", failBefore("overloaded")), member("b", stall()));
    const members = ids.map((id) => member(id, say("Done")));
    const world = createWorld([], [], { model: { provider: before, id: "m" } });
    const process = mortal(world.repository);
    const session = world
      .host({ repository: process.repository })
      .createSession({ agent: "helper" });
    session.send("Hello");
    await world.clock.advance(0);
    process.die();

    const agent = createAgent({
      name: "helper",
      model: { provider: fallingBack(...members), id: "m" },
    });
    const elsewhere = await world.host({ agents: [agent] }).open(session.id);
    await world.clock.advance(leaseMs + 2_000);

    expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Done" }] });
    const asked = members.filter(({ provider }) => provider.requests.length > 0);
    expect(asked.map(({ provider }) => provider.id)).toEqual([expected]);
  },
);
