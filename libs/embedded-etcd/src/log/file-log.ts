import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { EtcdServerError, stopped } from '../etcd-server-error.ts';
import { grpcStatus } from '../grpc-status.ts';
import { checkpointFrames, type StateView } from './checkpoint.ts';
import type { CommitLog } from './commit-log.ts';
import { filePath, listFiles, openLog, partialPath, syncDirectory, writeAll, writeDurably } from './files.ts';
import { FrameBuilder } from './frame-builder.ts';
import type { LogRecord } from './record.ts';
import type { Identity, LogPosition } from './recover.ts';

export interface FileLogOptions {
  readonly directory: string;
  readonly identity: Identity;
  readonly position: LogPosition;
  /** The state as it is in memory: everything that has been appended. */
  readonly view: () => StateView;
  /** The log may grow this large, in bytes, or as large as the last checkpoint if that is more, before a checkpoint replaces it. */
  readonly checkpointBytes: number;
}

/** A buffer of a write that grew larger than this, in bytes, is not kept for the next one. */
const keptBufferBytes = 1 << 20;

interface Batch {
  readonly frame: FrameBuilder;
  readonly done: PromiseWithResolvers<void>;
}
const newBatch = (frame: FrameBuilder): Batch => {
  const done = Promise.withResolvers<void>();
  // Nobody may be waiting: a lease expires by itself.
  done.promise.catch(() => undefined);
  return { frame, done };
};

/**
 * An append-only log in a directory. All that is appended while one write is on its way to the disk travels in the next, so that any number of
 * concurrent writers share one sync. A failed write is final: what is in memory is then ahead of the disk, and nothing more is taken.
 */
export class FileLog implements CommitLog {
  private readonly options: FileLogOptions;
  private handle: FileHandle | undefined;
  private length: number;
  private lastSequence: number;
  private checkpointLength: number;
  private next = newBatch(new FrameBuilder());
  /** For the batch after the next: a frame is filled while the one before it is written. */
  private spare = new FrameBuilder();
  /** Being written, or written and not yet told of. */
  private current: Batch | undefined;
  /** Is on disk, and those who wait for it are not told yet. */
  private written: Batch | undefined;
  private failure: EtcdServerError | undefined;
  private running: Promise<void> | undefined;
  /** A checkpoint wanted at the next boundary between two writes. */
  private wanted: PromiseWithResolvers<StateView> | undefined;
  private checkpointing: Promise<void> | undefined;
  private checkpointProblem: string | undefined;

  private constructor(options: FileLogOptions) {
    this.options = options;
    this.length = options.position.length;
    this.lastSequence = options.position.sequence;
    this.checkpointLength = options.position.checkpointBytes;
  }

  static async open(options: FileLogOptions): Promise<FileLog> {
    const log = new FileLog(options);
    const { path, length } = options.position;
    if (path === undefined) await log.beginFile();
    else {
      log.handle = await openLog(path, false);
      // A file whose very first write was cut off.
      if (length === 0) await log.writeHead(log.handle);
    }
    return log;
  }

  get diskBytes(): number {
    return this.length + this.checkpointLength;
  }

  get sequence(): number {
    return this.lastSequence;
  }

  get problem(): string | undefined {
    return this.failure?.details ?? this.checkpointProblem;
  }

  append(records: readonly LogRecord[]): void {
    if (this.failure !== undefined) throw this.failure;
    for (const record of records) this.next.frame.add(record);
    this.running ??= this.run();
  }

