/** How quotas count objects, for the controller that counts them again. */
export { objectCounter, type Evaluator } from './plugins/resource-quota/evaluator.ts';
export { evaluators, isCounted } from './plugins/resource-quota/evaluators.ts';
export { scopesOf, type ScopeRequirement } from './plugins/resource-quota/quota.ts';
export { addTo, masked, readResourceList, sameAmounts, writeResourceList, type ResourceList } from './resource-list.ts';
