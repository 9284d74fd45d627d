/** The oldest patch of each minor version whose watch progress responses never overtake events; every later minor version is safe. */
const firstSafePatch: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/**
 * Whether an etcd of this version answers a progress request only after all events before it. The thresholds are those of kube-apiserver's feature
 * check (k8s.io/apiserver/pkg/storage/feature). Versions that cannot be parsed count as unsafe.
 */
export function supportsWatchProgress(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = match.slice(1).map(Number);
  if (major === undefined || minor === undefined || patch === undefined) return false;
  if (major !== 3) return major > 3;
  const threshold = firstSafePatch[`3.${String(minor)}`];
  if (threshold !== undefined) return patch >= threshold;
  return minor > 5;
}
