/** A store that is unavailable for a moment between two requests of a turn: the turn is resumed, as after any other write that failed. */
import type { HostFault } from "@capstan/core";
import { defineTool } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { RepositoryError } from "@capstan/log";
import { callTool, failBefore, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { SmallWorld } from "./compaction-world.ts";
import { full, long, smallWorld, summary } from "./compaction-world.ts";

/** Once, a write of an entry of this type reaches the store, and its answer is lost. */
function losingAnswer({ repository }: SmallWorld, lost: string): SessionRepository {
  let isLost = false;
  const append: SessionRepository["append"] = (id, entries, options) => {
    const appended = repository.append(id, entries, options);
    if (isLost || !entries.some(({ type }) => type === lost)) return appended;
    isLost = true;
    throw new RepositoryError("unavailable", id, "the answer was lost");
  };
  return { ...repository, append };
}

async function outcomeOf(world: SmallWorld, lost: string) {
  const repository = losingAnswer(world, lost);
  const faults: HostFault[] = [];
  const host = world.host({ repository, onError: (fault) => faults.push(fault) });
  const session = host.createSession({ agent: "helper" });
  await session.run(long("Hello"));
  const turn = session.send("How are you?", { id: "t2" });
  await world.clock.advance(60_000);
  return { session, faults, response: await turn.response };
}

test.each(["compaction_started", "compaction"])(
  "a turn goes on after the store failed to answer to a %s",
  async (lost) => {
    const world = smallWorld([full(say("Hello!"), 8_500), summary, say("Fine")]);

    const { session, response, faults } = await outcomeOf(world, lost);

    expect(response).toMatchObject({ status: "completed", text: "Fine" });
    expect(faults).toMatchObject([{ where: "store", error: { code: "unavailable" } }]);
    expect(world.entriesOf(session, "turn_ended")).toHaveLength(2);
    expect(world.entriesOf(session, "compaction")).toHaveLength(1);
  },
);

test("a turn goes on after the store failed to answer while room was made for a request that was too long", async () => {
  const tooLong = failBefore("context_overflow");
  const world = smallWorld([say("Hello!"), tooLong, tooLong, summary, say("Fine")]);

  const { session, response } = await outcomeOf(world, "compaction_started");

  expect(response).toMatchObject({ status: "completed", text: "Fine" });
  expect(world.entriesOf(session, "compaction")).toHaveLength(1);
});

test("a turn goes on after the store failed to answer to an eviction of outputs", async () => {
  const look = defineTool({
    name: "look",
    description: "Looks around",
    input: { type: "object" },
    effect: "pure",
    ephemeral: 1,
    execute: () => "x".repeat(10),
  });
  const looks = Array.from({ length: 8 }, () => callTool("look"));
  const world = smallWorld([say("Hello!"), ...looks, say("Fine")], { tools: [look] });

  const { session, response } = await outcomeOf(world, "eviction");

  expect(response).toMatchObject({ status: "completed", text: "Fine" });
  expect(world.entriesOf(session, "turn_ended")).toHaveLength(2);
});
