import assert from 'node:assert/strict';
import { parseQuery } from './negotiation/query.ts';
import { isLongRunning, parseRequestInfo } from './request-info.ts';

const parse = (method: string, target: string) => {
  const [path = ''] = target.split('?');
  return parseRequestInfo(method, path, parseQuery(target));
};

/** method, target, verb, group, version, namespace, resource, subresource, name */
const table: readonly (readonly [string, string, string, string, string, string, string, string, string])[] = [
  ['GET', '/api/v1/namespaces', 'list', '', 'v1', '', 'namespaces', '', ''],
  ['GET', '/api/v1/namespaces/other', 'get', '', 'v1', 'other', 'namespaces', '', 'other'],
  ['GET', '/api/v1/namespaces/other/pods', 'list', '', 'v1', 'other', 'pods', '', ''],
  ['GET', '/api/v1/namespaces/other/pods/foo', 'get', '', 'v1', 'other', 'pods', '', 'foo'],
  ['HEAD', '/api/v1/namespaces/other/pods/foo', 'get', '', 'v1', 'other', 'pods', '', 'foo'],
  ['GET', '/api/v1/pods', 'list', '', 'v1', '', 'pods', '', ''],
  ['POST', '/api/v1/namespaces/other/pods', 'create', '', 'v1', 'other', 'pods', '', ''],
  ['DELETE', '/api/v1/namespaces/other/pods', 'deletecollection', '', 'v1', 'other', 'pods', '', ''],
  ['PATCH', '/apis/apps/v1/namespaces/n/deployments/d/scale', 'patch', 'apps', 'v1', 'n', 'deployments', 'scale', 'd'],
  ['PUT', '/api/v1/namespaces/n/finalize', 'update', '', 'v1', 'n', 'namespaces', 'finalize', 'n'],
  ['GET', '/api/v1/watch/pods', 'watch', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/watch/namespaces/other/pods/p', 'watch', '', 'v1', 'other', 'pods', '', 'p'],
  ['GET', '/api/v1/proxy/namespaces/other/pods/foo/x', 'proxy', '', 'v1', 'other', 'pods', '', 'foo'],
  ['GET', '/api/v1/pods?watch', 'watch', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?watch=0', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?watch=False', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dp', 'list', '', 'v1', '', 'pods', '', 'p'],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Da%5C%3Db,x%3D1', 'list', '', 'v1', '', 'pods', '', 'a=b'],
  ['GET', '/api/v1/pods?fieldSelector=%20metadata.name%3Dp', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dp%3Dq', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dp&limit=x', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dp&labelSelector=((', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dp;', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?watch=true;', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?watch=%zz', 'list', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?watch=foo', 'watch', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?watch', 'watch', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?watch=FALSE&watch=1', 'list', '', 'v1', '', 'pods', '', ''],
  ['constructor', '/api/v1/pods', '', '', 'v1', '', 'pods', '', ''],
  ['GET', '/api/v1/pods?fieldSelector=metadata.name!%3Dp', 'list', '', 'v1', '', 'pods', '', ''],
  ['DELETE', '/apis/apps/v1/namespaces/n/deployments', 'deletecollection', 'apps', 'v1', 'n', 'deployments', '', ''],
];

describe('request info', () => {
  for (const [method, target, ...expected] of table) {
    it(`${method} ${target}`, () => {
      const info = parse(method, target);
      assert.equal(info.isResourceRequest, true);
      const { verb, apiGroup, apiVersion, namespace, resource, subresource, name } = info;
      assert.deepEqual([verb, apiGroup, apiVersion, namespace, resource, subresource, name], expected);
    });
  }

  it('ignores other paths', () => {
    for (const path of [
      '/',
      '/api',
      '/api/v1',
      '/apis',
      '/apis/apps',
      '/apis/apps/v1',
      '/healthz',
      '/openapi/v2/x/y',
    ]) {
      const info = parse('GET', path);
      assert.equal(info.isResourceRequest, false);
      assert.equal(info.verb, 'get');
      assert.equal(info.path, path);
    }
    assert.throws(() => parse('GET', '/api/v1/watch'), /unable to determine kind and namespace/);
  });

  it('has selectors only for verbs that use them', () => {
    const selectors = 'labelSelector=a%3Db&fieldSelector=x%3Dy';
    assert.equal(parse('GET', `/api/v1/pods?${selectors}`).labelSelector, 'a=b');
    assert.equal(parse('GET', `/api/v1/pods?${selectors}`).fieldSelector, 'x=y');
    assert.equal(parse('POST', `/api/v1/pods?${selectors}`).labelSelector, '');
    assert.equal(parse('GET', `/api/v1/watch/pods?${selectors}`).labelSelector, '');
  });

  it('identifies long-running requests', () => {
    assert.equal(isLongRunning(parse('GET', '/api/v1/pods?watch=1')), true);
    assert.equal(isLongRunning(parse('POST', '/api/v1/namespaces/n/pods/p/exec')), true);
    assert.equal(isLongRunning(parse('GET', '/api/v1/pods')), false);
  });
});
