import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyValue } from '@apichain/etcd-api/mvccpb';

/** A file is continued until it has this many bytes. A file without values in use is removed, so smaller files give space back earlier. */
const fileBytes = 64 << 20;

interface ValueFile {
  readonly descriptor: number;
  length: number;
  /** The number of values in use. */
  values: number;
}

/** Where a value is. */
export interface Place {
  readonly file: ValueFile;
  readonly offset: number;
  readonly length: number;
}

/**
 * The values of former versions, in files: memory is for the current versions. The files are without a name and need no durability: everything is in
 * the log too. They end with the process, also when it is killed.
 */
export class FormerValues {
  readonly #directory: string;
  #current: ValueFile | undefined;
  readonly #files = new Set<ValueFile>();
  #holders = 0;
  /** The last value read: an encoder reads a value several times. */
  #last: { readonly place: Place; readonly bytes: Buffer } | undefined;

  /** `directory`: where the files are. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes the values to disk, and returns their places. Throws the error of the disk. */
  write(values: readonly Buffer[]): Place[] {
    const file = this.#file();
    const [only] = values;
    const bytes = only !== undefined && values.length === 1 ? only : Buffer.concat(values);
    for (let done = 0; done < bytes.length;)
      done += writeSync(file.descriptor, bytes, done, bytes.length - done, file.length + done);
    const places = values.map(({ length }) => {
      const place = { file, offset: file.length, length };
      file.length += length;
      return place;
    });
    file.values += values.length;
    return places;
  }

  read(place: Place): Buffer {
    if (this.#last?.place === place) return this.#last.bytes;
    const { file, offset, length } = place;
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length;) {
      const read = readSync(file.descriptor, bytes, done, length - done, offset + done);
      if (read === 0) throw new Error('the file of former values is shorter than what was written to it');
      done += read;
    }
    this.#last = { place, bytes };
    return bytes;
  }

  /** Ends the use of a value. */
  free({ file }: Place): void {
    file.values--;
    this.#closeUnused();
  }

  /** Keeps every value readable until the result is called: for those who read versions that a compaction may remove meanwhile. */
  hold(): () => void {
    this.#holders++;
    return () => {
      this.#holders--;
      this.#closeUnused();
    };
  }

  /** Closes the files. No value can be read afterwards. */
  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
    this.#files.clear();
    this.#current = undefined;
  }

  #file(): ValueFile {
    if (this.#current !== undefined && this.#current.length < fileBytes) return this.#current;
    // It has a name for a moment only. What a crash leaves in this moment is removed like an unfinished checkpoint.
    const path = join(this.#directory, `former-${randomUUID()}.partial`);
    const descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    this.#current = { descriptor, length: 0, values: 0 };
    this.#files.add(this.#current);
    return this.#current;
  }

  #closeUnused(): void {
    if (this.#holders > 0) return;
    for (const file of this.#files) {
      if (file.values > 0) continue;
      closeSync(file.descriptor);
      this.#files.delete(file);
      if (file === this.#current) this.#current = undefined;
    }
  }
}

/** A former version whose value is read when it is needed. */
export class FormerKeyValue implements KeyValue {
  readonly key: Buffer;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  readonly lease: string;
  readonly #values: FormerValues;
  readonly #place: Place;

  constructor(kv: KeyValue, values: FormerValues, place: Place) {
    this.key = kv.key;
    this.createRevision = kv.createRevision;
    this.modRevision = kv.modRevision;
    this.version = kv.version;
    this.lease = kv.lease;
    this.#values = values;
    this.#place = place;
  }

  get value(): Buffer {
    return this.#values.read(this.#place);
  }

  get valueLength(): number {
    return this.#place.length;
  }

  /** Called when the version was compacted. */
  free(): void {
    this.#values.free(this.#place);
  }
}

/** The length of a value, without reading it. */
export const valueLength = (kv: KeyValue): number => (kv instanceof FormerKeyValue ? kv.valueLength : kv.value.length);

/** The same with the value in memory, for a response that is sent later: a compaction may come first. */
export const inMemory = (kv: KeyValue): KeyValue => (kv instanceof FormerKeyValue ? { ...kv, value: kv.value } : kv);
