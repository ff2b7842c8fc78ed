// Clients that mean harm, all at once: each kind goes on until it is stopped.

import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Target } from "./target.ts";

interface Attack {
  readonly target: Target;
  /** Of the three principals that attack; the first owns the long session. */
  readonly tokens: readonly [string, string, string];
  readonly signal: AbortSignal;
}

/** Resolves when all have stopped. */
export async function runAttackers(attack: Attack): Promise<void> {
  const kinds = [slowSockets, largeBodies, heldBodies, slowReaders, longReads];
  await Promise.all(kinds.map((kind) => kind(attack)));
}

/** Goes on until the signal; what fails is what the server does to attackers. */
async function again(signal: AbortSignal, everyMs: number, act: () => unknown): Promise<void> {
  while (!signal.aborted) {
    try {
      await act();
    } catch {
      // Refused or cut, as it should be.
    }
    await sleep(everyMs);
  }
}

function open({ target, signal }: Attack, text: string): Socket {
  const socket = connect({ port: target.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  socket.write(text);
  signal.addEventListener("abort", () => socket.destroy(), { once: true });
  return socket;
}

const head = (method: string, path: string, token: string, more = ""): string =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${more}\r\n`;

/** Headers that come letter by letter, and sockets whose other half was closed. */
async function slowSockets(attack: Attack): Promise<void> {
  let sockets: Socket[] = [];
  await again(attack.signal, 200, () => {
    sockets = sockets.filter((socket) => !socket.destroyed);
    for (const socket of sockets) if (socket.writable) socket.write("x");
    if (sockets.length >= 300) return;
    sockets.push(open(attack, "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: "));
    const half = open(attack, "POST /api/agent/execute HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    half.end();
    sockets.push(half);
  });
}

/** As deep, as wide and as large as bodies may be, and beyond. */
async function largeBodies({ target, tokens, signal }: Attack): Promise<void> {
  const wide = `{"input":"a"${Array.from({ length: 900_000 }, (_, n) => `,"k${n}":0`).join("")}`;
  const bodies = [
    `${"[".repeat(4_950_000)}${"]".repeat(4_950_000)}`,
    `${wide.slice(0, 9_900_000)}}`,
    JSON.stringify({ input: Array.from({ length: 6_000 }, () => ({ type: "text", text: "a" })) }),
    `{"input":"a","x":${"[".repeat(90)}${"]".repeat(90)}}`,
    `{"input":[${"{},".repeat(19_000)}{}]}`,
  ];
  let turn = 0;
  await again(signal, 400, async () => {
    turn += 1;
    await post(target, tokens[1], bodies[turn % bodies.length] ?? "", signal);
  });
}

async function post(
  { url }: Target,
  token: string,
  body: string,
  signal: AbortSignal,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = { method: "POST", headers, body, signal };
  await (await fetch(`${url}/api/agent/execute`, request)).text();
}

/** Bodies of which the last bytes never come. */
async function heldBodies(attack: Attack): Promise<void> {
  const length = 9_900_000;
  const most = Buffer.alloc(length - 100, 97);
  const more = `content-type: application/json\r\ncontent-length: ${length}\r\n`;
  let sockets: Socket[] = [];
  await again(attack.signal, 1_000, () => {
    sockets = sockets.filter((socket) => !socket.destroyed);
    if (sockets.length >= 12) return;
    const socket = open(attack, head("POST", "/api/agent/execute", attack.tokens[2], more));
    socket.on("end", () => socket.destroy());
    socket.resume();
    socket.write('{"input":"');
    socket.write(most);
    sockets.push(socket);
  });
}

/** Readers that take 20 KB in 100 ms each, while a tool shows 8 MB, again and again. */
async function slowReaders(attack: Attack): Promise<void> {
  const { target, tokens, signal } = attack;
  const sessionId = await sessionOf(target, tokens[2]);
  const path = `/api/agent/session/${sessionId}/events`;
  let sockets: Socket[] = [];
  const read = again(signal, 100, () => {
    sockets = sockets.filter((socket) => !socket.destroyed);
    if (sockets.length < 45) {
      const socket = open(attack, head("GET", path, tokens[2]));
      socket.pause();
      sockets.push(socket);
    }
    // Every third one takes nothing at all.
    for (const [place, socket] of sockets.entries()) if (place % 3 !== 0) socket.read(20_000);
  });
  const stream = again(signal, 100, async () => {
    const { url } = target;
    const response = await fetch(`${url}/api/agent/execute`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens[2]}`, "content-type": "application/json" },
      body: JSON.stringify({ sessionId, input: "stream" }),
      signal,
    });
    await response.body?.cancel();
    await sleep(3_000);
  });
  await Promise.all([read, stream]);
}

async function sessionOf({ url }: Target, token: string): Promise<string> {
  const response = await fetch(`${url}/api/agent/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ input: "hello" }),
  });
  await response.text();
  return response.headers.get("x-session-id") ?? "";
}

/** The first page of a long session, what came since its end, and all its events. */
async function longReads({ target, tokens, signal }: Attack): Promise<void> {
  const path = `${target.url}/api/agent/session/${target.longSession}`;
  const headers = { authorization: `Bearer ${tokens[0]}` };
  await again(signal, 300, async () => {
    await (await fetch(path, { headers, signal })).text();
    await (await fetch(`${path}?sinceSeq=1000`, { headers, signal })).text();
    const events = await fetch(`${path}/events?after=0.0`, { headers, signal });
    await events.body?.cancel();
  });
}
