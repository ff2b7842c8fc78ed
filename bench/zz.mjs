import v8 from "node:v8";
import { createHost } from "@capstan/core";
import { sqlite } from "@capstan/stores/sqlite";
import { createWorkAgent } from "./capacity-agent.ts";
const host = createHost({ agents: [createWorkAgent()], repository: sqlite("/tmp/zz.db") });
const held = [];
const N = 1000;
async function add(n){ for (let i = 0; i < n; i++) { const s = host.createSession({ agent: "worker" }); await s.send("go").response; await s.waitForIdle(); held.push(s); } }

async function snapshot() {
for (let i=0;i<3;i++){ await new Promise(r=>setTimeout(r,20)); globalThis.gc(); }
const chunks = [];
for await (const c of v8.getHeapSnapshot()) chunks.push(c);
const snap = JSON.parse(Buffer.concat(chunks).toString());
const { nodes, strings, edges } = snap;
const meta = snap.snapshot.meta;
const F = meta.node_fields, T = meta.node_types[0], nf = F.length;
const EF = meta.edge_fields.length, ET = meta.edge_types[0];
const count = nodes.length / nf;
const idx = F.indexOf("name"), ti = F.indexOf("type"), si = F.indexOf("self_size"), ei = F.indexOf("edge_count");
const parent = new Array(count);
let e = 0;
for (let i = 0; i < count; i++) {
  const n = nodes[i*nf+ei];
  for (let k = 0; k < n; k++, e += EF) {
    const t = ET[edges[e]], to = edges[e+2] / nf;
    const name = t === "element" || t === "hidden" ? "[]" : strings[edges[e+1]];
    if (t !== "weak" && parent[to] === undefined) parent[to] = [i, name];
  }
}
const nm = (i) => T[nodes[i*nf+ti]]==="object"?strings[nodes[i*nf+idx]].slice(0,24):T[nodes[i*nf+ti]];
const agg = new Map();
for (let i = 0; i < count; i++) {
  const t = T[nodes[i*nf+ti]]; let name = strings[nodes[i*nf+idx]];
  if (t === "string" || t === "concatenated string") name = "(string)";
  let key = `${t} ${name.slice(0,30)}`, at = i;
  for (let d = 0; d < (globalThis.DEPTH ?? 3); d++) { const p = parent[at]; if (!p) break; key += ` <- ${nm(p[0])}.${p[1]}`; at = p[0]; }
  const a = agg.get(key) ?? [0,0]; a[0]++; a[1]+=nodes[i*nf+si]; agg.set(key,a);
}
return agg;
}
await add(N); const one = await snapshot(); await add(N); const two = await snapshot();
const rows = [];
for (const [k,[c,b]] of two) { const [c1,b1] = one.get(k) ?? [0,0]; if ((c-c1)/N > 0.4) rows.push([k,(c-c1)/N,(b-b1)/N]); }
rows.sort((a,b)=>b[2]-a[2]);
console.log("total", rows.reduce((t,r)=>t+r[2],0).toFixed(0));
for (const [k,c,b] of rows.slice(0, 150)) console.log(b.toFixed(0).padStart(5), c.toFixed(1).padStart(5), k);
process.exit(0);
