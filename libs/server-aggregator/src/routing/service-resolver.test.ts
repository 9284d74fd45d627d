import assert from 'node:assert/strict';
import { addressAnnotation } from '@apichain/meta';
import type { ApiService } from '../apiservice/api-service.ts';
import { nameResolver } from './service-resolver.ts';

describe('the address of a service on a chain without Service objects', () => {
  const resolve = (address?: string) => {
    const annotations: Record<string, string> = address === undefined ? {} : { [addressAnnotation]: address };
    const apiService: ApiService = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.example.com', annotations },
      spec: { groupPriorityMinimum: 1, versionPriority: 1 },
    };
    const { host, port } = nameResolver.resolve('ns', 'api', 8443, apiService);
    return `${host} ${port}`;
  };

  it('is its name in DNS', () => assert.equal(resolve(), 'api.ns.svc 8443'));
  it('is what the annotation says, with the port of the service by default', () => {
    assert.equal(resolve('127.0.0.1:9443'), '127.0.0.1 9443');
    assert.equal(resolve('api.example.com'), 'api.example.com 8443');
    assert.equal(resolve('api.example.com:443'), 'api.example.com 443');
    assert.equal(resolve('[::1]:9443'), '::1 9443');
  });
  it('is nothing but a host and a port', () => {
    for (const address of ['', 'a/b', 'user@a', 'a:b', 'https://a', 'a?b', '::1'])
      assert.throws(
        () => resolve(address),
        /^Error: the annotation apichain\/address is not HOST or HOST:PORT: "/,
        address,
      );
  });
});
