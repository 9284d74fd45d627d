import type { Quantity } from '@apichain/meta';
import type { ResourceList } from '../resource-list.ts';

/** A bound of a LimitRange and the amounts that are checked against it. Each check returns the refusal, or undefined. */
export interface Constraint {
  /** Container, Pod or PersistentVolumeClaim. */
  readonly type: string;
  readonly resource: string;
  readonly enforced: Quantity;
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

export function minimum({ type, resource, enforced, requests, limits }: Constraint): string | undefined {
  const request = requests.get(resource);
  const limit = limits.get(resource);
  const rule = `minimum ${resource} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (request.compare(enforced) < 0) return `${rule}, but request is ${request.toString()}`;
  if (limit !== undefined && limit.compare(enforced) < 0) return `${rule}, but limit is ${limit.toString()}`;
  return undefined;
}

export function maximum({ type, resource, enforced, requests, limits }: Constraint): string | undefined {
  const request = requests.get(resource);
  const limit = limits.get(resource);
  const rule = `maximum ${resource} usage per ${type} is ${enforced.toString()}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limit.compare(enforced) > 0) return `${rule}, but limit is ${limit.toString()}`;
  if (request !== undefined && request.compare(enforced) > 0) return `${rule}, but request is ${request.toString()}`;
  return undefined;
}

/** For objects that have only requests. */
export function maximumRequest({ type, resource, enforced, requests }: Constraint): string | undefined {
  const request = requests.get(resource);
  const rule = `maximum ${resource} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return request.compare(enforced) > 0 ? `${rule}, but request is ${request.toString()}` : undefined;
}

export function maximumRatio({ type, resource, enforced, requests, limits }: Constraint): string | undefined {
  const request = requests.get(resource);
  const limit = limits.get(resource);
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced.toString()}`;
  if (request === undefined || request.isZero) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero) return `${rule}, but no limit is specified or limit is 0`;
  // limit / request > enforced, computed with integers.
  const nano = -9;
  const allowed = request.scaledValue(nano) * enforced.scaledValue(nano);
  if (limit.scaledValue(nano) * 10n ** 9n <= allowed) return undefined;
  const ratio = Number(limit.scaledValue(nano)) / Number(request.scaledValue(nano));
  return `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
}
