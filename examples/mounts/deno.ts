import { server } from "./server.ts";

// In your project Deno has the types.
declare const Deno: {
  serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      onListen(address: { readonly port: number }): void;
    },
    handler: (request: Request) => Promise<Response>,
  ): { shutdown(): Promise<void> };
  addSignalListener(signal: "SIGTERM", listener: () => void): void;
  exit(code: number): never;
};

const onListen = ({ port }: { readonly port: number }) => console.log(`http://127.0.0.1:${port}`);
const http = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen }, server.fetch);

const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
Deno.addSignalListener("SIGTERM", stop);
await stopped;
await server.close();
await http.shutdown();
Deno.exit(0); // the listener would keep the process alive
