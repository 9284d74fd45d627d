import { isRecord } from '@apichain/meta';
import { type Scenario, type Step, type Variables } from '../scenario.ts';
import { sampleKinds } from './samples/index.ts';
import type { SampleKind } from './samples/sample-kind.ts';

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const asMetadata = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json' };
const asMetadataList = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json' };
const labelName = 'conformance';
const ofScenario = { labelSelector: `${labelName}={{run}}` };

/** The path of a kind, and the kind's objects in one scenario. */
export class Sample {
  readonly collection: string;
  readonly #kind: SampleKind;

  constructor(kind: SampleKind) {
    const { apiVersion, namespaced, resource } = kind;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    this.collection = `${root}${namespaced ? '/namespaces/{{ns}}' : ''}/${resource}`;
    this.#kind = kind;
  }

  name(which: string): string {
    const { nameOf, namespaced, resource } = this.#kind;
    const base = namespaced ? which : `conformance-{{run}}-${resource}-${which}`;
    return nameOf?.(base) ?? base;
  }

  path(which: string): string {
    return `${this.collection}/${this.name(which)}`;
  }

  object(which: string, fields: Readonly<Record<string, unknown>>, labels: Readonly<Record<string, string>> = {}) {
    const { apiVersion, kind } = this.#kind;
    const metadata = { name: this.name(which), labels: { [labelName]: '{{run}}', ...labels } };
    return { apiVersion, kind, metadata, ...fields };
  }
}

/** A saved object with an additional label. `resourceVersion` is the saved one. */
const labelled = (saved: string, label: string) => (variables: Variables) => {
  const object = variables[saved];
  if (!isRecord(object) || !isRecord(object['metadata'])) return object;
  const { metadata } = object;
  const labels = isRecord(metadata['labels']) ? metadata['labels'] : {};
  return { ...object, metadata: { ...metadata, labels: { ...labels, changed: label } } };
};

function creations(kind: SampleKind, sample: Sample): Step[] {
  const { minimal, rich, invalid } = kind;
  const create = (name: string, body: unknown, query: Record<string, string> = {}): Step => ({
    ...{ name, method: 'POST', path: sample.collection, body, query: { fieldManager: 'creator', ...query } },
  });
  const unknownField = { ...sample.object('main', minimal), unheardOf: { of: 1 } };
  return [
    create('create, dry run', sample.object('main', minimal), { dryRun: 'All' }),
    create('create with an unknown field, strict', unknownField, { fieldValidation: 'Strict' }),
    create('create with an unknown field, warned of', unknownField, { fieldValidation: 'Warn', dryRun: 'All' }),
    ...(invalid === undefined ? [] : [create('create something invalid', sample.object('invalid', invalid))]),
    create('create', sample.object('main', minimal)),
    create('create once more', sample.object('main', minimal)),
    ...(rich === undefined
      ? []
      : [
          create('create with many fields', { ...sample.object('rich', rich) }),
          read('get with many fields', sample.path('rich')),
        ]),
  ];
}

const read = (name: string, path: string, headers: Record<string, string> = {}): Step => ({
  name,
  method: 'GET',
  path,
  headers,
});

function reads(sample: Sample): Step[] {
  const list = (name: string, headers: Record<string, string> = {}): Step => ({
    ...read(name, sample.collection, headers),
    query: ofScenario,
  });
  return [
    read('get', sample.path('main')),
    read('get as a table', sample.path('main'), asTable),
    read('get as metadata', sample.path('main'), asMetadata),
    read('get as YAML', sample.path('main'), { accept: 'application/yaml' }),
    list('list'),
    list('list as a table', asTable),
    list('list as metadata', asMetadataList),
    read('get what is not there', sample.path('absent')),
  ];
}

