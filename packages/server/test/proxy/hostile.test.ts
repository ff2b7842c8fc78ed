/** Clients of the proxy that mean harm, and limits that hold for them. */
import type { Clock, Model } from "@capstan/core";
import { systemClock } from "@capstan/core";
import type { ModelRequest } from "@capstan/log";
import type { ServerOptions, Spending } from "@capstan/server";
import { createServer } from "@capstan/server";
import {
  finish,
  reply,
  say,
  scriptedProvider,
  stall,
  tinyImage,
  usage,
  wait,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { describe, expect, test, vi } from "vitest";
import { StreamReader, readFrames, typesOf } from "../sse.ts";
import { createWorld, errorOf, tokens } from "../world.ts";

const price = { inputPerMillion: 1_000_000, outputPerMillion: 1_000_000 };

async function offering(
  script: readonly ScriptItem[],
  proxy: Partial<NonNullable<ServerOptions["proxy"]>> = {},
  server: Partial<ServerOptions> = {},
) {
  const model = scriptedProvider([...script]);
  const fast: Model = { provider: model, id: "vendor-model", price };
  const world = await createWorld([], {
    server: { proxy: { models: { fast }, ...proxy }, ...server },
  });
  const ask = (body: object = {}, token?: string): Promise<Response> =>
    world.post("/api/stream", bodyOf(body), token);
  return { ...world, model, ask };
}

let lastId = 0;

function bodyOf(body: object): ModelRequest & Record<string, unknown> {
  return {
    id: `r${(lastId += 1)}`,
    model: "fast",
    messages: [{ role: "user", id: "u1", content: "Hello" }],
    tools: [],
    options: {},
    conversationId: "c1",
    turnId: "t1",
    step: 1,
    attempt: 1,
    ...body,
  };
}

const user = { role: "user", id: "u1", content: "Hello" };

describe("a request is refused, and no model is asked", () => {
  test.each<[name: string, body: object, path: string]>([
    ["an unknown model", { model: "gpt-99" }, "model"],
    ["the name of a vendor's model", { model: "vendor-model" }, "model"],
    ["a name of the prototype", { model: "__proto__" }, "model"],
    ["a key", { options: { apiKey: "sk-1" } }, "options.apiKey"],
    ["headers", { options: { headers: { "x-api-key": "sk-1" } } }, "options.headers"],
    ["a base URL", { options: { baseUrl: "https://evil.test" } }, "options.baseUrl"],
    [
      "vendor options",
      { options: { providerOptions: { scripted: { tools: [] } } } },
      "options.providerOptions",
    ],
    ["a service tier", { options: { serviceTier: "priority" } }, "options.serviceTier"],
    ["forged facts", { options: { modelFacts: { contextWindow: 1 } } }, "options.modelFacts"],
    ["another model in the options", { options: { model: "other" } }, "options.model"],
    ["an unknown field", { modelIndex: 1 }, "modelIndex"],
    ["an id that is no id", { id: "../../etc" }, "id"],
    ["a message of an unknown role", { messages: [{ ...user, role: "root" }] }, "messages[0]"],
  ])("with %s", async (_name, body, path) => {
    const { ask, model, faults } = await offering([say("Hi")]);

    const error = await errorOf(await ask(body));

    expect(error).toMatchObject({ status: 400, code: "invalid_request" });
    expect(error.paths[0]).toContain(path);
    expect(model.requests).toHaveLength(0);
    expect(faults).toEqual([]);
  });

  test("with media by URL, unless the server allows it", async () => {
    const { ask, model } = await offering([say("Hi")]);
    const image = { type: "image", mediaType: "image/png", url: "http://169.254.169.254/" };

    const response = await ask({ messages: [{ ...user, content: [image] }] });

    expect(await errorOf(response)).toMatchObject({ status: 400 });
    expect(model.requests).toHaveLength(0);
    expect((await ask({ messages: [{ ...user, content: [tinyImage] }] })).status).toBe(200);
  });

  test("with a body that is too large or too deep", async () => {
    const { ask, model } = await offering([say("Hi")]);
    const deep = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`) as unknown;

    const large = await errorOf(await ask({ messages: [{ ...user, content: "x".repeat(1e7) }] }));
    const nested = await errorOf(await ask({ messages: [{ ...user, metadata: deep }] }));

    expect(large).toMatchObject({ status: 413, code: "body_too_large" });
    expect(nested).toMatchObject({ status: 400, code: "invalid_request" });
    expect(model.requests).toHaveLength(0);
  });

  test("without a token, from another origin, and for another host", async () => {
    const { ask, request, model } = await offering([say("Hi")]);
    const init = { method: "POST", body: JSON.stringify(bodyOf({})) };
    const json = { "content-type": "application/json" };

    const nobody = await ask({}, "x".repeat(20));
    const origin = { ...json, origin: "https://evil.test" };
    const elsewhere = await request("/api/stream", { ...init, headers: origin });

    expect(nobody.status).toBe(401);
    expect(await errorOf(elsewhere)).toMatchObject({ status: 403, code: "forbidden_origin" });
    expect(model.requests).toHaveLength(0);
  });

  test("of a server that offers none", async () => {
    const { post, request } = await createWorld([]);

    expect((await errorOf(await post("/api/stream", bodyOf({})))).code).toBe("not_found");
    expect((await errorOf(await request("/api/models"))).code).toBe("not_found");
  });
});

describe("another principal", () => {
  test("neither reads nor aborts a reply, and may use the same id", async () => {
    const { ask, request, model } = await offering([reply(say("Secret"), stall()), say("Own")]);
    const reader = new StreamReader(await ask({ id: "same" }));
    await reader.until("text_delta");

    const read = await request("/api/stream/same", {}, tokens.bob);
    const aborted = await request("/api/stream/other", { method: "DELETE" }, tokens.bob);
    const own = await Array.fromAsync(readFrames(await ask({ id: "same" }, tokens.bob)));

    expect(read.status).toBe(404);
    expect(aborted.status).toBe(200);
    expect(JSON.stringify(own)).toContain("Own");
    expect(JSON.stringify(own)).not.toContain("Secret");
    expect(model.openStreams).toBe(1);
    await reader.leave();
  });

  test("does not share a prompt cache by choosing the same session", async () => {
    const { ask, model } = await offering([say("A"), say("B"), say("C")]);
    const options = { sessionId: "s1" };

    await (await ask({ options })).text();
    await (await ask({ options })).text();
    await (await ask({ options }, tokens.bob)).text();

    const [ann, again, bob] = model.requests.map((request) => request.options.sessionId);
    expect(ann).toBe(again);
    expect(bob).not.toBe(ann);
  });
});

/** A clock whose time a test sets. Timers are real. */
function settableClock(): Clock & { time: number } {
  const clock = { ...systemClock, time: 1_000_000, now: () => clock.time };
  return clock;
}

/** A reply that costs so many tokens. */
function spent(inputTokens: number): ScriptItem {
  return reply(say("Hi"), usage({ inputTokens, outputTokens: 0 }), finish("stop"));
}

describe("a budget", () => {
  test.each([
    ["tokens", { maxTokens: 100 }],
    ["cost", { maxCost: 100 }],
  ])("of %s is each principal's own, and comes back with time", async (_name, limits) => {
    const clock = settableClock();
    const budget = { windowMs: 60_000, ...limits };
    const script = [spent(60), spent(60), spent(60), spent(60)];
    const { ask, model } = await offering(script, { budget }, { clock });

    await (await ask()).text();
    await (await ask()).text();
    const refused = await errorOf(await ask());
    const bob = await ask({}, tokens.bob);
    await bob.text();
    clock.time += 62_000;
    const later = await ask();
    await later.text();

    expect(refused).toMatchObject({ status: 402, code: "budget_exceeded" });
    expect([bob.status, later.status]).toEqual([200, 200]);
    expect(model.requests).toHaveLength(4);
  });

  test("counts what is under way, and what an abort leaves unreported", async () => {
    const budget = { windowMs: 60_000, maxTokens: 50 };
    const { ask, request, model } = await offering([reply(say("x".repeat(400)), stall())], {
      budget,
    });
    const reader = new StreamReader(await ask({ id: "long" }));
    await reader.until("text_delta");

    const meanwhile = await errorOf(await ask());
    await request("/api/stream/long", { method: "DELETE" });
    await vi.waitFor(() => expect(model.openStreams).toBe(0));
    const after = await errorOf(await ask());

    expect([meanwhile.code, after.code]).toEqual(["budget_exceeded", "budget_exceeded"]);
    expect(model.requests).toHaveLength(1);
  });

  test("is kept in a ledger of the application, which a restart does not empty", async () => {
    const records: [string, Spending][] = [];
    const ledger = {
      spent: async () => ({ tokens: records.reduce((n, [, { tokens: t }]) => n + t, 0), cost: 0 }),
      add: async (principal: string, _at: number, spending: Spending) =>
        void records.push([principal, spending]),
    };
    const budget = { windowMs: 60_000, maxTokens: 50 };
    const first = await offering([spent(60)], { budget, ledger });
    await (await first.ask()).text();
    await vi.waitFor(() => expect(records).toHaveLength(1));

    const second = await offering([spent(60)], { budget, ledger });

    expect((await errorOf(await second.ask())).code).toBe("budget_exceeded");
    expect(records).toEqual([["ann", { tokens: 60, cost: 60 }]]);
  });

  test("of money needs prices: without one the server is not created", async () => {
    const { host } = await createWorld([]);
    const proxy = { models: { free: scriptedProvider([]) }, budget: { windowMs: 1, maxCost: 1 } };

    const create = (): unknown => createServer({ host, authenticate: () => undefined, proxy });

    expect(create).toThrow(/"free" has none/);
  });
});

describe("memory and connections", () => {
  test("a principal has no more requests under way than streams", async () => {
    const limits = { streamsPerPrincipal: 2 };
    const { ask, model } = await offering([stall(), stall(), say("Hi")], {}, { limits });
    const open = [new StreamReader(await ask()), new StreamReader(await ask())];

    const error = await errorOf(await ask());

    expect(error).toMatchObject({ status: 429, code: "too_many_streams" });
    expect(model.requests).toHaveLength(2);
    for (const { response } of open) await response.body?.cancel();
  });

  test("a model waits for a client that does not read, and goes on when it does", async () => {
    const big = "x".repeat(100_000);
    const texts = Array.from({ length: 200 }, () => big);
    let sent = 0;
    const counting = texts.map((each) =>
      reply(
        say(each),
        wait(async () => void (sent += 1)),
      ),
    );
    const { ask } = await offering([reply(...counting)], {}, { limits: { maxUnreadChars: 1_000 } });

    const response = await ask();
    let before = -1;
    await vi.waitFor(
      () => {
        const isStill = sent > 0 && sent === before;
        before = sent;
        expect(isStill).toBe(true);
      },
      { interval: 100 },
    );
    const atRest = sent;
    const frames = await Array.fromAsync(readFrames(response));

    expect(atRest).toBeLessThan(150);
    expect(frames.filter(({ data }) => data.type === "text_delta")).toHaveLength(200);
  });

  test("a cursor whose frames are gone, or never were, is refused", async () => {
    const { ask, request } = await offering([reply(say(["One", "Two", "Three"]), stall())], {
      maxReplayChars: 0,
    });
    const reader = new StreamReader(await ask({ id: "r" }));
    for (let n = 0; n < 3; n += 1) await reader.until("text_delta");

    const gone = await request("/api/stream/r", { headers: { "last-event-id": "1" } });
    const ahead = await request("/api/stream/r", { headers: { "last-event-id": "99" } });
    const wrong = await request("/api/stream/r", { headers: { "last-event-id": "1.5" } });

    expect((await errorOf(gone)).code).toBe("cursor_expired");
    expect((await errorOf(ahead)).code).toBe("cursor_ahead");
    expect((await errorOf(wrong)).code).toBe("invalid_request");
    await reader.leave();
  });

  test("an abort that overtakes its request still counts", async () => {
    const { ask, request, model } = await offering([say("Hi"), say("Two")]);

    await request("/api/stream/early", { method: "DELETE" });
    const error = await errorOf(await ask({ id: "early" }));
    const again = await ask({ id: "early" });

    expect(error).toMatchObject({ status: 409, code: "aborted" });
    expect(again.status).toBe(200);
    await again.text();
    expect(model.requests).toHaveLength(1);
  });

  test("a reply under way is counted in the metrics, and so are its route and its frames", async () => {
    const { ask, request } = await offering([reply(say("One"), stall())]);
    const reader = new StreamReader(await ask({ id: "r" }));
    await reader.until("text_delta");

    const during = await (await request("/metrics")).text();
    await request("/api/stream/r", { method: "DELETE" });
    expect(typesOf(await reader.rest())).toEqual([]);
    const after = await (await request("/metrics")).text();

    expect(during).toContain("capstan_model_replies_open 1");
    expect(during).toContain("capstan_streams_open 1");
    expect(during).toContain("capstan_stream_events_total 1\n");
    expect(after).toContain("capstan_model_replies_open 0");
    expect(after).toContain("capstan_streams_open 0");
    expect(after).toContain('{route="/api/stream",status="200"} 1');
    expect(after).toContain('{route="/api/stream/:id",status="200"} 1');
  });
});
