import { errorMessage, hasErrorCode } from '@apichain/meta';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { type EtcdServerError } from '@apichain/etcd-api';
import { noDiskSpace, notWritable, stopped } from '../etcd-server-error.ts';
import { checkpointFrames, type StateView } from './checkpoint.ts';
import type { CommitLog } from './commit-log.ts';
import { filePath, listFiles, openLog, partialPath, syncDirectory, writeAll, writeDurably } from './files.ts';
import { FrameBuilder } from './frame.ts';
import type { LogRecord } from './record.ts';
import { readManifest, writeManifest, type Manifest } from './manifest.ts';
import type { Identity, LogPosition } from './recover.ts';

export interface FileLogOptions {
  readonly directory: string;
  readonly identity: Identity;
  readonly position: LogPosition;
  /** The state in memory, including everything that has been appended. */
  readonly view: () => StateView;
  /** The log size at which a checkpoint replaces the log, in bytes; if the last checkpoint is larger, its size. */
  readonly checkpointBytes: number;
  /** Called with a one-line message when the disk accepts no more writes, and with undefined when it accepts them again. */
  readonly onProblem?: (problem: string | undefined) => void;
  /** Opens a log file; tests replace it with disks that fail. */
  readonly openFile?: typeof openLog;
}

/** A write buffer that has grown beyond this size, in bytes, is not reused. */
const keptBufferBytes = 1 << 20;

interface Batch {
  readonly frame: FrameBuilder;
  readonly done: PromiseWithResolvers<void>;
  /** Undo the changes of the frame in memory. */
  readonly undo: (() => void)[];
}
const newBatch = (frame: FrameBuilder): Batch => {
  const done = Promise.withResolvers<void>();
  // Avoids an unhandled rejection when no caller waits: a lease expires without one.
  done.promise.catch(() => undefined);
  return { frame, done, undo: [] };
};

/**
 * An append-only log in a directory. Everything appended during one write to disk is part of the next write, so any number of concurrent writers
 * share one sync. When a write fails (a full disk), its changes are undone in memory and rejected, its remains are cut off the file, and the next
 * write is tried normally: the log recovers as soon as the disk does.
 */
export class FileLog implements CommitLog {
  readonly #options: FileLogOptions;
  #handle: FileHandle | undefined;
  #length: number;
  #lastSequence: number;
  #checkpointLength: number;
  #next = newBatch(new FrameBuilder());
  /** The buffer for the batch after the next: a frame is filled while the previous one is written. */
  #spare = new FrameBuilder();
  /** The batch being written, or written but not yet acknowledged. */
  #current: Batch | undefined;
  /** The batch that is on disk but not yet acknowledged. */
  #written: Batch | undefined;
  #closed: EtcdServerError | undefined;
  /** Whether the file may contain unacknowledged bytes after `length`. */
  #torn = false;
  /** A file that could not be created completely. It must be removed, because the log needs its name again. */
  #leftover: string | undefined;
  #writeProblem: string | undefined;
  #running: Promise<void> | undefined;
  /** A requested checkpoint, which starts between the current write and the next. */
  #wanted: PromiseWithResolvers<StateView> | undefined;
  #checkpointing: Promise<void> | undefined;
  #checkpointProblem: string | undefined;

  private constructor(options: FileLogOptions) {
    this.#options = options;
    this.#length = options.position.length;
    this.#lastSequence = options.position.sequence;
    this.#checkpointLength = options.position.checkpointBytes;
  }

  static async open(options: FileLogOptions): Promise<FileLog> {
    const log = new FileLog(options);
    const { path, length } = options.position;
    try {
      if (path === undefined) await log.#beginFile();
      else {
        log.#handle = await log.#openFile(path, false);
        // The very first write of the file was interrupted.
        if (length === 0) log.#length = await log.#writeHead(log.#handle);
      }
      await log.#noteSequence();
    } catch (error) {
      await log.#handle?.close();
      throw error;
    }
    return log;
  }

  get diskBytes(): number {
    return this.#length + this.#checkpointLength;
  }

  get sequence(): number {
    return this.#lastSequence;
  }

