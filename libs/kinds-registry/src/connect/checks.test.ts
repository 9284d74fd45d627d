import assert from 'node:assert/strict';
import { containerOf } from './checks.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));
const pod = (spec: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });

describe('containerOf', () => {
  it('names all containers in start order when a name is required', () => {
    const spec = { containers: named('a', 'b'), initContainers: named('i'), ephemeralContainers: named('e') };
    assert.throws(() => containerOf(pod(spec), ''), {
      message: /a container name must be specified for pod p, choose one of: \[i a b e\]/,
    });
    assert.equal(containerOf(pod(spec), 'i'), 'i');
    assert.throws(() => containerOf(pod(spec), 'x'), /container x is not valid for pod p/);
  });

  it('needs no name for a single container', () => {
    assert.equal(containerOf(pod({ containers: named('a'), initContainers: named('i') }), ''), 'a');
  });
});
