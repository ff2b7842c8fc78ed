/** A typed answer in a session: checked, sent back once, and the same in every host. */
import {
  callTool,
  echoTool,
  remoteTool,
  reply,
  say,
  scriptedProvider,
  stall,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { createWorld } from "./world.ts";

const output = z.object({ colour: z.enum(["red", "blue"]), at: z.coerce.date() });
const blue = say('{"colour":"blue","at":"2026-11-15"}');
const asDate = { colour: "blue", at: new Date("2026-11-15") };

test("the value of a typed answer is what the schema made of it, behind tools as well", async () => {
  const world = createWorld([callTool("echo"), blue], [echoTool()], { output });
  const session = world.host().createSession({ agent: "helper" });

  const response = await session.send("Which?").response;

  expect(response.output).toEqual(asDate);
  expect(response.text).toBe('{"colour":"blue","at":"2026-11-15"}');
});

test("a wrong answer is sent back with what is wrong, once in each turn", async () => {
  const wrong = say('{"colour":"green","at":"2026-11-15"}');
  const world = createWorld([wrong, blue, wrong, blue], [], { output });
  const session = world.host().createSession({ agent: "helper" });

  const first = await session.send("Which?").response;
  const second = await session.send("And now?").response;

  expect([first.output, second.output]).toEqual([asDate, asDate]);
  expect(session.messages[2]).toMatchObject({
    role: "user",
    source: "repair",
    content: expect.stringContaining("colour"),
  });
  expect(world.provider.requests).toHaveLength(4);
});

test("an answer that is wrong twice fails the turn, and the session takes the next one", async () => {
  const world = createWorld([say("blue"), say("Blue!"), blue], [], { output });
  const session = world.host().createSession({ agent: "helper" });

  const first = await session.send("Which?").response;
  const second = await session.send("As JSON").response;

  expect(first).toMatchObject({ status: "error", error: { code: "invalid_output" } });
  expect(first).not.toHaveProperty("output");
  expect(second.output).toEqual(asDate);
});

test("a turn that goes on in another host, and one that is asked for again, have the typed answer too", async () => {
  const world = createWorld([callTool("remote"), blue], [remoteTool()], { output });
  const session = world.host().createSession({ agent: "helper" });
  const waiting = await session.send("Which?", { id: "t1" }).response;

  const elsewhere = await world.host().open(session.id);
  const answers = elsewhere.pendingToolCalls.map(({ toolCallId }) => ({
    toolCallId,
    output: "yes",
  }));
  const going = await elsewhere.send(answers).response;

  expect(waiting).not.toHaveProperty("output");
  expect(going.output).toEqual(asDate);
});

test("the turn of an id that was sent before has its typed answer again", async () => {
  const world = createWorld([blue], [], { output });
  const session = world.host().createSession({ agent: "helper" });
  await session.send("Which?", { id: "t1" }).response;

  const elsewhere = await world.host().open(session.id);
  const again = await elsewhere.send("Which?", { id: "t1" }).response;

  expect(again.output).toEqual(asDate);
  expect(world.provider.requests).toHaveLength(1);
});

test("what was stopped, or ended for another reason than an answer, has none", async () => {
  const world = createWorld([reply(blue, stall()), callTool("echo")], [echoTool()], {
    output,
    stopWhen: () => true,
  });
  const session = world.host().createSession({ agent: "helper" });
  const turn = session.send("Which?");
  await world.clock.advance(0);
  await session.abort();
  const stopped = await turn.response;
  await session.waitForIdle();

  const ended = await session.send("Which?").response;

  expect(stopped).toMatchObject({ status: "aborted" });
  expect(stopped).not.toHaveProperty("output");
  expect(ended).toMatchObject({ status: "completed", finishReason: "stop" });
  expect(ended).not.toHaveProperty("output");
});

test("the provider is told the form of the answer, and what is known of the model", async () => {
  const provider = scriptedProvider([blue], { contextWindow: 9_000 });
  const plain = z.object({ colour: z.enum(["red", "blue"]) });
  const world = createWorld([], [], { output: plain, model: provider });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Which?").response;

  expect(provider.requests[0]?.options).toMatchObject({
    modelFacts: { contextWindow: 9_000 },
    output: {
      name: "answer",
      schema: { type: "object", properties: { colour: { enum: ["red", "blue"] } } },
    },
  });
});
