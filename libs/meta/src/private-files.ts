import { statSync } from 'node:fs';
import type { ListenOptions, Server } from 'node:net';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const othersBits = 0o077;

/**
 * Has a server listen on a Unix socket that only this user may open, from the moment it is there and whatever the umask. Errors come as the
 * server's `error` event. Throws Error in a worker thread, which has no umask of its own, unless the socket's directory is closed to others.
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

/** Whether the path is this user's (or root's) and gives nobody else any right. Systems without permission bits have nothing to check. */
export function isClosedToOthers(path: string): boolean {
  if (process.getuid === undefined) return true;
  const { mode, uid } = statSync(path);
  return (mode & othersBits) === 0 && (uid === process.getuid() || uid === 0);
}
