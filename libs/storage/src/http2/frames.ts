/*
 * The frames of HTTP/2. https://www.rfc-editor.org/rfc/rfc9113#name-frame-definitions
 */

export const frameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flag = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
export const errorCode = { noError: 0, refusedStream: 7, cancel: 8 } as const;
export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

export const frameHeadLength = 9;
/** The most that either side sends in one frame before the other has agreed to more. */
export const defaultMaxFrameSize = 16_384;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export function writeFrameHead(
  into: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): number {
  into.writeUIntBE(length, at, 3);
  into[at + 3] = type;
  into[at + 4] = flags;
  return into.writeUInt32BE(stream, at + 5);
}

export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeadLength + payload.length);
  bytes.set(payload, writeFrameHead(bytes, 0, payload.length, type, flags, stream));
  return bytes;
}

export function uint32Frame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeadLength + 4);
  bytes.writeUInt32BE(value, writeFrameHead(bytes, 0, 4, type, 0, stream));
  return bytes;
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(settings.length * 6);
  for (const [i, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, i * 6);
    payload.writeUInt32BE(value, i * 6 + 2);
  }
  return frame(frameType.settings, 0, 0, payload);
}

/** Cuts what arrives into frames. */
export class FrameReader {
  #pending: Buffer[] = [];
  #length = 0;

  /** Throws Error on a frame that is larger than we have allowed. */
  *read(chunk: Buffer): Generator<Frame> {
    let bytes = this.#joined(chunk);
    while (bytes !== undefined && bytes.length >= frameHeadLength) {
      const length = bytes.readUIntBE(0, 3);
      if (length > defaultMaxFrameSize) throw new Error('a frame is too large');
      const end = frameHeadLength + length;
      if (bytes.length < end) break;
      yield {
        type: bytes[3] ?? 0,
        flags: bytes[4] ?? 0,
        stream: bytes.readUInt32BE(5) & 0x7fffffff,
        payload: bytes.subarray(frameHeadLength, end),
      };
      bytes = bytes.subarray(end);
    }
    if (bytes !== undefined && bytes.length > 0) this.#keep(bytes);
  }

  /** Everything at hand, once there is a frame's head. */
  #joined(chunk: Buffer): Buffer | undefined {
    if (this.#pending.length === 0) return chunk;
    this.#keep(chunk);
    const bytes = Buffer.concat(this.#pending, this.#length);
    this.#pending = [];
    this.#length = 0;
    return bytes;
  }

  #keep(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#length += bytes.length;
  }
}

/** The payload without padding and priority. Throws Error when it is shorter than its padding. */
export function contentOf({ type, flags, payload }: Frame): Buffer {
  const padding = (flags & flag.padded) === 0 ? 0 : (payload[0] ?? 0);
  const start =
    ((flags & flag.padded) === 0 ? 0 : 1) + (type === frameType.headers && (flags & flag.priority) !== 0 ? 5 : 0);
  if (start + padding > payload.length) throw new Error('padding is longer than its frame');
  return payload.subarray(start, payload.length - padding);
}
