/** `useSession` on a server and in the page that takes over what the server has rendered. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as client from "@capstan/client";
import type { ClientSession, ClientSessionState } from "@capstan/client";
import type * as hook from "@capstan/client/react";
import { say } from "@capstan/testing";
import { rolldown } from "rolldown";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openDocument, until } from "./mount-hook.ts";
import { missing } from "./sdk.ts";
import { serve, token } from "./world.ts";

const load: (name: string) => unknown = createRequire(import.meta.url);

/** The client as an application bundles it, next to the React of these tests. */
async function bundled(): Promise<typeof client & typeof hook> {
  const source = join(import.meta.dirname, "..", "..", "packages", "client", "src");
  const build = await rolldown({
    input: { client: join(source, "index.ts"), react: join(source, "react.ts") },
    platform: "browser",
    external: ["react"],
    resolve: { conditionNames: ["@capstan/source"] },
  });
  const { output } = await build.generate({ format: "esm", entryFileNames: "[name].mjs" });
  await build.close();
  const folder = join(import.meta.dirname, "node_modules", ".capstan");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  for (const file of output)
    if ("code" in file) writeFileSync(join(folder, file.fileName), file.code);
  const parts = ["client.mjs", "react.mjs"].map(
    async (name) => (await import(pathToFileURL(join(folder, name)).href)) as object,
  );
  return Object.assign({}, ...(await Promise.all(parts))) as typeof client & typeof hook;
}

interface ChatProperties {
  readonly session: ClientSession;
  readonly initialState?: ClientSessionState;
}

async function prepare() {
  const { url } = await serve([say("Hello"), say("Again")]);
  const { connect, useSession } = await bundled();
  const { createElement, StrictMode } = load("react") as {
    createElement(type: unknown, properties?: object | null, ...children: unknown[]): unknown;
    readonly StrictMode: unknown;
  };
  const { renderToString } = load("react-dom/server") as { renderToString(tree: unknown): string };
  const texts: string[] = [];
  function Chat({ session, initialState }: ChatProperties): unknown {
    const { state, isLoading } = useSession(session, { initialState });
    const text = `${isLoading ? "loading" : "loaded"} ${state.messages.length}`;
    texts.push(text);
    return createElement("p", null, text);
  }
  const tree = (properties: ChatProperties): unknown =>
    createElement(StrictMode, null, createElement(Chat, properties));
  const requests: string[] = [];
  const connected = connect({
    url,
    token,
    fetch: async (input, init) => {
      requests.push(init?.method ?? "GET");
      return fetch(input, init);
    },
  });
  onTestFinished(() => connected.close());
  return { connected, tree, renderToString, requests, texts };
}

/** Hydrates the HTML, and tells what React complains of. */
async function hydrate(html: string, tree: unknown) {
  const complaints: unknown[] = [];
  const errors = vi.spyOn(console, "error").mockImplementation((said) => complaints.push(said));
  onTestFinished(() => errors.mockRestore());
  const page = openDocument();
  page.container.innerHTML = html;
  page.hydrateRoot(tree, { onRecoverableError: (error) => complaints.push(error) });
  return { page, complaints };
}

describe.skipIf(missing !== undefined)(`server rendering${missing ? ` (${missing})` : ""}`, () => {
  test("renders without a request, and the page takes over without a mismatch", async () => {
    const { connected, tree, renderToString, requests } = await prepare();
    await connected.session("chat").send("Hi").response;
    requests.length = 0;

    const html = renderToString(tree({ session: connected.session("chat") }));
    const asked = [...requests];
    const { page, complaints } = await hydrate(html, tree({ session: connected.session("chat") }));
    await until(() => expect(page.container.textContent).toBe("loaded 2"));

    expect(html).toBe("<p>loading 0</p>");
    expect(asked).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("shows the state that the server has read, until the page has loaded its own", async () => {
    const { connected, tree, renderToString, texts } = await prepare();
    await connected.session("chat").send("Hi").response;
    const onServer = connected.session("chat");
    const initialState = JSON.parse(JSON.stringify(await onServer.refresh())) as ClientSessionState;

    const html = renderToString(tree({ session: onServer, initialState }));
    const session = connected.session("chat");
    const { page, complaints } = await hydrate(html, tree({ session, initialState }));
    await until(() => expect(page.container.textContent).toBe("loaded 2"));
    await session.send("More").response;
    await until(() => expect(page.container.textContent).toBe("loaded 4"));

    expect(html).toBe("<p>loading 2</p>");
    expect(complaints).toEqual([]);
    expect(texts.filter((text) => text.endsWith(" 0"))).toEqual([]);
  });
});
