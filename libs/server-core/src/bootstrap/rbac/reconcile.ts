import { isDeepStrictEqual } from 'node:util';
import { bindingOf, missingRules, rulesOfRole, type PolicyRule, type Subject } from '@apichain/authz';
import type { ResourceReference, RestClient } from '@apichain/client';
import { isStatusError, type KubeObject } from '@apichain/meta';
import type { BootstrapContext } from '../context.ts';
import { ensureNamespace } from '../system-namespaces.ts';
import { clusterRoleBindings, namespacePolicies, type DefaultBinding } from './bindings.ts';
import { clusterRoles } from './cluster-roles.ts';
import { controllerRules } from './controller-roles.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';
/** The number of concurrent writes. At the first start all objects are new. */
const concurrency = 16;

const reference = (resource: string, namespace?: string): ResourceReference => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  ...(namespace === undefined ? {} : { namespace }),
});

const metadataOf = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  name,
  labels: { ...labels, 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { [autoUpdate]: 'true' },
});

/** Every default ClusterRole, in the form in which it is created. */
export function defaultClusterRoles(): KubeObject[] {
  const described = clusterRoles.map(({ name, labels, rules, aggregates }): KubeObject => {
    const metadata = metadataOf(name, labels);
    if (aggregates === undefined) return { apiVersion, kind: 'ClusterRole', metadata, rules: [...(rules ?? [])] };
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [aggregates]: 'true' } }] };
    return { apiVersion, kind: 'ClusterRole', metadata, aggregationRule, rules: null };
  });
  const controllers = Object.entries(controllerRules).map(([name, rules]): KubeObject => ({
    apiVersion,
    kind: 'ClusterRole',
    metadata: metadataOf(`system:controller:${name}`),
    rules: [...rules],
  }));
  return [...described, ...controllers];
}

const bindingObject = (kind: string, { name, roleRef, subjects }: DefaultBinding): KubeObject => ({
  apiVersion,
  kind,
  metadata: metadataOf(name),
  roleRef: { ...roleRef },
  ...(subjects.length === 0 ? {} : { subjects: subjects.map((subject) => ({ ...subject })) }),
});

/**
 * Creates the default roles and bindings, and restores missing parts of existing ones, unless their annotation forbids it. Additions are kept.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation
 */
export async function reconcileDefaultRoles(context: BootstrapContext): Promise<void> {
  const { client } = context;
  await Promise.all([
    reconcileAll(client, reference('clusterroles'), defaultClusterRoles(), completeRole),
    reconcileAll(
      client,
      reference('clusterrolebindings'),
      clusterRoleBindings.map((each) => bindingObject('ClusterRoleBinding', each)),
      completeBinding,
    ),
  ]);
  for (const [namespace, { roles, bindings }] of Object.entries(namespacePolicies)) {
    await ensureNamespace(context, namespace);
    const wantedRoles = roles.map(({ name, rules }): KubeObject => ({
      apiVersion,
      kind: 'Role',
      metadata: metadataOf(name),
      rules: [...rules],
    }));
    await reconcileAll(client, reference('roles', namespace), wantedRoles, completeRole);
    const wanted = bindings.map((each) => bindingObject('RoleBinding', each));
    await reconcileAll(client, reference('rolebindings', namespace), wanted, completeBinding);
  }
}

/** The corrected object; undefined = the stored object needs no change; `replace` = an update cannot correct it. */
type Completion = (stored: KubeObject, wanted: KubeObject) => KubeObject | 'replace' | undefined;

