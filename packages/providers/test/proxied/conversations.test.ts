/** Conversations with emulated vendors, which refuse what the real ones refuse, through a server. */
import type { Emulator } from "@capstan/testing/emulators";
import { overload, throttle } from "@capstan/testing/emulators";
import { expect, onTestFinished, test, vi } from "vitest";
import { refusalsOf } from "../emulated-turns.ts";
import { historyScript, makeHistory } from "../matrix/history.ts";
import type { Service } from "../matrix/services.ts";
import { emulators, services } from "../matrix/services.ts";
import { requestOf } from "../request-of.ts";
import { serveDuringTests, vendorViaServer } from "./via-server.ts";

vi.setConfig({ testTimeout: 60_000 });
serveDuringTests();

async function emulate(
  { kind }: Service,
  script: Parameters<NonNullable<(typeof emulators)[string]>>[0],
): Promise<Emulator> {
  const emulator = await emulators[kind]?.(script);
  if (emulator === undefined) throw new Error(`No emulator of ${kind}`);
  onTestFinished(() => emulator.close());
  return emulator;
}

const named = services.map((service) => [service.name, service] as const);

test.each(named)("%s: thinking, tools, media, aborts and cuts are the same", async (_, service) => {
  const direct = await emulate(service, historyScript(service));
  const relayed = await emulate(service, historyScript(service));
  const proxied = { ...service, vendor: vendorViaServer(service.vendor) };

  const expected = await makeHistory(service, direct);
  const history = await makeHistory(proxied, relayed);

  expect(refusalsOf(relayed)).toEqual([]);
  expect(relayed.requests).toHaveLength(direct.requests.length);
  expect(history.map(shapeOf)).toEqual(expected.map(shapeOf));
});

/** A message without what each run has of its own: ids, ports, and what a vendor has sealed. */
function shapeOf(message: object): unknown {
  const own = ["id", "toolCallId", "host", "providerData", "metadata", "data"];
  return JSON.parse(
    JSON.stringify(message, (name, value: unknown) => (own.includes(name) ? name : value)),
  );
}

test.each(named)(
  "%s: a refusal has the same code, and the same wish to wait",
  async (_, service) => {
    const emulator = await emulate(service, [
      ...[throttle({ retryAfterSeconds: 2 }), throttle({ retryAfterSeconds: 2 })],
      ...[overload(), overload()],
    ]);
    const options = { baseUrl: emulator.url + (service.basePath ?? ""), apiKey: "test-key" };
    const direct = service.vendor(service.model, options).provider;
    const proxied = vendorViaServer(service.vendor)(service.model, options).provider;
    const request = requestOf({
      options: { model: service.model, modelFacts: service.facts ?? {} },
    });
    const failure = (provider: typeof direct): Promise<unknown> =>
      Array.fromAsync(provider.stream(request)).catch((thrown: unknown) => thrown);

    for (let round = 0; round < 2; round += 1) {
      const { code, retryable, retryAfterMs, status } = (await failure(direct)) as Record<
        string,
        unknown
      >;

      expect(await failure(proxied)).toMatchObject({
        ...{ name: "ProviderError", code, retryable, retryAfterMs, status },
      });
    }
  },
);
