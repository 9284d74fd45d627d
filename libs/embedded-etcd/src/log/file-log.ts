import { errorMessage, hasErrorCode } from '@apichain/meta';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { noDiskSpace, notWritable, stopped, type EtcdServerError } from '../etcd-server-error.ts';
import { checkpointFrames, type StateView } from './checkpoint.ts';
import type { CommitLog } from './commit-log.ts';
import { filePath, listFiles, openLog, partialPath, syncDirectory, writeAll, writeDurably } from './files.ts';
import { FrameBuilder } from './frame-builder.ts';
import type { LogRecord } from './record.ts';
import { readManifest, writeManifest, type Manifest } from './manifest.ts';
import type { Identity, LogPosition } from './recover.ts';

export interface FileLogOptions {
  readonly directory: string;
  readonly identity: Identity;
  readonly position: LogPosition;
  /** The state as it is in memory: everything that has been appended. */
  readonly view: () => StateView;
  /** The log may grow this large, in bytes, or as large as the last checkpoint if that is more, before a checkpoint replaces it. */
  readonly checkpointBytes: number;
  /** Told in one line when the disk takes no more writes, and undefined when it takes them again. */
  readonly onProblem?: (problem: string | undefined) => void;
  /** How log files are opened; tests put in disks that fail. */
  readonly openFile?: typeof openLog;
}

/** A buffer of a write that grew larger than this, in bytes, is not kept for the next one. */
const keptBufferBytes = 1 << 20;

interface Batch {
  readonly frame: FrameBuilder;
  readonly done: PromiseWithResolvers<void>;
  /** Take what the frame holds back from memory. */
  readonly undo: (() => void)[];
}
const newBatch = (frame: FrameBuilder): Batch => {
  const done = Promise.withResolvers<void>();
  // Nobody may be waiting: a lease expires by itself.
  done.promise.catch(() => undefined);
  return { frame, done, undo: [] };
};

/**
 * An append-only log in a directory. All that is appended while one write is on its way to the disk travels in the next, so that any number of
 * concurrent writers share one sync. When a write fails (a full disk), what it held is taken back from memory and refused, what is left of it is
 * cut off the file, and the next write is tried like any other: the log goes on as soon as the disk does.
 */
export class FileLog implements CommitLog {
  readonly #options: FileLogOptions;
  #handle: FileHandle | undefined;
  #length: number;
  #lastSequence: number;
  #checkpointLength: number;
  #next = newBatch(new FrameBuilder());
  /** For the batch after the next: a frame is filled while the one before it is written. */
  #spare = new FrameBuilder();
  /** Being written, or written and not yet told of. */
  #current: Batch | undefined;
  /** Is on disk, and those who wait for it are not told yet. */
  #written: Batch | undefined;
  #closed: EtcdServerError | undefined;
  /** Something may stand behind `length` that was never acknowledged. */
  #torn = false;
  /** A file that could not be begun, and whose name the log needs again. */
  #leftover: string | undefined;
  #writeProblem: string | undefined;
  #running: Promise<void> | undefined;
  /** A checkpoint wanted at the next boundary between two writes. */
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
        // A file whose very first write was cut off.
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
    // Whatever else arrives in this turn of the event loop joins the write.
    await new Promise(setImmediate);
    try {
      while (!this.#next.frame.isEmpty || this.#wanted !== undefined) await this.#writeBatch();
    } finally {
      this.#acknowledge();
      this.#current = undefined;
      this.#running = undefined;
    }
    if (this.#length > Math.max(this.#options.checkpointBytes, this.#checkpointLength)) {
      // What goes wrong is kept as the log's problem.
      this.checkpoint().catch(() => undefined);
    }
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#next;
    const wanted = this.#wanted;
    this.#next = newBatch(this.#spare);
    this.#current = batch;
    this.#wanted = undefined;
    // At this moment memory holds what is on disk and this batch, nothing else.
    const view = wanted === undefined ? undefined : this.#options.view();
    const writing = batch.frame.isEmpty ? undefined : this.#write(batch.frame.finish(this.#lastSequence + 1));
    // The batch before is answered while this one is on its way to the disk.
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
      // The log goes on in the file that it has.
      wanted.reject(error);
    }
  }

  /** Nothing of the batch has happened, nor of what was built on it. */
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
      // Now, so that a crash finds no write whose writer was told that it failed; if this fails too, before the next write.
      await this.#repair().catch(() => undefined);
      throw error;
    }
    this.#torn = false;
    this.#length += frame.length;
    this.#lastSequence++;
    this.#setWriteProblem(undefined);
  }

  /** Cuts off what a failed write has left. */
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

  /** Returns its length. */
  async #writeHead(handle: FileHandle): Promise<number> {
    const frame = new FrameBuilder();
    frame.add({ kind: 'file', ...this.#options.identity });
    const head = frame.finish(this.#lastSequence + 1);
    await writeAll(handle, head, 0);
    await handle.sync();
    this.#lastSequence++;
    return head.length;
  }

  /** Goes on in a new file, or, when it cannot be made, in the one before. */
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

  /** Notes durably how much there is, so that a start can tell a store that has lost its log from a new one. */
  async #noteSequence(): Promise<void> {
    const { directory, identity } = this.#options;
    const manifest: Manifest = { format: 1, clusterId: identity.clusterId, sequence: this.#lastSequence };
    const known = await readManifest(directory);
    if (known?.clusterId === manifest.clusterId && known.sequence === manifest.sequence) return;
    try {
      await writeManifest(directory, manifest);
    } catch (error) {
      // A store that was there before need not stand still for it: what is noted is less than what there is.
      if (known === undefined) throw error;
      this.#checkpointProblem = `the manifest cannot be written: ${errorMessage(error)}`;
    }
  }

  /** A checkpoint that fails costs disk space, not data: the log goes on, and the next one is tried when it has grown again. */
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
    // The log goes on in a new file that begins after what the view holds.
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

/** Of the disk, of the user's share of it, or of what a process may write. */
const isOutOfSpace = (error: unknown): boolean => hasErrorCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG');
