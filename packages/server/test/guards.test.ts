/** Guards over HTTP: what clients see of what they reject. */
import { connect } from "@capstan/client";
import { say } from "@capstan/testing";
import { expect, test } from "vitest";
import { createWorld, tokens } from "./world.ts";

const guards = {
  input: ({ text }: { readonly text: string }) =>
    text.includes("harm") ? "Not about harm, please" : undefined,
  output: ({ text }: { readonly text: string }) =>
    text.includes("secret") ? "It tells a secret" : undefined,
};

test("a rejected reply reaches no client: not in the stream, not in the session, not in its log", async () => {
  const world = await createWorld([say("The secret is 7")], { agent: { guards } });

  const { sessionId, frames } = await world.execute({ input: "Tell", id: "t1" });
  const session = await (await world.request(`/api/agent/session/${sessionId}`)).text();

  expect(JSON.stringify(frames)).toContain('"code":"output_rejected"');
  expect(JSON.stringify(frames)).toContain("It tells a secret");
  expect(JSON.stringify(frames)).not.toContain("secret is 7");
  expect(session).toContain('"outcome":"rejected"');
  expect(session).not.toContain("secret is 7");
});

test("a reader that comes later sees what one from the start saw", async () => {
  const world = await createWorld([say("The secret is 7"), say("Fine")], { agent: { guards } });
  const { sessionId } = await world.execute({ input: "Tell", id: "t1" });
  await world.execute({ sessionId, input: "Go on", id: "t2" });

  const { body } = await world.request(`/api/agent/session/${sessionId}/events?after=0.0`);
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"Fine"')) text += (await reader?.read())?.value ?? "";
  await reader?.cancel();

  expect(text).toContain("attempt_discarded");
  expect(text).not.toContain("secret is 7");
});

test("the client's response has the guard's reason, for messages and for replies", async () => {
  const world = await createWorld([say("The secret is 7")], { agent: { guards } });
  const session = connect({ url: world.node.url, token: tokens.ann }).session("s1", {
    agent: "helper",
  });

  const input = await session.send("Do harm").response;
  const output = await session.send("Tell").response;

  expect(input).toMatchObject({
    status: "error",
    error: { code: "input_rejected", message: "Not about harm, please", guard: "input" },
  });
  expect(output).toMatchObject({
    status: "error",
    text: "",
    error: { code: "output_rejected", message: "It tells a secret", guard: "output" },
  });
  expect(world.provider.requests).toHaveLength(1);
});
