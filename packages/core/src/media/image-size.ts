/** Detects the type and size of an image from its first bytes, without decoding it. */

export interface ImageSize {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** Returns the byte at an offset; 0 beyond the end. */
type ByteAt = (offset: number) => number;

/** Undefined if the type is none that models read, or the image is cut off before its size. */
export function imageSizeOf(base64: string): ImageSize | undefined {
  const byteAt = bytesOf(base64);
  return pngSize(byteAt) ?? jpegSize(byteAt, base64.length) ?? gifSize(byteAt) ?? webpSize(byteAt);
}

/** Decodes only the pieces that are read, because the data may be many megabytes. */
function bytesOf(base64: string): ByteAt {
  const pieceChars = 4_096;
  const pieceBytes = (pieceChars / 4) * 3;
  let start = -1;
  let piece = "";
  return (offset) => {
    const wanted = Math.floor(offset / pieceBytes);
    if (wanted !== start) {
      start = wanted;
      piece = atob(base64.slice(wanted * pieceChars, (wanted + 1) * pieceChars));
    }
    const code = piece.charCodeAt(offset - wanted * pieceBytes);
    return Number.isNaN(code) ? 0 : code;
  };
}

function hasText(byteAt: ByteAt, offset: number, text: string): boolean {
  return Array.from(text).every((char, index) => byteAt(offset + index) === char.charCodeAt(0));
}

function bigEndian(byteAt: ByteAt, offset: number, bytes: number): number {
  let value = 0;
  for (let index = 0; index < bytes; index++) value = value * 256 + byteAt(offset + index);
  return value;
}

function littleEndian(byteAt: ByteAt, offset: number, bytes: number): number {
  let value = 0;
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + byteAt(offset + index);
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

/** The size is in the start-of-frame segment, after any number of others, such as a camera's preview. */
function jpegSize(byteAt: ByteAt, limit: number): ImageSize | undefined {
  if (byteAt(0) !== 0xff || byteAt(1) !== 0xd8) return undefined;
  let offset = 2;
  while (offset < limit && byteAt(offset) === 0xff) {
    const marker = byteAt(offset + 1);
    // C4, C8 and CC are tables between the frame markers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const height = bigEndian(byteAt, offset + 5, 2);
      return { mediaType: "image/jpeg", width: bigEndian(byteAt, offset + 7, 2), height };
    }
    // A marker may be preceded by fill bytes; some markers stand alone.
    if (marker === 0xff) offset += 1;
    else if (marker >= 0xd0 && marker <= 0xd8) offset += 2;
    else offset += 2 + Math.max(2, bigEndian(byteAt, offset + 2, 2));
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
