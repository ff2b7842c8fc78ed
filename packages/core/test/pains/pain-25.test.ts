/** Row 25 of the list of pains. Its third part, types that explode, has a budget: `test/type-budget.process.test.ts`. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createAgent, createSession } from "@capstan/core";
import type { AgentEvent, ProviderContract, TurnResponse } from "@capstan/kernel";
import { cutOff, failAfter, failBefore, say, scriptedProvider } from "@capstan/testing";
import { describe, expect, test } from "vitest";

const packages = join(import.meta.dirname, "..", "..", "..");

/** The packages of ours and the modules of others that a program has loaded when it has imported `specifier`. */
function loadedBy(specifier: string): string[] {
  const program = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    await import(${JSON.stringify(specifier)});
    console.log(JSON.stringify(urls));`;
  const args = ["--conditions=@capstan/source", "--input-type=module", "--eval", program];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: join(packages, "core"),
    encoding: "utf8",
  });
  const urls = JSON.parse(stdout) as string[];
  const names = urls.map((url) => /\/packages\/(\w+)\/src\//.exec(url)?.[1] ?? url);
  return [...new Set(names)].toSorted();
}

function agentOn(model: ProviderContract): ReturnType<typeof createAgent> {
  return createAgent({ name: "helper", model, retry: { maxAttempts: 1 } });
}

describe("pain 25: slow start, swallowed errors", () => {
  test("the core is loaded without zod, without a provider, and without a module of anybody else", () => {
    expect(loadedBy("@capstan/core")).toEqual(["core", "kernel", "log"]);
  });

  test("the list above would show zod", () => {
    expect(loadedBy("@capstan/core/schemas").join()).toContain("/zod/");
  });

  test.each<readonly [string, ProviderContract, string]>([
    ["fails at once", scriptedProvider([failBefore("auth")]), "auth"],
    ["fails in the middle", scriptedProvider([failAfter(say("Well"), "overloaded")]), "overloaded"],
    ["breaks off", scriptedProvider([[say("Well"), cutOff()]]), "network"],
    ["throws something of its own", scriptedProvider([failBefore(new RangeError("odd"))]), "odd"],
  ])(
    "where a provider %s, the error is in the events and in the response",
    async (_, model, what) => {
      const turn = agentOn(model).runStream("Hello");

      const events = await Array.fromAsync(turn);
      const response = await turn.response;

      expect(response.status).toBe("error");
      expect([response.error?.code, response.error?.message]).toContain(what);
      expect(errorOf(events)).toEqual(response.error);
    },
  );

  test("nobody has to read the events to get the error", async () => {
    const agent = agentOn(scriptedProvider([failBefore("auth"), failBefore("auth")]));

    const responses: TurnResponse[] = [
      await agent.runTurn({ input: "Hello" }).response,
      await createSession({ agent }).send("Hello").response,
    ];

    const error = { name: "ProviderError", message: "scripted auth", code: "auth" };
    expect(responses).toMatchObject([
      { status: "error", error },
      { status: "error", error },
    ]);
  });

  test("a callback that throws is a typed error of the turn, with the name of the callback", async () => {
    const agent = agentOn(scriptedProvider([say("Hello")])).with({
      transformContext() {
        throw new Error("out of order");
      },
    });

    const { status, error } = await agent.runTurn({ input: "Hello" }).response;

    expect(status).toBe("error");
    expect(error).toEqual({
      name: "TurnError",
      code: "callback_failed",
      message: "transformContext failed: out of order",
    });
  });
});

function errorOf(events: readonly AgentEvent[]): unknown {
  const last = events.at(-1);
  return last?.type === "turn_end" ? last.error : undefined;
}
