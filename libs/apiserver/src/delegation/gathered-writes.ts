import type { ServerResponse } from 'node:http';
import { writtenAtOnceBytes } from '../coalesced-socket.ts';
import { returnScratch, scratchBytes, takeScratch } from '../scratch-buffers.ts';

/** This much is written at once; what is less waits for the end of the turn of the event loop. */
const enough = scratchBytes - 16 * 1024;

/**
 * Writes what comes in many small parts to a response in fewer: a TLS connection hands over 16 KiB at a time, and a watch event by event,
 * while a write costs as much as encrypting 16 KiB.
 */
export class GatheredWrites {
  readonly #response: ServerResponse;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #scheduled = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** False = the client does not keep up; `drain` of the response tells when it does. */
  write(part: Buffer): boolean {
    this.#waiting.push(part);
    this.#bytes += part.length;
    if (this.#bytes >= enough) this.flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
    return !this.#response.writableNeedDrain;
  }

  /** Writes what waits; to be called before the response ends. */
  flush(): void {
    if (this.#bytes === 0) return;
    const parts = this.#waiting;
    const bytes = this.#bytes;
    this.#waiting = [];
    this.#bytes = 0;
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    // Otherwise the head of a chunk goes out by itself.
    const connection = response.req.httpVersionMajor === 1 ? response.socket : null;
    connection?.cork();
    if (parts.length === 1 || bytes < writtenAtOnceBytes || bytes > scratchBytes) response.write(joined(parts, bytes));
    else writeFromScratch(response, parts);
    connection?.uncork();
  }
}

function joined(parts: readonly Buffer[], bytes: number): Buffer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, bytes);
}

/** Only for as much as no connection holds back once it says that it has taken it. */
function writeFromScratch(response: ServerResponse, parts: readonly Buffer[]): void {
  const scratch = takeScratch();
  let at = 0;
  for (const part of parts) at += part.copy(scratch, at);
  response.write(scratch.subarray(0, at), () => returnScratch(scratch));
}