async function reconcileAll(
  client: RestClient,
  ref: ResourceReference,
  wanted: readonly KubeObject[],
  complete: Completion,
): Promise<void> {
  const { items } = await client.list(ref);
  const stored = new Map(items.map((item) => [item.metadata.name, item]));
  const pending = [...wanted];
  const work = async () => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const found = stored.get(next.metadata.name);
      if (found === undefined) await create(client, ref, firstForm(next, stored));
      else await bringUpToDate(client, ref, found, next, complete);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

/** Bindings that were part of another one before Kubernetes 1.14. */
const splitFrom: Readonly<Record<string, string>> = { 'system:public-info-viewer': 'system:discovery' };

/**
 * The object to create. A binding that was part of another one, which is stored, takes over its subjects, labels and annotations: who has closed
 * discovery to some users has closed public information to them, too. Source: primeSplitClusterRoleBindings of pkg/registry/rbac/rest.
 */
function firstForm(wanted: KubeObject, stored: ReadonlyMap<string | undefined, KubeObject>): KubeObject {
  const { kind, metadata } = wanted;
  const source = kind === 'ClusterRoleBinding' ? stored.get(splitFrom[metadata.name ?? '']) : undefined;
  if (source === undefined) return wanted;
  const { labels = {}, annotations = {} } = source.metadata;
  const inherited: KubeObject = { ...wanted, metadata: { ...metadata, labels, annotations } };
  const subjects = source['subjects'];
  if (subjects === undefined) delete inherited['subjects'];
  else inherited['subjects'] = subjects;
  if (annotations[autoUpdate] === 'false') return inherited;
  const completed = completeBinding(inherited, wanted);
  return completed === undefined || completed === 'replace' ? inherited : completed;
}

async function create(client: RestClient, ref: ResourceReference, object: KubeObject): Promise<void> {
  try {
    await client.create(ref, object);
  } catch (error) {
    // Another server of the same cluster was faster.
    if (!isStatusError(error, 'AlreadyExists')) throw error;
  }
}

async function bringUpToDate(
  client: RestClient,
  ref: ResourceReference,
  stored: KubeObject,
  wanted: KubeObject,
  complete: Completion,
): Promise<void> {
  if (stored.metadata.annotations?.[autoUpdate] === 'false') return;
  const completed = complete(stored, wanted);
  if (completed === undefined) return;
  const name = wanted.metadata.name ?? '';
  const { kind } = wanted;
  if (completed === 'replace') {
    await client.delete(ref, name);
    await client.create(ref, wanted);
  } else await client.update(ref, { ...completed, apiVersion, kind });
}

function withMetadata(stored: KubeObject, wanted: KubeObject): KubeObject['metadata'] | undefined {
  const labels = { ...wanted.metadata.labels, ...stored.metadata.labels };
  const annotations = { ...wanted.metadata.annotations, ...stored.metadata.annotations };
  const same = (next: object, before: object | undefined) =>
    Object.keys(next).length === Object.keys(before ?? {}).length;
  if (same(labels, stored.metadata.labels) && same(annotations, stored.metadata.annotations)) return undefined;
  return { ...stored.metadata, labels, annotations };
}

export function completeRole(stored: KubeObject, wanted: KubeObject): KubeObject | undefined {
  const metadata = withMetadata(stored, wanted);
  const aggregated = wanted['aggregationRule'] !== undefined;
  const missing: PolicyRule[] = aggregated ? [] : missingRules(rulesOfRole(stored), rulesOfRole(wanted));
  const aggregationRule = completeAggregation(stored['aggregationRule'], wanted['aggregationRule']);
  const { aggregationRule: before, ...rest } = stored;
  if (metadata === undefined && missing.length === 0 && aggregationRule === before) return undefined;
  return {
    ...rest,
    metadata: metadata ?? stored.metadata,
    ...(aggregationRule === undefined ? {} : { aggregationRule }),
    ...(missing.length === 0 ? {} : { rules: [...rulesOfRole(stored), ...missing].map(withoutEmptyLists) }),
  };
}

/** Returns the stored rule itself when it is complete. Returns none when none is wanted, because a controller would overwrite the role's rules. */
function completeAggregation(stored: unknown, wanted: unknown): unknown {
  if (wanted === undefined || stored === undefined || stored === null) return wanted;
  const known = selectorsOf(stored);
  const missing = selectorsOf(wanted).filter((each) => !known.some((other) => isDeepStrictEqual(other, each)));
  return missing.length === 0 ? stored : { clusterRoleSelectors: [...known, ...missing] };
}

function selectorsOf(aggregationRule: unknown): readonly unknown[] {
  const { clusterRoleSelectors: selectors } = aggregationRule as { readonly clusterRoleSelectors?: unknown };
  return Array.isArray(selectors) ? selectors : [];
}

const withoutEmptyLists = (rule: PolicyRule): object =>
  Object.fromEntries(Object.entries(rule).filter(([, values]) => Array.isArray(values) && values.length > 0));

function completeBinding(stored: KubeObject, wanted: KubeObject): KubeObject | 'replace' | undefined {
  const before = bindingOf(stored);
  const after = bindingOf(wanted);
  const { roleRef } = after;
  if (before.roleRef.kind !== roleRef.kind || before.roleRef.name !== roleRef.name) return 'replace';
  const key = ({ kind, name, namespace = '' }: Subject) => `${kind}/${namespace}/${name}`;
  const known = new Set(before.subjects.map(key));
  const missing = after.subjects.filter((subject) => !known.has(key(subject)));
  const metadata = withMetadata(stored, wanted);
  if (missing.length === 0 && metadata === undefined) return undefined;
  const subjects: unknown[] = Array.isArray(stored['subjects']) ? stored['subjects'] : [];
  return {
    ...stored,
    metadata: metadata ?? stored.metadata,
    ...(missing.length === 0 ? {} : { subjects: [...subjects, ...missing.map(withoutEmptyText)] }),
  };
}

const withoutEmptyText = (subject: Subject): object =>
  Object.fromEntries(Object.entries(subject).filter(([, value]) => value !== ''));
