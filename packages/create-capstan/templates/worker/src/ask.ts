import { postgres } from "@capstan/stores/postgres";
import { handOver } from "./hand-over.ts";

const [id, ...words] = process.argv.slice(2);
if (id === undefined || words.length === 0) {
  console.error('Usage: npm run ask -- trip-1 "What should I wear in Oslo?"');
  process.exit(1);
}
const store = postgres(process.env["DATABASE_URL"]);
await handOver(store, { id, text: words.join(" ") });
await store.close();
console.log("Stored. A worker answers.");
