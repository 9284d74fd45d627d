import type { ServerResponse } from 'node:http';
import { writtenAtOnceBytes } from '../coalesced-socket.ts';
import { returnScratch, scratchBytes, takeScratch } from '../scratch-buffers.ts';

/** More than this is gathered in a buffer that is used again, which is several times larger. */
const scratchFrom = 16 * 1024;

/**
 * Writes what comes in many small parts to a response in fewer: a connection hands over some KiB at a time, and a watch event by event,
 * while a write costs as much as encrypting 16 KiB. What is less than a buffer waits for the end of the turn of the event loop.
 */
export class GatheredWrites {
  readonly #response: ServerResponse;
  readonly #schedule: (flush: () => void) => void;
  /** As long as it is little. */
  #waiting: Buffer[] = [];
  #scratch: Buffer | undefined;
  #bytes = 0;
  #scheduled = false;

  /** `schedule` says when what waits is written, instead of at the end of the turn. */
  constructor(response: ServerResponse, schedule: (flush: () => void) => void = setImmediate) {
    this.#response = response;
    this.#schedule = schedule;
  }

  /** Copies the part. False = the client does not keep up; `drain` of the response tells when it does. */
  write(part: Buffer): boolean {
    if (this.#scratch === undefined && this.#bytes + part.length <= scratchFrom) {
      this.#waiting.push(Buffer.from(part));
      this.#bytes += part.length;
    } else for (let at = 0; at < part.length;) at += this.#add(part, at);
    if (this.#bytes > 0 && !this.#scheduled) {
      this.#scheduled = true;
      this.#schedule(() => {
        this.#scheduled = false;
        this.flush();
      });
    }
    return !this.#response.writableNeedDrain;
  }

  /** Returns how many bytes of the part from position `from` on were taken. */
  #add(part: Buffer, from: number): number {
    const scratch = (this.#scratch ??= this.#takeScratch());
    const taken = part.copy(scratch, this.#bytes, from);
    this.#bytes += taken;
    if (this.#bytes === scratchBytes) this.flush();
    return taken;
  }

  #takeScratch(): Buffer {
    const scratch = takeScratch();
    let at = 0;
    for (const part of this.#waiting) at += part.copy(scratch, at);
    this.#waiting = [];
    return scratch;
  }

  /** Writes what waits; to be called before the response ends. */
  flush(): void {
    if (this.#bytes === 0) return;
    const [bytes, scratch, parts] = [this.#bytes, this.#scratch, this.#waiting];
    this.#bytes = 0;
    this.#scratch = undefined;
    this.#waiting = [];
    const response = this.#response;
    if (response.destroyed || response.writableEnded) {
      if (scratch !== undefined) returnScratch(scratch);
      return;
    }
    // Otherwise the head of a chunk goes out by itself.
    const connection = response.req.httpVersionMajor === 1 ? response.socket : null;
    connection?.cork();
    if (scratch === undefined) response.write(joined(parts, bytes));
    else writeScratch(response, scratch, bytes);
    connection?.uncork();
  }
}

function joined(parts: readonly Buffer[], bytes: number): Buffer {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : Buffer.concat(parts, bytes);
}

/** The buffer itself only for as much as no connection holds back once it says that it has taken it. */
function writeScratch(response: ServerResponse, scratch: Buffer, bytes: number): void {
  const written = scratch.subarray(0, bytes);
  if (bytes >= writtenAtOnceBytes) {
    response.write(written, () => returnScratch(scratch));
    return;
  }
  response.write(Buffer.from(written));
  returnScratch(scratch);
}
