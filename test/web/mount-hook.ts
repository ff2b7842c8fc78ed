/** A hook in a component of a page, in real React, with the document of happy-dom. */
import { createRequire } from "node:module";
import { onTestFinished, vi } from "vitest";
import type { PageChat } from "./sdk.ts";

/** By a name that is not in the code: these packages are not installed with the others. */
const load: (name: string) => unknown = createRequire(import.meta.url);

interface Root {
  render(element: unknown): void;
  unmount(): void;
}

/** What the tests use of React. Its types are not installed here. */
interface React {
  createElement(type: unknown, properties?: object | null, ...children: unknown[]): unknown;
  readonly StrictMode: unknown;
  useEffect(effect: () => void, dependencies: readonly unknown[]): void;
}

export interface Page {
  readonly react: React;
  readonly container: { innerHTML: string; readonly textContent: string };
  createRoot(): Root;
  hydrateRoot(element: unknown, options: { onRecoverableError(error: unknown): void }): Root;
  atRest(): Promise<void>;
}

interface PageWindow {
  readonly document: {
    createElement(name: string): Page["container"];
    readonly body: { append(child: unknown): void };
  };
  readonly happyDOM: { close(): Promise<void> };
}

/** The window of this test: pages of one test share it. */
let shared: PageWindow | undefined;

function windowOfTest(): PageWindow {
  if (shared !== undefined) return shared;
  const { Window } = load("happy-dom") as { readonly Window: new () => PageWindow };
  const window = new Window();
  shared = window;
  vi.stubGlobal("window", window);
  vi.stubGlobal("document", window.document);
  // Callbacks run in reverse order, so all pages are unmounted by now.
  onTestFinished(async () => {
    await rendered();
    shared = undefined;
    vi.unstubAllGlobals();
    await window.happyDOM.close();
  });
  return window;
}

/** Resolves once the check passes. Machines that run these tests may be slow. */
export function until(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 10_000, interval: 10 });
}

/** Resolves once React has rendered what it knows, which it does in tasks of its own. */
async function rendered(): Promise<void> {
  for (let task = 0; task < 3; task += 1) await new Promise((done) => setTimeout(done, 1));
}

/** Unmounts the page when the test is over. */
function keep(root: Root): Root {
  onTestFinished(() => root.unmount());
  return root;
}

/** Gives React a place in the document of this test. */
export function openDocument(): Page {
  const window = windowOfTest();
  const container = window.document.createElement("div");
  window.document.body.append(container);
  const { createRoot, hydrateRoot } = load("react-dom/client") as {
    createRoot(container: unknown): Root;
    hydrateRoot(container: unknown, element: unknown, options: object): Root;
  };
  return {
    react: load("react") as React,
    container,
    createRoot: () => keep(createRoot(container)),
    hydrateRoot: (element, options) => keep(hydrateRoot(container, element, options)),
    atRest: rendered,
  };
}

/** A chat whose state is what the component was last rendered with. In strict mode, as pages are developed. */
export async function mountHook(
  useChat: (options: object) => PageChat,
  options: object,
): Promise<PageChat> {
  const page = openDocument();
  const { createElement, StrictMode, useEffect } = page.react;
  let last: PageChat | undefined;
  let mounts = 0;
  function Chat(): null {
    last = useChat(options);
    useEffect(() => {
      mounts += 1;
    }, []);
    return null;
  }
  page.createRoot().render(createElement(StrictMode, null, createElement(Chat)));
  // Strict mode mounts everything twice, and the hook stops its chat in between.
  await until(() => {
    if (mounts < 2) throw new Error("Not mounted");
  });
  const chat = (): PageChat => last as PageChat;
  const then = async (work: Promise<void>): Promise<void> => {
    await work;
    await page.atRest();
  };
  return {
    get messages() {
      return chat().messages;
    },
    get status() {
      return chat().status;
    },
    get error() {
      return chat().error;
    },
    sendMessage: (message) => then(chat().sendMessage(message)),
    regenerate: () => then(chat().regenerate()),
    resumeStream: () => then(chat().resumeStream()),
    stop: () => then(chat().stop()),
    addToolResult: (output) => then(chat().addToolResult(output)),
    addToolApprovalResponse: (decision) => then(chat().addToolApprovalResponse(decision)),
  };
}
