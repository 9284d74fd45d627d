import type { ClusterRole, PolicyRule } from '@apichain/api/rbac/v1';
import type { Informer } from '@apichain/client';
import { deepEqual, equalityText, labelSelectorFromObject } from '@apichain/meta';
import type { ControllerContext, Running } from './context.ts';
import { controllerParts } from './controller-parts.ts';

const resource = { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' };
const fieldManager = 'clusterrole-aggregation-controller';

/**
 * Fills in the rules of each ClusterRole that has an aggregationRule: the rules of all ClusterRoles that its selectors match.
 * Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles
 */
export function clusterRoleAggregation(context: ControllerContext): Running {
  const { client } = context;
  const { enqueue, ownInformer, run } = controllerParts(context, fieldManager);
  const roles = ownInformer({
    resource,
    transform: ({ apiVersion, kind, metadata, rules, aggregationRule }) => {
      const { managedFields: _, annotations: __, ...kept } = metadata;
      return { apiVersion, kind, metadata: kept, rules, aggregationRule };
    },
  });
  const enqueueAggregated = () => {
    for (const role of rolesIn(roles)) if (role.aggregationRule !== undefined) enqueue(role);
  };
  roles.addHandlers({ onAdd: enqueueAggregated, onUpdate: enqueueAggregated, onDelete: enqueueAggregated });

  async function reconcile(name: string): Promise<void> {
    const role: ClusterRole | undefined = roles.get(name);
    if (role?.aggregationRule === undefined) return;
    const rules = aggregatedRules(role, rolesIn(roles));
    if (deepEqual(rules, role.rules ?? [])) return;
    const { apiVersion, kind } = role;
    await client.patch(
      resource,
      name,
      'apply',
      { apiVersion, kind, metadata: { name }, rules },
      { query: { fieldManager, force: true } },
    );
  }

  return run(reconcile);
}

const rolesIn = (informer: Informer): readonly ClusterRole[] => informer.list();

/** The rules of all selected roles, without duplicates. Order: by selector, then by role name within a selector. */
function aggregatedRules(role: ClusterRole, roles: readonly ClusterRole[]): PolicyRule[] {
  const byName = roles
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selectorObject of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorFromObject(selectorObject);
    for (const source of byName.filter(({ metadata }) => selector.matches(metadata.labels ?? {})))
      for (const rule of source.rules ?? []) {
        const text = equalityText(rule);
        if (!rules.has(text)) rules.set(text, rule);
      }
  }
  return [...rules.values()];
}
