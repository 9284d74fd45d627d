import { crc32 } from 'node:zlib';
import { recordLength, writeRecord, type LogRecord } from './record.ts';
import { hasUnwrittenSector } from './sectors.ts';

/**
 * A frame is the unit that one write appends to a file: a header of 24 bytes (magic, payload length, sequence number, checksum of the payload,
 * checksum of the header) and a payload of records. Sequence numbers increase by one from frame to frame across the files of the log, so that a
 * missing, duplicated or swapped frame is detected.
 */
export interface Frame {
  readonly sequence: number;
  readonly payload: Buffer;
}

export const frameHeaderLength = 24;
const magic = Buffer.from('aEf1');
const sequenceBytes = 6;

/** Writes the header of a frame whose payload is already in place. */
function writeFrameHeader(frame: Buffer, sequence: number): void {
  magic.copy(frame);
  frame.writeUInt32LE(frame.length - frameHeaderLength, 4);
  frame.writeUIntLE(sequence, 8, sequenceBytes);
  frame.writeUInt16LE(0, 14);
  frame.writeUInt32LE(crc32(frame.subarray(frameHeaderLength)), 16);
  frame.writeUInt32LE(crc32(frame.subarray(0, 20)), 20);
}

const hasHeader = (bytes: Buffer, at: number): boolean =>
  at + frameHeaderLength <= bytes.length &&
  bytes.compare(magic, 0, magic.length, at, at + magic.length) === 0 &&
  bytes.readUInt32LE(at + 20) === crc32(bytes.subarray(at, at + 20));

/** Whether bytes begin like a file of frames, damaged or not. */
export const beginsWithFrame = (bytes: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic);

/** The frame at `at`, or undefined when there is no complete and valid frame. */
export function readFrame(bytes: Buffer, at: number): Frame | undefined {
  if (!hasHeader(bytes, at)) return undefined;
  const start = at + frameHeaderLength;
  const end = start + bytes.readUInt32LE(at + 4);
  if (end > bytes.length) return undefined;
  const payload = bytes.subarray(start, end);
  if (crc32(payload) !== bytes.readUInt32LE(at + 16)) return undefined;
  return { sequence: bytes.readUIntLE(at + 8, sequenceBytes), payload };
}

/** The highest sequence number of a valid frame from `from` on, whatever is between them. Undefined if there is none. */
export function lastSequenceAfter(bytes: Buffer, from: number): number | undefined {
  let last: number | undefined;
  for (let at = bytes.indexOf(magic, from); at !== -1;) {
    const frame = readFrame(bytes, at);
    if (frame !== undefined) last = Math.max(last ?? 0, frame.sequence);
    at = bytes.indexOf(magic, frame === undefined ? at + 1 : at + frameHeaderLength + frame.payload.length);
  }
  return last;
}

function hasFrameAfter(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(magic, from); at !== -1; at = bytes.indexOf(magic, at + 1)) {
    if (readFrame(bytes, at) !== undefined) return true;
  }
  return false;
}

/**
 * Whether the invalid frame at `at` is the remains of a write that a crash interrupted and that was never acknowledged. That is so if the file ends
 * within the frame, or if some sector of it never reached the disk, and no valid frame follows (a write begins only when the previous one is on
 * disk). Anything else is damage to acknowledged data.
 */
export function isTornWrite(bytes: Buffer, at: number): boolean {
  if (hasFrameAfter(bytes, at + 1)) return false;
  if (bytes.length - at < frameHeaderLength) return true;
  if (hasHeader(bytes, at) && at + frameHeaderLength + bytes.readUInt32LE(at + 4) > bytes.length) return true;
  return hasUnwrittenSector(bytes, at, bytes.length);
}

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
