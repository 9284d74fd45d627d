import assert from 'node:assert/strict';
import { controllerNames, selectControllers } from './selection.ts';

describe('selectControllers', () => {
  const byDefault = controllerNames.filter((name) => name !== 'token-cleaner-controller');
  it('means all that are on by default with *', () => assert.deepEqual(selectControllers(['*']), byDefault));
  it('takes those that are off by default by name', () =>
    assert.deepEqual(selectControllers(['*', 'tokencleaner']), controllerNames));
  it('means none with -* or nothing', () => {
    assert.deepEqual(selectControllers(['-*']), []);
    assert.deepEqual(selectControllers([]), []);
  });
  it('takes out what a minus precedes, by name or alias', () => {
    const rest = byDefault.filter((name) => !/^(namespace|garbage)/.test(name));
    assert.deepEqual(selectControllers(['*', '-namespace', '-garbage-collector-controller']), rest);
  });
  it('means those named without *', () =>
    assert.deepEqual(selectControllers(['garbagecollector', 'namespace-controller']), [
      'garbage-collector-controller',
      'namespace-controller',
    ]));
  it('lets the first mention of a name win', () =>
    assert.deepEqual(selectControllers(['namespace', '-namespace']), ['namespace-controller']));
  it('refuses what it does not know', () => {
    assert.throws(() => selectControllers(['*', '-nonsense']), {
      message: '"nonsense" is not in the list of known controllers',
    });
    assert.throws(() => selectControllers(['a', 'b']), {
      message: '["a" is not in the list of known controllers, "b" is not in the list of known controllers]',
    });
  });
  it('leaves out with * what has no resources to control, and refuses it by name', () => {
    const serves = ({ group, resource }: { group: string; resource: string }) => group === '' && resource !== 'jobs';
    const rest = byDefault.filter((name) => name !== 'ttl-after-finished-controller');
    assert.deepEqual(selectControllers(['*'], serves), rest);
    assert.deepEqual(selectControllers(['*', '-ttl-after-finished'], serves), rest);
    assert.throws(() => selectControllers(['ttl-after-finished'], serves), {
      message: '"ttl-after-finished-controller" needs jobs, which are not served',
    });
  });
  it('knows what runs elsewhere: it may be left out, not asked for', () => {
    assert.deepEqual(selectControllers(['*', '-deployment', '-job-controller']), byDefault);
    assert.throws(() => selectControllers(['deployment']), { message: '"deployment" does not run here' });
  });
});
