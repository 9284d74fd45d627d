import { builtinGroupVersions } from '@apichain/kinds/model';

/** The position of a group-version in discovery: higher numbers come first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

export const customResourcePriority: Priority = { group: 1_000, version: 100 };

/** apiregistration.k8s.io has no APIService of its own and always comes first. */
export const apiRegistrationPriority: Priority = { group: 20_001, version: 1 };

/** The priority of a built-in group-version (pkg/controlplane/apiserver/aggregator.go); others are not registered. */
export function builtinPriority(group: string, version: string): Priority | undefined {
  const found = builtinGroupVersions.find((gv) => gv.group === group && gv.version === version);
  return found === undefined || found.server === 'aggregator'
    ? undefined
    : { group: found.groupPriorityMinimum, version: found.versionPriority };
}
