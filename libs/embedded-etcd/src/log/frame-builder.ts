import { frameHeaderLength, writeFrameHeader } from './frame.ts';
import { recordLength, writeRecord, type LogRecord } from './record.ts';

const smallest = 4_096;

/** Writes records into a frame one after the other, in a buffer that grows as needed and can be reused for the next frame. */
export class FrameBuilder {
  #buffer: Buffer;
  #end = frameHeaderLength;

  /** `capacity`: the initial size of the buffer, in bytes. */
  constructor(capacity = smallest) {
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
  }

  get isEmpty(): boolean {
    return this.#end === frameHeaderLength;
  }

  /** The length of the frame so far, in bytes. */
  get length(): number {
    return this.#end;
  }

  add(record: LogRecord): void {
    const needed = this.#end + recordLength(record);
    if (needed > this.#buffer.length) this.#grow(needed);
    this.#end = writeRecord(record, this.#buffer, this.#end);
  }

  /** The completed frame, which is valid until `reset`. */
  finish(sequence: number): Buffer {
    const frame = this.#buffer.subarray(0, this.#end);
    writeFrameHeader(frame, sequence);
    return frame;
  }

  /** Begins another frame in the same buffer, or in a new one if the buffer has grown beyond `keptBytes`. */
  reset(keptBytes: number): void {
    this.#end = frameHeaderLength;
    if (this.#buffer.length > keptBytes) this.#buffer = Buffer.allocUnsafeSlow(smallest);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}
