/** The bundle in a real browser, as a page of another origin that is loaded again in the middle of a call. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { callTool, say } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import { bundle } from "./bundle.ts";
import { serve, token } from "./transports.ts";

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run.
    return false;
  }
}

const names = ["chromium-headless-shell", "chromium", "google-chrome"];
const browser = (process.env["PATH"] ?? "")
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find(isProgram);

/** What the page does. On its first load the tool loads the page again, and so never answers. */
const program = `
import { connect, lendTool } from "/client.js";
const isFirst = !location.hash;
const title = lendTool({
  name: "title",
  description: "The title of the page",
  input: { type: "object" },
  effect: "pure",
  execute: () => {
    if (!isFirst) return document.title;
    location.hash = "again";
    location.reload();
    return new Promise(() => {});
  },
});
const { url, token } = await (await fetch("/where")).json();
const client = connect({ url, token, tools: [title], takeOverMs: 0, claimMs: 200 });
const session = client.session("chat");
const turn = isFirst ? session.send("What is the title?") : await session.current();
const seen = [];
for await (const event of turn) seen.push(event.type);
const { text, status } = await turn.response;
await fetch("/done", { method: "POST", body: JSON.stringify({ text, status, seen, state: session.state }) });
`;

const html = `<!doctype html><title>A page</title><script type="module">${program}</script>`;

test("a page lends a tool, is loaded again while it runs, and goes on", async ({ skip }) => {
  skip(browser === undefined, `none of ${names.join(", ")} is there`);
  const done = Promise.withResolvers<string>();
  const files = await bundle();
  const page = createServer((request, response) => {
    const code = files.get(request.url?.slice(1) ?? "");
    const where = JSON.stringify({ url: api.url, token });
    const isWhere = request.url === "/where";
    const [type, body] = isWhere
      ? ["application/json", where]
      : code === undefined
        ? ["text/html", html]
        : ["text/javascript", code];
    if (request.url === "/done") text(request).then(done.resolve, done.reject);
    response.writeHead(200, { "content-type": type }).end(body);
  }).listen(0, "127.0.0.1");
  await once(page, "listening");
  onTestFinished(() => void page.close());
  const { port } = page.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const { node: api } = await serve([callTool("title", {}), say("It is A page")], {
    server: { allowedOrigins: [origin] },
  });

  const folder = mkdtempSync(join(tmpdir(), "capstan-browser-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${folder}`];
  // A port for tools keeps it open.
  const child = spawn(browser ?? "", [...flags, "--remote-debugging-port=0", origin], {
    stdio: "ignore",
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const result: unknown = JSON.parse(await done.promise);

  expect(result).toMatchObject({ text: "It is A page", status: "completed" });
  expect(result).toMatchObject({
    seen: expect.arrayContaining(["turn_start", "tool_execution_end"]),
  });
  expect(JSON.stringify(result)).toContain('"content":"A page"');
});
