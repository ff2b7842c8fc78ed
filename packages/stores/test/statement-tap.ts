/** Stands between a client and PostgreSQL, notes the statements that the client sends, and can hold the answers back. */
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
  /** From now on no answer reaches a client, until what is returned is disposed. */
  holdAnswers(): Disposable;
  /** Texts that were sent since `holdAnswers`, for each connection that has sent some. */
  readonly unanswered: readonly (readonly string[])[];
}

export async function tapStatements(serverUrl: string): Promise<StatementTap> {
  const url = new URL(serverUrl);
  const targetPort = Number(url.port === "" ? 5_432 : url.port);
  const sockets = new Set<Socket>();
  const upstreams = new Set<Socket>();
  const statements = new Map<string, SentStatement>();
  const unanswered = new Map<Socket, string[]>();
  let isHeld = false;
  const server = createServer((client) => {
    const upstream = connect(targetPort, url.hostname);
    upstreams.add(upstream);
    const reader = new MessageReader((statement) => {
      if (!statements.has(statement.text)) statements.set(statement.text, statement);
      if (!isHeld) return;
      unanswered.set(client, [...(unanswered.get(client) ?? []), statement.text]);
    });
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
    if (isHeld) upstream.pause();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const tapped = new URL(serverUrl);
  tapped.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: tapped.href,
    statements,
    holdAnswers() {
      isHeld = true;
      unanswered.clear();
      for (const upstream of upstreams) upstream.pause();
      return {
        [Symbol.dispose]() {
          isHeld = false;
          for (const upstream of upstreams) upstream.resume();
        },
      };
    },
    get unanswered() {
      return [...unanswered.values()];
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Reads the client's messages: a type of one byte, a length of four, and a body. The first message has no type. */
class MessageReader {
  readonly #note: (statement: SentStatement) => void;
  /** Statements of this connection by their names; the unnamed one is "". */
  readonly #named = new Map<string, string>();
  #rest = Buffer.alloc(0);
  #hasBegun = false;

  constructor(note: (statement: SentStatement) => void) {
    this.#note = note;
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
    if (type === "Q") this.#note({ text: first, isPrepared: false, values: [] });
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
    this.#note({ text: this.#named.get(second) ?? "", isPrepared: second !== "", values });
  }
}
