/** Connections to a model's reply that are cut: it goes on without a gap and without a duplicate. */
import type { ProviderContract } from "@capstan/kernel";
import { proxyProvider } from "@capstan/client/proxy";
import { callTool, reply, say, scriptedProvider, think, wait } from "@capstan/testing";
import { expect, test, vi } from "vitest";
import { cuttingProxy } from "../cutting-proxy.ts";
import type { Cuts } from "../cutting-proxy.ts";
import { retry, token } from "../transports.ts";
import { behindProxy, failureOf, partsOf } from "./proxied.ts";

const long = reply(
  think(["Let", " me", " see"]),
  say(["One", " two", " three", " four"]),
  callTool("echo", { a: 1 }, { argumentDeltas: 3 }),
);

interface CutReply {
  readonly provider: ReturnType<typeof scriptedProvider>;
  readonly cut: ProviderContract;
  readonly counts: Awaited<ReturnType<typeof cuttingProxy>>["counts"];
}

async function behindCuts(cuts: Cuts): Promise<CutReply> {
  const provider = scriptedProvider([long]);
  const { node } = await behindProxy(provider);
  const { url, counts } = await cuttingProxy(node.url, cuts);
  return { provider, counts, cut: proxyProvider({ url, token, retry, model: "fast" }) };
}

const whole = await partsOf(scriptedProvider([long]));
const places = Array.from({ length: whole.length + 1 }, (_, place) => place);

test.each(places)("cut after frame %i: the same parts, of one request", async (afterFrames) => {
  const { provider, cut, counts } = await behindCuts({ afterFrames });

  expect(await partsOf(cut)).toEqual(whole);
  expect(provider.requests).toHaveLength(1);
  expect(counts.cuts).toBe(1);
});

test.each(places)("cut inside of frame %i: the same parts", async (afterFrames) => {
  const { provider, cut } = await behindCuts({ afterFrames, isInFrame: true });

  expect(await partsOf(cut)).toEqual(whole);
  expect(provider.requests).toHaveLength(1);
});

test("cut after every second frame, again and again", async () => {
  const { provider, cut, counts } = await behindCuts({ everyFrames: 2 });

  expect(await partsOf(cut)).toEqual(whole);
  expect(provider.requests).toHaveLength(1);
  expect(counts.cuts).toBeGreaterThan(4);
});

test("the answer to the request is lost: it is asked again, and the model is asked once", async () => {
  const { provider, cut } = await behindCuts({ answerTo: 1 });

  expect(await partsOf(cut)).toEqual(whole);
  expect(provider.requests).toHaveLength(1);
});

test("a reply that the server no longer has is a passing error of the network", async () => {
  const provider = scriptedProvider([reply(say(["Half", "Cut"]), wait(new Promise(() => {})))]);
  const proxy = { models: { fast: provider }, resumeMs: 0 };
  const { node } = await behindProxy(provider, {}, { proxy });
  const { url } = await cuttingProxy(node.url, { afterFrames: 1 });
  const afterAbort: typeof fetch = async (input, init) => {
    // The request that asks for the rest comes after the server has given up.
    if (init?.method === "GET") await vi.waitFor(() => expect(provider.openStreams).toBe(0));
    return fetch(input, init);
  };
  const proxied = proxyProvider({ url, token, retry, model: "fast", fetch: afterAbort });

  const thrown = await failureOf(proxied);

  expect(thrown).toMatchObject({ name: "ProviderError", code: "network", retryable: true });
  expect(provider.requests[0]?.signal.aborted).toBe(true);
});

test("a server that closes ends the reply with a passing error, and aborts the model", async () => {
  const provider = scriptedProvider([reply(say("Half"), wait(new Promise(() => {})))]);
  const { node, proxied } = await behindProxy(provider, { retry: { maxAttempts: 1 } });

  const failing = failureOf(proxied);
  await vi.waitFor(() => expect(provider.openStreams).toBe(1));
  await node.close();

  expect(await failing).toMatchObject({ code: "overloaded", retryable: true });
  expect(provider.openStreams).toBe(0);
});
