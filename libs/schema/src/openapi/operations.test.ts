import assert from 'node:assert/strict';
import { operationDescription } from './operations.ts';

describe('descriptions of operations', () => {
  it("are kube-apiserver's", () => {
    const of = (verb: string, kind: string, subresource = '') => operationDescription(verb, kind, subresource, false);
    assert.equal(of('list', 'Pod'), 'list or watch objects of kind Pod');
    assert.equal(operationDescription('list', 'Boat', '', true), 'list objects of kind Boat');
    assert.equal(of('get', 'Pod', 'status'), 'read status of the specified Pod');
    assert.equal(of('create', 'Pod', 'eviction'), 'create eviction of a Pod');
    assert.equal(of('create', 'Ingress'), 'create an Ingress');
    assert.equal(of('delete', 'Endpoints'), 'delete Endpoints');
    assert.equal(of('patch', 'Node'), 'partially update the specified Node');
    assert.equal(of('deletecollection', 'Node'), 'delete collection of Node');
  });
});
