import { isDNS1035Label, isDNS1123Subdomain, type GroupVersion } from '@apichain/meta';
import { RegistrationError } from './registration-error.ts';

/** Parses `GROUP/VERSION`. Throws RegistrationError when a part of it is not a valid name. */
export function parseRegisteredGroupVersion(text: string): GroupVersion {
  const [group = '', version = '', ...rest] = text.split('/');
  if (group === '' || version === '' || rest.length > 0)
    throw new RegistrationError(`"${text}" is not a group-version, e.g. wardle.example.com/v1beta1`);
  const [reason] = [...isDNS1123Subdomain(group), ...isDNS1035Label(version)];
  if (reason !== undefined) throw new RegistrationError(`group-version "${text}": ${reason}`);
  return { group, version };
}

const stability = /^v[1-9][0-9]*(?:(alpha|beta)[1-9][0-9]*)?$/;
const priorities: Readonly<Record<string, number | undefined>> = { alpha: 10, beta: 20 };
const stablePriority = 30;
const otherPriority = 5;

/**
 * The `versionPriority` of a version: stable versions before beta, alpha, and all other names. Aggregators order versions of the same
 * priority by their numbers, so v2 and v1 have the same priority, and a version registered later needs no change of the others.
 * Source: https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/api-service-v1/
 */
export function versionPriority(version: string): number {
  const match = stability.exec(version);
  if (match === null) return otherPriority;
  return match[1] === undefined ? stablePriority : (priorities[match[1]] ?? otherPriority);
}
