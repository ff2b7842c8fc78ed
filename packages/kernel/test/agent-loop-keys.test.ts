import { agentLoop } from "@capstan/kernel";
import { callTool, echoTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import { scriptedLoop, user } from "./scripted-loop.ts";

test("a loop asks for the key before each request, by the id of the provider", async () => {
  const { provider, config } = scriptedLoop([callTool("echo"), say("One")]);
  const asked: string[] = [];
  const getApiKey = async (id: string): Promise<string> => `key ${asked.push(id)}`;
  const context = { messages: [], tools: [echoTool()] };

  await agentLoop([user("u1")], context, { ...config, getApiKey }).response;

  expect(asked).toEqual(["scripted", "scripted"]);
  expect(provider.requests.map(({ options }) => options.apiKey)).toEqual(["key 1", "key 2"]);
});

test("without a key the options stay as they are", async () => {
  const { provider, config } = scriptedLoop([say("One")]);
  const providerOpts = { apiKey: "given" };

  await agentLoop(
    [user("u1")],
    { messages: [] },
    {
      ...config,
      providerOpts,
      getApiKey: () => undefined,
    },
  ).response;

  expect(provider.requests[0]?.options.apiKey).toBe("given");
});

test("a function that fails to give a key ends the turn with its error", async () => {
  const { config } = scriptedLoop([say("One")]);

  const { status, error } = await agentLoop(
    [user("u1")],
    { messages: [] },
    {
      ...config,
      getApiKey: () => Promise.reject(new Error("the vault is closed")),
    },
  ).response;

  expect({ status, message: error?.message }).toEqual({
    status: "error",
    message: "the vault is closed",
  });
});
