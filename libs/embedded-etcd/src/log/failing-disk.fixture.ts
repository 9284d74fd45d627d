import type { FileHandle } from 'node:fs/promises';
import { openLog } from './files.ts';

/** Opens log files on a simulated disk. While `failure` is set, each write fails after half of its bytes. */
export class FailingDisk {
  /** The error code of failing writes; undefined = writes succeed. */
  failure: string | undefined;
  failsToOpen = false;

  readonly open = async (path: string, isNew: boolean): Promise<FileHandle> => {
    if (this.failsToOpen) throw errorOf('ENOSPC', 'open');
    const handle = await openLog(path, isNew);
    const write = handle.write.bind(handle);
    Object.defineProperty(handle, 'write', {
      value: async (bytes: Buffer, offset: number, length: number, position: number) => {
        if (this.failure === undefined) return write(bytes, offset, length, position);
        await write(bytes, offset, Math.floor(length / 2), position);
        throw errorOf(this.failure, 'write');
      },
    });
    return handle;
  };
}

const errorOf = (code: string, call: string): Error => Object.assign(new Error(`${code}: injected, ${call}`), { code });
