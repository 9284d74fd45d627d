import type { Query } from '@apichain/request';
import { field, newBadRequest, newInvalid, type FieldError } from '@apichain/meta';
import { GoTimeError, normalizeTime } from '@apichain/go-text';

/** The options for reading a log. */
export interface PodLogOptions {
  readonly container: string;
  /** Do not verify the certificate of the kubelet. */
  readonly unchecked: boolean;
  /** The query parameters for the kubelet. */
  readonly forKubelet: readonly (readonly [name: string, value: string])[];
}

const zeroTime = '0001-01-01T00:00:00Z';

function timeOf(value: string): string {
  try {
    return normalizeTime(value) ?? zeroTime;
  } catch (error) {
    if (error instanceof GoTimeError) throw newBadRequest(error.message);
    throw error;
  }
}

/**
 * The options of GET pods/{name}/log. Throws BadRequest when a parameter does not parse, Invalid when its value is not allowed.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
 */
export function podLogOptions(name: string, query: Query): PodLogOptions {
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map((n) =>
    query.integer(n),
  );
  const sinceTime = query.text('sinceTime');
  const since = sinceTime === '' ? undefined : timeOf(sinceTime);
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(field.invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(field.invalid('limitBytes', limitBytes, 'must be greater than 0'));
  }
  if (sinceSeconds !== undefined && sinceTime !== '') {
    errors.push(field.forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(field.invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (query.has('stream')) errors.push(field.forbidden('stream', 'may not be specified'));
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'PodLogOptions' }, name, errors);
  const flags = ['follow', 'previous', 'timestamps'].map((flag) => [flag, query.boolean(flag) === true || undefined]);
  const given = [
    ...flags,
    ['sinceSeconds', sinceSeconds],
    ['sinceTime', since],
    ['tailLines', tailLines],
    ['limitBytes', limitBytes],
  ];
  return {
    container: query.text('container'),
    unchecked: query.boolean('insecureSkipTLSVerifyBackend') === true,
    forKubelet: given.filter(([, value]) => value !== undefined).map(([flag, value]) => [String(flag), String(value)]),
  };
}
