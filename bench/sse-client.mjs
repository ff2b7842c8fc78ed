/** Reads streams of server-sent events, in a process of its own, so that its time does not count. Asked by messages. */

process.on("message", (ask) => {
  read(ask).then(
    (found) => process.send(found),
    (thrown) => process.send({ failure: String(thrown) }),
  );
});
process.on("disconnect", () => process.exit(0));

async function read({ url, init }) {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const pieces = [];
  for await (const piece of response.body) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  let chars = 0;
  let bytes = 0;
  for (const frame of text.split("\n\n")) {
    const [, data] = /^data: (\{"type":"text[_-]delta".*)$/m.exec(frame) ?? [];
    if (data === undefined) continue;
    const { delta } = JSON.parse(data);
    chars += delta.length;
    const [, id = ""] = /^id: (.*)$/m.exec(frame) ?? [];
    const isFiveDigits = id.replace(".", "").length === 5;
    if (isFiveDigits && delta.length === 4) bytes = Math.max(bytes, Buffer.byteLength(frame) + 2);
  }
  return { chars, bytes };
}
