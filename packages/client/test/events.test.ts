/** Who hears of what, where several listen and some want to hear it again. */
import type { SessionEvent } from "@capstan/log";
import { reply, say, wait } from "@capstan/testing";
import { expect, test } from "vitest";
import { client, serve } from "./transports.ts";

test("who subscribes to a session that is not there yet hears it begin", async () => {
  const { node } = await serve([say("Hello")]);
  const session = client(node.url).createSession();
  const told: string[] = [];
  const settled = Promise.withResolvers<void>();
  session.subscribe(({ type }) => {
    told.push(type);
    if (type === "settled") settled.resolve();
  });

  await session.send("Hi").response;
  await settled.promise;

  expect(told[0]).toBe("turn_start");
  expect(told).toContain("text_delta");
  expect(told.filter((type) => type === "turn_end")).toHaveLength(1);
});

test("a turn that is asked for again is told to who asked, and to nobody else twice", async () => {
  const gate = Promise.withResolvers<void>();
  const { node } = await serve([say("One"), reply(say("Tw"), wait(gate.promise), say("o"))]);
  const session = client(node.url).session("chat");
  await session.send("First", { id: "t1" }).response;
  const told: SessionEvent[] = [];
  session.subscribe((event) => void told.push(event));
  const second = session.send("Second", { id: "t2" });
  const reading = Array.fromAsync(second);
  await expect.poll(() => told.map(({ type }) => type)).toContain("text_delta");

  const again = session.send("First", { id: "t1" });
  const repeated = await Array.fromAsync(again);
  gate.resolve();
  const events = await reading;
  await session.waitForIdle();

  expect((await again.response).text).toBe("One");
  expect(repeated.map(({ type }) => type)).toContain("turn_end");
  expect(repeated.every(({ turnId }) => turnId === "t1")).toBe(true);
  expect((await second.response).text).toBe("Two");
  expect(endsOf(events)).toEqual(["t2", "t2_3"]);
  expect(endsOf(told)).toEqual(["t2", "t2_3"]);
});

/** The ids of the messages that were told to be whole. */
function endsOf(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => (event.type === "message_end" ? event.message.id : []));
}

test("a listener that throws harms nobody, and one that has stopped hears nothing", async () => {
  const { node } = await serve([say("One"), say("Two")]);
  const session = client(node.url).session("chat");
  const told: string[] = [];
  session.subscribe(() => {
    throw new Error("not mine");
  });
  const stop = session.subscribe(({ type }) => void told.push(type));
  await session.send("First").response;
  await session.waitForIdle();

  stop();
  const heard = told.length;
  const { text } = await session.send("Second").response;
  await session.waitForIdle();

  expect(heard).toBeGreaterThan(4);
  expect(text).toBe("Two");
  expect(told).toHaveLength(heard);
});