  flushed(): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    if (!this.next.frame.isEmpty) return this.next.done.promise;
    return this.current?.done.promise ?? Promise.resolve();
  }

  checkpoint(): Promise<void> {
    this.checkpointing ??= this.tryCheckpoint();
    return this.checkpointing;
  }

  async close(): Promise<void> {
    const refused = stopped();
    try {
      await this.flushed();
      await this.checkpointing;
    } finally {
      this.failure ??= refused;
      await this.running;
      await this.handle?.close();
    }
  }

  private async run(): Promise<void> {
    // Whatever else arrives in this turn of the event loop joins the write.
    await new Promise(setImmediate);
    try {
      while (!this.next.frame.isEmpty || this.wanted !== undefined) await this.writeBatch();
    } catch (error) {
      this.fail(error);
    } finally {
      this.acknowledge();
      this.current = undefined;
      this.running = undefined;
    }
    if (this.length > Math.max(this.options.checkpointBytes, this.checkpointLength)) {
      // What goes wrong is kept as the log's problem.
      this.checkpoint().catch(() => undefined);
    }
  }

  private async writeBatch(): Promise<void> {
    const batch = this.next;
    const { wanted } = this;
    this.next = newBatch(this.spare);
    this.current = batch;
    this.wanted = undefined;
    // At this moment memory holds what is on disk and this batch, nothing else.
    const view = wanted === undefined ? undefined : this.options.view();
    const writing = batch.frame.isEmpty ? undefined : this.write(batch.frame.finish(this.lastSequence + 1));
    // The batch before is answered while this one is on its way to the disk.
    this.acknowledge();
    await writing;
    batch.frame.reset(keptBufferBytes);
    this.spare = batch.frame;
    this.written = batch;
    if (wanted === undefined || view === undefined) return;
    this.acknowledge();
    try {
      await this.handle?.close();
      await this.beginFile();
      wanted.resolve(view);
    } catch (error) {
      wanted.reject(error);
      throw error;
    }
  }

  private acknowledge(): void {
    this.written?.done.resolve();
    this.written = undefined;
  }

  private async write(frame: Buffer): Promise<void> {
    if (this.handle === undefined) throw new Error('the log is not open');
    await writeDurably(this.handle, frame, this.length);
    this.length += frame.length;
    this.lastSequence++;
  }

  private async writeHead(handle: FileHandle): Promise<void> {
    const frame = new FrameBuilder();
    frame.add({ kind: 'file', ...this.options.identity });
    const head = frame.finish(this.lastSequence + 1);
    await writeAll(handle, head, 0);
    await handle.sync();
    this.length = head.length;
    this.lastSequence++;
  }

  private async beginFile(): Promise<void> {
    const { directory } = this.options;
    this.handle = await openLog(filePath(directory, 'log', this.lastSequence + 1), true);
    await this.writeHead(this.handle);
    await syncDirectory(directory);
  }

  /** A checkpoint that fails costs disk space, not data: the log goes on, and the next one is tried when it has grown again. */
  private async tryCheckpoint(): Promise<void> {
    try {
      await this.writeCheckpoint();
      this.checkpointProblem = undefined;
    } catch (error) {
      this.checkpointProblem = `no checkpoint can be written: ${error instanceof Error ? error.message : String(error)}`;
      throw error;
    } finally {
      this.checkpointing = undefined;
    }
  }

  private async writeCheckpoint(): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.wanted = Promise.withResolvers();
    const boundary = this.wanted.promise;
    this.running ??= this.run();
    const view = await boundary;
    // The log goes on in a new file that begins after what the view holds.
    const { files } = await listFiles(this.options.directory);
    const logStart = files.findLast(({ kind }) => kind === 'log')?.sequence;
    if (logStart === undefined) throw new Error('the log has no file');
    this.checkpointLength = await this.writeView(view, logStart - 1);
    for (const file of files) if (file.sequence < logStart) await rm(file.path);
  }

  private async writeView(view: StateView, sequence: number): Promise<number> {
    const { directory } = this.options;
    const partial = partialPath(directory, sequence);
    try {
      const length = await this.writePartial(partial, view);
      await rename(partial, filePath(directory, 'checkpoint', sequence));
      await syncDirectory(directory);
      return length;
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  }

  private async writePartial(partial: string, view: StateView): Promise<number> {
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

  private fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.failure ??= new EtcdServerError(grpcStatus.UNAVAILABLE, `etcdserver: the store cannot be written: ${reason}`);
    this.current?.done.reject(this.failure);
    this.next.done.reject(this.failure);
    this.wanted?.reject(this.failure);
    this.wanted = undefined;
  }
}
