/** Validated input of requests. Loaded, with zod and the schemas, for the first request. */
import { checkQuery, checkRequest } from "../guard/check-request.ts";
import type { SchemaName } from "./endpoint.ts";
import { requestSchemas } from "./request-schemas.ts";

/** Throws `invalid_request` with the paths. */
export function toQuery(schema: SchemaName, query: URLSearchParams): unknown {
  return checkQuery<unknown>(requestSchemas[schema], query);
}

/** Throws `invalid_request` with the paths. */
export function toBody(schema: SchemaName, body: unknown): unknown {
  return checkRequest<unknown>(requestSchemas[schema], body, "body");
}
