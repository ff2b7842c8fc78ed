/** PostgreSQL behind PgBouncer, which gives connections by transaction: nothing may be prepared, and `LISTEN` is impossible. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { SessionRepository } from "@capstan/log";
import type { PostgresOptions, StoreHandle } from "@capstan/stores/postgres";
import { postgres } from "@capstan/stores/postgres";
import type { StoreUnderTest } from "@capstan/testing/stores";
import { storeContract } from "@capstan/testing/stores";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { HostProcess } from "./hosts/host-process.ts";
import { startPgBouncer } from "./pgbouncer.ts";
import { startPostgres } from "./postgres-server.ts";
import { created, entry, head } from "./samples.ts";
import { tapStatements } from "./statement-tap.ts";

const server = await startPostgres(["fsync=off", "max_connections=200"]);
const pooler = typeof server === "string" ? server : await startPgBouncer(server.url);

afterAll(async () => {
  if (typeof pooler !== "string") await pooler[Symbol.asyncDispose]();
  if (typeof server !== "string") await server.stop();
});

let schemas = 0;
const newSchema = (): string => `pooled_${process.pid}_${(schemas += 1)}`;

/** A schema of its own for each test. */
function create(url: string): StoreUnderTest {
  const schema = newSchema();
  const handles: StoreHandle[] = [];
  const reopen = (): StoreHandle => {
    const handle = postgres(url, { schema, maxConnections: 3, pooler: "transaction" });
    handles.push(handle);
    return handle;
  };
  const close = async (): Promise<void> => {
    await Promise.all(handles.map((handle) => handle.close()));
  };
  return {
    repository: reopen(),
    reopen,
    advance: (ms) => wait(ms + 20),
    leaseMs: 400,
    readsFromCheckpoints: true,
    close,
  };
}

function open(url: string, options: PostgresOptions): StoreHandle {
  const store = postgres(url, options);
  onTestFinished(() => store.close());
  return store;
}

/** Resolves at the next wake-up of this type. */
function hears(store: SessionRepository, id: string, type: string): Promise<void> {
  const heard = Promise.withResolvers<void>();
  const isLive = type === "live";
  store.subscribe(id, (wakeup) => wakeup.type === type && heard.resolve(), { isLive });
  return heard.promise;
}

if (typeof server === "string" || typeof pooler === "string") {
  const why = [server, pooler].find((each) => typeof each === "string");
  test("the store contract: postgres behind PgBouncer", ({ skip }) => skip(why));
} else {
  storeContract("postgres behind PgBouncer", () => create(pooler.url), { describe, test });

  describe("a pooler that no option names", () => {
    const warned = vi.spyOn(process, "emitWarning");
    beforeEach(() => {
      warned.mockReset();
      return () => warned.mockReset();
    });

    test("is noticed: nothing is prepared, and one warning says that the store polls", async () => {
      await using tap = await tapStatements(pooler.url);
      const store = open(tap.url, { schema: newSchema() });
      await store.create("s", [created()], head());
      store.subscribe("s", () => {});
      store.subscribe("s", () => {});

      await vi.waitFor(() => expect(warned).toHaveBeenCalled());

      expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("it polls instead"), {
        code: "CAPSTAN_NO_LISTEN",
      });
      await store.delete("s");
      await store.delete("s");
      const texts = [...tap.statements.values()].filter(({ text }) => text !== "commit");
      expect(texts.filter(({ isPrepared }) => isPrepared)).toEqual([]);
      expect(texts.filter(({ text }) => /^listen/i.test(text))).toEqual([]);
    });

    test("is not seen in a server", async () => {
      await using tap = await tapStatements(server.url);
      const store = open(tap.url, { schema: newSchema() });
      await store.create("s", [created()], head());
      store.subscribe("s", () => {});
      // Longer than a notification to oneself may take.
      await wait(3_500);

      expect(warned).not.toHaveBeenCalled();
      expect([...tap.statements.keys()].join()).not.toContain("notes WHERE");
    });

    test("leaves notifications to a direct URL", async () => {
      await using tap = await tapStatements(server.url);
      const store = open(pooler.url, { schema: newSchema(), directUrl: tap.url });
      store.subscribe("s", () => {});

      await vi.waitFor(() => expect([...tap.statements.keys()].join()).toMatch(/listen/i));

      expect(warned).not.toHaveBeenCalled();
    });

    test("is noticed by the silence after LISTEN, if it looks like a server", async () => {
      const schema = newSchema();
      const store = open(pooler.url, { schema, pooler: "session", prepare: false });
      await store.create("s", [created()], head());
      store.subscribe("s", () => {});

      await vi.waitFor(() => expect(warned).toHaveBeenCalled(), 10_000);

      expect(warned.mock.calls[0]?.[0]).toContain("notifications do not arrive");
    });
  });

  test.for(["pooled", "direct"] as const)(
    "a handle behind a pooler follows the session of a %s one",
    async (kind) => {
      const schema = newSchema();
      const owner =
        kind === "direct"
          ? open(server.url, { schema })
          : open(pooler.url, { schema, pooler: "transaction" });
      const follower = open(pooler.url, { schema, pooler: "transaction" });
      await owner.create("s", [created()], head());
      const claim = await owner.acquire("s", "me", 60_000);
      if (claim === undefined) throw new Error("The lease was not given");
      const { epoch } = claim.lease;
      const isFollowed = hears(owner, "s", "followed");
      const hasFrame = hears(follower, "s", "live");
      await isFollowed;
      owner.sendLive?.(claim.lease, { epoch, seq: 1, from: 1, turnId: "t", events: [] });
      await hasFrame;

      const hasChanged = hears(follower, "s", "changed");
      await follower.read("s");
      await owner.append("s", [entry("a")], { lease: claim.lease });
      await hasChanged;

      expect((await follower.read("s")).lastSeq).toBe(2);
    },
  );

  test("a turn that was begun on one host goes on on another", async () => {
    const id = randomUUID();
    const base = { kind: "postgres", where: pooler.url, agents: [id], leaseMs: 1_000 };
    const first = await HostProcess.start({ ...base, isOpen: false });
    first.tell({ type: "send", sessionId: id, text: "wait" });
    await first.hear("waiting");
    await first.kill();

    await using second = await HostProcess.start({ ...base, isOpen: true });
    await using third = await HostProcess.start({ ...base, isOpen: true });
    third.tell({ type: "follow", sessionId: id });
    second.tell({ type: "finish", sessionId: id });
    await second.hear("finished");
    await third.hear("event", ({ event }) => event.type === "turn_end");
  });
}
