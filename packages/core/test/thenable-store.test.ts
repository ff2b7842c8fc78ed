/** Stores whose answers are objects of their own that can be awaited, as query builders have them, and no native promises. */
import { createAgent, createHost, createSession } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import { callTool, deferredTool, manualClock, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

/** Runs when it is awaited, and again when it is awaited again. It has no `catch` and no `finally`. */
class Query<T> implements PromiseLike<T> {
  readonly #run: () => Promise<T>;
  constructor(run: () => Promise<T>) {
    this.#run = run;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- the test is about stores that do this
  then<A = T, B = never>(
    onValue?: ((value: T) => A | PromiseLike<A>) | null,
    onError?: ((thrown: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#run().then(onValue, onError);
  }
}

/** Every method but those that answer at once by their contract. */
function querying(store: SessionRepository): SessionRepository {
  const plain = new Set<PropertyKey>(["subscribe", "sendLive"]);
  return new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as ((...args: unknown[]) => unknown) | undefined;
      if (method === undefined) return undefined;
      if (plain.has(name)) return method.bind(target);
      return (...args: unknown[]) => new Query(async () => method.apply(target, args));
    },
  });
}

test("a session runs on a store that answers with objects that can be awaited", async () => {
  const tool = deferredTool();
  const model = scriptedProvider([callTool("deferred"), say("Done"), say("Again")]);
  const repository = querying(memoryRepository());
  const session = createSession({ agent: createAgent({ model, tools: [tool] }), repository });

  const turn = session.send("Hi");
  const [call] = await tool.whenStarted();
  tool.resolve(call?.toolCallId ?? "", "waited");

  await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "Done" });
  await expect(session.send("More").response).resolves.toMatchObject({ text: "Again" });
});

test("a session on such a store is forked, listed, read and deleted", async () => {
  const agent = createAgent({ name: "helper", model: scriptedProvider([say("Hello")]) });
  const repository = querying(memoryRepository());
  const host = createHost({ agents: [agent], repository, pollMs: Infinity });
  const session = host.createSession({ agent: "helper", id: "s" });
  const { messages } = await session.send("Hi").response;

  const fork = await session.fork();
  await host.delete("s");

  expect(fork.messages.at(-1)).toEqual(messages.at(-1));
  expect((await host.list()).sessions.map(({ id }) => id)).toEqual([fork.id]);
  await host.close();
});

test("what such a store finds due is taken over", async () => {
  const clock = manualClock();
  const repository = querying(memoryRepository({ now: clock.now }));
  const tool = deferredTool();
  const script = [callTool("deferred"), say("Done")];
  const agent = createAgent({ name: "helper", model: scriptedProvider(script), tools: [tool] });
  const options = { agents: [agent], repository, clock, pollMs: Infinity };
  const first = createHost(options);
  first.createSession({ agent: "helper", id: "s" }).send("Hi");
  await tool.whenStarted();
  await first.close();

  const second = createHost(options);
  await second.claimDue();
  const session = await second.open("s");
  await session.waitForIdle();

  expect(session.messages.at(-1)).toMatchObject({ role: "assistant" });
  await second.close();
});

test("a store's failure that comes later is the error of what was sent", async () => {
  const failing = {
    ...memoryRepository(),
    create: () => new Query(() => Promise.reject(new Error("no disk"))),
  };
  const agent = createAgent({ model: scriptedProvider([say("Hi")]) });
  const session = createSession({ agent, repository: failing as unknown as SessionRepository });

  const response = await session.send("Hi").response;

  expect(response).toMatchObject({ status: "error", error: { message: "no disk" } });
});
