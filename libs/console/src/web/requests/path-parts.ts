import type { PartTime, RequestRecord, ServiceTime } from './requests.ts';

/** What a part belongs to, in the drawing of the path. */
export type Stage = 'access' | 'admission' | 'store' | 'response' | 'rest';

/** A part of the work of a service: one that the service has measured, or what lies between two of these. */
export interface PathPart extends PartTime {
  readonly stage: Stage;
  /** As it is shown. */
  readonly title: string;
}

/** A service with all parts of its time: together with the time of the next service they leave nothing out. */
export interface ServicePath extends Omit<ServiceTime, 'parts'> {
  readonly parts: readonly PathPart[];
}

/** Milliseconds: a shorter time between two parts is not shown. */
const shortest = 0.005;

const titles: Readonly<Record<string, string>> = {
  'apf-queue-wait': 'wait in the queue',
  'transform-response-object': 'form of the response',
  'serialize-response-object': 'text of the response',
};

function stageOf(part: string): Stage {
  if (part.includes('admission') || part.includes('webhook')) return 'admission';
  if (part === 'etcd') return 'store';
  return part.includes('response') ? 'response' : 'access';
}

/** The services of a request, each with its parts in the order in which they began, and what no service has measured between them. */
export const pathOf = ({ services }: Pick<RequestRecord, 'services'>): readonly ServicePath[] =>
  services.map((service, at) => ({ ...service, parts: allParts(service, services[at + 1]) }));

function allParts(service: ServiceTime, next: ServiceTime | undefined): readonly PathPart[] {
  const measured = service.parts.map((part) => ({
    ...part,
    stage: stageOf(part.name),
    title: titles[part.name] ?? part.name.replaceAll('-', ' '),
  }));
  const waits = next === undefined ? [] : [{ ...next, name: nextService }];
  const spans = [...measured, ...waits].sort((a, b) => a.start - b.start);
  const end = service.start + service.milliseconds;
  const parts: PathPart[] = [...measured];
  const between = (start: number, until: number, before: string, after: string) => {
    if (until - start < shortest) return;
    const title = restTitle(before, after, next?.service);
    parts.push({ name: 'rest', stage: 'rest', title, start, milliseconds: until - start });
  };
  let covered = service.start;
  let before = '';
  for (const { name, start, milliseconds } of spans) {
    between(covered, Math.min(start, end), before, name);
    if (start + milliseconds < covered) continue;
    covered = start + milliseconds;
    before = name;
  }
  between(covered, end, before, '');
  return parts.sort((a, b) => a.start - b.start);
}

const nextService = 'next-service';

/** What a service does between two parts: it is known by the order of the work. https://kubernetes.io/docs/concepts/security/controlling-access/ */
function restTitle(before: string, after: string, next: string | undefined): string {
  if (after === nextService) return `sending it to ${next ?? ''}`;
  if (before === nextService) return `passing the response of ${next ?? ''} on`;
  if (after === '') return before === '' ? 'handling' : 'sending the response';
  if (before === '') return 'filters and routing';
  if (stageOf(after) === 'response') return 'making the response';
  if (after === 'mutating-admission') return before === 'etcd' ? 'the patch' : 'decoding and defaults';
  if (after === 'validating-admission') return 'validation';
  if (after === 'etcd') return stageOf(before) === 'admission' ? 'encoding for etcd' : 'finding the object';
  return stageOf(after) === 'access' ? 'filters' : 'handling';
}

/** Milliseconds that a stage took in a service: overlapping parts count once. */
export function timeOf(service: ServicePath, stage: Stage): number {
  const spans = service.parts
    .filter((part) => part.stage === stage)
    .map(({ start, milliseconds }) => [start, start + milliseconds] as const)
    .sort(([a], [b]) => a - b);
  let sum = 0;
  let covered = -Infinity;
  for (const [start, end] of spans) {
    sum += Math.max(0, end - Math.max(start, covered));
    covered = Math.max(covered, end);
  }
  return sum;
}
