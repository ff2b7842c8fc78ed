/** Pages that are signed in by a cookie, without a token, and servers under a path. */
import { connect } from "@capstan/client";
import { createAgent, createHost } from "@capstan/core";
import { memoryRepository } from "@capstan/log";
import type { ServerOptions } from "@capstan/server";
import { createServer } from "@capstan/server";
import { serveNode } from "@capstan/server/node";
import { say, scriptedProvider } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";

/** Signed in by the cookie `sid`, as an app would look it up in its own sessions. */
async function serveSignedIn(options: Partial<ServerOptions> = {}): Promise<string> {
  const agent = createAgent({ name: "helper", model: scriptedProvider([say("Hello, Ann")]) });
  const host = createHost({ agents: [agent], repository: memoryRepository() });
  const server = createServer({
    host,
    authenticate: ({ headers }) => {
      const [, id] = /(?:^|; )sid=(\w+)/.exec(headers.get("cookie") ?? "") ?? [];
      return id === "s1" ? { principal: "ann" } : undefined;
    },
    ...options,
  });
  const node = await serveNode(server, { drainMs: 100 });
  onTestFinished(() => node.close());
  return node.url;
}

interface Sent {
  readonly credentials: RequestInit["credentials"] | undefined;
  readonly authorization: string | null;
}

/** A browser's `fetch`: adds the cookie of the page's user unless credentials are omitted. Records what it was asked for. */
function browserFetch(sent: Sent[], cookie: string): typeof fetch {
  return (url, init = {}) => {
    const headers = new Headers(init.headers);
    sent.push({ credentials: init.credentials, authorization: headers.get("authorization") });
    if (init.credentials !== "omit") headers.set("cookie", cookie);
    return fetch(url, { ...init, headers });
  };
}

test("a page with a cookie needs no token, and sends none", async () => {
  const url = await serveSignedIn();
  const sent: Sent[] = [];
  const client = connect({ url, fetch: browserFetch(sent, "theme=dark; sid=s1") });
  onTestFinished(() => client.close());

  const { text } = await client.session("chat").send("Hi").response;
  const { sessions } = await client.list();

  expect(text).toBe("Hello, Ann");
  expect(sessions).toHaveLength(1);
  expect(sent).not.toHaveLength(0);
  expect(sent.every(({ authorization }) => authorization === null)).toBe(true);
  expect(sent.every(({ credentials }) => credentials === undefined)).toBe(true);
});

test("the choice of credentials reaches every request", async () => {
  const url = await serveSignedIn();
  const [included, omitted]: [Sent[], Sent[]] = [[], []];
  const other = connect({ url, credentials: "include", fetch: browserFetch(included, "sid=s1") });
  const none = connect({ url, credentials: "omit", fetch: browserFetch(omitted, "sid=s1") });
  onTestFinished(() => [other, none].forEach((client) => client.close()));

  const { text } = await other.session("chat").send("Hi").response;
  const refused = none.list();

  await expect(refused).rejects.toMatchObject({ code: "unauthenticated", status: 401 });
  expect(text).toBe("Hello, Ann");
  expect(new Set(included.map(({ credentials }) => credentials))).toEqual(new Set(["include"]));
});

test("a cookie that has expired can be renewed, and the request is sent again", async () => {
  const url = await serveSignedIn();
  let cookie = "sid=old";
  const client = connect({
    url,
    fetch: (input, init) => browserFetch([], cookie)(input, init),
    onUnauthorized: () => {
      cookie = "sid=s1";
      return true;
    },
  });
  onTestFinished(() => client.close());

  await expect(client.list()).resolves.toMatchObject({ sessions: [] });
});

test("a client of a server under a path has the path in its url", async () => {
  const url = await serveSignedIn({ basePath: "/agents" });
  const client = connect({ url: `${url}/agents/`, fetch: browserFetch([], "sid=s1") });
  onTestFinished(() => client.close());

  const { text } = await client.session("chat").send("Hi").response;

  expect(text).toBe("Hello, Ann");
});
