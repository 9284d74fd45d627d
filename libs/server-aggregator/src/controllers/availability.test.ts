import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { type ApiService, localCondition, withCondition } from '../apiservice/api-service.ts';
import type { ServiceLookup } from '../routing/service-resolver.ts';
import { availability, passedCondition } from './availability.ts';

const apiService: ApiService = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: 'ns', name: 'api', port: 443 },
  },
};

const service = (spec: unknown): KubeObject => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'api' }, spec });
const slice = (portName: string, addresses: string[]): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'api-1' },
  endpoints: [{ addresses, conditions: { ready: true } }],
  ports: [{ name: portName, port: 8443 }],
});

function lookup(found: KubeObject | undefined, slices: KubeObject[] = []): ServiceLookup {
  return { service: () => found, endpointSlices: () => slices };
}

const listening = service({ ports: [{ name: 'https', port: 443 }] });

describe('availability', () => {
  const reachable = async () => {};
  const reason = async (services: ServiceLookup, probe: () => Promise<void> = reachable) => {
    const { status, reason: why, message } = await availability(apiService, services, probe);
    return `${status} ${why ?? ''}: ${message ?? ''}`;
  };

  it('holds for every local one', async () => {
    const { service: _service, ...spec } = apiService.spec;
    assert.equal(await availability({ ...apiService, spec }, lookup(undefined), reachable), localCondition);
  });

  it('is what the probe says where there are no Service objects', async () => {
    assert.equal(await availability(apiService, undefined, reachable), passedCondition);
    const { status, reason: why } = await availability(apiService, undefined, () => Promise.reject(new Error('no')));
    assert.deepEqual([status, why], ['False', 'FailedDiscoveryCheck']);
  });

  it('needs the service, its port and an address', async () => {
    assert.equal(await reason(lookup(undefined)), 'False ServiceNotFound: service/api in "ns" is not present');
    assert.equal(
      await reason(lookup(service({ ports: [{ port: 80 }] }))),
      'False ServicePortError: service/api in "ns" is not listening on port 443',
    );
    assert.equal(
      await reason(lookup(listening)),
      'False EndpointsNotFound: cannot find endpointslices for service/api in "ns"',
    );
    assert.equal(
      await reason(lookup(listening, [slice('other', ['10.0.0.1']), slice('https', [])])),
      'False MissingEndpoints: endpointslices for service/api in "ns" have no addresses with port name "https"',
    );
  });

  it('needs a response to the probe', async () => {
    const refused = async () => {
      throw new Error('failing or missing response from https://x: refused');
    };
    assert.equal(
      await reason(lookup(listening, [slice('https', ['10.0.0.1'])]), refused),
      'False FailedDiscoveryCheck: failing or missing response from https://x: refused',
    );
    assert.equal(await reason(lookup(listening, [slice('https', ['10.0.0.1'])])), 'True Passed: all checks passed');
  });

  it('asks an ExternalName service without looking for endpoints', async () => {
    assert.equal(
      await availability(apiService, lookup(service({ type: 'ExternalName', externalName: 'x' })), reachable),
      passedCondition,
    );
  });
});

describe('withCondition', () => {
  it('moves the transition time only with the status, and keeps an equal status as it is', () => {
    const first = withCondition(undefined, passedCondition, '2020-01-01T00:00:00Z');
    assert.equal(withCondition(first, passedCondition, '2020-01-02T00:00:00Z'), first);
    const reworded = withCondition(first, { ...passedCondition, message: 'fine' }, '2020-01-02T00:00:00Z');
    assert.equal(reworded.conditions?.[0]?.lastTransitionTime, '2020-01-01T00:00:00Z');
    const lost = withCondition(first, { ...passedCondition, status: 'False' }, '2020-01-03T00:00:00Z');
    assert.equal(lost.conditions?.[0]?.lastTransitionTime, '2020-01-03T00:00:00Z');
  });
});
