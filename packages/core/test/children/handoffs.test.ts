/** Handoffs: another agent of the host gets the rest of the conversation. */
import { agentTool, createHost, handoff } from "@capstan/core";
import type { Agent, Session } from "@capstan/core";
import { assertValidTranscript, callTool, echoTool, reply, say, stall } from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "../mortal.ts";
import { asTool, family, member, resultsOf } from "./family.ts";

const toBilling = callTool("hand_off_to_billing", {});

function rolesOf({ messages }: Session): string[] {
  return messages.map(({ role }) => role);
}

test("plain: the other agent answers in the same turn, and has the conversation from then on", async () => {
  const billing = member("billing", [say("Billing here"), say("Still billing")]);
  const triage = member("triage", [toBilling], [handoff(billing, { description: "Money" })]);
  const world = family(triage);
  const session = world.host().createSession({ agent: "triage" });

  const first = await session.send("I want my money").response;
  const second = await session.send("Are you there?").response;

  expect(first).toMatchObject({ status: "completed", text: "Billing here" });
  expect(second).toMatchObject({ text: "Still billing" });
  expect(session.agent).toBe("billing");
  expect((await world.host().list()).sessions[0]?.head.agent).toBe("billing");
  expect(rolesOf(session)).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant"]);
  expect(resultsOf(session)).toEqual(['The conversation is now with "billing".']);
  assertValidTranscript(session.messages);
});

test("the handoff is an event, and the turn has one start and one end", async () => {
  const billing = member("billing", [say("Billing here")]);
  const triage = member("triage", [toBilling], [handoff(billing, { description: "Money" })]);
  const session = family(triage).host().createSession({ agent: "triage" });
  const types: string[] = [];

  for await (const event of session.send("Go")) types.push(event.type);

  expect(types.filter((type) => type === "handed_off")).toHaveLength(1);
  expect(types.filter((type) => type === "turn_start" || type === "turn_end")).toEqual([
    "turn_start",
    "turn_end",
  ]);
  expect(types).not.toContain("error");
});

test("filtered: the other agent is shown only what the filter keeps, and calls stay with their results", async () => {
  const billing = member("billing", [say("Billing here")]);
  const echo = echoTool();
  const triage = member(
    "triage",
    [callTool("echo", { secret: 1 }), toBilling],
    [
      echo,
      handoff(billing, {
        description: "Money",
        // Keeps the result of a call whose message it drops.
        filter: (messages) => messages.filter(({ role }) => role === "user" || role === "tool"),
      }),
    ],
  );
  const session = family(triage).host().createSession({ agent: "triage" });

  await session.send("I want my money").response;

  const [request] = requestsOf(billing);
  expect(JSON.stringify(request)).not.toContain("secret");
  expect(session.messages).toHaveLength(6);
  assertValidTranscript(session.messages);
});

test("back and forth: agents hand over to each other by name", async () => {
  const billing = member(
    "billing",
    [callTool("hand_off_to_triage", {})],
    [handoff("triage", { description: "Everything else" })],
  );
  const triage = member(
    "triage",
    [toBilling, say("Back at triage")],
    [handoff(billing, { description: "Money" })],
  );
  const session = family(triage).host().createSession({ agent: "triage" });

  const response = await session.send("Go").response;

  expect(response).toMatchObject({ status: "completed", text: "Back at triage" });
  expect(session.agent).toBe("triage");
});

test("with a running tool: the other calls of the step settle first, and their results are kept", async () => {
  const billing = member("billing", [say("Billing here")]);
  const echo = echoTool();
  const triage = member(
    "triage",
    [reply(toBilling, callTool("echo", { n: 1 }))],
    [echo, handoff(billing, { description: "Money" })],
  );
  const session = family(triage).host().createSession({ agent: "triage" });

  const response = await session.send("Go").response;

  expect(echo.started).toHaveLength(1);
  expect(response).toMatchObject({ text: "Billing here" });
  expect(resultsOf(session)).toHaveLength(2);
});