function updates({ change = { metadata: { annotations: { changed: 'yes' } } } }: SampleKind, sample: Sample): Step[] {
  const path = sample.path('main');
  const query = { fieldManager: 'updater' };
  const patch = (name: string, type: string, body: unknown): Step => ({
    ...{ name, method: 'PATCH', path, query, body, headers: { 'content-type': `application/${type}` } },
  });
  return [
    { ...read('get to update', path), save: { first: '', uid: 'metadata.uid' } },
    { name: 'update', method: 'PUT', path, query, body: labelled('first', 'by-update') },
    { name: 'update without a change', method: 'PUT', path, query, body: labelled('first', 'by-update') },
    { name: 'update with an old resourceVersion', method: 'PUT', path, query, body: labelled('first', 'too-late') },
    patch('merge patch', 'merge-patch+json', change),
    patch('merge patch without a change', 'merge-patch+json', change),
    patch('strategic merge patch', 'strategic-merge-patch+json', {
      metadata: { labels: { strategic: 'yes' }, finalizers: ['example.com/keep'] },
    }),
    patch('JSON patch', 'json-patch+json', [
      { op: 'test', path: '/metadata/labels/strategic', value: 'yes' },
      { op: 'remove', path: '/metadata/finalizers/0' },
      { op: 'add', path: '/metadata/labels/json', value: 'yes' },
    ]),
    patch('JSON patch whose test fails', 'json-patch+json', [{ op: 'test', path: '/kind', value: 'Other' }]),
    patch('merge patch of the name', 'merge-patch+json', { metadata: { name: 'other' } }),
  ];
}

function applies({ minimal }: SampleKind, sample: Sample): Step[] {
  const apply = (name: string, manager: string, value: string | undefined, force = 'false'): Step => ({
    name,
    method: 'PATCH',
    path: sample.path('applied'),
    query: { fieldManager: manager, force },
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: sample.object('applied', minimal, value === undefined ? {} : { owner: value }),
  });
  return [
    apply('apply', 'one', 'one'),
    apply('apply once more', 'one', 'one'),
    apply('apply by another manager, in conflict', 'two', 'two'),
    apply('apply by another manager, by force', 'two', 'two', 'true'),
    apply('apply less', 'one', undefined),
    { ...apply('apply without a manager', 'one', 'one'), query: {} },
  ];
}

function statusSteps({ status }: SampleKind, sample: Sample): Step[] {
  if (status === undefined) return [];
  const path = `${sample.path('main')}/status`;
  const query = { fieldManager: 'controller' };
  const ssa = { 'content-type': 'application/apply-patch+yaml' };
  return [
    { ...read('get status', path), save: { beforeStatus: '' } },
    {
      name: 'merge patch of status',
      method: 'PATCH',
      path,
      query,
      body: { status, metadata: { labels: { by: 'status' } } },
    },
    {
      name: 'update of status in conflict',
      ...{ method: 'PUT', path, query, body: labelled('beforeStatus', 'by-status') },
    },
    { ...read('get for status', path), save: { beforeStatus: '' } },
    { name: 'update of status', method: 'PUT', path, query, body: labelled('beforeStatus', 'by-status') },
    {
      name: 'apply of status',
      ...{ method: 'PATCH', path, query: { fieldManager: 'applier', force: 'true' }, headers: ssa },
      body: { ...sample.object('main', { status }), metadata: { name: sample.name('main') } },
    },
    { ...read('get with status as a table', sample.path('main'), asTable) },
  ];
}

function scaleSteps({ scale }: SampleKind, sample: Sample): Step[] {
  if (scale !== true) return [];
  const path = `${sample.path('main')}/scale`;
  const query = { fieldManager: 'scaler' };
  const sized = (variables: Variables) => {
    const object = variables['scale'];
    return isRecord(object) ? { ...object, spec: { replicas: 5 } } : object;
  };
  return [
    { ...read('get scale', path), save: { scale: '' } },
    { name: 'update of scale', method: 'PUT', path, query, body: sized },
    { name: 'merge patch of scale', method: 'PATCH', path, query, body: { spec: { replicas: 6 } } },
    { name: 'merge patch of scale below zero', method: 'PATCH', path, query, body: { spec: { replicas: -1 } } },
    read('get with its scale', sample.path('main')),
  ];
}

