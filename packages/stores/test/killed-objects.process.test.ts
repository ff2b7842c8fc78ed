/** A workerd that is killed: what it acknowledged is still there, and the index finds what is due. */
import type { SessionHead } from "@capstan/log";
import { durableObjectStore } from "@capstan/stores/durable-object";
import { afterAll, expect, test, vi } from "vitest";
import { skipMissing } from "../../../test/runtimes.ts";
import { findWorkerd } from "../../../test/workerd.ts";
import { openObjects } from "./workerd/open-objects.ts";

const binary = findWorkerd();
const objects = binary === undefined ? undefined : await openObjects(binary);
afterAll(() => objects?.stop());

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
  "nothing that was acknowledged is lost if workerd is killed between any two calls",
  { timeout: 60_000 },
  async ({ skip }) => {
    const { bindings, restart } = objects ?? skipMissing("workerd", skip);
    const store = durableObjectStore(bindings, { name: "killed" });
    const state = async () => {
      const { entries, lastSeq } = await store.read("s");
      const [listed] = (await store.list()).sessions;
      const ids = entries.map(({ id }) => id);
      return { ids, lastSeq, listed: [listed?.lastSeq, listed?.head.status, listed?.head.seen] };
    };

    await store.create("s", [entry("created")], head());
    await restart();
    const created = await state();
    const claim = await store.acquire("s", "first", longMs);
    if (claim === undefined) throw new Error("The session has an owner already");
    const { lease } = claim;
    await restart();
    const second = await store.acquire("s", "second", longMs);
    const running = head({ status: "running" });
    await store.append("s", [entry("a"), entry("b")], { lease, head: running });
    await restart();
    const appended = await state();
    await store.post("s", posted("p"));
    await restart();
    const again = await store.post("s", posted("p"));
    const ref = await store.putBlob("s", Uint8Array.of(1, 2, 3));
    await restart();
    const blob = await store.getBlob("s", ref);
    await store.renew(lease, longMs);
    await restart();
    await store.append("s", [entry("c")], { lease, head: head({ seen: 3 }), releases: true });
    await restart();
    const released = await state();
    const due = await store.claimDue(query);
    await restart();
    const dueTwice = await store.claimDue({ ...query, owner: "third" });
    await store.delete("s");
    await restart();
    const left = await store.list();

    expect(created).toEqual({ ids: ["created"], lastSeq: 1, listed: [1, "idle", 1] });
    expect(second).toBeUndefined();
    expect(appended).toEqual({
      ids: ["created", "a", "b"],
      lastSeq: 3,
      listed: [3, "running", 1],
    });
    expect(again).toEqual({ seq: 4, isNew: false });
    expect(blob).toEqual(Uint8Array.of(1, 2, 3));
    expect(released).toEqual({
      ids: ["created", "a", "b", "p", "c"],
      lastSeq: 5,
      listed: [5, "idle", 3],
    });
    expect(due.map((one) => one.lease.epoch)).toEqual([lease.epoch + 1]);
    expect(dueTwice).toEqual([]);
    expect(left.sessions).toEqual([]);
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