test("refused by a hook: the conversation stays where it is", async () => {
  const billing = member("billing", []);
  const triage = member(
    "triage",
    [toBilling, say("I will do it myself")],
    [handoff(billing, { description: "Money" })],
    { hooks: { before: () => ({ action: "block", reason: "Not to billing" }) } },
  );
  const session = family(triage).host().createSession({ agent: "triage" });

  const response = await session.send("Go").response;

  expect(response).toMatchObject({ text: "I will do it myself" });
  expect(session.agent).toBe("triage");
});

test("refused by a guard: the reply with the handoff does not count, and the model is asked again", async () => {
  const billing = member("billing", []);
  const triage = member(
    "triage",
    [toBilling, say("I will do it myself")],
    [handoff(billing, { description: "Money" })],
    {
      guards: {
        output: ({ message }) =>
          message?.content.some(({ type }) => type === "tool_call")
            ? { reason: "Not to billing", retry: true }
            : undefined,
      },
    },
  );
  const session = family(triage).host().createSession({ agent: "triage" });

  const response = await session.send("Go").response;

  expect(response).toMatchObject({ text: "I will do it myself" });
  expect(session.agent).toBe("triage");
  expect(resultsOf(session)).toEqual([]);
});

test("a handoff that needs an approval waits for it", async () => {
  const billing = member("billing", [say("Billing here")]);
  const triage = member(
    "triage",
    [toBilling],
    [handoff(billing, { description: "Money", needsApproval: true })],
  );
  const session = family(triage).host().createSession({ agent: "triage" });
  await session.send("Go").response;

  const response = await session.approve(session.pendingToolCalls[0] ?? "").response;

  expect(response).toMatchObject({ text: "Billing here" });
});

test("a second handoff in one step is refused", async () => {
  const billing = member("billing", [say("Billing here")]);
  const sales = member("sales", []);
  const triage = member(
    "triage",
    [reply(toBilling, callTool("hand_off_to_sales", {}))],
    [handoff(billing, { description: "Money" }), handoff(sales, { description: "Offers" })],
  );
  const session = family(triage).host().createSession({ agent: "triage" });

  const response = await session.send("Go").response;

  expect(response).toMatchObject({ text: "Billing here" });
  expect(resultsOf(session)[1]).toContain('just given to "billing"');
});

test("an agent that the host does not have is an error result", async () => {
  const triage = member(
    "triage",
    [callTool("hand_off_to_ghost", {}), say("Sorry")],
    [handoff("ghost", { description: "Nobody" })],
  );
  const session = family(triage).host().createSession({ agent: "triage" });

  await session.send("Go").response;

  expect(resultsOf(session)[0]).toContain('no agent "ghost"');
  expect(session.agent).toBe("triage");
});

test("after a crash right behind the handoff the other agent goes on", async () => {
  const billing = member("billing", [stall(), say("Billing here")]);
  const triage = member("triage", [toBilling], [handoff(billing, { description: "Money" })]);
  const world = family(triage);
  const process = mortal(world.repository);
  const session = world.host({ repository: process.repository }).createSession({ agent: "triage" });
  session.send("Go");
  await world.clock.advance(0);
  process.die();

  const elsewhere = await world.host().open(session.id);
  await world.clock.advance(32_000);

  expect(elsewhere.messages.at(-1)).toMatchObject({ content: [{ text: "Billing here" }] });
  expect(elsewhere.agent).toBe("billing");
});

test("a child can hand its task over", async () => {
  const expert = member("expert", [say("42")]);
  const researcher = member(
    "researcher",
    [callTool("hand_off_to_expert", {})],
    [handoff(expert, { description: "Hard questions" })],
  );
  const root = member(
    "root",
    [callTool("researcher", { task: "Find it" }), say("Done")],
    [asTool(researcher)],
  );
  const session = family(root).host().createSession({ agent: "root" });

  await session.send("Go").response;

  expect(resultsOf(session)).toEqual(["42"]);
});

test("two different agents of one name are refused", () => {
  const one = member("helper", []);
  const other = member("helper", []);
  const root = member("root", [], [agentTool(one, { description: "One" })]);

  expect(() => createHost({ agents: [root, other], repository: family(root).repository })).toThrow(
    'two agents with the name "helper"',
  );
});

function requestsOf(agent: Agent): readonly unknown[] {
  const { requests } = agent.model as unknown as { readonly requests: readonly unknown[] };
  return requests;
}
