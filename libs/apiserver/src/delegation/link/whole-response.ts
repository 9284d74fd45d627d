import type { ResponseHead, ResponseReceiver } from './response-reader.ts';

/** A whole response of the next server. */
export interface LinkResponse extends Omit<ResponseHead, 'length'> {
  readonly body: Buffer;
}

/** Bodies whose length is known and up to this are read into one buffer of that length. */
const maxExpected = 1 << 20;
const nothing = Buffer.alloc(0);

/** Puts the parts of responses together, and hands each over when it is complete. */
export class WholeResponses implements ResponseReceiver {
  readonly #onResponse: (response: LinkResponse) => void;
  #head: ResponseHead | undefined;
  #expected: Buffer | undefined;
  #at = 0;
  #parts: Buffer[] = [];

  constructor(onResponse: (response: LinkResponse) => void) {
    this.#onResponse = onResponse;
  }

  onHead(head: ResponseHead): void {
    this.#head = head;
    this.#at = 0;
    const { length = 0 } = head;
    if (length > 0 && length <= maxExpected) this.#expected = Buffer.allocUnsafe(length);
  }

  onData(bytes: Buffer): void {
    if (this.#expected === undefined) this.#parts.push(Buffer.from(bytes));
    else this.#at += bytes.copy(this.#expected, this.#at);
  }

  onEnd(): void {
    const head = this.#head;
    if (head === undefined) return;
    const parts = this.#parts;
    const body = this.#expected ?? (parts.length === 0 ? nothing : Buffer.concat(parts));
    this.#head = undefined;
    this.#expected = undefined;
    this.#parts = [];
    this.#onResponse({ status: head.status, headers: head.headers, keepAlive: head.keepAlive, body });
  }
}
