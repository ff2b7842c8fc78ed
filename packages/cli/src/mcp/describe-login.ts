/** A login in words. */
import type { McpLogin } from "@capstan/mcp";

/** "logged in at https://id.example.org until 2026-11-18 09:30 UTC, renewed automatically". */
export function describeLogin({ issuer, expiresAt, isRenewed }: McpLogin, now: number): string {
  const where = `logged in at ${issuer}`;
  if (expiresAt === undefined) return where;
  const time = `${new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (isRenewed) return `${where} until ${time}, renewed automatically`;
  return expiresAt > now ? `${where} until ${time}` : `${where}, ended ${time}`;
}
