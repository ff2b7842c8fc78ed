import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { guardedController } from "../src/effects/guarded-signal.ts";

const boom = (): never => {
  throw new Error("boom");
};

test("what listeners throw or reject with is dropped, and the others are told", async () => {
  const { signal, abort } = bound();
  const told = vi.fn();
  signal.addEventListener("abort", boom);
  signal.addEventListener("abort", { handleEvent: boom });
  signal.addEventListener("abort", () => Promise.reject(new Error("later")) as never);
  setHandler(signal, boom);
  signal.addEventListener("abort", told);

  abort();
  // A throw of the platform would come by now, and end the process.
  await new Promise((resolve) => setImmediate(resolve));

  expect(told).toHaveBeenCalledOnce();
  expect(signal.aborted).toBe(true);
});

test("a listener that was removed is not told, and once is once", () => {
  const { signal, abort } = bound();
  const [removed, told] = [vi.fn(), vi.fn()];
  signal.addEventListener("abort", removed);
  signal.addEventListener("abort", told, { once: true });
  signal.addEventListener("abort", told, { once: true });
  setHandler(signal, removed);

  signal.removeEventListener("abort", removed);
  setHandler(signal, null);
  abort();

  expect(removed).not.toHaveBeenCalled();
  expect(told).toHaveBeenCalledOnce();
});

test("the platform takes it for the signal that it is", async () => {
  const { signal, abort } = bound();
  const server = createServer(() => abort());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const fetching = fetch(`http://127.0.0.1:${port}`, { signal });

  await expect(fetching).rejects.toMatchObject({ name: "AbortError" });
  expect(AbortSignal.any([signal]).aborted).toBe(true);
  server.closeAllConnections();
  server.close();
});

/** Sets a handler in the way that code without a linter does. */
function setHandler(signal: AbortSignal, handler: (() => void) | null): void {
  Object.assign(signal, { onabort: handler });
}

function bound(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = guardedController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
