/** A program that only imports the server does not load zod; its first requests do, however many come at once. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = `
import { registerHooks } from "node:module";
const isZod = (url) => url.includes("/node_modules/zod/");
let zodFiles = 0;
registerHooks({
  load(url, context, next) {
    if (isZod(url)) zodFiles += 1;
    return next(url, context);
  },
});
const { createAgent, createHost } = await import("@capstan/core");
const { memoryRepository } = await import("@capstan/log");
const { bearerTokens, createServer } = await import("@capstan/server");
const { serveNode } = await import("@capstan/server/node");
const { say, scriptedProvider } = await import("@capstan/testing");
const token = "ann-0123456789abcdef";
const script = Array.from({ length: 10 }, () => say("Hi"));
const agent = createAgent({ name: "helper", model: scriptedProvider(script) });
const host = createHost({ agents: [agent], repository: memoryRepository() });
const server = createServer({ host, authenticate: bearerTokens({ ann: token }) });
const { url, close } = await serveNode(server);
const atStart = zodFiles;
const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
const send = async (input) => {
  const body = JSON.stringify({ input });
  const response = await fetch(url + "/api/agent/execute", { method: "POST", headers, body });
  const text = await response.text();
  return response.status + " " + text.includes("execute_complete");
};
const stranger = await fetch(url + "/api/agent/sessions");
const afterStranger = zodFiles;
const inputs = [...Array.from({ length: 10 }, () => "Hello"), 1];
const outcomes = await Promise.all(inputs.map(send));
await close();
const isLoaded = zodFiles > 0;
console.log(JSON.stringify({ atStart, stranger: stranger.status, afterStranger, outcomes, isLoaded }));
`;

test("zod is loaded for the first requests of a server, which come at once, and not before", async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@capstan/source", "--input-type=module", "--eval", program],
    { cwd: import.meta.dirname },
  );

  expect(JSON.parse(stdout)).toEqual({
    atStart: 0,
    stranger: 401,
    afterStranger: 0,
    outcomes: [...Array.from({ length: 10 }, () => "200 true"), "400 false"],
    isLoaded: true,
  });
});
