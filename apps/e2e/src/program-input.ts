import type { Writable } from 'node:stream';
import { hasErrorCode } from '@apichain/meta';

/** Gives a program its whole input. One that ends before it has read it, or never reads, is no error: its exit code tells how it went. */
export function giveInput(stdin: Writable, input: string): void {
  stdin.on('error', (error) => {
    if (!hasErrorCode(error, 'EPIPE')) throw error;
  });
  stdin.end(input);
}
