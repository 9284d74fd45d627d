import type { LabelSelector } from '@apichain/api/meta/v1';
import type { NodeSelectorTerm } from '@apichain/api/core/v1';
import { isValidLabelValue } from '@apichain/meta';

const deprecatedLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/** The deprecation warning for a node label; undefined for labels that are not deprecated. */
export const nodeLabelWarning = (label: string): string | undefined =>
  Object.hasOwn(deprecatedLabels, label) ? deprecatedLabels[label] : undefined;

/**
 * Warnings for the label keys in the node selector term at `path`. With `values`, also
 * for invalid label values: validation accepts them in preferred terms.
 */
export function nodeSelectorTermWarnings(term: NodeSelectorTerm, path: string, values = false): string[] {
  return (term.matchExpressions ?? []).flatMap((expression, j) => {
    const where = `${path}.matchExpressions[${j}]`;
    const key = expression.key ?? '';
    const message = nodeLabelWarning(key);
    return [
      ...(message === undefined ? [] : [`${where}.key: ${key} is ${message}`]),
      ...(values
        ? (expression.values ?? []).flatMap((value, k) =>
            isValidLabelValue(value).map((reason) => `${where}.values[${k}]: ${value} is invalid, ${reason}`),
          )
        : []),
    ];
  });
}

/** Warnings for the label keys of the node selector at `path`. */
export function nodeLabelSelectorWarnings(selector: LabelSelector, path: string): string[] {
  const labels = Object.keys(selector.matchLabels ?? {}).toSorted();
  return [
    ...nodeSelectorTermWarnings(selector, path),
    ...labels.flatMap((label) => {
      const message = nodeLabelWarning(label);
      return message === undefined ? [] : [`${path}.matchLabels.${label}: ${message}`];
    }),
  ];
}
