/** A tree of sessions on a real store, followed through another handle, as from another process. */
import type { Host } from "@capstan/core";
import { agentTool, createAgent, createHost } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { eventsOf, isLiveOnly, parseEntry } from "@capstan/log";
import type { StoreHandle } from "@capstan/stores/sqlite";
import type { ScriptItem } from "@capstan/testing";
import { callTool, echoTool, reply, say, scriptedProvider } from "@capstan/testing";
import { expect, test, vi } from "vitest";
import { openStore } from "../open-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ask = (task: string): ScriptItem => callTool("reader", { task });

function hostOn(repository: StoreHandle): Host {
  const reader = createAgent({
    name: "reader",
    model: scriptedProvider([callTool("echo"), callTool("echo"), say("one"), say("two")]),
    tools: [echoTool()],
  });
  const root = createAgent({
    name: "root",
    model: scriptedProvider([reply(ask("A"), ask("B")), say("Done")]),
    tools: [agentTool(reader, { description: "Reads" })],
  });
  return createHost({ agents: [root], repository });
}

async function factsIn(store: StoreHandle, id: string): Promise<SessionEvent[]> {
  const { entries } = await store.read(id);
  return eventsOf(
    id,
    entries.flatMap((entry) => parseEntry(entry) ?? []),
  ).map(({ event }) => event);
}

function bySession(events: readonly SessionEvent[]): unknown {
  return Object.groupBy(events, ({ sessionId }) => sessionId);
}

test.each(["sqlite", "fs"])(
  "on %s a reader of another handle has every session of the tree",
  async (kind) => {
    using folder = temporaryFolder();
    await using here = openStore(kind, folder.path);
    await using there = openStore(kind, folder.path);
    const [worker, viewer] = [hostOn(here), hostOn(there)];
    const session = worker.createSession({ agent: "root" });
    await session.create();
    const seen: SessionEvent[] = [];
    const cursors: string[] = [];
    const page = await viewer.open(session.id);
    const stop = page.subscribe(
      (event, _, { cursor }) => {
        if (isLiveOnly(event)) return;
        seen.push(event);
        cursors.push(cursor);
      },
      { tree: true },
    );

    await session.send("Go").response;
    const ids = [session.id, ...session.children.map(({ sessionId }) => sessionId)];
    const stored = await Promise.all(ids.map((id) => factsIn(here, id)));
    const whole = Object.fromEntries(ids.map((id, index) => [id, stored[index]]));
    await vi.waitFor(() => expect(bySession(seen)).toEqual(whole), 10_000);
    stop();
    const middle = Math.floor(seen.length / 2);
    const rest: SessionEvent[] = [];
    session.subscribe((event) => void (isLiveOnly(event) || rest.push(event)), {
      tree: true,
      after: cursors[middle] ?? "",
    });
    await vi.waitFor(
      () => expect(bySession([...seen.slice(0, middle + 1), ...rest])).toEqual(whole),
      10_000,
    );

    expect(ids).toHaveLength(3);
    await worker.close();
    await viewer.close();
  },
);
