/** A host that is closed while something is being sent: callers learn that this process follows it no longer. */
import type { Host, Session } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { say } from "@capstan/testing";
import { setImmediate as nextTick } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { begun, distant } from "./started-turns.ts";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";

const stores: [string, (store: SessionRepository) => SessionRepository][] = [
  ["at once", (store) => store],
  ["later", distant],
];

async function pause(count: number, moment: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i += 1) await moment();
}

/** Closes the host so many moments after a send. Returns what its caller has learned some time later. */
async function outcomeOf(
  session: Session,
  host: Host,
  count: number,
  moment: () => Promise<unknown>,
): Promise<string> {
  const { response } = session.send("And?", { id: "t2" });
  await pause(count, moment);
  await host.close();
  await pause(20, nextTick);
  const settled = await Promise.race([response, nextTick(undefined)]);
  return settled === undefined ? "never settled" : (settled.error?.code ?? settled.status);
}

describe.each(stores)("a store that answers %s", (_, from) => {
  function hostOf(world: World): Host {
    return world.host({ repository: from(world.repository) });
  }

  async function outcomesOf(isNew: boolean): Promise<Set<string>> {
    const outcomes: string[] = [];
    for (const moment of [() => Promise.resolve(), nextTick]) {
      for (let count = 0; count < 40; count += 1) {
        const host = hostOf(createWorld([say("One"), say("Two")]));
        const session = isNew
          ? host.createSession({ agent: "helper", id: "chat" })
          : await begun(host);
        outcomes.push(await outcomeOf(session, host, count, moment));
      }
    }
    return new Set(outcomes);
  }

  test("a send settles, whenever its host is closed", async () => {
    expect(await outcomesOf(false)).toEqual(new Set(["host_closed", "completed"]));
  });

  test("the first send of a session settles, whenever its host is closed", async () => {
    expect(await outcomesOf(true)).toEqual(new Set(["host_closed", "completed"]));
  });

  test("a caller that reads the events of a send gets an error event when the host is closed", async () => {
    const host = hostOf(createWorld([say("One"), say("Two")]));
    const session = await begun(host);

    const events = Array.fromAsync(session.send("And?", { id: "t2" }));
    await host.close();

    expect((await events).at(-1)).toMatchObject({ type: "error", error: { code: "host_closed" } });
  });

  test("a steering message that is stored after its host was closed has an outcome", async () => {
    const host = hostOf(createWorld([say("One"), say("Two")]));
    const session = await begun(host);

    const steered = session.steer("Briefly");
    await host.close();

    await expect(steered.then(({ outcome }) => outcome)).rejects.toMatchObject({
      code: "host_closed",
    });
  });

  test("a caller that waits for a session to be idle after its host was closed is told", async () => {
    const host = hostOf(createWorld([say("One"), say("Two")]));
    const session = await begun(host);

    session.send("And?", { id: "t2" });
    await host.close();

    await expect(session.waitForIdle()).rejects.toMatchObject({ code: "host_closed" });
    await expect(session.waitForChildren()).rejects.toMatchObject({ code: "host_closed" });
  });
});
