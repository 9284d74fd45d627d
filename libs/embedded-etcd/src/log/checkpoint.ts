import type { KeyTree } from '../mvcc/mvcc-store.ts';
import { FrameBuilder } from './frame.ts';
import type { LogRecord } from './record.ts';

/** The state to write: everything at or before `revision`. The tree is a clone that later changes do not affect. */
export interface StateView {
  readonly clusterId: string;
  readonly memberId: string;
  readonly revision: number;
  readonly compactRevision: number;
  /** The members for which the alarm NOSPACE is raised. */
  readonly alarms: readonly string[];
  readonly leases: readonly { readonly id: string; readonly ttl: number }[];
  readonly tree: KeyTree;
  /** Keeps the values of the versions readable until the result is called. */
  readonly hold: () => () => void;
}

const frameBytes = 1 << 20;

function* recordsOf(view: StateView): Generator<LogRecord> {
  yield { kind: 'file', clusterId: view.clusterId, memberId: view.memberId };
  yield { kind: 'head', revision: view.revision, compactRevision: view.compactRevision };
  for (const memberId of view.alarms) yield { kind: 'alarm', memberId, raised: true };
  for (const { id, ttl } of view.leases) yield { kind: 'grant', id, ttl };
  for (const history of view.tree.values()) {
    // A copy, because a compaction may remove versions while a frame is written.
    for (const version of [...history.versions]) {
      if (version.kv.modRevision <= view.revision) yield { kind: 'version', version };
    }
  }
}

/** The frames of a checkpoint, about a megabyte each, created on demand. The last frame counts the records. */
export function* checkpointFrames(view: StateView): Generator<Buffer> {
  const release = view.hold();
  try {
    yield* framesOf(view);
  } finally {
    release();
  }
}

function* framesOf(view: StateView): Generator<Buffer> {
  let sequence = 0;
  let records = 0;
  let frame = new FrameBuilder();
  for (const record of recordsOf(view)) {
    frame.add(record);
    records++;
    if (frame.length < frameBytes) continue;
    yield frame.finish(sequence++);
    frame = new FrameBuilder(frameBytes);
  }
  frame.add({ kind: 'end', records });
  yield frame.finish(sequence);
}
