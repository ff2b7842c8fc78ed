import { createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { ServerOptions } from "@capstan/server";
import { createServer } from "@capstan/server";
import { expect, test } from "vitest";

test.each([
  ["limits.sessionsPerPrincipal", { limits: { sessionsPerPrincipal: null } }],
  ["limits.requestsPerMinute", { limits: { requestsPerMinute: NaN } }],
  ["clientTools.maxTools", { clientTools: { maxTools: "many" } }],
])("a server whose %s is no number is refused, and told why", (name, options) => {
  const host = createHost({ agents: [], repository: memoryRepository(), pollMs: Infinity });
  // The types do not allow it; code without them does.
  const given = { host, authenticate: () => undefined, ...options } as unknown as ServerOptions;

  expect(() => createServer(given)).toThrow(
    expect.objectContaining({
      name: "ServerError",
      code: "invalid_options",
      message: expect.stringContaining(`The server's ${name} must be `),
    }),
  );
});
