import {
  cutOff,
  failAfter,
  failBefore,
  finish,
  hang,
  ping,
  reply,
  say,
  stall,
  wait,
} from "@capstan/testing";
import { cutConnection } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { vendors } from "./vendors.ts";

const ok = say("ok");

describe.each(vendors)("the emulator of $name", (vendor) => {
  const streaming = { ...vendor.body, stream: true };

  test("begins to stream when the script has something to say, and waits where it waits", async () => {
    const [early, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using emulator = await vendor.start([
      reply(wait(early.promise), say("o"), wait(late.promise), say("k")),
    ]);
    const asked = vendor.say(emulator);

    early.resolve();
    late.resolve();

    expect(await asked).toBe("ok");
  });

  test("sends a sign of life that changes nothing", async () => {
    await using emulator = await vendor.start([reply(ping(), say("ok"))]);

    const text = await vendor.say(emulator);

    expect(text).toBe("ok");
  });

  test("ends a stream too early, as if nothing had happened", async () => {
    await using emulator = await vendor.start([reply(say("o"), cutOff(), say("k"))]);

    const { status, text } = await vendor.ask(emulator, streaming);

    expect(status).toBe(200);
    expect(text).toMatch(/"o"/);
    expect(text).not.toMatch(/message_stop|response\.completed|event: error/);
  });

  test.each([
    ["breaks the connection between two events", failAfter(say("o"), "network")],
    ["breaks the connection inside of an event", reply(say("o"), cutConnection())],
    ["sends an unreadable event", failAfter(say("o"), "protocol")],
    ["breaks the connection before it says anything", failBefore("network")],
  ])("%s", async (_, item) => {
    await using emulator = await vendor.start([item]);

    const asked = vendor.say(emulator);

    await expect(asked).rejects.toThrow();
    expect(emulator.refusals).toEqual([]);
    emulator.assertComplete();
  });

  test.each([
    ["cutOff()", cutOff()],
    ["cutConnection()", cutConnection()],
    ["a broken network", failAfter(say("o"), "network")],
    ["a broken body", failBefore("protocol")],
  ])("gives a reply that comes whole no good end after %s", async (_, item) => {
    await using emulator = await vendor.start([item]);

    const asked = vendor.say(emulator, { stream: false });

    await expect(asked).rejects.toThrow();
  });

  test("fails in the middle of a good stream with an event", async () => {
    await using emulator = await vendor.start([failAfter(say("o"), "overloaded")]);

    const { status, text } = await vendor.ask(emulator, streaming);

    expect(status).toBe(200);
    expect(text).toContain("event: error\ndata: ");
    expect(text).not.toMatch(/message_stop|response\.completed/);
  });

  test.each([
    ["stalls", stall()],
    ["hangs", hang()],
  ])("lets a client leave that it %s", async (_, item) => {
    await using emulator = await vendor.start([reply(say("o"), item), ok]);
    const controller = new AbortController();
    const path = vendor.name === "OpenAI" ? "/responses" : "/v1/messages";
    const response = await fetch(`${emulator.url}${path}`, {
      method: "POST",
      body: JSON.stringify(streaming),
      headers: {
        "x-api-key": "key",
        authorization: "Bearer key",
        "anthropic-version": "2023-06-01",
      },
      signal: controller.signal,
    });

    const reading = response.text();
    controller.abort();

    await expect(reading).rejects.toThrow("abort");
    expect(await vendor.say(emulator)).toBe("ok");
  });

  test("forgets a stalled answer when its client has left", async () => {
    const left = Promise.withResolvers<void>();
    await using emulator = await vendor.start([
      (request) => {
        request.signal.addEventListener("abort", () => setImmediate(left.resolve));
        return reply(say("o"), stall());
      },
    ]);
    const controller = new AbortController();
    const path = vendor.name === "OpenAI" ? "/responses" : "/v1/messages";
    await fetch(`${emulator.url}${path}`, {
      method: "POST",
      body: JSON.stringify(streaming),
      headers: {
        "x-api-key": "key",
        authorization: "Bearer key",
        "anthropic-version": "2023-06-01",
      },
      signal: controller.signal,
    });
    const before = emulator.openAnswers;

    controller.abort();
    await left.promise;

    expect([before, emulator.openAnswers]).toEqual([1, 0]);
  });

  test("closes while an answer hangs", async () => {
    const emulator = await vendor.start([reply(say("o"), hang())]);
    const asked = vendor.say(emulator);
    const failed = expect(asked).rejects.toThrow();
    await expect.poll(() => emulator.openAnswers).toBe(1);

    await emulator.close();
    await emulator.close();

    await failed;
  });

  test("refuses a body that is too large, is not JSON, or is no object", async () => {
    await using emulator = await vendor.start([ok], { maxBodyBytes: 1000 });

    const large = await vendor.ask(emulator, " ".repeat(3_000_000));
    const broken = await vendor.ask(emulator, "{");
    const list = await vendor.ask(emulator, []);
    const good = await vendor.ask(emulator);

    expect([large, broken, list, good].map(({ status }) => status)).toEqual([413, 400, 400, 200]);
    expect(emulator.refusals.map(({ body }) => body)).toEqual([undefined, undefined, []]);
    expect(broken.text).toContain("at position 1");
    expect(list.text).toContain("the body is not an object");
  });

  test("refuses other paths and methods", async () => {
    await using emulator = await vendor.start([]);
    const path = vendor.name === "OpenAI" ? "/responses" : "/v1/messages";

    const elsewhere = await fetch(`${emulator.url}/v1/nowhere`, { method: "POST", body: "{}" });
    const read = await fetch(`${emulator.url}${path}`);

    expect([elsewhere.status, read.status]).toEqual([404, 405]);
    expect(await read.json()).toHaveProperty("error.message");
  });

  test("says which request came after the end of the script, and what was not used of it", async () => {
    await using short = await vendor.start([]);
    await using long = await vendor.start([ok, reply(say("more"), finish("stop"))]);

    const beyond = await vendor.ask(short);
    await vendor.ask(long);

    const message = "call 1 came after the end of the script, which has 0 item(s)";
    expect(beyond.status).toBe(400);
    expect(beyond.text).toContain(message);
    expect(() => short.assertComplete()).toThrow(message);
    expect(() => long.assertComplete()).toThrow(
      'item 2 was not used: [say("more"), finish("stop")]',
    );
  });
});
