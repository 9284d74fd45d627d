import { statSync } from 'node:fs';
import type { ListenOptions, Server } from 'node:net';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const othersBits = 0o077;

/**
 * Makes a server listen on a Unix socket that only this user may open, from the moment the socket exists and regardless of the umask.
 * Errors are emitted as the server's `error` event. Throws Error in a worker thread, which cannot set the umask, unless the socket's
 * directory is closed to other users.
 */
export function listenPrivately(server: Server, options: ListenOptions & { readonly path: string }): void {
  if (!isMainThread) {
    const directory = dirname(options.path);
    if (!isClosedToOthers(directory))
      throw new Error(`a worker thread cannot listen in ${directory}, which other users may enter`);
    server.listen(options);
    return;
  }
  // The socket is bound before `listen` returns.
  const mask = process.umask(0o177);
  try {
    server.listen(options);
  } finally {
    process.umask(mask);
  }
}

/** Whether the path belongs to this user (or root) and gives other users no permission. Always true on systems without permission bits. */
export function isClosedToOthers(path: string): boolean {
  if (process.getuid === undefined) return true;
  const { mode, uid } = statSync(path);
  return (mode & othersBits) === 0 && (uid === process.getuid() || uid === 0);
}
