import { closeSync, openSync, writeSync } from 'node:fs';

/** A log that this process appends to; written at once, so that a crash loses no line. */
export interface LogFile {
  readonly stream: { write(line: string): void };
  close(): void;
}

/** Throws Node's error when the file cannot be opened. */
export function openLog(path: string): LogFile {
  let file: number | undefined = openSync(path, 'a', 0o600);
  return {
    stream: {
      write(line) {
        if (file !== undefined) writeSync(file, line);
      },
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
