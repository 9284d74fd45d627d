import { decodeObject, type Field, type Type } from '@apichain/scheme';

/*
 * The types of audit.k8s.io/v1 Policy, for a decoder with Go's error messages.
 */

const text: Type = { kind: 'string' };
const texts: Type = { kind: 'array', items: text };
const flag: Type = { kind: 'boolean' };
const list = (items: Type): Type => ({ kind: 'array', items });

function object(name: string, members: Readonly<Record<string, Type>>): Type {
  const fields: Field[] = Object.entries(members).map(([member, type]) => ({
    name: member,
    type,
    omitempty: true,
    ...(member === 'omitManagedFields' && name === 'v1.PolicyRule' ? { pointer: true } : {}),
  }));
  return { kind: 'object', name, fields, byName: new Map(fields.map((one) => [one.name, one])) };
}

const groupResources = object('v1.GroupResources', { group: text, resources: texts, resourceNames: texts });

const rule = object('v1.PolicyRule', {
  level: text,
  users: texts,
  userGroups: texts,
  verbs: texts,
  resources: list(groupResources),
  namespaces: texts,
  nonResourceURLs: texts,
  omitStages: texts,
  omitManagedFields: flag,
});

const policyType = object('v1.Policy', {
  kind: text,
  apiVersion: text,
  metadata: { kind: 'json' },
  rules: list(rule),
  omitStages: texts,
  omitManagedFields: flag,
});

/** Decodes a document as a Policy, and lists the paths of unknown fields. Throws Error with Go's message. */
export function decodePolicy(value: unknown): { readonly policy: unknown; readonly unknownFields: readonly string[] } {
  const { object: policy, unknownFields } = decodeObject(value, policyType);
  return { policy, unknownFields };
}
