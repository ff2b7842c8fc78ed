/** Generates the OpenAPI description from the schemas that validate requests. */
import { z } from "zod";
import type { Endpoint, SchemaName } from "./endpoint.ts";
import { requestSchemas } from "./request-schemas.ts";

export function toOpenApi(endpoints: readonly Endpoint[], basePath: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(":id", "{id}");
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = toOperation(endpoint);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Capstan sessions", version: "1" },
    ...(basePath !== "" && { servers: [{ url: basePath }] }),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: errorSchema },
    },
  };
}

const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string" },
        message: { type: "string" },
        issues: {
          type: "array",
          items: {
            type: "object",
            required: ["path", "message"],
            properties: { path: { type: "string" }, message: { type: "string" } },
          },
        },
      },
    },
  },
};

function toOperation({ method, path, summary, query, body, isPublic, answers }: Endpoint): object {
  return {
    operationId: toName(method, path),
    summary,
    ...(isPublic === true && { security: [] }),
    parameters: [...idParameters(path), ...queryParameters(query)],
    ...(body && {
      requestBody: { required: true, content: { "application/json": { schema: toSchema(body) } } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, { description, type }]) => [
          status,
          { description, ...(type !== undefined && { content: { [type]: {} } }) },
        ]),
      ),
      "4XX": {
        description: "refused",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

/** Name of the operation, such as `postApiAgentExecute`. */
function toName(method: string, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== "");
  const rest = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return method.toLowerCase() + rest.join("");
}

function idParameters(path: string): object[] {
  if (!path.includes(":id")) return [];
  return [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
}

function queryParameters(query: SchemaName): object[] {
  const { properties = {} } = toSchema(query);
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", schema }));
}

function toSchema(name: SchemaName): z.core.JSONSchema.BaseSchema {
  const { $schema: _, ...shown } = z.toJSONSchema(requestSchemas[name], {
    io: "input",
    unrepresentable: "any",
  });
  return shown;
}
