// In Next.js this file is app/agents/[...path]/route.ts.
import { server } from "./server.ts";

export const dynamic = "force-dynamic";

export const GET = server.fetch;
export const POST = server.fetch;
export const DELETE = server.fetch;
export const OPTIONS = server.fetch;
