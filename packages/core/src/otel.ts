/** `@capstan/core/otel`: turns as OpenTelemetry spans. Apart from the rest, as only this needs `@opentelemetry/api`. */
export { otelLogger } from "./otel/otel-logger.ts";
export type { OtelLoggerOptions } from "./otel/otel-logger.ts";
