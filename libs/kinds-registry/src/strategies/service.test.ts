import { strict as assert } from 'node:assert';
import type { KubeObject } from '@apichain/meta';
import { clearUnneededFields, keepAllocatedValues, syncClusterIps } from '../services/type-change.ts';
import { serviceBehaviour } from './service.ts';

describe('serviceBehaviour', () => {
  it('warns of the form of external addresses before it warns of them at all', () => {
    const service = (externalIPs: string[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], externalIPs },
    });
    assert.deepEqual(serviceBehaviour.warnings?.(service(['2001:DB8::1']), undefined), [
      'spec.externalIPs[0]: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ]);
  });
});

describe('changes of the type of a service', () => {
  const old = { type: 'ClusterIP', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] };

  it('keep the address of a service of an unknown type', () => {
    const spec = { ...old, type: 'X' };
    clearUnneededFields(spec, old);
    assert.deepEqual(spec, { ...old, type: 'X' });
  });
  it('clear both clusterIP and clusterIPs, or neither when one was changed', () => {
    const external = { ...old, type: 'ExternalName' };
    const untouched: object = { ...external };
    clearUnneededFields(untouched, old);
    assert.deepEqual(untouched, { type: 'ExternalName' });
    const changed = { ...external, clusterIP: '10.0.0.2' };
    clearUnneededFields(changed, old);
    assert.deepEqual(changed.clusterIPs, ['10.0.0.1']);
  });
  it('leave an unknown externalTrafficPolicy to validation', () => {
    const spec: Record<string, unknown> = { type: 'ExternalName', internalTrafficPolicy: 'X' };
    clearUnneededFields(spec, old);
    assert.deepEqual(spec, { type: 'ExternalName', internalTrafficPolicy: 'X' });
  });
  it('copy a new clusterIP of an old client to clusterIPs', () => {
    const spec: Record<string, unknown> = { type: 'ClusterIP', clusterIP: '10.0.0.2' };
    keepAllocatedValues(spec, old);
    syncClusterIps(spec, old);
    assert.deepEqual(spec.clusterIPs, ['10.0.0.2']);
  });
});
