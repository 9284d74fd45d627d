import { type GroupResource, formatGroupResource } from '@apichain/meta';
import { claimEvaluator } from './claim-evaluator.ts';
import { objectCounter, type Evaluator } from './evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { resourceClaimEvaluator } from './resource-claim-evaluator.ts';
import { serviceEvaluator } from './service-evaluator.ts';

/** Resources that are not stored, and events, are not counted. */
const ignored: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
]);

/** Whether quotas may count the objects of a resource. */
export const isCounted = (resource: GroupResource): boolean => !ignored.has(formatGroupResource(resource));

const counter = (resource: string) => [resource, objectCounter({ group: '', resource }, resource)] as const;

/** What counts more than the objects of a resource, or has another name for their count, by `resource.group`. Other resources have an `objectCounter`. */
export const evaluators: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  ['pods', podEvaluator],
  ['services', serviceEvaluator],
  ['persistentvolumeclaims', claimEvaluator],
  ['resourceclaims.resource.k8s.io', resourceClaimEvaluator],
  counter('configmaps'),
  counter('resourcequotas'),
  counter('replicationcontrollers'),
  counter('secrets'),
]);
