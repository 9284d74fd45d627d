import type { RequestAudit } from './audit/request-audit.ts';

const removal = /unavailable in v(\d+\.\d+)\+/;

/** The release in which an API is removed, as its warning states: `1.25`; empty when the warning does not say. */
export const removedRelease = (warning: string): string => removal.exec(warning)?.[1] ?? '';

/** https://kubernetes.io/docs/reference/labels-annotations-taints/audit-annotations/#k8s-io-deprecated */
export function noteDeprecation(audit: RequestAudit, warning: string): void {
  audit.annotate('k8s.io/deprecated', 'true');
  const release = removedRelease(warning);
  if (release !== '') audit.annotate('k8s.io/removed-release', release);
}
