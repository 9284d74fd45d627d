import { PathMux } from '@apichain/request';
import assert from 'node:assert/strict';
import { type ApiService, isAvailable } from '../apiservice/api-service.ts';
import { Routes } from './routes.ts';
import { nameResolver } from './service-resolver.ts';

describe('the routes to extension API servers', () => {
  const name = 'v1.example.com';
  const apiService = (port: number, status?: 'True' | 'False', uid = 'first'): ApiService => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, uid },
    spec: {
      ...{ group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
      service: { namespace: 'default', name: 'extension', port },
    },
    status: status === undefined ? {} : { conditions: [{ type: 'Available', status }] },
  });
  let routes: Routes;
  const isServed = () => isAvailable(routes.proxyOf(name)?.apiService ?? assert.fail());

  beforeEach(() => {
    routes = new Routes(new PathMux(), nameResolver, {});
    routes.set(apiService(443));
    assert.equal(isServed(), false);
    // The first check has passed, and its result is being written.
    routes.proxyOf(name)?.refresh(apiService(443, 'True'));
  });
  afterEach(() => {
    routes.close();
  });

  it('lead to an available server also when its APIService is changed before its first status is written', () => {
    for (const port of [443, 8443]) {
      routes.set(apiService(port));
      assert.equal(isServed(), true, String(port));
    }
  });

  it('follow the status that is written', () => {
    routes.set(apiService(8443, 'False'));
    assert.equal(isServed(), false);
  });

  it('know nothing of a later APIService of the same name', () => {
    routes.set(apiService(443, undefined, 'second'));
    assert.equal(isServed(), false);
  });
});
