import { readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '@apichain/request';

/** A group of files, and the function that applies their contents. */
interface Followed {
  readonly paths: readonly string[];
  texts: readonly string[];
  reload(texts: readonly string[]): void;
}

/** The interval of checks for changes that file watching missed, as in kube-apiserver. */
const recheckMs = 60_000;
/** Milliseconds to wait after a change. A certificate and its key are two files, and both have usually changed by then. */
const settleMs = 100;

/**
 * Files that are reloaded when they change, without a restart: certificates, CAs and authorization configuration. If the new contents are
 * invalid, e.g. a certificate whose key has not been written yet, the last valid state stays in effect and a later check tries again.
 * After k8s.io/apiserver/pkg/server/dynamiccertificates.
 */
export class FollowedFiles {
  readonly #followed: Followed[] = [];

  /**
   * Computes a value from the contents of the files. After `run` was called, it is computed again when a file changes, and passed to
   * `apply`. Throws the errors of reading the files and of `make`.
   */
  follow<Value>(
    paths: readonly string[],
    make: (texts: readonly string[]) => Value,
    apply: (value: Value) => void,
  ): Value {
    const texts = readAll(paths);
    const value = make(texts);
    this.#followed.push({ paths, texts, reload: (changed) => apply(make(changed)) });
    return value;
  }

  /** Watches for changes until the signal aborts. Does not keep the process alive. */
  run(signal: AbortSignal, logger: Logger): void {
    if (this.#followed.length === 0 || signal.aborted) return;
    let settling: NodeJS.Timeout | undefined;
    const soon = () => {
      settling ??= setTimeout(() => {
        settling = undefined;
        this.check(logger);
      }, settleMs).unref();
    };
    const directories = new Set(this.#followed.flatMap(({ paths }) => paths.map((path) => dirname(path))));
    const watchers = [...directories].map((directory) => watchDirectory(directory, soon));
    const timer = setInterval(() => this.check(logger), recheckMs).unref();
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      clearTimeout(settling);
      for (const close of watchers) close();
    });
  }

  /** Applies changed files. */
  check(logger: Logger): void {
    for (const followed of this.#followed) {
      const files = followed.paths;
      try {
        const texts = readAll(files);
        if (texts.every((text, index) => text === followed.texts[index])) continue;
        followed.reload(texts);
        followed.texts = texts;
        logger.info({ files }, 'reloaded files');
      } catch (error) {
        logger.error({ files, err: error }, 'changed files are not used, the last valid contents stay in effect');
      }
    }
  }
}

const readAll = (paths: readonly string[]): string[] => paths.map((path) => readFileSync(path, 'utf8'));

/** Watches directories, because files are often replaced, or are symbolic links. If watching fails, only the timer detects changes. */
function watchDirectory(directory: string, changed: () => void): () => void {
  try {
    const watcher = watch(directory, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