  get problem(): string | undefined {
    return this.#writeProblem ?? this.#checkpointProblem;
  }

  append(records: readonly LogRecord[], undo: () => void): void {
    if (this.#closed !== undefined) throw this.#closed;
    for (const record of records) this.#next.frame.add(record);
    this.#next.undo.push(undo);
    this.#running ??= this.#run();
  }

  flushed(): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (!this.#next.frame.isEmpty) return this.#next.done.promise;
    return this.#current?.done.promise ?? Promise.resolve();
  }

  checkpoint(): Promise<void> {
    this.#checkpointing ??= this.#tryCheckpoint();
    return this.#checkpointing;
  }

  async close(): Promise<void> {
    const refused = stopped();
    try {
      await this.flushed();
      await this.#checkpointing;
      await this.#noteSequence();
    } finally {
      this.#closed ??= refused;
      await this.#running;
      await this.#handle?.close();
    }
  }

  async #run(): Promise<void> {
    // Changes appended in the same turn of the event loop join the write.
    await new Promise(setImmediate);
    try {
      while (!this.#next.frame.isEmpty || this.#wanted !== undefined) await this.#writeBatch();
    } finally {
      this.#acknowledge();
      this.#current = undefined;
      this.#running = undefined;
    }
    if (this.#length > Math.max(this.#options.checkpointBytes, this.#checkpointLength)) {
      // The error is kept as `problem` of the log.
      this.checkpoint().catch(() => undefined);
    }
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#next;
    const wanted = this.#wanted;
    this.#next = newBatch(this.#spare);
    this.#current = batch;
    this.#wanted = undefined;
    // At this point memory contains the state on disk and this batch, nothing else.
    const view = wanted === undefined ? undefined : this.#options.view();
    const writing = batch.frame.isEmpty ? undefined : this.#write(batch.frame.finish(this.#lastSequence + 1));
    // The previous batch is acknowledged while this one is being written.
    this.#acknowledge();
    try {
      await writing;
    } catch (error) {
      wanted?.reject(error);
      this.#takeBack(batch, error);
      return;
    }
    batch.frame.reset(keptBufferBytes);
    this.#spare = batch.frame;
    this.#written = batch;
    if (wanted === undefined || view === undefined) return;
    this.#acknowledge();
    try {
      await this.#beginFile();
      wanted.resolve(view);
    } catch (error) {
      // The log continues in its current file.
      wanted.reject(error);
    }
  }

  /** Undoes the batch, and the changes appended after it, which build on it. */
  #takeBack(batch: Batch, error: unknown): void {
    const next = this.#next;
    const refused = this.#refusal(error);
    this.#setWriteProblem(refused.details);
    for (const { undo } of [next, batch]) for (const takeBack of undo.toReversed()) takeBack();
    for (const { done } of [batch, next]) done.reject(refused);
    batch.frame.reset(keptBufferBytes);
    next.frame.reset(keptBufferBytes);
    this.#spare = batch.frame;
    this.#next = newBatch(next.frame);
    this.#current = undefined;
  }

