import { parseFieldSelector, parseLabelSelector, lookupTable } from '@apichain/meta';
import type { AuthorizationAttributes } from '../authorizer.ts';

/** The spec of a SubjectAccessReview for webhooks, without empty members. v1beta1 names the groups `group`. */
export function reviewSpec(asked: AuthorizationAttributes, version: string): Record<string, unknown> {
  const { user } = asked;
  const { verb, path, apiGroup, apiVersion, resource, subresource, namespace, name } = asked;
  const attributes = asked.isResourceRequest
    ? {
        resourceAttributes: present({
          namespace,
          verb,
          group: apiGroup,
          version: apiVersion,
          resource,
          subresource,
          name,
          ...selectorRequirements(asked),
        }),
      }
    : { nonResourceAttributes: present({ path, verb }) };
  const groups = user.groups.length === 0 ? undefined : [...user.groups];
  return {
    ...attributes,
    ...present({ user: user.name, [version === 'v1' ? 'groups' : 'group']: groups }),
    ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    ...present({ uid: user.uid }),
  };
}

/** The parsed selectors of a request; undefined where there is none. */
export const selectorRequirements = (asked: AuthorizationAttributes) => ({
  fieldSelector: selector(() => fieldRequirements(asked.fieldSelector)),
  labelSelector: selector(() => labelRequirements(asked.labelSelector)),
});

const present = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '' && value !== undefined));

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** A selector that cannot be parsed is left out. The review then covers more objects, never fewer. */
function selector(requirements: () => readonly Requirement[]): { requirements: readonly Requirement[] } | undefined {
  try {
    const found = requirements();
    return found.length === 0 ? undefined : { requirements: found };
  } catch {
    return undefined;
  }
}

const fieldRequirements = (text: string): Requirement[] =>
  parseFieldSelector(text).requirements.map(({ field, operator, value }) => ({
    key: field,
    operator: operator === '=' ? 'In' : 'NotIn',
    values: [value],
  }));

const operators: Readonly<Record<string, string | undefined>> = lookupTable({
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
});

const labelRequirements = (text: string): Requirement[] =>
  parseLabelSelector(text).requirements.flatMap(({ key, operator, values }) => {
    const named = operators[operator];
    if (named === undefined) return [];
    return [{ key, operator: named, ...(values.length === 0 ? {} : { values: [...values] }) }];
  });
