import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { noServers } from "./model/settings.ts";
import { files, spawnCommand, temporaryHome } from "./spawn-command.ts";

/** A proxy that refuses everything, and says who was asked for. */
async function openProxy() {
  const asked = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    asked.resolve(request.url ?? "");
    response.writeHead(403).end();
  });
  server.on("connect", ({ url }, socket) => {
    asked.resolve(url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: asked.promise };
}

test("requests to a vendor go through the proxy of the environment", async () => {
  const proxy = await openProxy();
  const home = temporaryHome();
  await mkdir(join(home, ".config/capstan"), { recursive: true });
  const settings = {
    model: "anthropic/claude-opus-5-5",
    providers: { anthropic: { baseUrl: "http://vendor.test" } },
    retry: { maxAttempts: 1 },
  };
  await writeFile(join(home, ".config/capstan/config.json"), JSON.stringify(settings));

  const env = { ...noServers, ANTHROPIC_API_KEY: "any", HTTP_PROXY: proxy.url };
  const command = spawnCommand(files.main, ["hi"], { home, cwd: home, env });

  expect(await proxy.asked).toContain("vendor.test");
  expect((await command.ended).exitCode).toBe(1);
});

test.each([
  ["ANTHROPIC_BASE_URL", "anthropic/claude-opus-5-5", "ANTHROPIC_API_KEY"],
  ["OPENAI_BASE_URL", "openai/gpt-5.5", "OPENAI_API_KEY"],
])("%s names where requests go, and a project does not", async (variable, model, key) => {
  const [server, elsewhere] = [await openProxy(), await openProxy()];
  const [home, cwd] = [temporaryHome(), temporaryHome()];
  const vendor = model.slice(0, model.indexOf("/"));
  const project = { providers: { [vendor]: { baseUrl: elsewhere.url } } };
  await writeFile(join(cwd, "capstan.json"), JSON.stringify(project));
  await writeFile(join(cwd, ".env"), `${variable}=${elsewhere.url}\n`);
  const env = { ...noServers, [key]: "any", [variable]: server.url };

  const command = spawnCommand(files.main, ["--model", model, "hi"], { home, cwd, env });

  expect(await server.asked).toMatch(/^\/v1\/(?:messages|responses)$/);
  expect((await command.ended).exitCode).toBe(1);
});

test("a Node that is too old is named, with the version that is needed", async () => {
  const old = 'Object.defineProperty(process, "versions", { value: { node: "20.20.2" } })';
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` };

  const command = spawnCommand(files.bin, ["hi"], { env });
  const { exitCode } = await command.ended;

  expect(exitCode).toBe(1);
  expect(command.stderr()).toBe("capstan needs Node 22.18 or newer, and this is Node 20.20.2.\n");
});
