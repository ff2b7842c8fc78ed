/** Sessions of a model whose context window no list knows, with compaction left at its default. */
import type { ProviderContract } from "@capstan/kernel";
import { manualClock, say, scriptedProvider } from "@capstan/testing";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentInit } from "@capstan/core";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";

type Finder = NonNullable<ProviderContract["findContextWindow"]>;

interface Vague {
  readonly world: World;
  readonly scripted: ScriptedProvider;
  readonly warnings: string[];
}

/** A world whose provider says no window by itself. */
function vagueWorld(
  id: string,
  script: readonly ScriptItem[],
  find?: Finder,
  settings: Partial<AgentInit> = {},
): Vague {
  const scripted = scriptedProvider(script);
  const warnings: string[] = [];
  const provider: ProviderContract = {
    id,
    stream: (request) => scripted.stream(request),
    ...(find && { findContextWindow: find }),
  };
  const logger = {
    log: (level: string, message: string) => void warnings.push(`${level}: ${message}`),
    startSpan: () => ({ setAttributes() {}, end() {} }),
  } as unknown as NonNullable<AgentInit["logger"]>;
  const world = createWorld([], [], { model: { provider, id: "m" }, logger, ...settings });
  return { world, scripted, warnings };
}

/** Some 15,000 tokens. */
const long = "words ".repeat(10_000);

test("a server that tells the window is asked once, with the key, before the first turn", async () => {
  const find = vi.fn<Finder>(async () => 64_000);
  const script = [say("One"), say("Two")];
  const { world, warnings } = vagueWorld("telling", script, find, {
    getApiKey: (id) => `key of ${id}`,
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send(long).response;
  const { text } = await session.send(long).response;

  expect(find.mock.calls.map(([model, { apiKey }]) => [model, apiKey])).toEqual([
    ["m", "key of telling"],
  ]);
  expect(text).toBe("Two");
  expect(world.entries(session.id).filter(({ type }) => type === "compaction")).toEqual([]);
  expect(warnings).toEqual([]);
});

test("of models that fall back on each other, the first is asked about, once", async () => {
  const find = vi.fn<Finder>(async () => 64_000);
  const { stream } = scriptedProvider([say("One"), say("Two")]);
  const first: ProviderContract = { id: "first", stream, findContextWindow: find };
  const models = [{ provider: first, id: "m" }];
  const world = createWorld([], [], {
    model: { provider: { ...first, fallback: { models, on: [] } }, id: "m" },
  });
  const session = world.host().createSession({ agent: "helper" });

  await session.send("Hi").response;
  const { text } = await session.send("Again").response;

  expect(text).toBe("Two");
  expect(find.mock.calls.map(([model]) => model)).toEqual(["m"]);
});

test.each<[what: string, fail: () => unknown]>([
  [
    "throws",
    () => {
      throw new Error("full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("full"))],
])("a logger that %s when it is warned fails nothing", async (what, fail) => {
  const logger = {
    log: fail,
    startSpan: () => ({ setAttributes() {}, end() {} }),
  } as unknown as NonNullable<AgentInit["logger"]>;
  const provider = { id: `${what}-logged`, stream: scriptedProvider([say("One")]).stream };
  const world = createWorld([], [], { model: { provider, id: "m" }, logger });

  const { text } = await world.host().createSession({ agent: "helper" }).send("Hi").response;

  expect(text).toBe("One");
});

test("where nothing tells it, 32,000 are taken, and that is said once", async () => {
  const script = [say("One"), say("Summary"), say("Two"), say("Other")];
  const { world, warnings } = vagueWorld("silent", script);
  const session = world.host().createSession({ agent: "helper" });

  await session.send(long).response;
  const { text } = await session.send(long).response;
  await world.host().createSession({ agent: "helper" }).send("Other").response;

  expect(text).toBe("Two");
  expect(world.entries(session.id).filter(({ type }) => type === "compaction")).toHaveLength(1);
  expect(warnings).toEqual([expect.stringMatching(/^warn: .*"silent\/m" is unknown.*32,000/)]);
});

test("without a logger it is said on the console", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const provider = { id: "loud", stream: scriptedProvider([say("One")]).stream };
  const world = createWorld([], [], { model: { provider, id: "m" } });

  await world.host().createSession({ agent: "helper" }).send("Hi").response;

  expect(warn.mock.calls).toEqual([[expect.stringContaining('"loud/m" is unknown')]]);
});

test.each<[what: string, find: Finder]>([
  ["does not know it", async () => undefined],
  ["tells nonsense", async () => Number.NaN],
  ["fails", () => Promise.reject(new Error("no such endpoint"))],
])("a server that %s delays nothing", async (what, find) => {
  const { world, warnings } = vagueWorld(`server that ${what}`, [say("One")], find);

  const { text } = await world.host().createSession({ agent: "helper" }).send("Hi").response;

  expect(text).toBe("One");
  expect(warnings).toHaveLength(1);
});

test("a server that never answers is left after three seconds", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { world, scripted } = vagueWorld("stuck", [say("One"), say("Two")], (_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const session = world.host().createSession({ agent: "helper" });

  const first = session.send("Hi").response;
  await world.clock.advance(2_999);
  expect(scripted.requests).toEqual([]);
  await world.clock.advance(1);
  await first;
  const second = await session.send("Again").response;

  expect(second.text).toBe("Two");
  expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
});

test("a turn without a session asks as well: its context is managed too", async () => {
  const find = vi.fn<Finder>(async () => 64_000);
  const { world } = vagueWorld("unasked", [say("One")], find);

  await world.agent.runTurn({ input: "Hi" }, [], { clock: manualClock() }).response;

  expect(find).toHaveBeenCalledOnce();
});
