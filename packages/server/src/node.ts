/** `@capstan/server/node`: a server on a Node port. */
export { serveNode } from "./node/serve-node.ts";
export type { NodeServer, ServeOptions } from "./node/serve-node.ts";
