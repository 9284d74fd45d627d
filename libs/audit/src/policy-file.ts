import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { goQuote } from '@apichain/go-text';
import { errorMessage, isRecord, field, parseYamlStrict, stringifyJson } from '@apichain/meta';
import { jsonKind, decodeObject, type Field, type Type } from '@apichain/scheme';
import { validatePolicy } from './policy-validation.ts';
import type { AuditPolicy } from './policy.ts';

const apiVersion = 'audit.k8s.io/v1';
/** The name of the scheme in kube-apiserver's errors. */
const schemeName = 'k8s.io/apiserver/pkg/audit/scheme.go:30';

interface LoadedPolicy {
  readonly policy: AuditPolicy;
  /** Problems that only strict decoding reports: unknown and duplicate fields. */
  readonly warnings: readonly string[];
}

/**
 * Loads the policy of a file (--audit-policy-file), YAML or JSON. Throws Error with kube-apiserver's message when the file cannot be read, is not
 * a policy or is invalid. Source: LoadPolicyFromFile of k8s.io/apiserver/pkg/audit/policy.
 */
export function loadPolicyFile(path: string): LoadedPolicy {
  let text: Buffer;
  try {
    text = readFileSync(path);
  } catch (error) {
    throw new Error(`failed to read file path ${goQuote(path)}: ${goReason(path, error)}`, { cause: error });
  }
  try {
    return loadPolicy(text);
  } catch (error) {
    throw new Error(`${errorMessage(error)}: from file ${path}`, { cause: error });
  }
}

/** Go's error message for a file operation. */
export function goReason(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or directory',
    EACCES: 'permission denied',
    ENOTDIR: 'not a directory',
  };
  if (code === 'EISDIR') return `read ${path}: is a directory`;
  if (code === 'EEXIST') return `mkdir ${dirname(path)}: not a directory`;
  const reason = reasons[code] ?? errorMessage(error);
  return `open ${path}: ${reason}`;
}

/** Loads a policy from text. Throws Error like `loadPolicyFile`. */
export function loadPolicy(text: Buffer | string): LoadedPolicy {
  const { value, duplicateFields } = parsed(text);
  if (!isRecord(value))
    throw new Error(
      `failed decoding: couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  checkKind(value);
  const { policy: decoded, unknownFields } = decodedPolicy(value);
  const policy = checkPolicy({ rules: [], ...decoded });
  return { policy, warnings: [...duplicateFields, ...unknownFields.map((path) => `unknown field ${goQuote(path)}`)] };
}

/** Returns the policy if it is valid. Throws Error. */
export function checkPolicy(policy: AuditPolicy): AuditPolicy {
  const errors = validatePolicy(policy);
  if (errors.length > 0) throw new Error(field.aggregateFieldErrors(errors));
  if (policy.rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  return policy;
}

function decodedPolicy(value: unknown): { policy: Partial<AuditPolicy>; unknownFields: readonly string[] } {
  try {
    const { policy, unknownFields } = decodePolicy(value);
    return { policy: policy as Partial<AuditPolicy>, unknownFields };
  } catch (error) {
    throw new Error(`failed decoding: ${errorMessage(error)}`, { cause: error });
  }
}

function parsed(text: Buffer | string) {
  try {
    return parseYamlStrict(text);
  } catch (error) {
    const reason = errorMessage(error);
    throw new Error(`failed decoding: couldn't get version/kind; json parse error: ${reason}`, { cause: error });
  }
}

function checkKind(value: Readonly<Record<string, unknown>>): void {
  const given = { apiVersion: textOf(value, 'apiVersion'), kind: textOf(value, 'kind') };
  if (given.apiVersion === apiVersion && given.kind === 'Policy') return;
  // A missing apiVersion is taken as the internal version of the decoder.
  if (given.apiVersion === '')
    throw new Error(`unknown group version field audit.k8s.io/__internal, Kind=${given.kind || 'Policy'} in policy`);
  if (given.apiVersion === apiVersion && given.kind === '') return;
  throw new Error(
    `failed decoding: no kind ${goQuote(given.kind || 'Policy')} is registered for version ${goQuote(given.apiVersion)} in scheme ${goQuote(schemeName)}`,
  );
}

function textOf(value: Readonly<Record<string, unknown>>, name: string): string {
  const member = value[name];
  if (member === undefined || member === null) return '';
  if (typeof member === 'string') return member;
  throw new Error(
    `failed decoding: couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(member)} into Go struct field .${name} of type string (${stringifyJson(member)})`,
  );
}

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
function decodePolicy(value: unknown): { readonly policy: unknown; readonly unknownFields: readonly string[] } {
  const { object: policy, unknownFields } = decodeObject(value, policyType);
  return { policy, unknownFields };
}
