/** Stands between a client and PostgreSQL, and notes the statements that the client sends. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface SentStatement {
  readonly text: string;
  /** Whether the server keeps it under a name, to run it again without another analysis. */
  readonly isPrepared: boolean;
  /** Parameters of its first run, as text. */
  readonly values: readonly (string | null)[];
}

export interface StatementTap extends AsyncDisposable {
  /** For clients: leads to the server. */
  readonly url: string;
  /** One for each text. */
  readonly statements: ReadonlyMap<string, SentStatement>;
}

export async function tapStatements(serverUrl: string): Promise<StatementTap> {
  const url = new URL(serverUrl);
  const targetPort = Number(url.port === "" ? 5_432 : url.port);
  const sockets = new Set<Socket>();
  const statements = new Map<string, SentStatement>();
  const server = createServer((client) => {
    const upstream = connect(targetPort, url.hostname);
    const reader = new MessageReader(statements);
    for (const socket of [client, upstream]) {
      const close = (): void => {
        client.destroy();
        upstream.destroy();
      };
      sockets.add(socket.on("error", close).on("close", close));
    }
    client.on("data", (chunk) => {
      reader.take(chunk);
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => client.write(chunk));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const tapped = new URL(serverUrl);
  tapped.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: tapped.href,
    statements,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads the client's messages: a type of one byte, a length of four, and a body. The first message has no type. */
class MessageReader {
  readonly #statements: Map<string, SentStatement>;
  /** Statements of this connection by their names; the unnamed one is "". */
  readonly #named = new Map<string, string>();
  #rest = Buffer.alloc(0);
  #hasBegun = false;

  constructor(statements: Map<string, SentStatement>) {
    this.#statements = statements;
  }

  take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const typeBytes = this.#hasBegun ? 1 : 0;
      if (this.#rest.length < typeBytes + 4) return;
      const size = typeBytes + this.#rest.readInt32BE(typeBytes);
      if (this.#rest.length < size) return;
      const type = this.#hasBegun ? String.fromCodePoint(this.#rest[0] ?? 0) : "";
      this.#read(type, this.#rest.subarray(typeBytes + 4, size));
      this.#rest = this.#rest.subarray(size);
      this.#hasBegun = true;
    }
  }

  #read(type: string, body: Buffer): void {
    const texts = body.toString("latin1").split("\0", 2);
    const [first = "", second = ""] = texts;
    if (type === "Q") this.#note(first, false, []);
    if (type === "P") this.#named.set(first, second);
    if (type !== "B") return;
    // A portal, the name of the statement, formats, and the values.
    let at = first.length + second.length + 2;
    const formats = body.readInt16BE(at);
    at += 2 + 2 * formats;
    const values: (string | null)[] = [];
    const count = body.readInt16BE(at);
    at += 2;
    for (let i = 0; i < count; i += 1) {
      const length = body.readInt32BE(at);
      at += 4;
      values.push(length < 0 ? null : body.toString("utf8", at, at + length));
      at += Math.max(0, length);
    }
    this.#note(this.#named.get(second) ?? "", second !== "", values);
  }

  #note(text: string, isPrepared: boolean, values: readonly (string | null)[]): void {
    if (!this.#statements.has(text)) this.#statements.set(text, { text, isPrepared, values });
  }
}
