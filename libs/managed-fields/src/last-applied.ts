import { parseJson, type KubeObject } from '@apichain/meta';
import { compare } from './compare.ts';
import type { Conflict } from './conflict.ts';
import { difference, hasPath, type FieldSet } from './field-set.ts';
import { toFieldSet } from './to-field-set.ts';
import { formatSorted, isObject } from './values.ts';
import type { VersionedObject } from './versions.ts';

/** Where kubectl's client-side apply keeps what it applied last. */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The only manager that is known to come from client-side apply. */
export const kubectlManager = 'kubectl';
const annotationsLimitBytes = 256 * 1024;

const lastAppliedOf = (object: KubeObject): string => object.metadata.annotations?.[lastAppliedAnnotation] ?? '';

function parseLastApplied(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The fields that client-side apply has set and that still stand as it set them: kubectl may take them over. Undefined
 * when the annotation is absent, unreadable or of another version.
 */
function fieldsOfLastApplied(live: VersionedObject): FieldSet | undefined {
  const text = lastAppliedOf(live.object);
  const lastApplied = text === '' ? undefined : parseLastApplied(text);
  if (!isObject(lastApplied) || lastApplied['apiVersion'] !== live.apiVersion) return undefined;
  const set = toFieldSet(live.schema, lastApplied, false);
  const { modified, added, removed } = compare(live.schema, lastApplied, live.object, false);
  return difference(difference(difference(set, modified), added), removed);
}

/** The conflicts that remain when kubectl moves from client-side to server-side apply; empty = go ahead by force. */
export function conflictsBeyondLastApplied(live: VersionedObject, conflicts: readonly Conflict[]): readonly Conflict[] {
  const allowed = fieldsOfLastApplied(live);
  return allowed === undefined ? conflicts : conflicts.filter(({ path }) => !hasPath(allowed, path));
}

function textOfApplied(applied: KubeObject): string {
  const { annotations } = applied.metadata;
  if (annotations === undefined) return `${formatSorted(applied)}\n`;
  const { [lastAppliedAnnotation]: _, ...others } = annotations;
  return `${formatSorted({ ...applied, metadata: { ...applied.metadata, annotations: others } })}\n`;
}

/** Keeps the annotation of client-side apply in step after a server-side apply by kubectl; drops it when it grew too big. */
export function withLastApplied(object: KubeObject, applied: KubeObject): KubeObject {
  if (lastAppliedOf(object) === '') return object;
  const annotations: Record<string, string> = {
    ...object.metadata.annotations,
    [lastAppliedAnnotation]: textOfApplied(applied),
  };
  const size = Object.entries(annotations).reduce(
    (bytes, [key, value]) => bytes + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (size > annotationsLimitBytes) delete annotations[lastAppliedAnnotation];
  return { ...object, metadata: { ...object.metadata, annotations } };
}