  #refusal(error: unknown): EtcdServerError {
    return isOutOfSpace(error) ? noDiskSpace() : notWritable(errorMessage(error));
  }

  #setWriteProblem(problem: string | undefined): void {
    if (this.#writeProblem === problem) return;
    this.#writeProblem = problem;
    this.#options.onProblem?.(problem);
  }

  #acknowledge(): void {
    this.#written?.done.resolve();
    this.#written = undefined;
  }

  async #write(frame: Buffer): Promise<void> {
    if (this.#handle === undefined) throw new Error('the log is not open');
    await this.#repair();
    this.#torn = true;
    try {
      await writeDurably(this.#handle, frame, this.#length);
    } catch (error) {
      // Repaired at once, so that a crash leaves no write that was reported as failed. If this fails too, the repair is repeated before the next
      // write.
      await this.#repair().catch(() => undefined);
      throw error;
    }
    this.#torn = false;
    this.#length += frame.length;
    this.#lastSequence++;
    this.#setWriteProblem(undefined);
  }

  /** Removes the remains of a failed write. */
  async #repair(): Promise<void> {
    if (this.#leftover !== undefined) {
      await rm(this.#leftover, { force: true });
      await syncDirectory(this.#options.directory);
      this.#leftover = undefined;
    }
    if (!this.#torn) return;
    await this.#handle?.truncate(this.#length);
    await this.#handle?.sync();
    this.#torn = false;
  }

  #openFile(path: string, isNew: boolean): Promise<FileHandle> {
    return (this.#options.openFile ?? openLog)(path, isNew);
  }

  /** Writes the first frame of a file and returns its length. */
  async #writeHead(handle: FileHandle): Promise<number> {
    const frame = new FrameBuilder();
    frame.add({ kind: 'file', ...this.#options.identity });
    const head = frame.finish(this.#lastSequence + 1);
    await writeAll(handle, head, 0);
    await handle.sync();
    this.#lastSequence++;
    return head.length;
  }

  /** Continues in a new file, or in the current file when the new one cannot be created. */
  async #beginFile(): Promise<void> {
    await this.#repair();
    const { directory } = this.#options;
    const path = filePath(directory, 'log', this.#lastSequence + 1);
    const before = this.#handle;
    let handle: FileHandle | undefined;
    const lastSequence = this.#lastSequence;
    try {
      handle = await this.#openFile(path, true);
      const length = await this.#writeHead(handle);
      await syncDirectory(directory);
      this.#handle = handle;
      this.#length = length;
    } catch (error) {
      this.#lastSequence = lastSequence;
      this.#leftover = path;
      await handle?.close();
      throw error;
    }
    await before?.close();
  }

  /** Stores the last sequence number durably in the manifest, so that a start can distinguish a store that has lost its log from a new store. */
  async #noteSequence(): Promise<void> {
    const { directory, identity } = this.#options;
    const manifest: Manifest = { format: 1, clusterId: identity.clusterId, sequence: this.#lastSequence };
    const known = await readManifest(directory);
    if (known?.clusterId === manifest.clusterId && known.sequence === manifest.sequence) return;
    try {
      await writeManifest(directory, manifest);
    } catch (error) {
      // An existing store continues: the manifest then contains a sequence number that is too low, which is allowed.
      if (known === undefined) throw error;
      this.#checkpointProblem = `the manifest cannot be written: ${errorMessage(error)}`;
    }
  }

  /** A checkpoint that fails costs disk space, not data: the log continues, and the next checkpoint is tried when the log has grown again. */
  async #tryCheckpoint(): Promise<void> {
    try {
      await this.#writeCheckpoint();
      this.#checkpointProblem = undefined;
    } catch (error) {
      this.#checkpointProblem = `no checkpoint can be written: ${errorMessage(error)}`;
      throw error;
    } finally {
      this.#checkpointing = undefined;
    }
  }

  async #writeCheckpoint(): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    this.#wanted = Promise.withResolvers();
    const boundary = this.#wanted.promise;
    this.#running ??= this.#run();
    const view = await boundary;
    // The log continues in a new file that begins after the state of the view.
    const { files } = await listFiles(this.#options.directory);
    const logStart = files.findLast(({ kind }) => kind === 'log')?.sequence;
    if (logStart === undefined) throw new Error('the log has no file');
    this.#checkpointLength = await this.#writeView(view, logStart - 1);
    for (const file of files) if (file.sequence < logStart) await rm(file.path);
    await this.#noteSequence();
  }

  async #writeView(view: StateView, sequence: number): Promise<number> {
    const { directory } = this.#options;
    const partial = partialPath(directory, sequence);
    try {
      const length = await this.#writePartial(partial, view);
      await rename(partial, filePath(directory, 'checkpoint', sequence));
      await syncDirectory(directory);
      return length;
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  }

  async #writePartial(partial: string, view: StateView): Promise<number> {
    const handle = await open(partial, 'w', 0o600);
    let length = 0;
    try {
      for (const frame of checkpointFrames(view)) {
        await writeAll(handle, frame, length);
        length += frame.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    return length;
  }
}

/** The disk, the user's quota or the file size limit of the process is exceeded. */
const isOutOfSpace = (error: unknown): boolean => hasErrorCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG');
