/** A proxy between a client and a server that cuts connections where it is told to. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Cuts {
  /** Behind so many frames of all streams together, once. */
  readonly afterFrames?: number;
  /** The same, and half of the frame that follows gets through. */
  readonly isInFrame?: boolean;
  /** Every stream behind so many frames of its own. */
  readonly everyFrames?: number;
  /** The answer to this request, from 1 on, is lost; the request has arrived. */
  readonly answerTo?: number;
}

export interface CuttingProxy {
  readonly url: string;
  /** How many frames, requests and cuts there were. */
  readonly counts: { frames: number; requests: number; cuts: number };
}

export async function cuttingProxy(target: string, cuts: Cuts): Promise<CuttingProxy> {
  const counts = { frames: 0, requests: 0, cuts: 0 };
  const cut = (response: ServerResponse): void => {
    counts.cuts += 1;
    response.socket?.destroy();
  };
  const pass = (answer: IncomingMessage, response: ServerResponse): void => {
    let rest = "";
    let own = 0;
    let isCut = false;
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      rest += text;
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        if (isCut) return;
        if (counts.frames === cuts.afterFrames || own === cuts.everyFrames) {
          isCut = true;
          if (counts.frames === cuts.afterFrames) counts.frames += 1;
          const half = block.slice(0, Math.ceil(block.length / 2));
          // Cut when that is on its way, not before.
          if (cuts.isInFrame === true) response.write(half, () => cut(response));
          else response.write("", () => cut(response));
          answer.destroy();
          return;
        }
        counts.frames += 1;
        own += 1;
        response.write(`${block}\n\n`);
      }
    });
    answer.on("end", () => void (isCut || response.end(rest)));
    answer.on("error", () => response.destroy());
  };
  const server = createServer((incoming, response) => {
    counts.requests += 1;
    const isLost = counts.requests === cuts.answerTo;
    const { method, url, headers } = incoming;
    const outgoing = request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
      const isStream = answer.headers["content-type"] === "text/event-stream";
      if (isLost) {
        cut(response);
        answer.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (isStream) pass(answer, response);
      else answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, counts };
}
