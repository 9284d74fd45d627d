import { strict as assert } from 'node:assert';
import { networkingCells } from './networking.ts';

const metadata = { name: 'x' };

describe('cells of networking kinds', () => {
  it('show three hosts of an ingress, and the number of further rules', () => {
    const hosts = networkingCells['Ingress.networking.k8s.io']?.Hosts;
    const shown = (...names: string[]) =>
      hosts?.({ apiVersion: '', kind: '', metadata, spec: { rules: names.map((host) => ({ host })) } });
    assert.equal(shown('a.b', '', 'c.d'), 'a.b,c.d');
    assert.equal(shown('a.b', '', 'c.d', 'e.f', 'g.h'), 'a.b,c.d,e.f + 2 more...');
    assert.equal(shown(), '*');
  });

  it('show the ports of a slice by number or name, and <unset> without ports', () => {
    const ports = networkingCells['EndpointSlice.discovery.k8s.io']?.Ports;
    const shown = (...given: object[]) => ports?.({ apiVersion: '', kind: '', metadata, ports: given });
    assert.equal(shown({ port: 80 }, { name: 'http' }, {}), '80,http,*');
    assert.equal(shown({ name: '' }), '<unset>');
    assert.equal(shown({ name: '' }, { name: '' }), ',');
    assert.equal(shown(), '<unset>');
  });
});
