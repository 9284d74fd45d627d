import { allOf, type AuditBackend, type AuditFailure } from './backend.ts';
import type { AuditEvent } from '@apichain/request';

interface TruncateOptions {
  /** Bytes of JSON. */
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
}

const plugin = 'truncate';
const truncated = 'audit.k8s.io/truncated';

const sizeOf = (event: AuditEvent): number => Buffer.byteLength(event.json) + 1;

/**
 * Removes the request and response objects of large events. Drops an event that is still too large. Splits large batches.
 * Source: k8s.io/apiserver/plugin/pkg/audit/truncate.
 */
export function truncating(backend: AuditBackend, options: TruncateOptions, failed: AuditFailure): AuditBackend {
  return {
    name: `${plugin}<${backend.name}>`,
    process: (events) => {
      const results: (boolean | Promise<boolean>)[] = [];
      const dropped: AuditEvent[] = [];
      let batch: AuditEvent[] = [];
      let batchSize = 0;
      for (const event of events) {
        const fitting = fit(event, options.maxEventSize);
        if (fitting === undefined) {
          dropped.push(event);
          continue;
        }
        const size = sizeOf(fitting);
        if (batch.length > 0 && batchSize + size > options.maxBatchSize) {
          results.push(backend.process(batch));
          batch = [];
          batchSize = 0;
        }
        batch.push(fitting);
        batchSize += size;
      }
      if (batch.length > 0) results.push(backend.process(batch));
      if (dropped.length > 0) failed(plugin, new Error('event is too large even after truncating'), dropped);
      return allOf(results);
    },
    close: () => backend.close(),
  };
}

function fit(event: AuditEvent, limit: number): AuditEvent | undefined {
  if (sizeOf(event) <= limit) return event;
  if (event.fields.level === 'Metadata') return undefined;
  const shorter = event.withoutObjects(truncated);
  return sizeOf(shorter) <= limit ? shorter : undefined;
}
