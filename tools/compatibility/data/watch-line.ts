import { isRecord, type KubeObject } from '@apichain/meta';

/** An event of a watch as the server sent it. */
export interface WatchLine {
  readonly type: string;
  readonly object: KubeObject;
}

export const isWatchLine = (line: unknown): line is WatchLine =>
  isRecord(line) && typeof line['type'] === 'string' && isRecord(line['object']);
