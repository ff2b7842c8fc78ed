/** Runs a host as a process of its own: until a signal, then drains it. */
import type { Timer } from "@capstan/kernel";
import { invalid } from "../errors/session-error.ts";
import { longTimer } from "../platform/clock.ts";
import { problemOfNumbers } from "../platform/option-numbers.ts";

/** Options of `host.close`: how long running turns may take to end. */
export interface HostCloseOptions {
  /**
   * How long model and tool calls in progress may take to end. After that their turns are handed over as they are: the next host repeats a model
   * call, and recovers a tool call by its `effect`. Default 0; that of `run` is 10,000.
   */
  readonly drainMs?: number;
}

/** Options of `host.run`: a signal that ends it, and how long running turns may take to end. */
export interface HostRunOptions extends HostCloseOptions {
  /** Ends the run as SIGTERM does. The only way if there is no `process`. */
  readonly signal?: AbortSignal;
}

/** Throws `invalid_input`. */
export function drainMsOf(options: HostCloseOptions, byDefault = 0): number {
  const problem = problemOfNumbers(options, { drainMs: "0 or more" });
  if (problem !== undefined) throw invalid(`The host's ${problem}`);
  return options.drainMs ?? byDefault;
}

/** Lets the sessions end what is in progress, for so long. */
export async function drain(
  sessions: Iterable<{ drain(): Promise<void> }>,
  drainMs: number,
  timer: Timer,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = timer(drainMs, over.resolve);
  const drained = Array.from(sessions, (session) => session.drain());
  await Promise.race([Promise.all(drained), over.promise]);
  cancel();
}

/** `closed` resolves once the host is closed, by whatever caller. */
export async function runHost(
  host: { close(options?: HostCloseOptions): Promise<void> },
  closed: Promise<void>,
  options: HostRunOptions,
): Promise<void> {
  const drainMs = drainMsOf(options, 10_000);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isStopping = false;
  const stopListening = listen(options.signal, () => {
    if (isStopping) second.resolve();
    isStopping = true;
    first.resolve();
  });
  // The timers of a host do not keep a process alive.
  const letGo = longTimer()(Infinity, () => {});
  try {
    await Promise.race([first.promise, closed]);
    await Promise.race([host.close({ drainMs }), second.promise.then(() => host.close())]);
  } finally {
    letGo();
    stopListening();
  }
}

const stopSignals = ["SIGTERM", "SIGINT"] as const;

interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
}

/** Returns a function that removes the listeners. */
function listen(signal: AbortSignal | undefined, onStop: () => void): () => void {
  // Browsers have none.
  const { process } = globalThis as { readonly process?: SignalSource };
  for (const name of stopSignals) process?.on(name, onStop);
  signal?.addEventListener("abort", onStop);
  if (signal?.aborted === true) onStop();
  return () => {
    for (const name of stopSignals) process?.off(name, onStop);
    signal?.removeEventListener("abort", onStop);
  };
}
