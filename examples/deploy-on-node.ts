import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, createHost } from "@capstan/core";
import { bearerTokens, createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { sqlite } from "@capstan/stores/sqlite";
import { say, scriptedProvider } from "@capstan/testing";

const model = scriptedProvider([say("Hello.")]); // anthropic("claude-sonnet-5-5")
const folder = mkdtempSync(join(tmpdir(), "deploy-"));
const store = sqlite(join(folder, "sessions.db")); // several machines: postgres(process.env.DATABASE_URL)
const host = createHost({
  agents: [createAgent({ name: "helper", model })],
  repository: store,
  onError: ({ where, error }) => console.error(where, error),
});
const token = process.env["API_TOKEN"] ?? crypto.randomUUID();
const server = createServer({
  host,
  authenticate: bearerTokens({ ann: token }), // or look up the user of a cookie
  allowedHosts: ["localhost", "127.0.0.1"], // and the public name, such as "agents.example.com"
});
const { url, close } = await serveNode(server, { hostname: "127.0.0.1", port: 0 }); // "0.0.0.0" in a container

// On SIGTERM: take no more requests, end the streams, hand turns in progress to the next process.
const stopped = Promise.withResolvers<void>();
process.once("SIGTERM", () => {
  void close()
    .then(() => store.close())
    .then(stopped.resolve, stopped.reject);
});

console.log((await fetch(`${url}/healthz`)).status); // → 200
process.kill(process.pid, "SIGTERM"); // as the platform does when it replaces the process
await stopped.promise;
console.log("stopped"); // → stopped
