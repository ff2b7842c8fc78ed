import type { Session } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { assertValidTranscript, callTool, remoteTool, say } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import type { Breakable, Fault, Place } from "./broken-callbacks.ts";
import { breakable, faults, places, workThenAnswer } from "./broken-callbacks.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

/** As long as anybody waits for code of the user. */
const limitMs = 30_000;
const everyFault = Object.keys(faults) as Fault[];
const atTheEnd: Place = "dispose of a dependency of the session";
const inTheTurn = places.filter((place) => place !== atTheEnd);

/** A logger returns nothing that anybody could wait for. */
const everyPlaceAndFault = inTheTurn.flatMap((place) =>
  everyFault
    .filter((fault) => place !== "log of the logger" || fault !== "rejects")
    .map((fault) => [place, fault] as const),
);

interface BrokenSession extends Breakable {
  readonly world: World;
  readonly session: Session;
  readonly events: readonly SessionEvent[];
  closeHost(): Promise<void>;
}

function brokenSession(place: Place, fault: Fault): BrokenSession {
  const world = createWorld(Array(8).fill(workThenAnswer));
  const broken = breakable(world.provider, place, fault);
  const host = world.host({ agents: [broken.agent], pollMs: Infinity });
  const session = host.createSession({ agent: "helper" });
  const events: SessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return { ...broken, world, session, events, closeHost: () => host.close() };
}

function turnsEnded(events: readonly SessionEvent[]): string[] {
  return events.flatMap(({ type, turnId }) => (type === "turn_end" ? [turnId] : []));
}

describe("a callback that fails", () => {
  test("with callbacks that work, the turn below reaches its answer", async () => {
    const { session, repair, calls } = brokenSession("stopWhen", "throws");
    repair();

    const response = await session.send("Hello").response;

    expect(response).toMatchObject({ status: "completed", output: {}, messages: { length: 3 } });
    expect(calls()).toBe(0);
  });

  test.each(everyPlaceAndFault)(
    "when %s %s, the turn ends once and in time, and the session takes the next one",
    async (place, fault) => {
      const { world, session, agent, events, calls, repair, closeHost } = brokenSession(
        place,
        fault,
      );
      const startedAt = world.clock.now();

      const first = await world.clock.runUntil(session.send("Hello", { id: "t1" }).response);
      const took = world.clock.now() - startedAt;
      await world.clock.runUntil(session.waitForIdle());
      await expectSameElsewhere(world, session, { agents: [agent] });
      repair();
      const second = await session.send("Again", { id: "t2" }).response;
      await world.clock.runUntil(closeHost());

      expect(calls()).toBeGreaterThan(0);
      expect(first.status).toMatch(/^(completed|error)$/);
      expect(took).toBeLessThanOrEqual(limitMs);
      expect(turnsEnded(events)).toEqual(["t1", "t2"]);
      expect(second).toMatchObject({ status: "completed", output: {} });
      assertValidTranscript(session.messages);
      expect(world.clock.pending()).toBe(0);
    },
  );

  test.each(everyFault)(
    `when ${atTheEnd} %s, the turns and the end of the session are not held up`,
    async (fault) => {
      const { world, session, calls } = brokenSession(atTheEnd, fault);
      const response = await session.send("Hello").response;
      await session.waitForIdle();
      const before = calls();

      await world.clock.runUntil(session.close());

      expect(response.status).toBe("completed");
      expect([before, calls()]).toEqual([0, 1]);
    },
  );

  test.each(inTheTurn.filter((place) => !["instructions", "resolveModel"].includes(place)))(
    "when %s never returns, an abort does not wait for it",
    async (place) => {
      const { world, session } = brokenSession(place, "never returns");
      const turn = session.send("Hello");
      await world.clock.advance(0);
      const startedAt = world.clock.now();
      await session.abort();

      await world.clock.runUntil(turn.response);

      // The grace period of a tool.
      expect(world.clock.now() - startedAt).toBeLessThanOrEqual(1_000);
    },
  );

  test("when a tool without a limit never returns, an abort ends its turn", async () => {
    const hanging = {
      ...remoteTool({ name: "hang" }),
      execute: () => new Promise<never>(() => {}),
    };
    const world = createWorld([callTool("hang"), say("Next")], [hanging], {
      deadlines: { toolMs: Infinity },
    });
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    await world.clock.advance(600_000);
    const before = session.status;

    await session.abort();
    const { status } = await world.clock.runUntil(turn.response);
    await session.waitForIdle();

    expect(before).toBe("running");
    expect(status).toBe("aborted");
    await expect(session.send("Again").response).resolves.toMatchObject({ text: "Next" });
  });

  test.each<[what: string, listener: () => unknown]>([
    ["throws", faults.throws],
    ["never returns", faults["never returns"]],
  ])("when a subscriber %s, the turn and the other subscribers go on", async (_, listener) => {
    const world = createWorld([say("One")]);
    const session = world.host().createSession({ agent: "helper" });
    session.subscribe(listener);
    const seen: SessionEvent[] = [];
    session.subscribe((event) => seen.push(event));

    const response = await session.send("Hello").response;

    expect(response.status).toBe("completed");
    expect(turnsEnded(seen)).toHaveLength(1);
  });

  test("when the reader of a turn's events throws, its response resolves all the same", async () => {
    const world = createWorld([say("One")]);
    const session = world.host().createSession({ agent: "helper" });
    const turn = session.send("Hello");
    const read = async (): Promise<void> => {
      for await (const event of turn) throw new Error(`cannot read ${event.type}`);
    };

    await expect(read()).rejects.toThrow("cannot read");

    await expect(turn.response).resolves.toMatchObject({ status: "completed", text: "One" });
  });
});
