import assert from 'node:assert/strict';
import { controllerNames, offByDefault, selectControllers } from './selection.ts';

describe('selectControllers', () => {
  const byDefault = controllerNames.filter((name) => !offByDefault.has(name));
  it('selects the default controllers with *', () => assert.deepEqual(selectControllers(['*']), byDefault));
  it('selects controllers that are off by default by name', () =>
    assert.deepEqual(selectControllers(['*', ...offByDefault]), controllerNames));
  it('selects none with -* or an empty list', () => {
    assert.deepEqual(selectControllers(['-*']), []);
    assert.deepEqual(selectControllers([]), []);
  });
  it('excludes names and aliases with a minus', () => {
    const rest = byDefault.filter((name) => !/^(namespace|garbage)/.test(name));
    assert.deepEqual(selectControllers(['*', '-namespace', '-garbage-collector-controller']), rest);
  });
  it('selects only the named controllers without *', () =>
    assert.deepEqual(selectControllers(['garbagecollector', 'namespace-controller']), [
      'garbage-collector-controller',
      'namespace-controller',
    ]));
  it('selects workload controllers by name only', () => {
    assert.deepEqual(selectControllers(['deployment', 'replicaset-controller']), [
      'deployment-controller',
      'replicaset-controller',
    ]);
    assert.deepEqual(selectControllers(['*', '-deployment']), byDefault);
  });
  it('uses the first occurrence of a name', () =>
    assert.deepEqual(selectControllers(['namespace', '-namespace']), ['namespace-controller']));
  it('refuses unknown names', () => {
    assert.throws(() => selectControllers(['*', '-nonsense']), {
      message: '"nonsense" is not in the list of known controllers',
    });
    assert.throws(() => selectControllers(['a', 'b']), {
      message: '["a" is not in the list of known controllers, "b" is not in the list of known controllers]',
    });
  });
  it('leaves out with * what has no resources to control, and refuses it by name', () => {
    const serves = ({ group, resource }: { group: string; resource: string }) => group === '' && resource !== 'jobs';
    const unserved = ['ttl-after-finished-controller', 'volumeattributesclass-protection-controller'];
    const rest = byDefault.filter((name) => !unserved.includes(name));
    assert.deepEqual(selectControllers(['*'], serves), rest);
    assert.deepEqual(selectControllers(['*', '-ttl-after-finished'], serves), rest);
    assert.throws(() => selectControllers(['ttl-after-finished'], serves), {
      message: '"ttl-after-finished-controller" needs jobs, which are not served',
    });
  });
  it('allows to exclude, but not to select, controllers that are not implemented', () => {
    assert.deepEqual(selectControllers(['*', '-nodeipam', '-service-lb-controller']), byDefault);
    assert.throws(() => selectControllers(['nodeipam']), { message: '"nodeipam" does not run here' });
  });
});
