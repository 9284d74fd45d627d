import { asError } from '@apichain/meta';
import type { AuditBackend, AuditFailure } from './backend.ts';

/** The format of logged events: JSON, or the text line of earlier releases. */
export type LogFormat = 'json' | 'legacy';
/** The values of `--audit-log-format`. */
export const logFormats: readonly LogFormat[] = ['legacy', 'json'];

/** The destination of log lines. `write` throws Error on failure. */
export interface LineWriter {
  write(text: string): void;
  close(): Promise<void>;
}

const plugin = 'log';

/** Writes one line per event. Source: k8s.io/apiserver/plugin/pkg/audit/log. */
export function logBackend(out: LineWriter, format: LogFormat, failed: AuditFailure): AuditBackend {
  return {
    name: plugin,
    process: (events) => {
      let isStored = true;
      for (const event of events) {
        try {
          out.write(`${format === 'json' ? event.json : event.legacy}\n`);
        } catch (error) {
          failed(plugin, asError(error), [event]);
          isStored = false;
        }
      }
      return isStored;
    },
    close: () => out.close(),
  };
}

/** The standard output of the process. */
export const standardOutput: LineWriter = {
  write: (text) => {
    process.stdout.write(text);
  },
  close: async () => undefined,
};
