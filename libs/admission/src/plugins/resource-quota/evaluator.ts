import type { GroupResource, KubeObject } from '@apichain/meta';
import type { AdmissionAttributes } from '../../plugin.ts';
import { one, type ResourceList } from '../../resource-list.ts';
import type { ScopeRequirement } from './quota.ts';

/** How a quota counts the objects of one resource, which have the type `T`. Source: Evaluator of k8s.io/apiserver/pkg/quota/v1. */
export interface Evaluator<T extends KubeObject = KubeObject> {
  /** Whether the request can change any usage. */
  handles(attributes: AdmissionAttributes<T>): boolean;
  /** The names in a quota's limits that this evaluator counts. */
  matching(names: Iterable<string>): string[];
  matchesScope(requirement: ScopeRequirement, object: T): boolean;
  usage(object: T): ResourceList;
  /** What the object lacks to be counted, as a message; undefined = nothing. Does not throw. */
  complaint?(required: readonly string[], object: T): string | undefined;
}

/** `count/deployments.apps` */
const objectCountName = ({ group, resource }: GroupResource): string =>
  `count/${resource}${group === '' ? '' : `.${group}`}`;

/** Counts the objects of any resource. `alias` is a legacy name of the count. */
export function objectCounter(resource: GroupResource, alias?: string): Evaluator {
  const names = [objectCountName(resource), ...(alias === undefined ? [] : [alias])];
  const usage: ResourceList = new Map(names.map((name) => [name, one]));
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    matching: (candidates) => [...candidates].filter((name) => names.includes(name)),
    matchesScope: () => false,
    usage: () => usage,
  };
}
