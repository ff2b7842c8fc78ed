/** Abort signals for foreign code: the platform ends the process if a listener throws; these signals do not. */
import { quietly } from "./quietly.ts";

type Listener = Parameters<AbortSignal["addEventListener"]>[1] | null;
type Options = Parameters<AbortSignal["addEventListener"]>[2];

/** Creates a controller with a real signal that drops errors and rejections of its listeners. The abort is what matters then. */
export function guardedController(): AbortController {
  const controller = new AbortController();
  const { signal } = controller;
  const guards = new Map<Listener, (event: Event) => void>();
  let onabort: AbortSignal["onabort"] = null;
  const add = (type: string, listener: Listener, options?: Options): void => {
    if (listener === null) return;
    const guard = guards.get(listener) ?? guardOf(signal, listener);
    guards.set(listener, guard);
    EventTarget.prototype.addEventListener.call(signal, type, guard, options);
  };
  const remove = (type: string, listener: Listener, options?: Options): void => {
    if (listener === null) return;
    const guard = guards.get(listener) ?? listener;
    EventTarget.prototype.removeEventListener.call(signal, type, guard, options);
  };
  Object.defineProperties(signal, {
    addEventListener: { value: add },
    removeEventListener: { value: remove },
    onabort: {
      get: () => onabort,
      set(listener: AbortSignal["onabort"]) {
        remove("abort", onabort);
        onabort = typeof listener === "function" ? listener : null;
        add("abort", onabort);
      },
    },
  });
  return controller;
}

function guardOf(signal: AbortSignal, listener: NonNullable<Listener>): (event: Event) => void {
  return (event) => {
    // Returns nothing: the platform would await a promise, and throw its rejection.
    quietly((): unknown =>
      typeof listener === "function" ? listener.call(signal, event) : listener.handleEvent(event),
    );
  };
}
