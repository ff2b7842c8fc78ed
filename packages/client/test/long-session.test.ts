import { connect } from "@capstan/client";
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { serve, token } from "./transports.ts";

test("a client reads all pages of a long session by itself", async () => {
  const repository = memoryRepository();
  const model = scriptedProvider(Array.from({ length: 180 }, (_, turn) => say(`Reply ${turn}`)));
  const host = createHost({ agents: [createAgent({ name: "helper", model })], repository });
  const written = host.createSession({ agent: "helper", principal: "ann" });
  for (let turn = 0; turn < 180; turn++) await written.run("More");
  const { messages } = written;
  await host.close();
  const { node } = await serve([], { repository });
  const asked: string[] = [];
  const counting: typeof fetch = (input, init) => {
    asked.push(new Request(input).url);
    return fetch(input, init);
  };

  const client = connect({ url: node.url, token, fetch: counting });
  const session = client.session(written.id);
  await session.refresh();
  client.close();

  expect(session.state.messages).toEqual(messages);
  expect(session.state.messages).toHaveLength(360);
  expect(asked.filter((url) => url.includes("sinceSeq"))).toHaveLength(1);
});
