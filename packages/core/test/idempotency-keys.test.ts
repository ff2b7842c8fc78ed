import { defineTool } from "@capstan/core";
import type { Host } from "@capstan/core";
import { hashJson } from "@capstan/kernel";
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

/** The keys that its charges were made with. */
function tillWorld(turns: number): { readonly world: World; readonly keys: string[] } {
  const keys: string[] = [];
  const charge = defineTool({
    name: "charge",
    description: "Charges the card",
    input: { type: "object" },
    effect: "idempotent",
    execute: (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return "charged";
    },
  });
  const script = Array.from({ length: turns }, () => [callTool("charge"), say("Done")]).flat();
  return { world: createWorld(script, [charge]), keys };
}

function incarnationIn(world: World): string {
  const created = world.entries("till").find(({ type }) => type === "created");
  return (created as { readonly incarnation?: string } | undefined)?.incarnation ?? "";
}

async function chargeAnew(host: Host): Promise<void> {
  const session = host.createSession({ agent: "helper", id: "till" });
  await session.send("Charge", { id: "t1" }).response;
}

test("a session that is deleted and begun again with the same ids has other idempotency keys", async () => {
  const { world, keys } = tillWorld(2);
  const host = world.host();

  await chargeAnew(host);
  await host.delete("till");
  await chargeAnew(host);

  expect(new Set(keys).size).toBe(2);
});

test("a key is made of the incarnation of the session and of the call, without a hash", async () => {
  const { world, keys } = tillWorld(1);

  await chargeAnew(world.host());

  expect(keys).toEqual([`${incarnationIn(world)}.t1_1_0`]);
});

test("a session whose log has no incarnation keeps the keys that it always had", async () => {
  const { world, keys } = tillWorld(1);
  const created = { v: 1, type: "created", id: "c1", at: 1_000, agent: "helper" } as const;
  const head = { status: "idle", agent: "helper", seen: 1, updatedAt: 1_000 } as const;
  world.repository.create("till", [created], head);
  const session = await world.host().open("till");

  await session.send("Charge", { id: "t1" }).response;

  expect(keys).toEqual([hashJson(["till", "t1_1_0"])]);
});

test("a fork has an incarnation of its own", async () => {
  const { world } = tillWorld(1);
  const host = world.host();
  await chargeAnew(host);
  const session = await host.open("till");

  const fork = await session.fork();

  const incarnations = ["till", fork.id].map((id) => world.repository.acquire(id, "x", 1)?.head);
  const [original, copy] = incarnations.map((head) => head?.incarnation);
  expect(original).toBeTypeOf("string");
  expect(copy).toBeTypeOf("string");
  expect(copy).not.toBe(original);
});
