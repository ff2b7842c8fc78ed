/** Restate: an object for each session, whose model and tool calls are journalled runs. Its server keeps its own log on disk. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import * as clients from "@restatedev/restate-sdk-clients";
import { look, measure, reply } from "./turn.mjs";

const session = restate.object({
  name: "session",
  handlers: {
    turn: async (context) => {
      for (let step = 1; ; step += 1) {
        const said = await context.run(`model-${step}`, () => reply(step));
        if (said.text !== undefined) return said.text;
        await context.run(`tool-${step}`, () => look());
      }
    },
  },
});

const folder = mkdtempSync(join(tmpdir(), "capstan-restate-"));
const [service, ingress, admin, node] = await Promise.all([
  freePort(),
  freePort(),
  freePort(),
  freePort(),
]);
await restate.serve({ services: [session], port: service });
const binary = join(
  dirname(
    createRequire(import.meta.url).resolve("@restatedev/restate-server-linux-x64/package.json"),
  ),
  "bin/restate-server",
);
const server = spawn(
  binary,
  ["--no-logo", "--node-name", "bench", "--base-dir", folder, "--log-filter", "error"],
  {
    stdio: "ignore",
    env: {
      ...process.env,
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    },
  },
);
process.once("exit", () => {
  server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});
await register();
process.send({ serverPid: server.pid });

const client = clients.connect({ url: `http://127.0.0.1:${ingress}` });
await measure(async (key) => client.objectClient(session, key).turn());

/** Until the server is up, which it is not at once. */
async function register() {
  for (let tries = 0; ; tries += 1) {
    try {
      const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri: `http://127.0.0.1:${service}` }),
      });
      if (response.ok) return;
      throw new Error(await response.text());
    } catch (thrown) {
      if (tries > 100 || server.exitCode !== null) throw thrown;
      await wait(200);
    }
  }
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
