/** Long sessions over HTTP: read in pages, from where the reader was, and no larger than they may be. */
import { memoryRepository } from "@capstan/log";
import type { ReadOptions } from "@capstan/log";
import { say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World, WorldOptions } from "./world.ts";
import { createWorld, errorOf } from "./world.ts";

interface Page {
  readonly messages: readonly { readonly id: string }[];
  readonly entries: readonly { readonly seq: number }[];
  readonly lastSeq: number;
  readonly hasMore?: boolean;
}

interface LongWorld {
  readonly world: World;
  readonly page: (query: string) => Promise<Page>;
  /** The places after which the store was read. */
  readonly reads: number[];
  readonly path: string;
}

async function longSession(turns: number, options: WorldOptions = {}): Promise<LongWorld> {
  const repository = memoryRepository({ now: Date.now });
  const reads: number[] = [];
  const read = repository.read.bind(repository);
  repository.read = (id: string, from: ReadOptions = {}) => {
    reads.push(from.after ?? 0);
    return read(id, from);
  };
  const script = Array.from({ length: turns + 8 }, (_, turn) => say(`Reply ${turn}`));
  const world = await createWorld(script, { repository, ...options });
  const { sessionId } = await world.execute({ input: "Hi" });
  const session = await world.host.open(sessionId);
  for (let turn = 1; turn < turns; turn++) await session.run("More");
  const path = `/api/agent/session/${sessionId}`;
  const page = async (query: string): Promise<Page> =>
    (await (await world.request(path + query)).json()) as Page;
  return { world, page, reads, path };
}

async function allPages(page: LongWorld["page"], limit: number, sinceSeq = 0): Promise<Page[]> {
  const next = await page(`?sinceSeq=${sinceSeq}&limit=${limit}`);
  return next.hasMore === true ? [next, ...(await allPages(page, limit, next.lastSeq))] : [next];
}

test("a session is read in pages, which together are all of it, once", async () => {
  const { page } = await longSession(12);

  const whole = await page("");
  const pages = await allPages(page, 7);

  expect(pages.length).toBeGreaterThan(8);
  expect(Math.max(...pages.map(({ entries }) => entries.length))).toBe(7);
  expect(pages.flatMap(({ entries }) => entries)).toEqual(whole.entries);
  expect(pages.flatMap(({ messages }) => messages)).toEqual(whole.messages);
  expect(whole).not.toHaveProperty("hasMore");
});

test("one page is no larger than about 256,000 characters and one entry", async () => {
  const { world, page, path } = await longSession(1);
  const messages = Array.from({ length: 6 }, (_, n) => ({
    input: "x".repeat(400_000),
    id: `big-${n}`,
  }));
  for (const body of messages) await world.post(`${path}/follow-up`, body);

  const first = await page("");

  expect(first.hasMore).toBe(true);
  expect(JSON.stringify(first.entries).length).toBeLessThan(700_000);
});

test("who knows everything is answered without the log being read again", async () => {
  const { page, reads } = await longSession(40);
  const { lastSeq } = await page("");
  reads.length = 0;

  const nothing = await page(`?sinceSeq=${lastSeq}`);
  const little = await page(`?sinceSeq=${lastSeq - 3}`);

  expect(nothing).toMatchObject({ entries: [], messages: [], lastSeq });
  expect(little.entries).toHaveLength(3);
  expect(Math.min(...reads)).toBeGreaterThanOrEqual(lastSeq - 3);
});

test("what is queued counts as well", async () => {
  const limits = { maxStoredCharsPerSession: 1_000 };
  const world = await createWorld([stall()], { server: { limits } });
  const begun = await world.post("/api/agent/execute", { input: "Hi" });
  const path = `/api/agent/session/${begun.headers.get("x-session-id") ?? ""}/follow-up`;

  const taken = await world.post(path, { input: "x".repeat(1_500) });
  const refused = await errorOf(await world.post(path, { input: "more" }));
  await begun.body?.cancel();

  expect(taken.status).toBe(202);
  expect(refused).toMatchObject({ status: 507, code: "storage_full" });
});

test("a history that takes the place of a longer one counts as what it is", async () => {
  const limits = { maxStoredCharsPerSession: 1_000 };
  const { world, path } = await longSession(2, { server: { limits } });
  await world.post(`${path}/follow-up`, { input: "count me" });
  const session = await world.host.open(path.split("/").at(-1) ?? "");
  await session.waitForIdle();

  await session.loadHistory([{ role: "user", id: "h1", content: "x".repeat(1_500) }]);
  const refused = await errorOf(await world.post(`${path}/follow-up`, { input: "more" }));

  expect(refused).toMatchObject({ status: 507, code: "storage_full" });
});

test("a session that holds as much as it may takes no more, until it is deleted", async () => {
  const limits = { maxStoredCharsPerSession: 1_000, maxStoredCharsPerPrincipal: 2_000 };
  const { world, path } = await longSession(1, { server: { limits } });
  const large = { input: "x".repeat(1_500) };

  const taken = await world.post(`${path}/follow-up`, large);
  const refused = await errorOf(await world.post(`${path}/follow-up`, { input: "more" }));
  const other = await world.execute({ input: "y".repeat(900) });
  await world.post(`/api/agent/session/${other.sessionId}/follow-up`, { input: "count me" });
  const inAll = await errorOf(await world.post("/api/agent/execute", { input: "another" }));
  await world.request(path, { method: "DELETE" });
  const again = await world.post("/api/agent/execute", { input: "another" });
  await again.body?.cancel();

  expect(taken.status).toBe(202);
  expect(refused).toMatchObject({ status: 507, code: "storage_full" });
  expect(inAll).toMatchObject({ status: 507, code: "storage_full" });
  expect(again.status).toBe(200);
});
