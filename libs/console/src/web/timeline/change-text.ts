import { stringify } from 'yaml';
import { yamlFormat } from '../object/manifest.ts';
import type { RequestRecord } from '../requests/requests.ts';
import { isOfStatus, type FieldChange } from './field-changes.ts';
import type { Change } from './history.ts';

/** Milliseconds: managed fields tell seconds, and an event arrives later. A change that is older was made before the page followed. */
const replayed = 3000;

/** When a change was made, in milliseconds since the epoch: by its request, by managed fields, or when the page learned of it. */
export function timeOf({ seenAt, writers }: Change, request: RequestRecord | undefined): number {
  if (request !== undefined) return request.receivedAt + request.milliseconds;
  const written = Math.max(0, ...writers.map(({ time }) => Date.parse(time) || 0));
  return written > 0 && seenAt - written > replayed ? written : seenAt;
}

/** Who has made a change: the user of its request, else the managers of the fields. Empty when nothing tells. */
export const authorOf = ({ writers }: Change, request: RequestRecord | undefined): string =>
  request?.user ?? managersOf(writers);

/** `kubectl-edit`, `kube-controller-manager (status)`. */
export const managersOf = (writers: Change['writers']): string =>
  writers.map(({ manager, subresource }) => (subresource === '' ? manager : `${manager} (${subresource})`)).join(', ');

/** `spec.replicas 2 → 3`. */
export const fieldText = ({ field, before, after }: FieldChange): string => {
  if (before === undefined) return `${field} = ${after ?? ''}`;
  return after === undefined ? `${field} removed` : `${field} ${before} → ${after}`;
};

/** What happened, in a line. */
export function summaryOf({ type, report, fields, before, isFromList }: Change): string {
  if (report !== undefined) return `${report.reason}: ${report.message}`;
  if (type !== 'changed') return isFromList ? 'while nobody watched' : '';
  if (before === undefined) return 'its state before is not known';
  const [first, ...others] = [...fields].sort((a, b) => rankOf(a) - rankOf(b));
  if (first === undefined) return 'only what the server keeps of it';
  return others.length === 0 ? fieldText(first) : `${fieldText(first)}, and ${others.length} more`;
}

/** What somebody wants comes before what is reported. */
const rankOf = ({ field }: FieldChange): number => {
  if (field.startsWith('spec')) return 0;
  if (field.startsWith('metadata')) return 2;
  return field.startsWith('status') ? 3 : 1;
};

/** A name for a change of this kind: `status` for one of nothing but the status. */
export const labelOf = ({ type, fields, report }: Change): string => {
  if (report !== undefined) return report.isWarning ? 'warning' : 'event';
  return type === 'changed' && isOfStatus(fields) ? 'status' : type;
};

/** A state as YAML, as the server writes it. */
export const yamlOf = (state: string): string => stringify(JSON.parse(state), yamlFormat);

/** Which changes are shown. */
export interface Choice {
  /** Part of a name, a kind, a field, or who wrote it. */
  readonly find: string;
  readonly showsStatus: boolean;
  readonly showsEvents: boolean;
}

/** The changes that are chosen, newest first. */
export function chosen(
  changes: readonly Change[],
  { find, showsStatus, showsEvents }: Choice,
  requestOf: (change: Change) => RequestRecord | undefined,
): readonly Change[] {
  const text = find.trim().toLowerCase();
  return changes
    .filter((change) => {
      if (change.report !== undefined ? !showsEvents : !showsStatus && isOfStatus(change.fields)) return false;
      if (text === '') return true;
      const { kind, name, fields, report, writers } = change;
      const texts = [kind.kind, name, report?.name, report?.reason, requestOf(change)?.user, managersOf(writers)];
      return [...texts, ...fields.map(({ field }) => field)].some((one) => one?.toLowerCase().includes(text) === true);
    })
    .reverse();
}
