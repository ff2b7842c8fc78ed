/**
 * A conversation that was held with one service goes on with any other: whole, in the middle of a turn, and from any of its beginnings. The services
 * are emulated, and refuse what the real ones refuse.
 */
import type { ChatMessage } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { callTool, say } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import type { Emulator } from "@capstan/testing/emulators";
import { afterAll, expect, test, vi } from "vitest";
import { refusalsOf, turnWith, user } from "../emulated-turns.ts";
import { requestOf } from "../request-of.ts";
import { historyScript, makeHistory, tools, turnAt } from "./history.ts";
import type { Service } from "./services.ts";
import { emulators, services } from "./services.ts";

vi.setConfig({ testTimeout: 60_000 });

const running = new Map<string, Emulator>();
const histories = new Map<string, readonly ChatMessage[]>();
/** Calls a tool where it is told to go on, and is content with everything else. */
const answer: ScriptItem = ({ messages }) =>
  JSON.stringify(messages.at(-1)).includes("Go on") ? callTool("echo", { c: 3 }) : say("Fine.");

for (const [kind, emulate] of Object.entries(emulators)) {
  const own = services.filter((service) => service.kind === kind);
  const script = own.flatMap(historyScript);
  const emulator = await emulate([...script, ...Array<ScriptItem>(4_000).fill(answer)]);
  running.set(kind, emulator);
  for (const service of own) histories.set(service.name, await makeHistory(service, emulator));
}
afterAll(() => Promise.all(Array.from(running.values(), (emulator) => emulator.close())));

const pairs = services.flatMap((from) =>
  services.map((to) => [from.name, to.name, from, to] as const),
);

/** What was said with this service. */
function historyOf({ name }: Service): readonly ChatMessage[] {
  return histories.get(name) ?? [];
}

/** Does something with an emulated service, and gives what the service refused of it. */
async function refusedBy(
  { kind }: Service,
  act: (url: string) => Promise<unknown>,
): Promise<string[]> {
  const emulator = running.get(kind);
  if (emulator === undefined) throw new Error(`Nobody emulates ${kind}`);
  const before = emulator.refusals.length;
  await act(emulator.url);
  return refusalsOf(emulator).slice(before);
}

test("no service has refused what it had said itself", () => {
  const refusals = Array.from(running.values(), (emulator) => refusalsOf(emulator));

  expect(refusals.flat()).toEqual([]);
  expect(Array.from(histories.values(), ({ length }) => length)).toEqual(
    Array(services.length).fill(expect.toSatisfy((length: number) => length > 15)),
  );
});

test.each(pairs)(
  "a conversation moves from %s to %s, and goes on",
  async (_from, _to, from, to) => {
    const reasons: string[] = [];

    const refusals = await refusedBy(to, async (url) => {
      const turn = turnAt(to, url);
      const moved = await turnWith({ ...turn, messages: [...historyOf(from), user("Go on")] });
      const next = await turnWith({ ...turn, messages: [...moved.transcript, user("And?")] });
      reasons.push(moved.finishReason, next.finishReason);
    });

    expect(refusals).toEqual([]);
    expect(reasons).toEqual(["stop", "stop"]);
  },
);

test.each(pairs)("%s hands over to %s in the middle of a turn", async (_from, _to, from, to) => {
  const history = historyOf(from);
  const isEndOfStep = (place: number): boolean =>
    history[place]?.role === "tool" && history[place + 1]?.role !== "tool";
  const ends = Array.from(history.keys()).filter(isEndOfStep);

  const refusals = await refusedBy(to, async (url) => {
    for (const end of ends) {
      await turnWith({ ...turnAt(to, url), messages: history.slice(0, end + 1) });
    }
  });

  expect(refusals).toEqual([]);
  expect(ends.length).toBeGreaterThanOrEqual(2);
});

test.each(pairs)("whatever piece of it %s leaves, %s takes it", async (_from, _to, from, to) => {
  const history = historyOf(from);
  const beginnings = history.map((_, place) => history.slice(0, place + 1));
  const endings = history.map((_, place) => history.slice(place));

  const refusals = await refusedBy(to, async (url) => {
    const { provider } = to.vendor(to.model, {
      baseUrl: url + (to.basePath ?? ""),
      apiKey: "test-key",
    });
    const options = { model: to.model, modelFacts: to.facts ?? {} };
    for (const messages of [...beginnings, ...endings]) {
      const request = requestOf({ messages, tools, options });
      await Array.fromAsync(provider.stream(request)).catch(onlyRefused);
    }
  });

  expect(refusals).toEqual([]);
});

/** What a service refuses is counted by it; the rest had nothing to say. */
function onlyRefused(thrown: unknown): void {
  if (!(thrown instanceof ProviderError) || thrown.code !== "invalid_request") throw thrown;
}
