import { decodeHuffman } from './huffman.ts';

/*
 * Header compression of HTTP/2. https://www.rfc-editor.org/rfc/rfc7541
 */

export type Header = readonly [name: string, value: string];

// prettier-ignore
const staticTable: readonly Header[] = [
  [':authority', ''], [':method', 'GET'], [':method', 'POST'], [':path', '/'], [':path', '/index.html'],
  [':scheme', 'http'], [':scheme', 'https'], [':status', '200'], [':status', '204'], [':status', '206'],
  [':status', '304'], [':status', '400'], [':status', '404'], [':status', '500'], ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'], ['accept-language', ''], ['accept-ranges', ''], ['accept', ''],
  ['access-control-allow-origin', ''], ['age', ''], ['allow', ''], ['authorization', ''], ['cache-control', ''],
  ['content-disposition', ''], ['content-encoding', ''], ['content-language', ''], ['content-length', ''],
  ['content-location', ''], ['content-range', ''], ['content-type', ''], ['cookie', ''], ['date', ''], ['etag', ''],
  ['expect', ''], ['expires', ''], ['from', ''], ['host', ''], ['if-match', ''], ['if-modified-since', ''],
  ['if-none-match', ''], ['if-range', ''], ['if-unmodified-since', ''], ['last-modified', ''], ['link', ''],
  ['location', ''], ['max-forwards', ''], ['proxy-authenticate', ''], ['proxy-authorization', ''], ['range', ''],
  ['referer', ''], ['refresh', ''], ['retry-after', ''], ['server', ''], ['set-cookie', ''],
  ['strict-transport-security', ''], ['transfer-encoding', ''], ['user-agent', ''], ['vary', ''], ['via', ''],
  ['www-authenticate', ''],
];

/** What every endpoint keeps unless it says otherwise, and what an entry costs beside its texts. */
const tableSize = 4096;
const entryOverhead = 32;

/** Reads the header blocks of one connection, in their order. */
export class HeaderDecoder {
  /** Newest first. */
  readonly #dynamic: Header[] = [];
  #size = 0;
  #limit = tableSize;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  /** Throws Error on a block that cannot be read; the connection is lost then, for so is the state of both sides. */
  decode(block: Buffer): Header[] {
    this.#block = block;
    this.#at = 0;
    const headers: Header[] = [];
    while (this.#at < block.length) {
      const header = this.#next(block[this.#at] ?? 0);
      if (header !== undefined) headers.push(header);
    }
    return headers;
  }

  #next(first: number): Header | undefined {
    if (first >= 0x80) return this.#entry(this.#integer(7));
    if (first >= 0x40) return this.#add(this.#literal(6));
    if (first < 0x20) return this.#literal(4);
    this.#limit = this.#integer(5);
    if (this.#limit > tableSize) throw new Error('the header table is too large');
    this.#evict();
    return undefined;
  }

  #literal(prefix: number): Header {
    const index = this.#integer(prefix);
    const name = index === 0 ? this.#text() : this.#entry(index)[0];
    return [name, this.#text()];
  }

  #entry(index: number): Header {
    const entry = index <= staticTable.length ? staticTable[index - 1] : this.#dynamic[index - staticTable.length - 1];
    if (entry === undefined) throw new Error(`no header ${String(index)}`);
    return entry;
  }

  #add(header: Header): Header {
    this.#dynamic.unshift(header);
    this.#size += header[0].length + header[1].length + entryOverhead;
    this.#evict();
    return header;
  }

  #evict(): void {
    while (this.#size > this.#limit) {
      const oldest = this.#dynamic.pop();
      if (oldest === undefined) return;
      this.#size -= oldest[0].length + oldest[1].length + entryOverhead;
    }
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw new Error('the header block ends early');
    return byte;
  }

  /** An integer whose first bits are the last `prefix` bits of a byte. */
  #integer(prefix: number): number {
    const most = 2 ** prefix - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('an integer of the header block is too large');
  }

  #text(): string {
    const isHuffman = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new Error('the header block ends early');
    this.#at += length;
    return isHuffman ? decodeHuffman(bytes) : bytes.toString('latin1');
  }
}

function integer(prefix: number, flags: number, value: number): number[] {
  const most = 2 ** prefix - 1;
  if (value < most) return [flags | value];
  const bytes = [flags | most];
  let rest = value - most;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return [...bytes, rest];
}

const encodeText = (text: string): Buffer =>
  Buffer.concat([Buffer.from(integer(7, 0, text.length)), Buffer.from(text, 'latin1')]);

/** Writes the header blocks of one connection, in their order. What does not fit into the peer's table is spelled out. */
export class HeaderEncoder {
  /** Headers of the peer's table by when they were added; none of them is ever evicted. */
  readonly #added = new Map<string, number>();
  #size = 0;
  #isClosed = false;
  #mustEmpty = false;
  readonly #blocks = new WeakMap<readonly Header[], { readonly block: Buffer; readonly added: number }>();

  /** The peer keeps fewer headers than usual: from now on none. */
  keepNothing(): void {
    this.#mustEmpty = !this.#isClosed;
    this.#isClosed = true;
    this.#added.clear();
  }

  encode(headers: readonly Header[]): Buffer {
    const known = this.#blocks.get(headers);
    if (known?.added === this.#added.size && !this.#isClosed) return known.block;
    const emptied = this.#mustEmpty ? [Buffer.from([0x20])] : [];
    this.#mustEmpty = false;
    const before = this.#added.size;
    const block = Buffer.concat([...emptied, ...headers.map((header) => this.#encodeHeader(header))]);
    // A block that adds headers is for once.
    if (this.#added.size === before) this.#blocks.set(headers, { block, added: before });
    return block;
  }

  #encodeHeader([name, value]: Header): Buffer {
    const key = `${name}:${value}`;
    const added = this.#added.get(key);
    if (added !== undefined) return Buffer.from(integer(7, 0x80, staticTable.length + this.#added.size - added));
    const cost = name.length + value.length + entryOverhead;
    const adds = !this.#isClosed && this.#size + cost <= tableSize;
    if (adds) {
      this.#added.set(key, this.#added.size);
      this.#size += cost;
    }
    return Buffer.concat([Buffer.from([adds ? 0x40 : 0]), encodeText(name), encodeText(value)]);
  }
}
