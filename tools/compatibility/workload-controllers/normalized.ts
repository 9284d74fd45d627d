import type { Event } from '@apichain/api/core/v1';
import { type KubeObject, compareText, isRecord } from '@apichain/meta';
import { countsOf } from '../../comparison/compare.ts';

/**
 * One line for each value in each object. Generated names, uids, versions and times are replaced, and what occurs several times is counted. `name`
 * replaces further names.
 */
export function normalized(objects: readonly KubeObject[], name = (text: string): string => text): string {
  const text = replacements(objects);
  const lines = objects
    .flatMap((object) => linesOf(object.kind === 'Event' ? eventFacts(object) : withoutIdentity(object)))
    .map((line) => name(text(line)));
  return [...countsOf(lines)]
    .map(([line, count]) => `${line} (${count})`)
    .sort(compareText)
    .join('\n');
}

/** Replaces the hash of each template by its number, in the order of revisions, and the names of pods by those of their owners. */
function replacements(objects: readonly KubeObject[]): (text: string) => string {
  const uids = objects.flatMap(({ kind, metadata }) =>
    metadata.uid === undefined ? [] : [[metadata.uid, `uid of ${kind}`] as const],
  );
  const hashes = objects
    .filter(({ kind }) => kind === 'ReplicaSet' || kind === 'ControllerRevision')
    .flatMap(({ kind, metadata, ...rest }) => {
      const hash = metadata.labels?.[kind === 'ReplicaSet' ? 'pod-template-hash' : 'controller-revision-hash'];
      const revision = metadata.annotations?.['deployment.kubernetes.io/revision'] ?? rest['revision'];
      const first = metadata.annotations?.['deployment.kubernetes.io/revision-history']?.split(',')[0] ?? revision;
      return hash === undefined ? [] : [[hash, `HASH${String(first)}`] as const];
    });
  return (text) => {
    let result = text;
    for (const [from, to] of [...uids, ...hashes]) result = result.replaceAll(from, to);
    return result
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, 'TIME')
      .replace(/(HASH\d+|old|agent)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-POD')
      .replace(
        /\b(paused|again)-[bcdfghjklmnpqrstvwxz2456789]{6,10}(-[bcdfghjklmnpqrstvwxz2456789]{5})?\b/g,
        '$1-GONE',
      );
  };
}

function eventFacts(object: KubeObject): object {
  const { involvedObject, reason, message, type, count, source, reportingComponent, reportingInstance } =
    object as Event;
  const { kind, name, apiVersion, fieldPath } = involvedObject ?? {};
  const about = [apiVersion, kind, name, fieldPath].join(' ');
  return {
    kind: 'Event',
    about,
    what: JSON.stringify([type, reason, message, count, source, reportingComponent, reportingInstance]),
  };
}

function withoutIdentity(object: KubeObject): object {
  const { uid: _uid, resourceVersion: _version, managedFields: _fields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function linesOf(object: object): string[] {
  const { kind, metadata, about } = object as { kind: string; metadata?: { name?: string }; about?: string };
  const subject = `${kind} ${metadata?.name ?? about ?? ''}`;
  const visit = (value: unknown, path: string): string[] => {
    if (Array.isArray(value) && value.length > 0) return value.flatMap((item, i) => visit(item, `${path}[${i}]`));
    if (isRecord(value) && Object.keys(value).length > 0)
      return Object.entries(value).flatMap(([name, member]) => visit(member, `${path}.${name}`));
    return [`${subject} ${path}: ${JSON.stringify(value)}`];
  };
  return visit(object, '');
}
