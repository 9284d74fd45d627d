import type { FileHandle } from 'node:fs/promises';
import { openLog } from './files.ts';

/** Opens log files on a disk that fails when it is told to: half of what is written then arrives. */
export class FailingDisk {
  /** The code that writes fail with; undefined = they do not. */
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
