import { readFileSync } from 'node:fs';
import { errorMessage, hasErrorCode, list, parseYaml, record, text } from '@apichain/meta';
import { RegistrationError } from './registration-error.ts';

const podNamespaceFile = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const defaultNamespace = 'default';

/**
 * The namespace of a kubeconfig's current context; without a kubeconfig, that of the pod. `default` when neither names one. Throws
 * RegistrationError when the file cannot be read.
 */
export function namespaceOf(kubeconfig: string | undefined, podFile = podNamespaceFile): string {
  const namespace = kubeconfig === undefined ? podNamespace(podFile) : contextNamespace(kubeconfig);
  return namespace === '' ? defaultNamespace : namespace;
}

function contextNamespace(file: string): string {
  try {
    const config = record(parseYaml(readFileSync(file)));
    const context = list(config['contexts'])
      .map(record)
      .find(({ name }) => name === config['current-context']);
    return text(record(context?.['context'])['namespace']);
  } catch (error) {
    throw new RegistrationError(`${file} cannot be read: ${errorMessage(error).replaceAll('\n', ' ')}`);
  }
}

function podNamespace(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return '';
    throw new RegistrationError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
