import type { RecordSink } from '../log/recover.ts';
import type { Version } from '../mvcc/version.ts';
import { versionsOf, type EtcdSchema } from './etcd-schema.ts';

/**
 * Passes the contents of an etcd's database to a sink, with the history since the last compaction. Throws BboltError or ProtobufError when the database
 * is damaged.
 */
export function loadDatabase(schema: EtcdSchema, sink: RecordSink): void {
  const { compactRevision, leases } = schema;
  for (const { id, ttl } of leases) sink.fromCheckpoint({ kind: 'grant', id, ttl });
  /** The versions that a reader at the compacted revision sees. An interrupted compaction leaves more than these. */
  const oldest = new Map<string, Version>();
  let revision = Math.max(1, compactRevision);
  for (const version of versionsOf(schema)) {
    const { modRevision } = version.kv;
    if (modRevision > compactRevision) sink.fromCheckpoint({ kind: 'version', version });
    else if (version.deleted) oldest.delete(version.key);
    else oldest.set(version.key, version);
    revision = Math.max(revision, modRevision);
  }
  for (const version of oldest.values()) sink.fromCheckpoint({ kind: 'version', version });
  sink.fromCheckpoint({ kind: 'head', revision, compactRevision });
  sink.endCheckpoint();
}
