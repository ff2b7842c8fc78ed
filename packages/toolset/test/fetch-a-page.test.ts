import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createToolset, fetchTool } from "@capstan/toolset";
// No public names: the tool adds the network to them.
import { htmlToText } from "../src/fetch/html-text.ts";
import { isPublicAddress } from "../src/fetch/public-address.ts";
import { callTool } from "./call-tool.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server on a port has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const local = { allowPrivate: true };

test("a page comes as text, after its redirects", async () => {
  const base = await serve((request, response) => {
    if (request.url === "/") response.writeHead(302, { location: "/page" }).end();
    else
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<title>T</title><h1>Hi &amp; welcome</h1><script>no()</script><ul><li>a<li>b</ul>");
  });

  const output = await callTool(fetchTool(local), { url: `${base}/` }, {});

  expect(output).toEqual({
    ok: true,
    outputMessage: "T\nHi & welcome\n\n- a\n- b",
    details: { url: `${base}/page`, status: 200, contentType: "text/html" },
  });
});

test("what is not a page is refused: statuses, binary files, endless redirects, other protocols", async () => {
  const base = await serve((request, response) => {
    if (request.url === "/gone") response.writeHead(410).end("gone");
    else if (request.url === "/binary") response.end(Buffer.from([0, 1, 2]));
    else if (request.url === "/file")
      response.writeHead(302, { location: "file:///etc/passwd" }).end();
    else response.writeHead(302, { location: "/loop" }).end();
  });
  const urls = ["/gone", "/binary", "/loop", "/file"].map((path) => base + path);

  const outputs = await Promise.all(
    [...urls, "file:///etc/passwd", "http://user:word@example.com/", "nonsense"].map((url) =>
      callTool(fetchTool(local), { url }, {}),
    ),
  );

  expect(outputs.map(({ ok }) => ok)).toEqual(outputs.map(() => false));
  expect(outputs[0]?.outputMessage).toBe(`${base}/gone answered with status 410.\ngone`);
  expect(outputs.slice(3).map(({ details }) => details)).toEqual(
    Array(4).fill({ code: "outside" }),
  );
});

test("of a long page the beginning is given", async () => {
  const base = await serve((_, response) => response.end("x".repeat(100_000)));

  const output = await callTool(fetchTool({ ...local, maxBytes: 10 }), { url: base }, {});

  expect(output.outputMessage).toBe("xxxxxxxxxx\n(The rest of the page is omitted.)");
});

test("a page that does not come is given up, and an abort is an abort", async () => {
  const base = await serve(() => {});
  const signal = AbortSignal.abort(new Error("the user left"));

  const late = await callTool(fetchTool({ ...local, timeoutMs: 50 }), { url: base }, {});
  const aborted = callTool(fetchTool(local), { url: base }, { signal });

  expect(late.outputMessage).toBe(`Cannot fetch ${base}: timed out after 50 ms.`);
  await expect(aborted).rejects.toThrow("the user left");
});

test("this machine and its network are not asked", async () => {
  const asked: unknown[] = [];
  const base = await serve((request, response) => response.end(asked.push(request.url)));
  const { port } = new URL(base);
  const hosts = [
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "0",
  ];

  const outputs = await Promise.all(
    hosts.map((host) => callTool(fetchTool(), { url: `http://${host}:${port}/` }, {})),
  );

  expect(outputs.map(({ details }) => details)).toEqual(hosts.map(() => ({ code: "outside" })));
  expect(asked).toEqual([]);
});

test.each([
  ["93.184.216.34", true],
  ["2606:2800:220:1::1", true],
  ["10.1.2.3", false],
  ["172.31.0.1", false],
  ["172.32.0.1", true],
  ["192.168.1.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["255.255.255.255", false],
  ["::ffff:8.8.8.8", false],
  ["64:ff9b::7f00:1", false],
  ["2002:7f00:1::", false],
  ["fe80::1", false],
  ["fd00::1", false],
  ["::", false],
  ["name", false],
])("%s is public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});

test("a page that is written to take long is read in one pass", () => {
  const html = "<script>".repeat(100_000) + "</".repeat(100_000) + "<!--".repeat(100_000);

  expect(htmlToText(html)).toBe("");
});

test("it is off unless asked for", () => {
  const sets = [createToolset(), createToolset({ fetch: {} }), createToolset({ tools: ["fetch"] })];

  expect(sets.map((tools) => tools.some(({ name }) => name === "fetch"))).toEqual([
    false,
    true,
    true,
  ]);
});
