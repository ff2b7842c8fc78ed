/** The description of the server's API, checked by a validator of the OpenAPI Initiative's schemas. */
import { describe, expect, test } from "vitest";
import { missing } from "./sdk.ts";
import { serve, token } from "./world.ts";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, unknown>> }>
  >;
}

interface Validated {
  readonly valid: boolean;
  readonly errors?: unknown;
}

async function describeApi(basePath = ""): Promise<Document> {
  const { url } = await serve([], [], { basePath });
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${basePath}/openapi.json`, { headers });
  return (await response.json()) as Document;
}

/** By a name that is not in the code: the package is not installed with the others. */
async function validate(document: Document): Promise<Validated> {
  const name = "@seriousme/openapi-schema-validator";
  const { Validator } = (await import(name)) as {
    readonly Validator: new () => { validate(document: object): Promise<Validated> };
  };
  return new Validator().validate(structuredClone(document));
}

describe.skipIf(missing !== undefined)(`/openapi.json${missing ? ` (${missing})` : ""}`, () => {
  test.each(["", "/agents"])("is valid, under the path %j", async (basePath) => {
    expect(await validate(await describeApi(basePath))).toMatchObject({ valid: true });
  });

  test("a validator finds what is wrong in it", async () => {
    const document = { ...(await describeApi()), paths: { nowhere: 1 } };

    expect((await validate(document as unknown as Document)).valid).toBe(false);
  });

  test("gives each operation a name of its own, for clients that are generated", async () => {
    const { paths } = await describeApi();

    const names = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );

    expect(names).toContain("postApiAgentSessionIdFollowUp");
    expect(new Set(names).size).toBe(names.length);
  });

  test("tells streams from JSON, and names the responses that have no body", async () => {
    const { paths } = await describeApi();
    const typesOf = (path: string, method: string): readonly string[] =>
      Object.keys(paths[path]?.[method]?.responses["200"]?.content ?? {});

    expect(typesOf("/api/stream", "post")).toEqual(["text/event-stream"]);
    expect(typesOf("/api/chat", "post")).toEqual(["text/event-stream"]);
    expect(typesOf("/api/chat/{id}/stream", "get")).toEqual(["text/event-stream"]);
    expect(typesOf("/api/models", "get")).toEqual(["application/json"]);
    expect(typesOf("/metrics", "get")).toEqual(["text/plain"]);
    expect(paths["/api/chat/{id}/stream"]?.["get"]?.responses["204"]).toBeDefined();
  });
});
