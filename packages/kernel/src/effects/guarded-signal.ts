/** Abort signals for foreign code: the platform ends the process if a listener throws; these signals do not. */
import { quietly } from "./quietly.ts";

type Listener = Parameters<AbortSignal["addEventListener"]>[1] | null;
type Options = Parameters<AbortSignal["addEventListener"]>[2];

/** Listeners of the guarded signals that have any. */
const states = new WeakMap<AbortSignal, GuardState>();

/** Creates a controller with a real signal that drops errors and rejections of its listeners. The abort is what matters then. */
export function guardedController(): AbortController {
  const controller = new AbortController();
  Object.setPrototypeOf(controller.signal, GuardedSignal.prototype);
  return controller;
}

class GuardState {
  readonly guards = new Map<Listener, (event: Event) => void>();
  handler: AbortSignal["onabort"] = null;
}

/** Prototype of signals that the platform makes: functions created for each of them would take more memory than the signal. */
class GuardedSignal extends AbortSignal {
  override addEventListener(type: string, listener: Listener, options?: Options): void {
    if (listener === null) return;
    const { guards } = stateOf(this);
    const guard = guards.get(listener) ?? guardOf(this, listener);
    guards.set(listener, guard);
    super.addEventListener(type, guard, options);
  }

  override removeEventListener(type: string, listener: Listener, options?: Options): void {
    if (listener === null) return;
    const guard = states.get(this)?.guards.get(listener) ?? listener;
    super.removeEventListener(type, guard, options);
  }

  override get onabort(): AbortSignal["onabort"] {
    return states.get(this)?.handler ?? null;
  }

  override set onabort(listener: AbortSignal["onabort"]) {
    const state = stateOf(this);
    this.removeEventListener("abort", state.handler);
    state.handler = typeof listener === "function" ? listener : null;
    this.addEventListener("abort", state.handler);
  }
}

function stateOf(signal: AbortSignal): GuardState {
  const known = states.get(signal);
  if (known !== undefined) return known;
  const state = new GuardState();
  states.set(signal, state);
  return state;
}

function guardOf(signal: AbortSignal, listener: NonNullable<Listener>): (event: Event) => void {
  return (event) => {
    // Returns nothing: the platform would await a promise, and throw its rejection.
    quietly((): unknown =>
      typeof listener === "function" ? listener.call(signal, event) : listener.handleEvent(event),
    );
  };
}
