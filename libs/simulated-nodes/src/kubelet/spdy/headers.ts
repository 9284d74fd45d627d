import { constants, createDeflate, createInflate } from 'node:zlib';
import { headerDictionary } from './dictionary.ts';

export type Headers = ReadonlyMap<string, string>;

/** The longest block of headers, in bytes. */
const maxBlock = 64 * 1024;

/** Reads the header blocks of one connection, which are one compressed stream. */
export class HeaderReader {
  readonly #inflate = createInflate({ dictionary: headerDictionary });
  #chunks: Buffer[] = [];

  constructor() {
    this.#inflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  /** Call it again only after it has resolved. Rejects with Error for what is no block of headers. */
  read(compressed: Buffer): Promise<Headers> {
    return new Promise((resolve, reject) => {
      this.#inflate.once('error', reject);
      this.#inflate.write(compressed, () => {
        this.#inflate.off('error', reject);
        const block = Buffer.concat(this.#chunks);
        this.#chunks = [];
        resolve(Promise.resolve(block).then(parseBlock));
      });
    });
  }

  close(): void {
    this.#inflate.destroy();
  }
}

function parseBlock(block: Buffer): Headers {
  if (block.length > maxBlock) throw new Error('the headers are too long');
  const headers = new Map<string, string>();
  let at = 4;
  const text = () => {
    const length = block.readUInt32BE(at);
    if (length > block.length - at - 4) throw new Error('a header ends after its block');
    at += 4 + length;
    return block.toString('latin1', at - length, at);
  };
  for (let left = block.readUInt32BE(0); left > 0; left--) headers.set(text().toLowerCase(), text());
  return headers;
}

/** Writes the header blocks of one connection. */
export class HeaderWriter {
  readonly #deflate = createDeflate({ dictionary: headerDictionary });
  #chunks: Buffer[] = [];

  constructor() {
    this.#deflate.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
  }

  /** A block without headers. Call it again only after it has resolved. */
  empty(): Promise<Buffer> {
    return new Promise((resolve) => {
      this.#deflate.write(Buffer.alloc(4));
      this.#deflate.flush(constants.Z_SYNC_FLUSH, () => {
        const block = Buffer.concat(this.#chunks);
        this.#chunks = [];
        resolve(block);
      });
    });
  }

  close(): void {
    this.#deflate.destroy();
  }
}
