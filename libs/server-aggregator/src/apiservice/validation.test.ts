import assert from 'node:assert/strict';
import type { ApiService, ApiServiceSpec } from './api-service.ts';
import { validateApiService, validateApiServiceStatus, validateApiServiceUpdate } from './validation.ts';

const remote: ApiServiceSpec = {
  group: 'example.com',
  version: 'v1',
  groupPriorityMinimum: 1000,
  versionPriority: 15,
  service: { namespace: 'default', name: 'api', port: 443 },
};

function apiService(spec: Partial<ApiServiceSpec>, name = 'v1.example.com'): ApiService {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: { ...remote, ...spec },
  };
}

const texts = (service: ApiService) => validateApiService(service).map(({ field, message }) => `${field}: ${message}`);

describe('validateApiService', () => {
  it('accepts a remote and a local one', () => {
    assert.deepEqual(texts(apiService({})), []);
    const { service: _service, ...local } = remote;
    assert.deepEqual(validateApiService({ ...apiService({}), spec: local }), []);
  });

  it('wants the name to be version.group', () => {
    assert.deepEqual(texts(apiService({}, 'other')), [
      'metadata.name: Invalid value: "other": must be `spec.version+"."+spec.group`: "v1.example.com"',
    ]);
  });

  it('checks the rest of metadata too, of a change twice', () => {
    const labelled = apiService({});
    Object.assign(labelled.metadata, { labels: { 'not a label': '' }, resourceVersion: '1' });
    const fields = (service: ApiService) => validateApiService(service).map(({ field }) => field);
    assert.deepEqual(fields(labelled), ['metadata.labels']);
    assert.deepEqual(
      validateApiServiceUpdate(labelled, labelled).map(({ field }) => field),
      ['metadata.labels', 'metadata.labels'],
    );
    assert.deepEqual(fields({ ...labelled, metadata: { ...labelled.metadata, name: 'a/b' } }), [
      'metadata.name',
      'metadata.labels',
    ]);
  });

  it('leaves the empty group to v1', () => {
    assert.deepEqual(texts(apiService({ group: '', version: 'v2' }, 'v2.')), [
      'spec.group: Required value: only v1 may have an empty group and it better be legacy kube',
    ]);
  });

  it('bounds priorities', () => {
    assert.deepEqual(texts(apiService({ groupPriorityMinimum: 20_001, versionPriority: 0 })), [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ]);
    assert.deepEqual(texts(apiService({ groupPriorityMinimum: 20_000, versionPriority: 1_000 })), []);
  });

  it('checks the service and its trust', () => {
    assert.deepEqual(texts(apiService({ service: { port: 0 }, insecureSkipTLSVerify: true, caBundle: 'YQ==' })), [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ]);
  });

  it('forbids trust settings on a local one', () => {
    const { service: _service, ...local } = remote;
    const spec = { ...local, caBundle: Buffer.from('abc').toString('base64'), insecureSkipTLSVerify: true };
    assert.deepEqual(texts({ ...apiService({}), spec }), [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ]);
  });

  it('knows three condition statuses', () => {
    const errors = validateApiServiceStatus({ conditions: [{ type: 'Available', status: 'Maybe' }] });
    assert.deepEqual(
      errors.map(({ field, message }) => `${field}: ${message}`),
      ['status.conditions[0].status: Unsupported value: "Maybe": supported values: "True", "False", "Unknown"'],
    );
  });
});