function deletions(sample: Sample): Step[] {
  const remove = (name: string, which: string, options: Readonly<Record<string, unknown>> = {}, query = {}): Step => ({
    ...{ name, method: 'DELETE', path: sample.path(which), query },
    body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options },
  });
  return [
    remove('delete of another uid', 'main', { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } }),
    remove('delete with bad options', 'main', { propagationPolicy: 'Nowhere' }),
    remove('delete, dry run', 'main', { dryRun: ['All'] }),
    remove('delete', 'main', { propagationPolicy: 'Background', preconditions: { uid: '{{uid}}' } }),
    read('get what was deleted', sample.path('main')),
    { name: 'delete of the others', method: 'DELETE', path: sample.collection, query: ofScenario },
    { ...read('list when all is deleted', sample.collection), query: ofScenario },
  ];
}

/** Creates, changes and deletes an object while a watch is open. */
function watchSteps({ minimal }: SampleKind, sample: Sample): Step[] {
  const path = sample.path('watched');
  return [
    {
      ...read('watch', sample.collection),
      query: { watch: 'true', labelSelector: `${labelName}={{run}},watched=yes` },
      watch: {
        events: 3,
        during: [
          {
            name: 'create while watched',
            method: 'POST',
            path: sample.collection,
            body: sample.object('watched', minimal, { watched: 'yes' }),
          },
          { name: 'patch while watched', method: 'PATCH', path, body: { metadata: { annotations: { a: 'b' } } } },
          { name: 'delete while watched', method: 'DELETE', path, query: { gracePeriodSeconds: '0' } },
        ],
      },
    },
  ];
}

/** Removes the fields that the server itself writes concurrently. */
function withoutServerWrites(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutServerWrites);
  if (!isRecord(value)) return value;
  const { status, managedFields: _fields, resourceVersion: _version, ...rest } = value;
  const kept = Object.entries(rest).map(([name, item]) => [name, withoutServerWrites(item)]);
  // In a Status object, which is the response to a failed request, `status` is a string.
  return { ...Object.fromEntries(kept), ...(typeof status === 'string' ? { status } : {}) };
}

/** The steps for a kind whose status the server itself writes. Concurrent writes of the server cannot affect their results. */
function settledSteps(kind: SampleKind, sample: Sample, condition: string): Step[] {
  const settled: Step = {
    ...read('get when settled', sample.path('main')),
    until: { path: 'status.conditions.0.type', equals: condition },
  };
  const isTable = ({ headers }: Step) => headers?.['accept']?.includes('as=Table');
  const steps = [
    ...creations(kind, sample),
    settled,
    ...reads(sample).filter((step) => !isTable(step)),
    ...updates(kind, sample),
    ...applies(kind, sample),
    ...deletions(sample),
  ];
  return steps.map((step) => ({ ...step, select: withoutServerWrites }));
}

/** Runs all general operations on every kind. */
export const kindScenarios: readonly Scenario[] = sampleKinds.map((kind) => {
  const sample = new Sample(kind);
  const { serverCondition } = kind;
  return {
    area: 'kinds',
    name: `kind ${kind.kind}${kind.apiVersion.includes('/') ? ` ${kind.apiVersion}` : ''}`,
    namespaced: kind.namespaced,
    steps:
      serverCondition === undefined
        ? [
            ...creations(kind, sample),
            ...reads(sample),
            ...updates(kind, sample),
            ...statusSteps(kind, sample),
            ...scaleSteps(kind, sample),
            ...watchSteps(kind, sample),
            ...applies(kind, sample),
            ...deletions(sample),
          ]
        : settledSteps(kind, sample, serverCondition),
  };
});
