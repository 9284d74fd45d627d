import { compareText } from './compare-text.ts';

const kubeVersion = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const stages: Readonly<Record<string, number | undefined>> = { alpha: 0, beta: 1 };

/**
 * Orders versions from most to least preferred: GA before beta before alpha, higher numbers first, anything that is not a
 * Kubernetes version last and by name.
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
 */
export function compareVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  if (left === undefined && right === undefined) return compareText(a, b);
  if (left === undefined) return 1;
  if (right === undefined) return -1;
  for (let i = 0; i < left.length; i++) {
    const difference = (right[i] ?? 0) - (left[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rank(version: string): readonly number[] | undefined {
  const match = kubeVersion.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 2 : (stages[match[2]] ?? 0);
  return [stage, Number(match[1]), Number(match[3] ?? 0)];
}
