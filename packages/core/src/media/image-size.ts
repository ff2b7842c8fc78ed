/** What kind of image bytes are, and how large it is, from its first bytes: no image is decoded. */

export interface ImageSize {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** Bytes by their place; 0 beyond the end. */
type ByteAt = (place: number) => number;

/** Undefined for what is none of the kinds that models read, or is cut before its size. */
export function imageSizeOf(base64: string): ImageSize | undefined {
  const byteAt = bytesOf(base64);
  return pngSize(byteAt) ?? jpegSize(byteAt, base64.length) ?? gifSize(byteAt) ?? webpSize(byteAt);
}

/** Reads little of what may be many megabytes: pieces are decoded when they are asked for. */
function bytesOf(base64: string): ByteAt {
  const pieceChars = 4_096;
  const pieceBytes = (pieceChars / 4) * 3;
  let start = -1;
  let piece = "";
  return (place) => {
    const wanted = Math.floor(place / pieceBytes);
    if (wanted !== start) {
      start = wanted;
      piece = atob(base64.slice(wanted * pieceChars, (wanted + 1) * pieceChars));
    }
    const code = piece.charCodeAt(place - wanted * pieceBytes);
    return Number.isNaN(code) ? 0 : code;
  };
}

function hasText(byteAt: ByteAt, place: number, text: string): boolean {
  return Array.from(text).every((char, index) => byteAt(place + index) === char.charCodeAt(0));
}

function bigEndian(byteAt: ByteAt, place: number, bytes: number): number {
  let value = 0;
  for (let index = 0; index < bytes; index++) value = value * 256 + byteAt(place + index);
  return value;
}

function littleEndian(byteAt: ByteAt, place: number, bytes: number): number {
  let value = 0;
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + byteAt(place + index);
  return value;
}

function pngSize(byteAt: ByteAt): ImageSize | undefined {
  if (byteAt(0) !== 0x89 || !hasText(byteAt, 1, "PNG") || !hasText(byteAt, 12, "IHDR")) {
    return undefined;
  }
  const width = bigEndian(byteAt, 16, 4);
  return { mediaType: "image/png", width, height: bigEndian(byteAt, 20, 4) };
}

function gifSize(byteAt: ByteAt): ImageSize | undefined {
  if (!hasText(byteAt, 0, "GIF8")) return undefined;
  const width = littleEndian(byteAt, 6, 2);
  return { mediaType: "image/gif", width, height: littleEndian(byteAt, 8, 2) };
}

/** The size is in the start-of-frame segment, behind any number of others, such as a camera's preview. */
function jpegSize(byteAt: ByteAt, limit: number): ImageSize | undefined {
  if (byteAt(0) !== 0xff || byteAt(1) !== 0xd8) return undefined;
  let place = 2;
  while (place < limit && byteAt(place) === 0xff) {
    const marker = byteAt(place + 1);
    // C4, C8 and CC are tables between the frame markers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const height = bigEndian(byteAt, place + 5, 2);
      return { mediaType: "image/jpeg", width: bigEndian(byteAt, place + 7, 2), height };
    }
    // A marker may be preceded by fill bytes; some markers stand alone.
    if (marker === 0xff) place += 1;
    else if (marker >= 0xd0 && marker <= 0xd8) place += 2;
    else place += 2 + Math.max(2, bigEndian(byteAt, place + 2, 2));
  }
  return undefined;
}

function webpSize(byteAt: ByteAt): ImageSize | undefined {
  if (!hasText(byteAt, 0, "RIFF") || !hasText(byteAt, 8, "WEBP")) return undefined;
  const mediaType = "image/webp";
  if (hasText(byteAt, 12, "VP8X")) {
    const width = littleEndian(byteAt, 24, 3) + 1;
    return { mediaType, width, height: littleEndian(byteAt, 27, 3) + 1 };
  }
  if (hasText(byteAt, 12, "VP8L")) {
    const bits = littleEndian(byteAt, 21, 4);
    return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!hasText(byteAt, 12, "VP8 ")) return undefined;
  const width = littleEndian(byteAt, 26, 2) & 0x3fff;
  return { mediaType, width, height: littleEndian(byteAt, 28, 2) & 0x3fff };
}
