/** Waits until a session is at rest, in whichever process it runs. */
import type { ClientError } from "../errors/client-error.ts";
import { pause } from "../stream/pause.ts";
import type { SessionRuntime } from "./session-runtime.ts";

const askAgainMs = 5_000;

/** Resolves once nothing runs and nothing will start by itself. Calls may still wait for other clients. */
export async function waitForIdle(
  runtime: SessionRuntime,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { connection } = runtime;
  const over = [connection.closed, ...(signal === undefined ? [] : [signal])];
  let wake = new AbortController();
  let failure: ClientError | undefined;
  const stop = runtime.subscribe({
    listener({ type }) {
      if (type === "turn_end" || type === "settled") wake.abort();
    },
    onError(error) {
      failure = error;
      wake.abort();
    },
  });
  try {
    while (!(await isIdle(runtime))) {
      // A process may end a turn and die before it reports that, so ask from time to time.
      await pause(askAgainMs, AbortSignal.any([...over, wake.signal]));
      wake = new AbortController();
      if (failure !== undefined) throw failure;
      connection.mustBeOpen(signal);
    }
  } finally {
    stop();
  }
}

async function isIdle(runtime: SessionRuntime): Promise<boolean> {
  await runtime.refresh();
  const { status, pendingToolCalls, queues } = runtime.mirror.state;
  if (status === "running") return false;
  if (status === "awaiting_tool_execution") {
    return runtime.calls.leftToOthers(pendingToolCalls) !== undefined;
  }
  return [...queues.steering, ...queues.followUp].every(({ isHeld }) => isHeld);
}
