import type {
  ServerStorageVersion,
  StorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from '@apichain/api/apiserverinternal/v1alpha1';
import {
  field,
  isDNS1035Label,
  isDNS1123Subdomain,
  isQualifiedName,
  nameIsDNSSubdomain,
  type FieldError,
} from '@apichain/meta';
import { checkEach, collect, invalidEach, type Out, requiredText } from '../common/rules.ts';

/** Checks the name: group and plural of the resource, `core.pods`. After pkg/apis/apiserverinternal/validation of kubernetes 1.36. */
export function storageVersionNameMessages(name: string): string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...isDNS1123Subdomain(name.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...isDNS1035Label(name.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

const empty = 'must be non-empty';
const badVersion =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";

const part = (name: string, value: string, rule: (value: string) => readonly string[]): string[] =>
  (value === '' ? [empty] : rule(value)).map((message) => `${name} part: ${message}`);

function apiVersionMessages(apiVersion: string): string[] {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [badVersion];
  return [
    ...(parts.length === 2 ? part('group', parts[0] ?? '', isDNS1123Subdomain) : []),
    ...part('version', parts.at(-1) ?? '', isDNS1035Label),
  ];
}

function apiVersion(out: Out, path: string, value: string): void {
  const messages = apiVersionMessages(value);
  if (messages.length > 0) out.push(field.invalid(path, value, messages.join(',')));
}

function serverErrors(out: Out, path: string, server: ServerStorageVersion): void {
  const { apiServerID: id = '', encodingVersion: encoding = '', decodableVersions: decodable = [] } = server;
  invalidEach(out, `${path}.apiServerID`, id, nameIsDNSSubdomain(id, false));
  apiVersion(out, `${path}.encodingVersion`, encoding);
  checkEach(out, decodable, (out, version, i) => apiVersion(out, `${path}.decodableVersions[${i}]`, version));
  if (!decodable.includes(encoding)) {
    const shown = server.decodableVersions ?? null;
    const detail = `decodableVersions must include encodingVersion ${encoding}`;
    out.push(field.invalid(`${path}.decodableVersions`, shown, detail));
  }
  checkEach(out, server.servedVersions ?? [], (out, version, i) => {
    const at = `${path}.servedVersions[${i}]`;
    apiVersion(out, at, version);
    if (decodable.includes(version)) return;
    const detail = `individual served version : ${version} must be included in decodableVersions : [${decodable.join(' ')}]`;
    out.push(field.invalid(at, version, detail));
  });
}

function commonVersionErrors(out: Out, status: StorageVersionStatus): void {
  const path = 'status.commonEncodingVersion';
  const versions = (status.storageVersions ?? []).map(({ encodingVersion = '' }) => encodingVersion);
  const common = versions.every((version) => version === versions[0]) ? versions[0] : undefined;
  const said = status.commonEncodingVersion;
  if (common === said) return;
  if (common === undefined) {
    const detail =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet';
    out.push(field.invalid(path, said, detail));
  } else if (said === undefined) out.push(field.invalid(path, null, `the common encoding version is ${common}`));
  else out.push(field.invalid(path, said, `the actual common encoding version is ${common}`));
}

function conditionErrors(out: Out, conditions: readonly StorageVersionCondition[]): void {
  const seen = new Map<string, number>();
  checkEach(out, conditions, (out, condition, i) => {
    const path = `status[${i}]`;
    const { type = '', status = '' } = condition;
    const before = seen.get(type);
    if (before !== undefined) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${before}]`;
      out.push(field.invalid(`${path}.type`, type, detail));
    }
    seen.set(type, i);
    invalidEach(out, `${path}.type`, type, isQualifiedName(type));
    invalidEach(out, `${path}.status`, status, isQualifiedName(status));
    requiredText(out, `${path}.reason`, condition.reason);
    requiredText(out, `${path}.message`, condition.message);
  });
}

/** Checks the versions that servers report to encode and decode. */
export function validateStorageVersionStatus(storageVersion: StorageVersion): FieldError[] {
  const status = storageVersion.status ?? {};
  return collect((out) => {
    const ids = new Set<string>();
    checkEach(out, status.storageVersions ?? [], (out, server, i) => {
      const path = `status.storageVersions[${i}]`;
      const id = server.apiServerID ?? '';
      if (ids.has(id)) out.push(field.duplicate(`${path}.apiServerID`, id));
      ids.add(id);
      serverErrors(out, path, server);
    });
    commonVersionErrors(out, status);
    conditionErrors(out, status.conditions ?? []);
  });
}
