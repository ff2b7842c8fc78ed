/** A workerd that is killed: what it acknowledged is still there, and the index finds what is due. */
import type { SessionHead } from "@capstan/log";
import { durableObjectStore } from "@capstan/stores/durable-object";
import { afterAll, expect, test, vi } from "vitest";
import { skipMissing } from "../../../test/runtimes.ts";
import { findWorkerd } from "../../../test/workerd.ts";
import { runKilledCalls } from "./killed-calls.ts";
import { openObjects } from "./workerd/open-objects.ts";

const binary = findWorkerd();
const objects = binary === undefined ? undefined : await openObjects(binary);
afterAll(() => objects?.stop());

/** CAPSTAN_SEED repeats the calls of a failure, which names it. What a kill cuts off is up to the machine. */
const seed = Number(process.env["CAPSTAN_SEED"] ?? Date.now() % 1_000_000);
const longMs = 600_000;
const query = { agents: ["helper"], owner: "second", ttlMs: longMs };

function head(fields: Partial<SessionHead> = {}): SessionHead {
  return { status: "idle", agent: "helper", seen: 1, updatedAt: 1, ...fields };
}

function entry(id: string) {
  return { v: 1, id, at: 1, type: "created", agent: "helper" } as const;
}

function posted(id: string) {
  const message = { role: "user", id, content: "Hi" } as const;
  return { v: 1, id, at: 1, type: "steer", message } as const;
}

test(
  "nothing that was acknowledged is lost if workerd is killed between any two calls, or during one",
  { timeout: 60_000 },
  async ({ skip }) => {
    const { bindings, restart } = objects ?? skipMissing("workerd", skip);
    const store = durableObjectStore(bindings, { name: "killed" });

    const { calls, cutOff } = await runKilledCalls({ store, restart, seed, forMs: 15_000 });

    expect(calls).toBeGreaterThan(100);
    expect(cutOff).toBeGreaterThan(5);
    await store.close();
  },
);

test(
  "a session whose post the index was not told of is found due after a crash",
  { timeout: 60_000 },
  async ({ skip }) => {
    const { bindings, loseIndex, restart } = objects ?? skipMissing("workerd", skip);
    const store = durableObjectStore(bindings, { name: "untold" });
    await store.create("s", [entry("created")], head());
    await loseIndex("untold");
    await store.post("s", posted("p"));
    const untold = await store.claimDue(query);

    await restart();

    await vi.waitFor(
      async () => {
        const [claim] = await store.claimDue(query);
        expect(claim?.lastSeq).toBe(2);
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(untold).toEqual([]);
    expect((await store.list()).sessions[0]?.lastSeq).toBe(2);
    await store.close();
  },
);

test(
  "the index wakes a host when a deadline has passed, also after a crash",
  { timeout: 60_000 },
  async ({ skip }) => {
    const { bindings, restart, wakes } = objects ?? skipMissing("workerd", skip);
    const store = durableObjectStore(bindings, { name: "woken" });
    await store.create("s", [entry("created")], head({ wakeAt: Date.now() + 1_000 }));

    await restart();

    await vi.waitFor(async () => expect(await wakes()).toBeGreaterThan(0), { timeout: 30_000 });
    await store.close();
  },
);
