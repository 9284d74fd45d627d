import assert from 'node:assert/strict';
import { followedKinds } from './sources.ts';
import { kinds } from './timeline.fixture.ts';

describe('the kinds that a timeline follows', () => {
  const all = Object.values(kinds);
  const names = (scope: Parameters<typeof followedKinds>[1], of = all) => {
    const { followed, others } = followedKinds(of, scope);
    return [followed.map(({ resource }) => resource), others.map(({ resource }) => resource)];
  };

  it('are those of a namespace, those of Kubernetes first, without what is renewed all the time', () => {
    const custom = [kinds.orders, kinds.pods, kinds.leases, kinds.nodes];
    assert.deepEqual(names({ namespace: 'shop' }, custom), [['pods', 'orders'], ['leases']]);
  });

  it('include important kinds of the cluster with all namespaces, and the one that is wanted', () => {
    assert.deepEqual(names({ namespace: '' }, [kinds.nodes, kinds.pods]), [['nodes', 'pods'], []]);
    const wanted = { namespace: 'shop', kind: kinds.leases };
    assert.deepEqual(names(wanted, [kinds.pods, kinds.leases]), [['leases', 'pods'], []]);
  });

  it('are no more than one connection joins', () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ ...kinds.orders, resource: `orders${at}` }));
    const [followed, others] = names({ namespace: 'shop' }, [...many, kinds.pods]);
    assert.deepEqual([followed?.length, followed?.[0], others?.length], [48, 'pods', 53]);
  });
});
