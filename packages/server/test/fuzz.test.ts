/** Anything at all, over a real socket: refused in the one shape, never a fault of ours, and no line is left open. */
import { callTool, remoteTool, say } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { openSocket, readAll } from "./raw-socket.ts";
import type { World } from "./world.ts";
import { createWorld, tokens } from "./world.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 400);

const oneShape = {
  error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) },
};

interface Answered {
  readonly status: number;
  readonly body: string;
}

const parts = ["api", "agent", "execute", "session", "sessions", "events", "answers", "claims"];
const more = ["steer", "follow-up", "cancel", "fork", "metrics", "openapi.json", "stream", ":id"];
const tricks = [
  "..",
  ".",
  "%2e%2e",
  "%2f",
  "%00",
  "%ff",
  "",
  "*",
  "{id}",
  "__proto__",
  "constructor",
];
const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...parts, ...more) },
  { weight: 2, arbitrary: fc.constantFrom(...tricks) },
  { weight: 1, arbitrary: fc.webFragments() },
);

const queries = [
  "",
  "?after=1.1",
  "?after=x",
  "?sinceSeq=-1",
  "?sinceSeq=1e999",
  "?limit=1",
  "?token=a",
];
const pathOf = (id: string): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .tuple(fc.array(segment, { maxLength: 6 }), fc.constantFrom(...queries))
      .map(([segments, query]) => `/${segments.join("/")}${query}`),
    fc
      .constantFrom(
        "",
        "/events",
        "/answers",
        "/claims",
        "/steer",
        "/follow-up",
        "/cancel",
        "/fork",
      )
      .map((rest) => `/api/agent/session/${id}${rest}`),
    fc.constant("/api/agent/execute"),
  );

const field = fc.constantFrom(
  "input",
  "sessionId",
  "context",
  "options",
  "answers",
  "toolCallId",
  "approved",
  "hash",
  "isError",
  "output",
  "client",
  "turnId",
  "tools",
  "messages",
  "role",
  "content",
  "type",
  "data",
  "__proto__",
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "",
    "user",
    "assistant",
    "system",
    "text",
    "image",
    null,
    true,
    0,
    -1,
    1e308,
  ),
  fc.string({ maxLength: 30 }),
);
const bodies = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(field, tie("value"), { maxKeys: 4 }),
  ),
})).value;

const bodyText = fc.oneof(
  { weight: 5, arbitrary: bodies.map((value) => JSON.stringify(value) ?? "") },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("[".repeat(3_000), "x".repeat(30_000), "\u0000", '{"input":'),
  },
);

const header = fc.constantFrom<readonly [string, string]>(
  ["origin", "http://evil.example"],
  ["origin", "null"],
  ["host", "evil.example"],
  ["host", "localhost"],
  ["content-type", "text/plain"],
  ["content-type", "application/json"],
  ["last-event-id", "1.1"],
  ["last-event-id", "x\u00ff"],
  ["authorization", "Bearer nobody-0123456789"],
  ["authorization", `Bearer ${tokens.bob}`],
  ["transfer-encoding", "chunked"],
  ["transfer-encoding", "gzip"],
  ["content-length", "5"],
  ["content-length", "-1"],
  ["connection", "upgrade"],
  ["upgrade", "websocket"],
  ["expect", "100-continue"],
  ["x-http-method-override", "DELETE"],
  ["accept-encoding", "gzip"],
);

const method = fc.constantFrom(
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "BREW",
);

/** Sends it as it is and closes its side, so that whoever waits for more knows that none comes. */
async function send(world: World, bytes: string): Promise<Answered | undefined> {
  const socket = await openSocket(world.node.port);
  const read = readAll(socket);
  socket.end(bytes);
  const text = (await read).replace("HTTP/1.1 100 Continue\r\n\r\n", "");
  const head = /^HTTP\/1\.1 (\d{3})/.exec(text);
  if (head === null) return undefined;
  const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(text) ?? [];
  // What follows is the answer to what followed.
  const start = text.indexOf("\r\n\r\n") + 4;
  const body = text.slice(start, length === undefined ? undefined : start + Number(length));
  return { status: Number(head[1]), body };
}

