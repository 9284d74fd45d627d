/**
 * Replaces an `:authority` that Node rejects in the first HEADERS of an HTTP/2 connection. etcdctl 3.4, which Debian ships, sends the endpoint
 * unchanged: the path of a Unix socket with every command, and `http://host:port` with commands for a single member (`endpoint status`, `snapshot
 * save`). etcd accepts such an authority; Node ends the stream. etcdctl 3.5 sends a valid name and does not need this file. Sources:
 * https://www.rfc-editor.org/rfc/rfc9113 (frames), https://www.rfc-editor.org/rfc/rfc7541 (HPACK).
 */

const prefaceBytes = 24;
const frameHeaderBytes = 9;
/** The maximum frame size before another size is negotiated. */
const largestFrame = 16_384;
const headersType = 1;
const flags = { padded: 0x08, priority: 0x20 };
const priorityBytes = 5;
const authorityIndex = 1;
const notInAuthority = /[^\w\-.~!$&'()*+,;=:%[\]@]/g;

/**
 * HPACK's Huffman code is canonical, so it is fully defined by the symbols in the order of their code lengths. Only symbols that endpoints use are
 * listed.
 */
const symbolsByLength = new Map([
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
]);
const symbols = new Map<string, string>();
let nextCode = 0;
for (const [length, group] of symbolsByLength) {
  for (const symbol of group) symbols.set((nextCode++).toString(2).padStart(length, '0'), symbol);
  nextCode <<= 1;
}

/** Returns undefined for text with other symbols. */
function decodeHuffman(bytes: Buffer): string | undefined {
  let text = '';
  let code = '';
  for (const byte of bytes) {
    for (const bit of byte.toString(2).padStart(8, '0')) {
      code += bit;
      const symbol = symbols.get(code);
      if (symbol === undefined) continue;
      text += symbol;
      code = '';
    }
  }
  return /^1{0,7}$/.test(code) ? text : undefined;
}

/** Reads a header block from its beginning. Throws RangeError when reading beyond its end. */
class HpackReader {
  offset = 0;
  readonly #block: Buffer;

  constructor(block: Buffer) {
    this.#block = block;
  }

  peek(): number {
    return this.#block.readUInt8(this.offset);
  }

  /** An integer with `bits` bits in its first byte. */
  integer(bits: number): number {
    const full = 2 ** bits - 1;
    let value = this.peek() & full;
    this.offset++;
    if (value < full) return value;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.peek();
      this.offset++;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  string(): string | undefined {
    const huffman = this.peek() >= 0x80;
    const length = this.integer(7);
    const bytes = this.#block.subarray(this.offset, this.offset + length);
    this.offset += length;
    if (bytes.length < length) throw new RangeError('the header block ends within a string');
    return huffman ? decodeHuffman(bytes) : bytes.toString('latin1');
  }
}

/** Encodes a string without Huffman code; `text` must be shorter than 127 characters. */
const literal = (text: string): Buffer => Buffer.concat([Buffer.of(text.length), Buffer.from(text, 'latin1')]);

/** The replacement is as long as the original, because the client counts the original length in its dynamic table of headers. */
function acceptableBlock(block: Buffer): Buffer {
  const reader = new HpackReader(block);
  while (reader.offset < block.length) {
    const first = reader.peek();
    if (first >= 0x80) reader.integer(7);
    else if (first >= 0x20 && first < 0x40) reader.integer(5);
    else {
      const name = reader.integer(first >= 0x40 ? 6 : 4);
      if (name === 0) reader.string();
      const start = reader.offset;
      const value = reader.string();
      if (name !== authorityIndex) continue;
      const acceptable = value?.replaceAll(notInAuthority, '-');
      if (acceptable === undefined || acceptable === value || acceptable.length >= 0x7f) return block;
      return Buffer.concat([block.subarray(0, start), literal(acceptable), block.subarray(reader.offset)]);
    }
  }
  return block;
}

function acceptableHeaders(frame: Buffer): Buffer {
  const bits = frame.readUInt8(4);
  if ((bits & flags.padded) !== 0) return frame;
  const start = frameHeaderBytes + ((bits & flags.priority) === 0 ? 0 : priorityBytes);
  try {
    const changed = Buffer.concat([frame.subarray(0, start), acceptableBlock(frame.subarray(start))]);
    changed.writeUIntBE(changed.length - frameHeaderBytes, 0, 3);
    return changed;
  } catch (error) {
    // A block that cannot be read is passed on for the server to reject.
    if (error instanceof RangeError) return frame;
    throw error;
  }
}

/**
 * Returns a function that maps each chunk from the client to the bytes to pass on. All bytes are passed on, at the latest when the first HEADERS are
 * complete.
 */
export function acceptableAuthority(): (piece: Buffer) => Buffer {
  let held: Buffer = Buffer.alloc(0);
  let prefaced = false;
  let over = false;
  return (piece) => {
    if (over) return piece;
    held = Buffer.concat([held, piece]);
    const passed: Buffer[] = [];
    const take = (bytes: number) => {
      const taken = held.subarray(0, bytes);
      held = held.subarray(bytes);
      return taken;
    };
    if (!prefaced && held.length >= prefaceBytes) {
      prefaced = true;
      passed.push(take(prefaceBytes));
    }
    while (prefaced && !over && held.length >= frameHeaderBytes) {
      const length = held.readUIntBE(0, 3);
      const isHeaders = held.readUInt8(3) === headersType;
      over = length > largestFrame;
      if (over || held.length < frameHeaderBytes + length) break;
      const frame = take(frameHeaderBytes + length);
      passed.push(isHeaders ? acceptableHeaders(frame) : frame);
      over = isHeaders;
    }
    if (over) passed.push(take(held.length));
    return Buffer.concat(passed);
  };
}

const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

/**
 * Whether a connection that begins with these bytes may have such an authority. gRPC clients in Go send empty settings; those in Node, including
 * apichain's, do not.
 */
export function mayHaveBadAuthority(first: Buffer): boolean {
  return first.length < prefaceBytes + frameHeaderBytes || first.indexOf(emptySettings, prefaceBytes) === prefaceBytes;
}
