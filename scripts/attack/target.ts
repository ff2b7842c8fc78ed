// The server's process, as clients and the judge see it.

import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Measures, ServerMessage, ServerSettings } from "./server.ts";

export interface Target {
  readonly url: string;
  readonly port: number;
  readonly longSession: string;
  /** What was measured since the last time. */
  measure(): Promise<Measures>;
  close(): Promise<void>;
}

export async function startTarget(settings: ServerSettings): Promise<Target> {
  const child = fork(new URL("server.ts", import.meta.url), [JSON.stringify(settings)], {
    execArgv: ["--conditions=@capstan/source"],
  });
  const ready = await nextOf(child, "ready");
  return {
    url: `http://127.0.0.1:${ready.port}`,
    port: ready.port,
    longSession: ready.longSession,
    async measure() {
      const measured = nextOf(child, "measured");
      child.send("measure");
      return (await measured).measures;
    },
    async close() {
      const ended = once(child, "exit");
      child.send("close");
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

type MessageOf<Type> = Extract<ServerMessage, { readonly type: Type }>;

/** Fails if the process ends before. */
function nextOf<Type extends ServerMessage["type"]>(
  child: ChildProcess,
  type: Type,
): Promise<MessageOf<Type>> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      child.off("message", onMessage);
      child.off("exit", onExit);
    };
    const onMessage = (message: unknown): void => {
      // The process is our own.
      const told = message as ServerMessage;
      if (told.type !== type) return;
      stop();
      resolve(told as MessageOf<Type>);
    };
    const onExit = (code: number | null): void => {
      stop();
      reject(new Error(`The server's process ended with ${code}`));
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
  });
}
