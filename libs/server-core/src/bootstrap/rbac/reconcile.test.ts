import assert from 'node:assert/strict';
import { readShared } from '@apichain/schema/shared-folder.fixture';
import type { KubeObject } from '@apichain/meta';
import { clusterRoleBindings, namespacePolicies } from './bindings.ts';
import { completeRole, defaultClusterRoles } from './reconcile.ts';

interface RecordedRole {
  readonly name: string;
  readonly namespace?: string;
  readonly extraLabels?: Readonly<Record<string, string>>;
  readonly aggregationRule?: unknown;
  readonly rules: unknown;
}
interface Recorded {
  readonly clusterRoles: readonly RecordedRole[];
  readonly controllerClusterRoles: readonly RecordedRole[];
  readonly clusterRoleBindings: readonly { readonly name: string }[];
  readonly controllerClusterRoleBindings: { readonly names: readonly string[] };
  readonly roles: readonly RecordedRole[];
}

/** The objects that Kubernetes 1.36 creates. */
const recorded = (test: Mocha.Context): Recorded => JSON.parse(readShared(test, 'spec/bootstrap.json')) as Recorded;

const byName = <T extends { readonly name: string }>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => (a.name < b.name ? -1 : 1));

const bootstrapping = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

describe('the default roles', () => {
  it('are those of Kubernetes 1.36, rule for rule', function () {
    const { clusterRoles, controllerClusterRoles } = recorded(this);
    const ours = defaultClusterRoles().map(({ metadata: { name = '', labels }, rules, aggregationRule }) => ({
      name,
      labels,
      rules,
      aggregationRule,
    }));
    const theirs = [...clusterRoles, ...controllerClusterRoles].map(
      ({ name, extraLabels, rules, aggregationRule }) => ({
        name,
        labels: { ...extraLabels, ...bootstrapping },
        rules,
        aggregationRule,
      }),
    );
    assert.deepEqual(byName(ours), byName(theirs));
  });

  it('are bound as in Kubernetes 1.36', function () {
    const { clusterRoleBindings: bindings, controllerClusterRoleBindings } = recorded(this);
    const theirs = [...bindings.map(({ name }) => name), ...controllerClusterRoleBindings.names];
    assert.deepEqual(clusterRoleBindings.map(({ name }) => name).sort(), theirs.sort());
  });

  it('of the system namespaces are those of Kubernetes 1.36', function () {
    const key = ({ namespace, name }: RecordedRole) => `${namespace}/${name}`;
    const theirs = new Map(recorded(this).roles.map((role) => [key(role), role.rules]));
    const ours = new Map(
      Object.entries(namespacePolicies).flatMap(([namespace, { roles }]) =>
        roles.map(({ name, rules }) => [`${namespace}/${name}`, rules] as const),
      ),
    );
    assert.deepEqual(ours, theirs);
  });
});

describe('bringing a default role up to date', () => {
  const selector = (label: string) => ({ matchLabels: { [label]: 'true' } });
  const role = (content: object): KubeObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'r' },
    ...content,
  });

  it('adds selectors that an aggregated role lacks and keeps its own', () => {
    const wanted = role({ aggregationRule: { clusterRoleSelectors: [selector('a')] } });
    const stored = role({ aggregationRule: { clusterRoleSelectors: [selector('b')] }, rules: [] });
    assert.deepEqual(completeRole(stored, wanted)?.['aggregationRule'], {
      clusterRoleSelectors: [selector('b'), selector('a')],
    });
    const both = role({ aggregationRule: { clusterRoleSelectors: [selector('b'), selector('a')] } });
    assert.equal(completeRole(both, wanted), undefined);
  });

  it('takes an aggregation away that the default does not have', () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    const stored = role({ aggregationRule: { clusterRoleSelectors: [selector('a')] }, rules });
    assert.deepEqual(completeRole(stored, role({ rules })), role({ rules }));
  });
});
