/** Logins, from the address of a server to a stored token, against a real authorization server. */
import { stat, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { mcpTools } from "@capstan/mcp";
import { expect, test } from "vitest";
import { browse, loginWorld } from "./login-world.ts";

test("after a login the tools of the server can be used", async () => {
  await using world = await loginWorld();
  const { logins, wire } = world;
  await world.login();
  await using mcp = mcpTools({ servers: { srv: { url: wire.url } }, auth: logins });

  expect(await mcp.tools()).toHaveLength(1);
});

test("the client registers as a native one, and asks for a token for this server with PKCE", async () => {
  await using world = await loginWorld();
  await world.login();
  const [registered] = world.as.seenAt("/register");
  const [asked] = world.as.seenAt("/authorize");
  const [exchanged] = world.as.seenAt("/token");

  expect(registered?.json).toMatchObject({
    application_type: "native",
    redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  });
  expect(asked?.params.get("code_challenge_method")).toBe("S256");
  expect(asked?.params.get("resource")).toBe(world.wire.url);
  expect(exchanged?.params.get("resource")).toBe(world.wire.url);
});

test("the file and its folder are for their owner only", async () => {
  await using world = await loginWorld();
  await world.login();

  expect((await stat(world.path)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(world.path))).mode & 0o777).toBe(0o700);
});

test("a configured client comes first, and its secret is not stored", async () => {
  await using world = await loginWorld();
  world.as.behaviour.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
  const clientMetadataUrl = "https://capstan.example/client.json";
  await world.login({ oauth: { clientId: "mine", clientSecret: "s3cret", clientMetadataUrl } });
  const [exchanged] = world.as.seenAt("/token");

  expect(world.as.seenAt("/register")).toEqual([]);
  expect(exchanged?.authorization).toBe(`Basic ${btoa("mine:s3cret")}`);
  expect(await readFile(world.path, "utf8")).not.toContain("s3cret");
});

test("a metadata document is the client if the authorization server takes one", async () => {
  await using world = await loginWorld();
  world.as.behaviour.metadata = { client_id_metadata_document_supported: true };
  const clientMetadataUrl = "https://capstan.example/client.json";
  await world.login({ oauth: { clientMetadataUrl } });

  expect(world.as.seenAt("/register")).toEqual([]);
  expect(world.as.seenAt("/authorize")[0]?.params.get("client_id")).toBe(clientMetadataUrl);
});

test.each([
  ["of another issuer", { iss: "https://evil.example" }, {}],
  ["without an issuer, though one was announced", { iss: "" }, {}],
  ["of another issuer that was not announced", { iss: "https://evil.example" }, unannounced()],
])("a redirect %s is refused before its code is used", async (_, redirect, metadata) => {
  await using world = await loginWorld();
  Object.assign(world.as.behaviour, { redirect, metadata });

  await expect(world.login()).rejects.toMatchObject({ code: "login_failed", server: "srv" });
  expect(world.as.seenAt("/token")).toEqual([]);
});

test("a redirect without an issuer is taken from a server that announces none", async () => {
  await using world = await loginWorld();
  Object.assign(world.as.behaviour, { redirect: { iss: "" }, metadata: unannounced() });

  await world.login();
  expect(await world.stored()).toMatchObject({ issuer: world.as.issuer });
});

test("a redirect with another state is refused, and the right one still counts", async () => {
  await using world = await loginWorld();
  const statuses: number[] = [];
  const open = async (url: string): Promise<void> => {
    const redirect = new URL(new URL(url).searchParams.get("redirect_uri") ?? "");
    redirect.search = "?code=stolen&state=wrong";
    statuses.push((await fetch(redirect)).status);
    const page = await fetch(url);
    statuses.push(page.status);
    expect(await page.text()).toContain("You may close this window");
  };
  await world.logins.login(world.server, { open });

  expect(statuses).toEqual([400, 200]);
});

test("a user who refuses is an error that says so", async () => {
  await using world = await loginWorld();
  world.as.behaviour.redirect = { code: "", error: "access_denied", error_description: "No!" };

  await expect(world.login()).rejects.toThrow(/access_denied: No!/);
  expect(await world.stored()).toBeUndefined();
});

test("a login ends after its time", async () => {
  await using world = await loginWorld();
  const login = world.logins.login(world.server, { open() {}, timeoutMs: 300 });

  await expect(login).rejects.toThrow("the user did not log in within 300 ms");
});

test("a login ends when it is aborted", async () => {
  await using world = await loginWorld();
  const abort = new AbortController();
  const { signal } = abort;
  const login = world.logins.login(world.server, { open: () => abort.abort(), signal });

  await expect(login).rejects.toMatchObject({ code: "login_failed" });
});

test("a logout forgets the tokens", async () => {
  await using world = await loginWorld();
  await world.login();

  expect(await world.logins.logout(world.server)).toBe(true);
  expect(await world.logins.logout(world.server)).toBe(false);
  expect(await readFile(world.path, "utf8")).not.toContain("access-");
});

test("the server's demand decides about the scope, with one for a refresh token if there is one", async () => {
  await using world = await loginWorld((request) => {
    const challenge = world.as.challenge(', scope="read list"');
    return request.headers.authorization === undefined
      ? { status: 401, headers: { "www-authenticate": challenge } }
      : undefined;
  });
  world.as.behaviour.metadata = { scopes_supported: ["read", "offline_access"] };
  await world.login();

  expect(world.as.seenAt("/authorize")[0]?.params.get("scope")).toBe("read list offline_access");
});

test("a server over http elsewhere gets no login", async () => {
  await using world = await loginWorld();
  const elsewhere = { name: "srv", url: "http://mcp.example/mcp" };

  await expect(world.logins.login(elsewhere, { open: browse })).rejects.toThrow(/not an https/);
});

function unannounced(): object {
  return { authorization_response_iss_parameter_supported: false };
}
