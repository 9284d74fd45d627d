import type { Lessor } from '../lease/lessor.ts';
import type { RecordSink } from '../log/recover.ts';
import type { LogRecord } from '../log/record.ts';
import type { MvccStore } from '../mvcc/mvcc-store.ts';
import { noLease, type Version } from '../mvcc/version.ts';

function applyVersion(store: MvccStore, lessor: Lessor, version: Version): void {
  const history = store.historyOf(version.kv.key, version.key);
  const held = history.live?.kv.lease ?? noLease;
  if (held !== noLease) lessor.detach(held, history.key);
  store.add(history, version);
  store.head = version.kv.modRevision;
  if (version.kv.lease !== noLease) lessor.attach(version.kv.lease, history.key);
}

function applyCommon(store: MvccStore, lessor: Lessor, alarms: Set<string>, record: LogRecord): void {
  if (record.kind === 'alarm' && record.raised) alarms.add(record.memberId);
  else if (record.kind === 'alarm') alarms.delete(record.memberId);
  else if (record.kind === 'grant') lessor.grant(record.id, record.ttl);
  else if (record.kind === 'revoke') lessor.remove(record.id);
  else if (record.kind === 'compact') {
    store.compactRevision = record.revision;
    store.compact(record.revision);
  }
}

function attachLeases(store: MvccStore, lessor: Lessor): void {
  for (const history of store.histories()) {
    const lease = history.live?.kv.lease ?? noLease;
    if (lease !== noLease) lessor.attach(lease, history.key);
  }
}

/** Fills an empty store and lessor from a data directory or a snapshot, and a set with the members whose alarm is raised. */
export const loadInto = (store: MvccStore, lessor: Lessor, alarms = new Set<string>()): RecordSink => ({
  fromCheckpoint: (record) => {
    if (record.kind === 'version') store.load(record.version);
    else if (record.kind === 'head') {
      store.head = record.revision;
      store.compactRevision = record.compactRevision;
    } else applyCommon(store, lessor, alarms, record);
  },
  endCheckpoint: () => {
    store.finishLoading();
    attachLeases(store, lessor);
  },
  fromLog: (record) => {
    if (record.kind === 'version') applyVersion(store, lessor, record.version);
    else applyCommon(store, lessor, alarms, record);
  },
});
