/** Several streams on one connection, and clients that know no chunks. */
import { Agent, request } from "node:http";
import { say } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import { headOf, openSocket, readAll } from "./raw-socket.ts";
import type { World } from "./world.ts";
import { createWorld, tokens } from "./world.ts";

const path = "/api/agent/execute";
const body = JSON.stringify({ input: "Hi" });
const headers = {
  authorization: `Bearer ${tokens.ann}`,
  "content-type": "application/json",
  "content-length": String(body.length),
};

function executeOn(agent: Agent, { node: { port } }: World): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, path, method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject).end(body);
  });
}

test("streams that follow each other on one connection are each whole, and leave nothing behind", async () => {
  const world = await createWorld(Array.from({ length: 15 }, () => say("Höre")));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const warnings: Error[] = [];
  const onWarning = (warning: Error): unknown => warnings.push(warning);
  process.on("warning", onWarning);
  onTestFinished(() => {
    process.off("warning", onWarning);
    agent.destroy();
  });

  const texts: string[] = [];
  for (let i = 0; i < 15; i += 1) texts.push(await executeOn(agent, world));

  expect(texts.every((text) => text.includes('"delta":"Höre"'))).toBe(true);
  expect(texts.every((text) => text.includes("execute_complete"))).toBe(true);
  expect(warnings).toEqual([]);
});

test("two requests that come in one go are answered one after the other, each whole", async () => {
  const world = await createWorld([say("One"), say("Two")]);
  const socket = await openSocket(world.node.port);

  const once = headOf("POST", path, headers) + body;
  const last = headOf("POST", path, { ...headers, connection: "close" }) + body;
  socket.write(once + last);
  const text = await readAll(socket);

  expect(text.match(/HTTP\/1.1 200/g)).toHaveLength(2);
  expect(text.match(/execute_complete/g)).toHaveLength(2);
  expect(text.match(/\r\n0\r\n\r\n/g)).toHaveLength(2);
});

test("a client that knows no chunks gets none", async () => {
  const world = await createWorld([say("Plain")]);
  const socket = await openSocket(world.node.port);

  socket.write(headOf("POST", path, headers).replace("HTTP/1.1", "HTTP/1.0") + body);
  const text = await readAll(socket);

  expect(text).not.toMatch(/transfer-encoding/i);
  expect(text).toMatch(/\r\n\r\nretry: \d+\n/);
  expect(text).toContain("execute_complete");
});
