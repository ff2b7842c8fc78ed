/** Reads type and pixel size from the bytes of an image. */

export interface ImageFacts {
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
}

/** Undefined if the bytes are not an image that vendors accept. */
export function readImage(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 16) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47) return readPng(bytes);
  if (bytes.readUInt16BE(0) === 0xffd8) return readJpeg(bytes);
  if (bytes.toString("latin1", 0, 4) === "GIF8") {
    return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  const isWebp =
    bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP";
  return isWebp ? readWebp(bytes) : undefined;
}

/** Undefined for text that is not base64. */
export function decodeBase64(text: string): Buffer | undefined {
  const isBase64 = text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, "base64") : undefined;
}

function readPng(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 24) return undefined;
  return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The size is in the first frame header, after segments of any length. */
function readJpeg(bytes: Buffer): ImageFacts | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { mediaType: "image/jpeg", width, height };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function readWebp(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 30) return undefined;
  const mediaType = "image/webp";
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return {
        mediaType,
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { mediaType, width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
