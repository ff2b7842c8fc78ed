/** What B10 reads: one long session that was really run, and ten thousand short ones beside it. */
import { createAgent, createHost } from "@capstan/core";
import type { SessionRepository } from "@capstan/log";
import { exportSession, importSession, memoryRepository } from "@capstan/log";
import { callTool, echoTool, say, scriptedProvider } from "@capstan/testing";

export const longId = "long";
/** Likewise, with a summary of all but its last turn. */
export const compactedId = "compacted";
const entriesOfLong = 10_000;
export const sessionCount = 10_000;
/** The short ones have it too, so that a host may open any of them. */
export const agentName = "helper";

const stepsPerTurn = 20;
const output = "The train to Oslo leaves at 7.15 from platform 4 and arrives at noon. ".repeat(4);

/** Gives the number of messages in the long one. */
export async function fillStore(store: SessionRepository): Promise<number> {
  const { lines, messages } = await longSession();
  await importSession(store, lines, { id: longId, now: 1_000, trust: "own" });
  await importSession(store, lines, { id: compactedId, now: 1_000, trust: "own" });
  await compact(store);
  const head = { status: "completed", agent: agentName, seen: 1, title: "A short one" } as const;
  for (let i = 2; i < sessionCount; i += 1) {
    const entry = { v: 1, id: "created", at: i, type: "created", agent: agentName } as const;
    await store.create(`s${i}`, [entry], { ...head, updatedAt: i });
  }
  return messages;
}

/** As a session goes on after it was compacted: the next turn records a checkpoint. */
async function compact(repository: SessionRepository): Promise<void> {
  const provider = scriptedProvider([say("They spoke of trains."), say(output)]);
  const agent = createAgent({ name: agentName, model: provider, tools: [echoTool()] });
  const host = createHost({ agents: [agent], repository, pollMs: Infinity });
  const session = await host.open(compactedId);
  await session.compact();
  await session.run("Go on");
  await host.close();
}

async function longSession(): Promise<{ readonly lines: string[]; readonly messages: number }> {
  const repository = memoryRepository();
  const turn = [
    ...Array.from({ length: stepsPerTurn }, () => callTool("echo", { text: output })),
    say(output),
  ];
  const provider = scriptedProvider(Array.from({ length: 1_000 }, () => turn).flat());
  const agent = createAgent({ name: agentName, model: provider, tools: [echoTool()] });
  const host = createHost({ agents: [agent], repository });
  const session = host.createSession({ agent: agentName, id: longId });
  do {
    await session.send("Go on").response;
  } while (repository.read(longId, { limit: 1 }).lastSeq < entriesOfLong);
  const lines = await Array.fromAsync(exportSession(repository, longId));
  await host.close();
  return { lines, messages: session.messages.length };
}
