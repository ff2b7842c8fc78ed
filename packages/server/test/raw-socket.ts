/** A client that is not polite: bytes as they are. */
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  // What the other side does to us is what the test is about.
  socket.on("error", () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  return socket;
}

/** Everything that comes until the other side closes. */
export async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  if (!socket.destroyed) await once(socket, "close");
  return text;
}

export function headOf(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ host: "localhost", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
