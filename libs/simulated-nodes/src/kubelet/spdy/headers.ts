import { constants, createDeflate, createInflate } from 'node:zlib';

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

/** Each with its length before it. */
const words =
  'options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control ' +
  'connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect ' +
  'expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma ' +
  'proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning ' +
  'www-authenticate method get status|200 OK|version HTTP/1.1 url public set-cookie keep-alive origin';

const codes =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505' +
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found' +
  '500 Internal Server Error501 Not Implemented503 Service Unavailable';

const values =
  'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT' +
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivate' +
  'max-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';

const withLength = (word: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(word.length);
  return Buffer.concat([length, Buffer.from(word)]);
};

/** The dictionary with which SPDY/3 compresses headers: https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/#TOC-2.6.10.1-Compression */
export const headerDictionary: Buffer = Buffer.concat([
  ...words
    .split('|')
    .flatMap((part) => (part === '200 OK' ? [part] : part.split(' ')))
    .map(withLength),
  Buffer.from(codes + values),
]);
