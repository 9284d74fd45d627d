import { goQuote } from '@apichain/go-text';
import { errorMessage, isRecord, parseJson, record, text, type Plain } from '@apichain/meta';

/** One line of a policy file. `*` matches everything, `''` nothing. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  readonly nonResourcePath: string;
}

const authenticated = 'system:authenticated';

/**
 * The policies of `--authorization-policy-file`: one JSON object per line, of abac.authorization.kubernetes.io/v1beta1 or of the original format
 * without a version. Throws Error that names the line.
 * https://kubernetes.io/docs/reference/access-authn-authz/abac/
 */
export function parseAbacPolicies(text: string): AbacPolicy[] {
  return text.split('\n').flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    try {
      return [policyOf(parseJson(trimmed))];
    } catch (error) {
      const reason = errorMessage(error);
      throw new Error(`line ${index + 1}: ${trimmed}: ${reason}`, { cause: error });
    }
  });
}

function policyOf(value: unknown): AbacPolicy {
  if (!isRecord(value)) throw new Error('it is no object');
  const { apiVersion, kind } = value;
  if (apiVersion === undefined && kind === undefined) return firstForm(value);
  if (apiVersion !== 'abac.authorization.kubernetes.io/v1beta1' || kind !== 'Policy')
    throw new Error(`no kind ${goQuote(text(kind))} is registered for version ${goQuote(text(apiVersion))}`);
  return forAuthenticated(fieldsOf(record(value['spec'])));
}

const fieldsOf = (spec: Plain): AbacPolicy => ({
  user: text(spec['user']),
  group: text(spec['group']),
  readonly: spec['readonly'] === true,
  apiGroup: text(spec['apiGroup']),
  resource: text(spec['resource']),
  namespace: text(spec['namespace']),
  nonResourcePath: text(spec['nonResourcePath']),
});

/** The user or group `*` means all authenticated users. */
function forAuthenticated(policy: AbacPolicy): AbacPolicy {
  if (policy.user !== '*' && policy.group !== '*') return policy;
  return { ...policy, user: '', group: authenticated };
}

/** In the original format, an absent member matches everything. */
function firstForm(line: Plain): AbacPolicy {
  const { user, group, namespace, resource, readonly } = fieldsOf(line);
  return forAuthenticated({
    user,
    group: user === '' && group === '' ? authenticated : group,
    readonly,
    apiGroup: '*',
    namespace: namespace === '' ? '*' : namespace,
    resource: resource === '' ? '*' : resource,
    nonResourcePath: namespace === '' && resource === '' ? '*' : '',
  });
}
