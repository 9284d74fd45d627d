import type { KubeObject } from '@apichain/meta';

/** apiregistration.k8s.io/v1: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/api-service-v1/ */
export interface ApiService extends KubeObject {
  spec: ApiServiceSpec;
  status?: { conditions?: ApiServiceCondition[] };
}

export interface ApiServiceSpec {
  /** Absent = the group-version is served by this chain itself. */
  service?: { namespace?: string; name?: string; port?: number };
  group?: string;
  version?: string;
  insecureSkipTLSVerify?: boolean;
  /** Base64 of PEM certificates. */
  caBundle?: string;
  groupPriorityMinimum: number;
  versionPriority: number;
}

export interface ApiServiceCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const;

/** Which controller maintains an APIService: `onstart` for built-in groups, `true` for CRD groups, absent when a user created it. */
export const autoManagedLabel = 'kube-aggregator.kubernetes.io/automanaged';

/** The condition Available; undefined if nobody has checked the APIService yet. */
export function availableCondition(service: ApiService): ApiServiceCondition | undefined {
  return service.status?.conditions?.find((condition) => condition.type === 'Available');
}

export function isAvailable(service: ApiService): boolean {
  return availableCondition(service)?.status === 'True';
}

/**
 * Returns the status with the condition set; lastTransitionTime changes only with the condition's status. Returns the identical status object when
 * nothing changed, so that callers can skip the write.
 */
export function withCondition(
  status: ApiService['status'],
  condition: Omit<ApiServiceCondition, 'lastTransitionTime'>,
  now: string,
): NonNullable<ApiService['status']> {
  const conditions = status?.conditions ?? [];
  const old = conditions.find((candidate) => candidate.type === condition.type);
  if (
    status !== undefined &&
    old?.status === condition.status &&
    old.reason === condition.reason &&
    old.message === condition.message
  )
    return status;
  const updated = {
    ...condition,
    lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? now) : now,
  };
  return {
    ...status,
    conditions: old === undefined ? [...conditions, updated] : conditions.map((c) => (c === old ? updated : c)),
  };
}

export const localCondition = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
} as const;
