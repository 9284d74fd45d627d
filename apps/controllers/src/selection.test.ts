import assert from 'node:assert/strict';
import { controllerNames, selectControllers } from './selection.ts';

describe('selectControllers', () => {
  it('means all with *', () => assert.deepEqual(selectControllers(['*']), controllerNames));
  it('means none with -* or nothing', () => {
    assert.deepEqual(selectControllers(['-*']), []);
    assert.deepEqual(selectControllers([]), []);
  });
  it('takes out what a minus precedes, by name or alias', () => {
    const rest = controllerNames.filter((name) => !/^(namespace|garbage)/.test(name));
    assert.deepEqual(selectControllers(['*', '-namespace', '-garbage-collector-controller']), rest);
  });
  it('means those named without *', () =>
    assert.deepEqual(selectControllers(['garbagecollector', 'namespace-controller']), [
      'garbage-collector-controller',
      'namespace-controller',
    ]));
  it('lets the first mention of a name win', () =>
    assert.deepEqual(selectControllers(['namespace', '-namespace']), ['namespace-controller']));
  it('refuses what it does not know', () =>
    assert.throws(() => selectControllers(['*', 'nonsense']), {
      message: '"nonsense" is not in the list of known controllers',
    }));
});
