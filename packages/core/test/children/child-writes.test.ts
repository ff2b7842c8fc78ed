/** Durable writes of a parent and its children: with a database elsewhere, each of them is a round trip. */
import type { SessionRepository } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import { callTool, echoTool, reply, say, usage } from "@capstan/testing";
import { expect, test } from "vitest";
import { asTool, family, member } from "./family.ts";

interface Write {
  readonly sessionId: string;
  readonly method: string;
  /** Types of the entries. */
  readonly types: string;
}

/** Notes the writes of a host, in order. */
function noting(store: SessionRepository): [SessionRepository, Write[]] {
  const writes: Write[] = [];
  const repository: SessionRepository = {
    ...store,
    create(id, entries, head) {
      writes.push({ sessionId: id, method: "create", types: typesOf(entries) });
      return store.create(id, entries, head);
    },
    append(id, entries, options) {
      writes.push({ sessionId: id, method: "append", types: typesOf(entries) });
      return store.append(id, entries, options);
    },
    post(id, entry, options) {
      writes.push({ sessionId: id, method: "post", types: entry.type });
      return store.post(id, entry, options);
    },
    acquire(id, owner, ttlMs) {
      writes.push({ sessionId: id, method: "acquire", types: "" });
      return store.acquire(id, owner, ttlMs);
    },
    release(lease) {
      writes.push({ sessionId: lease.sessionId, method: "release", types: "" });
      return store.release(lease);
    },
  };
  return [repository, writes];
}

function typesOf(entries: readonly { readonly type: string }[]): string {
  return entries.map(({ type }) => type).join(" ");
}

/** A reply that uses this number of tokens. */
const costing = (tokens: number, said: ReturnType<typeof say>): ScriptItem =>
  reply(said, usage({ inputTokens: tokens }));

const ask = (task: string) => callTool("researcher", { task });

/** Runs a turn in which a child works on one call. */
async function askOnce() {
  const researcher = member("researcher", [say("42")]);
  const root = member("root", [ask("Find it"), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const [repository, writes] = noting(world.repository);
  const session = world.host({ repository }).createSession({ agent: "root" });
  await session.send("Go").response;
  return { world, session, writes };
}

test("children of calls that begin at the same moment are recorded in one append", async () => {
  const researcher = member("researcher", [say("1"), say("2"), say("3")]);
  const root = member(
    "root",
    [reply(ask("a"), ask("b"), ask("c")), say("Done")],
    [asTool(researcher)],
  );
  const world = family(root);
  const [repository, writes] = noting(world.repository);
  const session = world.host({ repository }).createSession({ agent: "root" });

  const response = await session.send("Go").response;

  expect(response.text).toBe("Done");
  const starts = writes.filter(({ types }) => types.includes("child_started"));
  expect(starts).toEqual([
    {
      sessionId: session.id,
      method: "append",
      types: "child_started child_started child_started",
    },
  ]);
});

test("a child is created, gets its task with its lease, starts with its first request, and ends with its reply", async () => {
  const { world, session, writes } = await askOnce();

  const [childId = ""] = world.childrenOf(session.id);
  const ofChild = writes.filter(({ sessionId }) => sessionId === childId);
  expect(ofChild.map(({ method, types }) => `${method} ${types}`)).toEqual([
    "create created",
    "post input",
    "append turn_started prompt attempt",
    "append message attempt_ended turn_ended",
    // Until its report is in the log of the parent, the child is due. This releases its lease, too.
    "append ",
  ]);
});

test("the end of a child is stored with the result of its call", async () => {
  const { writes } = await askOnce();

  const ends = writes.filter(({ types }) => types.includes("child_ended"));
  expect(ends.map(({ types }) => types)).toEqual(["child_ended tool_result"]);
});

test("a turn after the end of all children makes as few writes as any other", async () => {
  const researcher = member("researcher", [costing(50, say("42"))]);
  const script = [ask("Find it"), say("Done"), callTool("echo"), say("Again")];
  const root = member("root", script, [asTool(researcher), echoTool()], {
    budgets: { tokens: 1_000 },
  });
  const world = family(root);
  const [repository, writes] = noting(world.repository);
  const session = world.host({ repository }).createSession({ agent: "root" });
  await session.send("Go").response;
  await session.waitForIdle();
  const before = writes.length;

  await session.send("And now?").response;

  expect(writes.slice(before).map(({ method, types }) => `${method} ${types}`)).toEqual([
    "post input",
    "append message attempt_ended tool_intent",
    "append tool_result attempt",
    "append message attempt_ended turn_ended",
  ]);
});

test("the parent reads each report of a child once", async () => {
  const researcher = member("researcher", [say("1"), say("2")]);
  const root = member("root", [reply(ask("a"), ask("b")), say("Done")], [asTool(researcher)]);
  const world = family(root);
  const reads: string[] = [];
  const repository: SessionRepository = {
    ...world.repository,
    read(id, options) {
      reads.push(id);
      return world.repository.read(id, options);
    },
  };
  const session = world.host({ repository }).createSession({ agent: "root" });

  await session.send("Go").response;

  expect(reads.filter((id) => id === session.id)).toHaveLength(2);
});