function check(answered: Answered | undefined, request: string): void {
  // A line that is closed without a word has nothing to hide.
  if (answered === undefined || answered.status < 400) return;
  expect(answered.status, request).toBeLessThan(500);
  const json = /\{"error".*\}/s.exec(answered.body)?.[0];
  // The answer to HEAD has no body.
  if (json === undefined) return expect(request).toMatch(/^HEAD/);
  expect(JSON.parse(json), request).toMatchObject(oneShape);
  expect(answered.body).not.toMatch(/node_modules|\.ts:|at async|ECONN|\/work\//);
}

test("whatever is sent is refused in the one shape or answered, and is never a fault of the server", async () => {
  const world = await createWorld(
    [callTool("remote", {}), ...Array.from({ length: 50 }, () => say("ok"))],
    {
      tools: [remoteTool()],
      server: {
        limits: { requestsPerMinute: 1e9, maxBodyBytes: 20_000, sessionsPerPrincipal: 20 },
      },
      serve: { headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 },
    },
  );
  const { sessionId } = await world.execute({ input: "Hi" });

  await fc.assert(
    fc.asyncProperty(
      method,
      pathOf(sessionId),
      fc.array(header, { maxLength: 4 }),
      bodyText,
      async (verb, path, extra, body) => {
        // The session is to be there to the end.
        fc.pre(verb !== "DELETE" || !path.endsWith(sessionId));
        const headers = [
          ["host", "127.0.0.1"],
          ["authorization", `Bearer ${tokens.ann}`],
          ["content-type", "application/json"],
          ["content-length", String(Buffer.byteLength(body))],
          ["connection", "close"],
        ].filter(([name]) => !extra.some(([other]) => other === name));
        const lines = [...headers, ...extra].map(([name, value]) => `${name}: ${value}\r\n`);
        const request = `${verb} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;

        check(await send(world, request), request);
      },
    ),
    { numRuns },
  );

  expect(world.faults).toEqual([]);
  expect((await world.request("/healthz")).status).toBe(200);
}, 600_000);

test("bytes that are no HTTP are refused in the same shape", async () => {
  const world = await createWorld([]);

  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ maxLength: 300 }),
        fc.constantFrom(
          "GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\n\r\n",
          "GET * HTTP/1.1\r\nhost: localhost\r\n\r\n",
          "GET / HTTP/1.1\r\n\r\n",
          "GET / HTTP/9.9\r\nhost: localhost\r\n\r\n",
          "GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n",
          "GET / HTTP/1.1\r\nhost: a b\r\n\r\n",
          "GET //evil.example/metrics HTTP/1.1\r\nhost: localhost\r\n\r\n",
          `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${"y".repeat(70_000)}\r\n\r\n`,
          "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
          "\u0016\u0003\u0001\u0002\u0000",
        ),
      ),
      async (bytes) => check(await send(world, bytes), bytes),
    ),
    { numRuns: Math.min(numRuns, 100) },
  );

  expect(world.faults).toEqual([]);
}, 600_000);

test.each([
  ["headers that never end", "GET /metrics HTTP/1.1\r\nhost: localhost\r\nx: "],
  [
    "a body that never comes",
    `POST /api/agent/execute HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${tokens.ann}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  ],
])("%s are waited for no longer than allowed", async (_, bytes) => {
  const world = await createWorld([], { serve: { headersTimeoutMs: 200, requestTimeoutMs: 300 } });
  const socket = await openSocket(world.node.port);

  socket.write(bytes);
  const text = await readAll(socket);

  expect(text).toContain("HTTP/1.1 408");
  expect(text).toContain('"error"');
});
