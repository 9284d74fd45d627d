import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { FieldManager } from '@apichain/managed-fields';
import {
  deepEqual,
  isRecord,
  isStatusError,
  parseGroupVersion,
  parseJson,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
} from '@apichain/meta';
import { customResourceType, structuralType } from '@apichain/schema';
import { canonicalize, type Type } from '@apichain/scheme';
import { sharedPath } from '@apichain/schema/shared-folder.fixture';
import { builtinType, builtinTypes } from './types.ts';

/*
 * Recomputes managedFields from the recorded responses of a real server, and compares them with the recorded ones. The recordings are outside of
 * the repository; without them the tests are skipped.
 */
interface Step {
  id: string;
  req: { method: string; path: string };
  res: { status: number; body?: unknown };
}
interface CaseStep {
  method?: string;
  path?: string;
  headers?: Record<string, string | null>;
  body?: unknown;
}

const isKubeObject = (value: unknown): value is KubeObject =>
  isRecord(value) && typeof value['apiVersion'] === 'string' && isRecord(value['metadata']);

const recorded = (golden: string, area: string): Record<string, Step[]> =>
  parseJson(readFileSync(`${golden}/recorded/${area}.json`)) as Record<string, Step[]>;

function withoutManagedFields(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const entryKey = (entry: ManagedFieldsEntry): string =>
  [entry.manager, entry.operation, entry.subresource, entry.apiVersion].join(' ');

const withoutTimes = (entries: ManagedFieldsEntry[] | undefined): unknown[] =>
  (entries ?? []).map(({ time: _, ...entry }) => entry).sort((a, b) => entryKey(a).localeCompare(entryKey(b)));

/** Paths of `a` that `b` does not have, as text. */
function missing(a: JsonObject, b: JsonObject | undefined, path = ''): string[] {
  return Object.keys(a).flatMap((element) => {
    const node = a[element];
    const other = b?.[element];
    const here = `${path} ${element}`;
    if (!isRecord(node)) return [];
    const isHere = Object.keys(node).length === 0 && !isRecord(other) ? [here] : [];
    return [...isHere, ...missing(node, isRecord(other) ? other : undefined, here)];
  });
}

/** Fields that strategies and admission add after managedFields have been computed. */
const addedLater = new RegExp(
  [
    'f:spec f:(clusterIPs?|ipFamilies|ipFamilyPolicy|preemptionPolicy|priority|tolerations|finalizers|audiences|selector)',
    'f:nodePort',
    'f:finalizers',
    'f:(batch.kubernetes.io/)?(controller-uid|job-name)',
    'f:labels \\.$',
    'f:limit-ranger',
    'f:annotations',
    'f:resources f:(limits|requests)',
    'f:labels f:added',
  ].join('|'),
);

describe('managedFields of built-in kinds', () => {
  it('on creation are those that a real server recorded', async function () {
    const golden = sharedPath(this, 'golden');
    let count = 0;
    for (const area of ['create-update-delete', 'kinds-defaults', 'kinds-update', 'patch', 'get-list-watch']) {
      for (const [scenario, steps] of Object.entries(recorded(golden, area))) {
        for (const { id, req, res } of steps) {
          const { body } = res;
          if (req.method !== 'POST' || res.status !== 201 || !isKubeObject(body)) continue;
          const [entry, ...others] = body.metadata.managedFields ?? [];
          const groupVersionKind = { ...parseGroupVersion(body.apiVersion), kind: body.kind };
          const type = builtinType(groupVersionKind);
          const isCreate = entry?.time !== undefined && entry.manager === 'golden' && others.length === 0;
          if (type === undefined || !isCreate || entry.fieldsV1 === undefined || body.kind === 'PartialObjectMetadata')
            continue;
          const manager = new FieldManager({ type, groupVersionKind, resetFields: ['status'] });
          // A list that was stored empty is returned as null.
          const restored = body['rules'] === null && 'f:rules' in entry.fieldsV1 ? { ...body, rules: [] } : body;
          const created = await manager.update(undefined, withoutManagedFields(restored), 'golden');
          const set = created.metadata.managedFields?.[0]?.fieldsV1 ?? {};
          const where = `${area}: ${scenario} #${id}`;
          assert.deepEqual(missing(entry.fieldsV1, set), [], where);
          assert.deepEqual(
            missing(set, entry.fieldsV1).filter((path) => !addedLater.test(path)),
            [],
            where,
          );
          count++;
        }
      }
    }
    assert.ok(count > 150, `${count} objects`);
  });
});

const objectMeta = builtinTypes.type('meta.v1.ObjectMeta');

const resourcePath = (path: string): string => path.split('?')[0] ?? '';

function typeOfCrd(body: unknown): { type: Type; kind: string; apiVersion: string } | undefined {
  if (!isKubeObject(body) || body.kind !== 'CustomResourceDefinition') return undefined;
  const spec = body['spec'];
  assert.ok(isRecord(spec) && Array.isArray(spec['versions']) && isRecord(spec['names']));
  const version: unknown = spec['versions'][0];
  assert.ok(isRecord(version) && isRecord(version['schema']));
  return {
    type: customResourceType(
      structuralType(version['schema']['openAPIV3Schema'] as Parameters<typeof structuralType>[0]),
      objectMeta,
    ),
    kind: String(spec['names']['kind']),
    apiVersion: `${String(spec['group'])}/v1`,
  };
}

const ofApply = (text: string): boolean =>
  /^(Apply failed|failed to create typed|invalid object type|metadata.managedFields must)/.test(text);

describe('apply as recorded from a real server', () => {
  it('responds and tracks the same', async function () {
    const golden = sharedPath(this, 'golden');
    const module = (await import(pathToFileURL(`${golden}/cases/apply.mjs`).href)) as {
      default: { name: string; steps: CaseStep[] }[];
    };
    const responses = recorded(golden, 'apply');
    const differences: string[] = [];
    let count = 0;
    for (const { name, steps } of module.default) {
      const live = new Map<string, KubeObject>();
      let custom: ReturnType<typeof typeOfCrd>;
      for (const [i, step] of steps.entries()) {
        const response = responses[name]?.[i];
        const path = resourcePath(step.path ?? '');
        const isDone = response === undefined || path.endsWith('/scale') || !isRecord(response.res.body);
        if (isDone) {
          if (path.endsWith('/scale') && step.method !== 'GET') live.delete(path.replace(/\/scale$/, ''));
          continue;
        }
        custom ??= typeOfCrd(response.res.body);
        if (path.includes('customresourcedefinitions')) continue;
        const isStatus = path.endsWith('/status');
        const body = response.res.body;
        const named = step.method === 'POST' && isKubeObject(body) ? `${path}/${body.metadata.name ?? ''}` : path;
        const main = named.replace(/\/status$/, '');
        const isObject = isKubeObject(body) && body.kind !== 'Status' && !body.kind.endsWith('List');
        if (step.method === 'GET' || step.method === 'DELETE') {
          if (isObject) live.set(main, body);
          continue;
        }
        const isApply = step.headers?.['content-type'] === 'application/apply-patch+yaml';
        const query = new URLSearchParams((step.path ?? '').split('?')[1] ?? '');
        const apiVersion = custom?.apiVersion ?? 'v1';
        const groupVersionKind = { ...parseGroupVersion(apiVersion), kind: custom?.kind ?? 'ConfigMap' };
        const type = custom?.type ?? builtinType(groupVersionKind);
        assert.ok(type !== undefined);
        const hasStatus = custom !== undefined && name.includes('status');
        const manager = new FieldManager({
          type,
          groupVersionKind,
          subresource: isStatus ? 'status' : '',
          resetFields: isStatus ? ['spec', 'metadata'] : hasStatus ? ['status'] : [],
        });
        const fieldManager = query.get('fieldManager') ?? 'golden';
        const force = !['', 'false', '0', null].includes(query.get('force'));
        const where = `${name} #${i}`;
        const before = live.get(main);
        if (isApply && isRecord(step.body) && before === undefined && response.res.status === 200) {
          if (isObject) live.set(main, body);
          continue;
        }
        let got: unknown;
        if (isApply) {
          if (!isRecord(step.body)) continue;
          try {
            const merged = await manager.apply(before, step.body as KubeObject, fieldManager, force);
            got =
              type.name === undefined
                ? merged
                : { ...canonicalize({ ...merged, metadata: {} }, type), ...pick(merged) };
          } catch (error) {
            if (!isStatusError(error)) throw error;
            got = error.status;
          }
        } else if (isObject) {
          got = await manager.update(before, withoutManagedFields(body), fieldManager);
        }
        if (isKubeObject(got) && isObject) {
          count++;
          if (!deepEqual(withoutTimes(got.metadata.managedFields), withoutTimes(body.metadata.managedFields))) {
            differences.push(
              `${where}: ${JSON.stringify(withoutTimes(got.metadata.managedFields))} instead of ${JSON.stringify(withoutTimes(body.metadata.managedFields))}`,
            );
          }
          for (const part of ['data', 'spec']) {
            if (
              isApply &&
              !isStatus &&
              !name.includes('lists of maps') &&
              !deepEqual(got[part] ?? undefined, body[part])
            )
              differences.push(`${where}: ${JSON.stringify(got[part])} instead of ${JSON.stringify(body[part])}`);
          }
        } else if (isRecord(got) && isRecord(body)) {
          const expected = String(body['message']);
          if (got['kind'] !== 'Status' && !ofApply(expected)) continue;
          count++;
          if (got['message'] !== expected)
            differences.push(`${where}: ${String(got['message'])} instead of ${expected}`);
          else if (!deepEqual(got['details'], body['details'])) differences.push(`${where}: details`);
        }
        if (isObject && !query.has('dryRun')) live.set(main, body);
      }
    }
    assert.deepEqual(differences, []);
    assert.ok(count > 60, `${count} steps`);
  });
});

const pick = (object: KubeObject): { metadata: KubeObject['metadata']; apiVersion: string; kind: string } => ({
  metadata: object.metadata,
  apiVersion: object.apiVersion,
  kind: object.kind,
});
