import { readFileSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Logger } from '@apichain/request';

/** Files that belong together, and what is made of their contents. */
interface Followed {
  readonly paths: readonly string[];
  texts: readonly string[];
  reload(texts: readonly string[]): void;
}

/** What was not noticed any other way is noticed by then, as in kube-apiserver. */
const recheckMs = 60_000;
/** A certificate and its key are two files: most of the time both are there when the second change is looked at. */
const settleMs = 100;

/**
 * Files that are read again when they change, without a restart: certificates, authorities, and who may do what. What cannot be used, such as a certificate
 * whose key is still to come, leaves the last good state in effect and is tried again with the next change.
 * After k8s.io/apiserver/pkg/server/dynamiccertificates.
 */
export class FollowedFiles {
  readonly #followed: Followed[] = [];

  /**
   * Makes a value of the contents of the files, now and, once `run` was called, whenever one of them changes: `apply` then gets the new
   * value. Throws what reading the files or `make` throws.
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

  /** Looks for changes until the signal aborts; keeps no process alive. */
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

  /** Takes over what has changed. */
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
        logger.error({ files, err: error }, 'changed files are not used, the last good ones stay in effect');
      }
    }
  }
}

const readAll = (paths: readonly string[]): string[] => paths.map((path) => readFileSync(path, 'utf8'));

/** Directories, because files are often replaced as a whole, or are links to others. Where they cannot be watched the timer has to do. */
function watchDirectory(directory: string, changed: () => void): () => void {
  try {
    const watcher = watch(directory, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
