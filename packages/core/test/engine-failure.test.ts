/** A store that breaks its contract in the middle of a turn, so that not even the end of the turn can be recorded: all who wait are told. */
import type { Host, HostFault, Session } from "@capstan/core";
import { defineTool } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { callTool, say } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { begun, distant } from "./started-turns.ts";
import { createWorld } from "./world.ts";

const stores: [string, (store: SessionRepository) => SessionRepository][] = [
  ["at once", (store) => store],
  ["later", distant],
];

const failsFrom = ["attempt", "message", "tool_intent", "tool_result", "turn_ended"];

const echo = defineTool({
  name: "echo",
  description: "Repeats a text",
  input: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

interface Broken {
  readonly host: Host;
  readonly session: Session;
  readonly faults: readonly HostFault[];
  repair(): void;
}

describe.each(stores)("a store that answers %s", (_, from) => {
  /** From the first entry of this type in the second turn on, the store takes no entries. */
  async function brokenFrom(type: string): Promise<Broken> {
    const script = [say("One"), callTool("echo", { text: "x" }), say("Two"), say("Three")];
    const world = createWorld(script, [echo]);
    const state = { isBreaking: false, isBroken: false };
    const append: SessionRepository["append"] = (id, entries, options) => {
      if (state.isBreaking && entries.some((entry) => entry.type === type)) state.isBroken = true;
      if (state.isBroken && entries.length > 0) throw new TypeError("not a function");
      return world.repository.append(id, entries, options);
    };
    const faults: HostFault[] = [];
    const repository = from({ ...world.repository, append });
    const host = world.host({ repository, onError: (fault) => faults.push(fault) });
    const session = await begun(host);
    state.isBreaking = true;
    const repair = (): void => {
      state.isBreaking = false;
      state.isBroken = false;
    };
    return { host, session, faults, repair };
  }

  test.each(failsFrom)("a turn whose %s cannot be stored fails", async (type) => {
    const { session, faults } = await brokenFrom(type);

    const turn = session.send("And?", { id: "t2" });
    const events = await Array.fromAsync(turn);

    const error = { code: "engine_failed" };
    expect(events.at(0)).toMatchObject({ type: "turn_start" });
    expect(events.at(-1)).toMatchObject({ type: "error", error });
    expect(await turn.response).toMatchObject({ status: "error", error });
    expect(faults).toMatchObject([{ where: "engine", error: { message: "not a function" } }]);
  });

  test("callers that wait for the session to be idle are told", async () => {
    const { session } = await brokenFrom("turn_ended");

    session.send("And?", { id: "t2" });
    const waiting = [session.waitForIdle(), session.waitForChildren()];

    const settled = await Promise.allSettled(waiting);
    const reason = { code: "engine_failed" };
    expect(settled).toMatchObject([
      { status: "rejected", reason },
      { status: "rejected", reason },
    ]);
  });

  test("callers that wait for it afterwards are told, too, until the session is released", async () => {
    const { host, session, repair } = await brokenFrom("turn_ended");
    await session.send("And?", { id: "t2" }).response;

    await expect(session.waitForIdle()).rejects.toMatchObject({ code: "engine_failed" });
    await expect(session.waitForChildren()).rejects.toMatchObject({ code: "engine_failed" });
    repair();
    await host.release("chat");

    await session.waitForIdle();
    expect(session.messages.at(-1)).toMatchObject({ role: "assistant" });
  });

  test("a steering message for the turn has an outcome", async () => {
    const { session } = await brokenFrom("tool_result");

    const turn = session.send("And?", { id: "t2" });
    const { outcome } = await session.steer("Briefly");
    await turn.response;

    await expect(outcome).rejects.toMatchObject({ code: "engine_failed" });
  });

  test("a requested compaction fails", async () => {
    const { session } = await brokenFrom("compaction_started");

    await expect(session.compact()).rejects.toMatchObject({ code: "engine_failed" });
  });
});
