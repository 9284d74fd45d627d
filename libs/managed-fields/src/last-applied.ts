import { parseJson, type KubeObject } from '@apichain/meta';
import { compare } from './compare.ts';
import type { Conflict } from './conflict.ts';
import { difference, hasPath, type FieldSet } from './field-set.ts';
import { toFieldSet } from './to-field-set.ts';
import { formatSorted, isObject } from './values.ts';
import type { VersionedObject } from './versions.ts';

/** The annotation in which kubectl's client-side apply stores the last applied configuration. */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** The only manager that is known to use client-side apply. */
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
 * The fields set by client-side apply that have not changed since: kubectl may take ownership of them. Undefined when the annotation is absent,
 * unreadable or of another version.
 */
function fieldsOfLastApplied(live: VersionedObject): FieldSet | undefined {
  const text = lastAppliedOf(live.object);
  const lastApplied = text === '' ? undefined : parseLastApplied(text);
  if (!isObject(lastApplied) || lastApplied['apiVersion'] !== live.apiVersion) return undefined;
  const set = toFieldSet(live.schema, lastApplied);
  const { modified, added, removed } = compare(live.schema, lastApplied, live.object, false);
  return difference(difference(difference(set, modified), added), removed);
}

/** The conflicts that remain when kubectl moves from client-side to server-side apply; empty = the apply may be forced. */
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

/** Updates the annotation of client-side apply after a server-side apply by kubectl. Removes the annotation if it exceeds the size limit. */
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
