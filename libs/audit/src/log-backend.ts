import { asError } from '@apichain/meta';
import type { AuditBackend, AuditFailure } from './backend.ts';

/** How an event is written to a log: an object of JSON, or the line of text of earlier releases. */
export type LogFormat = 'json' | 'legacy';
/** The values of `--audit-log-format`. */
export const logFormats: readonly LogFormat[] = ['legacy', 'json'];

/** Where lines go. `write` throws Error when it cannot. */
export interface LineWriter {
  write(text: string): void;
  close(): Promise<void>;
}

const plugin = 'log';

/** Writes a line for each event. Source: k8s.io/apiserver/plugin/pkg/audit/log. */
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
